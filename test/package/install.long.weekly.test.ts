import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { servePlugin } from '../../packages/engine/src/plugins/serve.ts';
import { VaultPlugin } from '../../packages/engine/src/plugins/vault/vault-plugin.ts';
import { startPluginHost } from '../../packages/pulumi-package/test/plugin-host.ts';
import type { Packed } from '../../scripts/package.ts';
import { ask } from '../harness/ask.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { root } from '../harness/environment-under-test.ts';
import { describeWithPackageManagers, type PackageManager } from '../harness/package-managers.ts';
import { packedOnce } from '../harness/packed.ts';
import { pinned } from '../harness/pinned.ts';
import { describeWithPulumi } from '../harness/pulumi/pulumi.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const plan = join(root, 'examples/plans/terraform-plan.json');
const scratch = temporaryFolder();
let packed: Packed;
beforeAll(async () => {
  packed = await packedOnce();
}, 900_000);

const pinnedPeers = {
  '@pulumi/pulumi': pinned['@pulumi/pulumi'],
  '@pulumi/vault': pinned['@pulumi/vault'],
};
const oldest = (name: string) => clone.peerDependencies[name].replace('^', '');
const oldestPeers = { '@pulumi/pulumi': oldest('@pulumi/pulumi'), '@pulumi/vault': oldest('@pulumi/vault') };

/** A repository of a team: its own program, which builds the environment and declares a resource of its own. */
const files = {
  'Pulumi.yaml': 'name: sign-in\nruntime: { name: nodejs, options: { typescript: false } }\n',
  'Pulumi.dev.yaml': `config:
  gatehouse:service: { address: "http://127.0.0.1:8200" }
  gatehouse:policies:
    - { name: web-read, policy: 'path "secret/data/web" { capabilities = ["read"] }' }
`,
  'index.ts': `import * as vault from '@pulumi/vault';
import { buildEnvironment } from 'gatehouse-login';

export const { address, policies } = await buildEnvironment(import.meta.dirname);
const own: string = 'path "secret/data/own" { capabilities = ["read"] }';
export const id = new vault.Policy('own', { name: 'own', policy: own }).id;
`,
};

/** Writes the team's repository and installs it. */
async function makeRepository(manager: PackageManager, peers: object): Promise<string> {
  const folder = mkdtempSync(join(scratch, 'team-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const dependencies = { ...peers, 'gatehouse-login': `file:${packed.gatehouse}` };
  const description = { name: 'team', version: '0.0.0', private: true, type: 'module', main: 'index.ts' };
  // Yarn gives @pulumi/vault the newest SDK that it accepts, next to the pinned one, unless told not to (docs/programs.md).
  const resolutions = peers;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...description, dependencies, resolutions }));
  await manager.install(folder);
  return folder;
}

const repositories = new Map<string, Promise<string>>();

/** The repository with the pinned peers, one for each package manager. */
function repositoryOf(manager: PackageManager): Promise<string> {
  const known = repositories.get(manager.name) ?? makeRepository(manager, pinnedPeers);
  repositories.set(manager.name, known);
  return known;
}

