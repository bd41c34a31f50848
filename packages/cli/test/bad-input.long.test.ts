import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { startServiceOfVersion } from '../../../test/harness/doubles/service-of-version.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import {
  type EnvironmentUnderTest,
  environmentFor,
  root,
} from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
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

// What a command says of each mistake is in test/docs/troubleshooting.test.ts: here it stops the real program.
describe('an up that cannot be', () => {
  const service = started(startEmbeddedService);
  const environment = environmentFor(service);

  const wrong = { PULUMI_CONFIG_PASSPHRASE: 'a wrong one', VAULT_TOKEN: 's.wrong-token-value' };
  const { PULUMI_CONFIG_PASSPHRASE, VAULT_TOKEN } = wrong;
  test.each([
    ['a passphrase that does not decrypt', { PULUMI_CONFIG_PASSPHRASE }, /passphrase_wrong/],
    ['a service that is down', { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:9' }, /service_unreachable/],
    ['no token', { VAULT_TOKEN: undefined }, /token_missing/],
    ['a wrong token', { VAULT_TOKEN }, /token_refused/],
  ])('is refused with %s', async (_, env, what) => {
    expectRefused(await up(environment(), env), what, Object.values(wrong));
  });

  test('is refused with YAML that is none', async () => {
    expectRefused(await up(environment(), {}, (yaml) => `${yaml}\n  : [`), /Pulumi\.dev\.yaml/);
  });

  test('is refused with a damaged state file', async () => {
    const home = temporaryFolder();
    const path = statePath({ ...environment().stack(), home });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'this is no database, and long enough to be read as one'.repeat(100));
    expectRefused(await up(environment(), { GATEHOUSE_HOME: home }), /state_damaged/);
  });

  test('is refused with a service of the wrong version', async () => {
    const other = await startServiceOfVersion('seven');
    const ended = await up(environment(), { GATEHOUSE_SERVICE_ADDRESS: other.address });
    await other.close();
    expectRefused(ended, /service_version_invalid/);
  });
});

describeWithOpenBao('a service without custom messages', (service) => {
  const environment = environmentFor(service);

  test('is refused before anything is changed', async () => {
    const before = await environment().live();
    expectRefused(await up(environment()), /messages_unsupported/);
    expect(await environment().live()).toEqual(before);
  });
});
