import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { ask } from '../../../test/harness/ask.ts';
import { startServiceOfVersion } from '../../../test/harness/doubles/service-of-version.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest, root } from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { startOpenBao } from '../../../test/harness/openbao-server.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { statePath } from '../../engine/src/local/state-store.ts';

interface Ended {
  code: number | null;
  output: string;
}

/** Runs the real command. */
async function gatehouse(args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const argv = [join(root, 'packages/cli/gatehouse.mjs'), ...args];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const outputs = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0], output: outputs.join('') };
}

/** Applies the dev stack, changed like this, with these variables in addition. */
async function up(environment: EnvironmentUnderTest, env: object = {}, change?: (yaml: string) => string) {
  const project = await environment.writeProject(change);
  return gatehouse(['up', '-s', 'dev', '--yes', '-C', project], { ...environment.env, ...env });
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
  const service = started(startEmbeddedService);
  const environment = started(() => EnvironmentUnderTest.start(service()));

  test.each<[string, (yaml: string) => string, RegExp]>([
    [
      'an unknown kind',
      (yaml) => yaml.replace('kind: source_hosting', 'kind: carrier_pigeon'),
      /providers\[3\]\.kind: unknown provider kind.*source_hosting/s,
    ],
    [
      'a policy file that is not there',
      (yaml) => yaml.replace('secrets-read.hcl', 'secrets-none.hcl'),
      /policies\[0\]\.file: cannot read policy file/,
    ],
    ['YAML that is none', (yaml) => `${yaml}\n  : [`, /Pulumi\.dev\.yaml/],
  ])('%s is refused by its path', async (_, change, what) => {
    expectRefused(await up(environment(), {}, change), what);
  });

  test('every problem is told at once', async () => {
    const project = await environment().writeProject((yaml) =>
      yaml.replace('ttl: 8h', 'ttl: soon').replace('kind: workspace_suite', 'kind: pigeon'),
    );
    const { output } = await gatehouse(['preview', '-s', 'dev', '-C', project], environment().env);
    expect(output).toMatch(/providers\[3\]\.roles\[0\]\.ttl/);
    expect(output).toMatch(/providers\[4\]\.kind/);
  });

  test('a damaged state file is refused', async () => {
    const home = temporaryFolder();
    const path = statePath({ ...environment().stack(), home });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'this is no database, and long enough to be read as one'.repeat(100));
    expectRefused(await up(environment(), { GATEHOUSE_HOME: home }), /state_damaged/);
  });

  test.each([
    ['a passphrase that does not decrypt', { PULUMI_CONFIG_PASSPHRASE: 'a wrong one' }, /passphrase_wrong/],
    ['a service that is down', { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:9' }, /service_unreachable/],
    ['no token', { VAULT_TOKEN: undefined }, /token_missing/],
  ])('%s is refused', async (_, env, what) => {
    expectRefused(await up(environment(), env), what, ['a wrong one']);
  });

  test('a service of the wrong version is refused', async () => {
    const other = await startServiceOfVersion('seven');
    const ended = await up(environment(), { GATEHOUSE_SERVICE_ADDRESS: other.address });
    await other.close();
    expectRefused(ended, /service_version_invalid/);
  });
});

describeWithOpenBao('a service that cannot take the environment', (service) => {
  const environment = started(() => EnvironmentUnderTest.start(service()));

  test('a service without custom messages is refused before anything is changed', async () => {
    const before = await environment().live();
    expectRefused(await up(environment()), /messages_unsupported/);
    expect(await environment().live()).toEqual(before);
  });

  test('a wrong token is refused, and not repeated', async () => {
    const withoutMessages = (yaml: string) =>
      yaml.replace(/( +)address: .*:8200\n/, '$&$1features: { messages: false }\n');
    const ended = await up(environment(), { VAULT_TOKEN: 's.wrong-token-value' }, withoutMessages);
    expectRefused(ended, /token_refused/, ['s.wrong-token-value']);
  });

  test('a sealed service is refused', async () => {
    const sealed = await startOpenBao();
    await ask(sealed, { method: 'PUT', path: 'sys/seal' });
    const env = { GATEHOUSE_SERVICE_ADDRESS: sealed.address, VAULT_TOKEN: sealed.token };
    const ended = await up(environment(), env);
    await sealed.close();
    expectRefused(ended, /service_sealed/);
  });
});