/** Runs a program to its end, and answers what it printed. The embedded service of a test answers meanwhile. */
function run(
  command: string,
  args: string[],
  { cwd = root, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const given = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env };
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(command, args, { cwd, env: given }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const installed = 'node_modules/gatehouse-login/dist/packages/cli/gatehouse.mjs';

/** Runs the command in the team's repository. */
function gatehouse(cwd: string, args: string[], env?: NodeJS.ProcessEnv) {
  return run(process.execPath, [join(cwd, installed), ...args], { cwd, env });
}

function variables({ address, token }: { address: string; token: string }): NodeJS.ProcessEnv {
  return {
    VAULT_TOKEN: token,
    GATEHOUSE_SERVICE_ADDRESS: address,
    // For the team's own resource, whose provider is the default one.
    VAULT_ADDR: address,
    PULUMI_CONFIG_PASSPHRASE: 'of the team',
  };
}

/** Applies the repository's stack to an embedded secrets service, and reads what is there then. */
async function apply(folder: string) {
  const service = await startEmbeddedService();
  const env = variables(service);
  try {
    const preview = await gatehouse(folder, ['preview', '-s', 'dev', '--json'], env);
    const up = await gatehouse(folder, ['up', '-s', 'dev', '--yes', '--json'], env);
    const again = await gatehouse(folder, ['preview', '-s', 'dev', '--json'], env);
    const live = await ask(service, { method: 'GET', path: 'sys/policies/acl/own' });
    return { preview, up, again, live };
  } finally {
    await service.close();
  }
}

const counted = ({ stdout }: { stdout: string }) => JSON.parse(stdout).changeSummary;

describeWithPackageManagers((manager) => {
  let folder = '';
  // On a busy machine, an installation takes minutes.
  beforeAll(async () => {
    folder = await repositoryOf(manager);
  }, 1_800_000);

  test('the command is there, and tells its version', async () => {
    const command = join(folder, 'node_modules/.bin/gatehouse');
    expect(await run(command, ['--version'])).toEqual({
      status: 0,
      stdout: `${clone.version}\n`,
      stderr: '',
    });
  });

  test('a plan is reviewed as in a clone', async () => {
    const review = await gatehouse(folder, ['review', plan]);
    const inClone = await run(process.execPath, [join(root, 'packages/cli/gatehouse.mjs'), 'review', plan]);
    expect(inClone.status).toBe(2);
    expect(review).toEqual(inClone);
  });

  test('the components for other languages are told and made', async () => {
    await using host = await startPluginHost(
      join(folder, 'node_modules/gatehouse-login/dist/packages/pulumi-package'),
    );
    expect(JSON.parse(await host.schema())).toMatchObject({ name: 'gatehouse', version: clone.version });
    const policy = {
      type: 'gatehouse:index:Policy',
      name: 'read',
      inputs: { name: 'read', text: 'path "a" { capabilities = ["read"] }' },
    };
    const { urn } = await host.construct(policy);
    expect(host.registered.below(urn)).toHaveLength(2);
  });

  test('the team’s own program is previewed and applied', async () => {
    const { preview, up, again, live } = await apply(folder);
    expect([preview.stderr, up.stderr, again.stderr]).toEqual(['', '', '']);
    expect(counted(preview)).toEqual({ create: 4 });
    expect(counted(again)).toEqual({ same: counted(preview).create });
    expect(live.body.data.policy).toContain('secret/data/own');
  });
});

describeWithPackageManagers((manager) => {
  if (manager.name !== 'npm') return;

  test('the oldest peers of the range do', async () => {
    const folder = await makeRepository(manager, oldestPeers);
    const { preview, live } = await apply(folder);
    expect(counted(preview)).toEqual({ create: 4 });
    expect(live.status).toBe(200);
  });

  describe('in one repository', () => {
    let folder = '';
    beforeAll(async () => {
      folder = await repositoryOf(manager);
    });

    describeWithPulumi('with the real CLI', 'newest', (home) => {
      test('the policy pack judges the team’s own program', async () => {
        const service = await startEmbeddedService();
        const env = { ...home().env, ...variables(service) };
        const plugin = await servePlugin(() => new VaultPlugin(env), 'vault', '7.8.0');
        const pack = ['--policy-pack', 'node_modules/gatehouse-login/dist/packages/policy-pack'];
        try {
          const pulumi = (...args: string[]) =>
            run('pulumi', [...args, '--non-interactive'], {
              cwd: folder,
              env: { ...env, PULUMI_DEBUG_PROVIDERS: `vault:${plugin.port}` },
            });
          await pulumi('stack', 'init', 'dev');
          const judged = await pulumi('preview', '--stack', 'dev', ...pack);
          expect(judged).toMatchObject({ status: 0, stdout: expect.stringContaining('cannot-be-judged') });
        } finally {
          await plugin.close();
          await service.close();
        }
      });
    });

    test('an installation is under 200 MB', () => {
      const paths = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
      const sizes = paths.map((path) => lstatSync(join(folder, 'node_modules', path)));
      const bytes = sizes.reduce((total, entry) => total + (entry.isFile() ? entry.size : 0), 0);
      expect(bytes).toBeLessThan(200e6);
    });

    test('a Node without TypeScript is refused in one line, with what to do', async () => {
      const old = ['--no-experimental-strip-types', join(folder, installed), '--version'];
      expect(await run(process.execPath, old)).toEqual({
        status: 1,
        stdout: '',
        stderr: `error: Gatehouse needs a Node that runs TypeScript: 22.18 or newer, with type stripping on. This is ${process.version}.
  Install a newer one: https://nodejs.org/en/download
`,
      });
    });

    test('an optional package that an environment needs and that is missing is named', async () => {
      const cluster = `
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: https://cluster.example.com
      cluster: { serviceAccounts: true }
      roles: [{ name: web, namespace: web, serviceAccount: web, audience: secrets, policies: [web-read], ttl: 10m }]
`;
      writeFileSync(join(folder, 'Pulumi.cluster.yaml'), files['Pulumi.dev.yaml'].trimEnd() + cluster);
      const service = await startEmbeddedService();
      const env = { VAULT_TOKEN: service.token, GATEHOUSE_SERVICE_ADDRESS: service.address };
      const { status, stdout, stderr } = await gatehouse(folder, ['preview', '-s', 'cluster'], {
        ...env,
        PULUMI_CONFIG_PASSPHRASE: 'of the team',
      });
      await service.close();
      expect(status).toBe(1);
      expect(stdout + stderr).toContain(
        `npm install @pulumi/kubernetes@${clone.peerDependencies['@pulumi/kubernetes']}`,
      );
      expect(stdout + stderr).not.toContain('    at ');
    });

    test('what is exported has types, in a program that is checked with its libraries', async () => {
      writeFileSync(join(folder, 'consumer.ts'), readFileSync(new URL('consumer.ts', import.meta.url)));
      const types = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
      const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', ...types };
      const config = { compilerOptions, files: ['consumer.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      expect(await run(process.execPath, [tsc], { cwd: folder })).toMatchObject({ status: 0, stdout: '' });
    });

    test.each([
      'gatehouse-login/package.json',
      'gatehouse-login/dist/packages/core/src/review/review.js',
      'gatehouse-login/dist/packages/gatehouse/review.js',
    ])('%s cannot be imported', async (path) => {
      const { status, stderr } = await run(process.execPath, ['-e', `import('${path}')`], { cwd: folder });
      expect(status).toBe(1);
      expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
    });

    test('create-gatehouse is `gatehouse new`', async () => {
      const given = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      given.dependencies['create-gatehouse'] = `file:${packed.create}`;
      writeFileSync(join(folder, 'package.json'), JSON.stringify(given));
      await manager.install(folder);
      const created = join(folder, 'made');
      const create = join(folder, 'node_modules/.bin/create-gatehouse');
      const { status, stderr } = await run(create, [created, '--no-install', '--no-git']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(readFileSync(join(created, 'index.ts'), 'utf8')).toContain("from 'gatehouse-login'");
    });
  });
});
