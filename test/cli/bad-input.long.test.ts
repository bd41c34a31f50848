import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../harness/ask.ts';
import { startServiceOfVersion } from '../harness/doubles/service-of-version.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { EnvironmentUnderTest, root } from '../harness/environment-under-test.ts';
import { describeWithOpenBao, startOpenBaoForTests } from '../harness/openbao.ts';

interface Ended {
  code: number | null;
  output: string;
}

/** Runs the real command. */
function gatehouse(args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const argv = [join(root, 'cli/gatehouse.mjs'), ...args];
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on('exit', (code) => resolve({ code, output }));
  });
}

const clientSecret = 'gatehouse-development-only';

/** A clear error: exit 1, no stack trace, no secret. */
function expectRefused({ code, output }: Ended, what: RegExp, secrets: string[] = []): void {
  expect(output).toMatch(what);
  expect(code).toBe(1);
  expect(output).not.toMatch(/^\s+at /m);
  for (const secret of [clientSecret, ...secrets]) expect(output).not.toContain(secret);
}

describe('a configuration that is not right', () => {
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  let environment: EnvironmentUnderTest;

  beforeAll(async () => {
    service = await startEmbeddedService();
    environment = await EnvironmentUnderTest.start(service);
  });
  afterAll(async () => {
    await environment.close();
    await service.close();
  });

  test.each<[string, (yaml: string) => string, RegExp]>([
    [
      'an unknown kind',
      (yaml) => yaml.replace('kind: source_hosting', 'kind: carrier_pigeon'),
      /providers\[3\]\.kind: unknown provider kind.*source_hosting/s,
    ],
    [
      'a missing field',
      (yaml) => yaml.replace(/ +tenantId: .*\n/, ''),
      /providers\[0\]\.tenantId: this field is required/,
    ],
    [
      'a wrong type',
      (yaml) => yaml.replace('scopes: [profile, email]', 'scopes: 7'),
      /providers\[2\]\.scopes: must be a list, not a number/,
    ],
    [
      'a duration that is none',
      (yaml) => yaml.replace('ttl: 8h', 'ttl: soon'),
      /providers\[3\]\.roles\[0\]\.ttl: not a duration: "soon"/,
    ],
    [
      'an instant that is none',
      (yaml) => yaml.replace('startTime: "2026-01-01T00:00:00Z"', 'startTime: tomorrow'),
      /messages\[0\]\.startTime: not an RFC 3339 instant/,
    ],
    [
      'two roles of one name',
      (yaml) => yaml.replace('{ name: backup,', '{ name: web,'),
      /providers\[7\]\.roles\[1\]\.name: the role "web" is declared twice/,
    ],
    [
      'a fraction in bound claims',
      (yaml) => yaml.replace('boundClaims: { email: alice@example.com }', 'boundClaims: { level: 1.5 }'),
      /boundClaims\.level: must be a whole number/,
    ],
    [
      'a policy file that is not there',
      (yaml) => yaml.replace('secrets-read.hcl', 'secrets-none.hcl'),
      /policies\[0\]\.file: cannot read policy file/,
    ],
    ['YAML that is none', (yaml) => `${yaml}\n  : [`, /Pulumi\.dev\.yaml/],
  ])('%s is refused by its path', async (_, change, what) => {
    const project = await environment.writeProject(change);
    expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], environment.env), what);
  });

  test('every problem is told at once', async () => {
    const project = await environment.writeProject((yaml) =>
      yaml.replace('ttl: 8h', 'ttl: soon').replace('kind: workspace_suite', 'kind: pigeon'),
    );
    const { output } = await gatehouse(['preview', '-s', 'dev', '-C', project], environment.env);
    expect(output).toMatch(/providers\[3\]\.roles\[0\]\.ttl/);
    expect(output).toMatch(/providers\[4\]\.kind/);
  });

  test('a passphrase that does not decrypt is refused', async () => {
    const project = await environment.writeProject();
    const env = { ...environment.env, PULUMI_CONFIG_PASSPHRASE: 'a wrong one' };
    expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env), /passphrase_wrong/, [
      'a wrong one',
    ]);
  });

  test('a damaged state file is refused', async () => {
    const project = await environment.writeProject();
    const home = join(project, 'damaged');
    await mkdir(join(home, 'state'), { recursive: true });
    const { statePath } = await import('../../engine/local/state-store.ts');
    const path = statePath({ ...environment.stack(), home });
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, 'this is no database, and long enough to be read as one'.repeat(100));
    const env = { ...environment.env, GATEHOUSE_HOME: home };
    expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env), /state_damaged/);
  });

  test('a service that is down is refused, before the program runs', async () => {
    const project = await environment.writeProject();
    const env = { ...environment.env, GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:9' };
    expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env), /service_unreachable/);
  });

  test('a service of the wrong version is refused', async () => {
    const other = await startServiceOfVersion('seven');
    try {
      const project = await environment.writeProject();
      const env = { ...environment.env, GATEHOUSE_SERVICE_ADDRESS: other.address };
      expectRefused(
        await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env),
        /service_version_invalid/,
      );
    } finally {
      await other.close();
    }
  });

  test('no token is refused', async () => {
    const project = await environment.writeProject();
    const { VAULT_TOKEN: _, ...env } = environment.env;
    expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env), /token_missing/);
  });
});

describeWithOpenBao('a service that cannot take the environment', (service) => {
  let environment: EnvironmentUnderTest;
  beforeAll(async () => {
    environment = await EnvironmentUnderTest.start(service());
  });
  afterAll(() => environment.close());

  test('a service without custom messages is refused before anything is changed', async () => {
    const project = await environment.writeProject();
    const before = await environment.live();
    expectRefused(
      await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], environment.env),
      /messages_unsupported/,
    );
    expect(await environment.live()).toEqual(before);
  });

  test('a wrong token is refused, and not repeated', async () => {
    const project = await environment.writeProject((yaml) =>
      yaml.replace(/( +)address: .*:8200\n/, '$&$1features: { messages: false }\n'),
    );
    const env = { ...environment.env, VAULT_TOKEN: 's.wrong-token-value' };
    const ended = await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env);
    expectRefused(ended, /token_refused/, ['s.wrong-token-value']);
  });

  test('a sealed service is refused', async () => {
    const sealed = await startOpenBaoForTests();
    try {
      await ask(sealed, { method: 'PUT', path: 'sys/seal' });
      const project = await environment.writeProject();
      const env = {
        ...environment.env,
        GATEHOUSE_SERVICE_ADDRESS: sealed.address,
        VAULT_TOKEN: sealed.token,
      };
      expectRefused(await gatehouse(['up', '-s', 'dev', '--yes', '-C', project], env), /service_sealed/);
    } finally {
      await sealed.close();
    }
  });
});
