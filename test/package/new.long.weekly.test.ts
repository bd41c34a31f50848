import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { write } from '../harness/ask.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { packedOnce } from '../harness/packed.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { isWeekly } from '../harness/weekly-run.ts';

/** Everything here is done from the packed file, in folders outside of the clone. */
const folder = temporaryFolder();
const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
/** Milliseconds: package managers on a busy machine. */
const aLongTime = 900_000;
let packed = '';
let command = '';

function run(program: string, args: string[], cwd: string, variables: NodeJS.ProcessEnv = {}) {
  // Package managers are set up by the machine's variables.
  const env = { ...process.env, PATH: path, ...variables };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  // An expectation of no failure shows the reason.
  return { status, stdout, stderr, failure: status === 0 ? '' : stderr };
}

function install(name: string, ...packages: string[]): string {
  const target = join(folder, name);
  mkdirSync(target);
  writeFileSync(join(target, 'package.json'), '{ "private": true }');
  const { status, stderr } = run('npm', ['install', '--no-audit', '--no-fund', ...packages], target);
  if (status !== 0) throw new Error(stderr);
  return join(target, 'node_modules', '.bin');
}

beforeAll(async () => {
  packed = (await packedOnce()).gatehouse;
  command = join(install('command', packed), 'gatehouse');
}, aLongTime);

/** Clones of the repositories, as deep as no relative path of theirs reaches. */
const clones = join(folder, 'clones/of/a/colleague');

/** An empty cache: what an installation gets, it gets from the registry and from the repository. */
const emptyCache = { npm_config_cache: join(folder, 'empty-cache'), npm_config_prefer_offline: 'false' };

function git(repository: string, ...args: string[]) {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return run('git', [...author, ...args], repository);
}

describe('a new repository, from the packed file', () => {
  const managers: [name: string, from: string | undefined, runner: string[], ci: string[]][] = [
    ['npm', undefined, ['npx'], ['ci']],
    ['pnpm', 'pnpm@12.21.0', ['pnpm', 'exec'], ['install', '--frozen-lockfile']],
    ['yarn', '@yarnpkg/cli-dist@4.18.1', ['yarn'], ['install', '--immutable']],
  ];
  test.each(managers.filter(([name]) => (name !== 'npm') === isWeekly))(
    'installed with %s: a clone installs from what is in it, reviews a change and gets a second stack',
    (name, from, runner, ci) => {
      const variables = from
        ? {
            PATH: `${install(`${name}-itself`, from)}${delimiter}${path}`,
            // Or each command of pnpm's asks the registry whether it is the pinned version, and fails where it has no answer.
            pnpm_config_pm_on_fail: 'ignore',
          }
        : {};
      const created = run(
        command,
        ['new', name, '--package-manager', name, '--package', packed],
        folder,
        variables,
      );
      expect(created).toMatchObject({
        failure: '',
        stdout: expect.stringContaining(`cd ${name}\n  ${name} start\n`),
      });

      const first = join(folder, name);
      git(first, 'add', '--all');
      git(first, 'commit', '--quiet', '--message', 'first');
      expect(git(first, 'ls-files').stdout).not.toMatch(/node_modules|install-state|\.gatehouse/);
      const repository = join(clones, name);
      git(folder, 'clone', '--quiet', first, repository);
      const cache = name === 'npm' ? emptyCache : {};
      expect(run(name, ci, repository, { ...variables, ...cache })).toMatchObject({ failure: '' });
      expect(git(repository, 'status', '--porcelain').stdout).toBe('');

      const file = join(repository, 'Pulumi.dev.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('ttl: 10m', 'ttl: 20m'));
      const [program = '', ...rest] = runner;
      const gatehouse = (args: string[], env = {}) =>
        run(program, [...rest, 'gatehouse', ...args], repository, { ...variables, ...env });
      expect(gatehouse(['review', '-s', 'dev', '--since', 'HEAD']).stdout).toMatch(
        /role cluster\/web .*ttl 10m +ttl 20m/,
      );

      const added = gatehouse(['stack', 'init', 'staging'], { PULUMI_CONFIG_PASSPHRASE: 'for tests' });
      expect(added).toMatchObject({ failure: '', stdout: expect.stringContaining('Pulumi.staging.yaml') });
    },
  );

  if (isWeekly) return;

  // Those of other package managers run programs in install.long.weekly.test.ts.
  test('a clone signs in, and passes its test', () => {
    const anyPorts = ['--port', '0', '--identity-port', '0', '--run-task-port', '0'];
    const tested = run('npm', ['test', '--', ...anyPorts], join(clones, 'npm'));
    expect(tested).toMatchObject({
      failure: '',
      stdout: expect.stringMatching(/Signed in +alice.*Signed in +system:/s),
    });
  });

  test('runs what its pipeline runs at GitHub', () => {
    const repository = join(clones, 'npm');
    const script = 'node_modules/gatehouse-login/dist/packages/ci/github.js';
    const { status, stdout, stderr } = run(
      process.execPath,
      [script, 'review', '--stack=dev', '--plan=', '--since=HEAD', '--fail-on=warning', '--folder=.'],
      repository,
      { GITHUB_REPOSITORY: 'acme/sign-in' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: 'No pull request: the report is in the summary.\n',
      stderr: '',
    });
  });

  test('starts from a live service, as it is proved', async () => {
    const service = await startEmbeddedService();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    await write(service, 'sys/policies/acl/reading', {
      policy: 'path "secret/data/*" { capabilities = ["read"] }',
    });
    await write(service, 'sys/auth/ci', { type: 'jwt' });
    await write(service, 'auth/ci/config', {
      jwt_validation_pubkeys: [pem],
      bound_issuer: 'https://ci.example.com',
    });
    const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['x'], bound_subject: 'job' };
    await write(service, 'auth/ci/role/deploy', { ...role, token_policies: ['reading'], token_ttl: '10m' });

    const args = ['new', 'adopted', '--package', packed, '--adopt', service.address, '--json'];
    // The service is of this process, so that the command cannot be waited for as the others are.
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, PATH: path, VAULT_TOKEN: service.token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    await service.close();
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ adoption: { isProven: true, problems: [] } });
    const workflow = readFileSync(join(folder, 'adopted', '.github/workflows/review.yaml'), 'utf8');
    expect(workflow).toContain('stack: ["dev", "production"]');
  });
});
