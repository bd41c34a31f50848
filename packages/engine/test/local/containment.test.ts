import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BareServer, serveRequests } from '../../../../test/harness/bare-server.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import {
  type Contained,
  harmlessVariables,
  keepApart,
  tried,
  whyNotContained,
} from '../../src/local/containment.ts';
import { LocalEngine } from '../../src/local/local-engine.ts';
import { MemoryStateStore } from './memory-state-store.ts';
import { env, programOf } from './program-run.ts';

let listening: BareServer;
beforeAll(async () => {
  listening = await serveRequests((_request, _body, response) => response.end());
});
afterAll(() => listening.close());

const home = temporaryFolder();
writeFileSync(join(home, '.vault-token'), 'writing');
/** What is on the machine, and is no program's. */
const notForPrograms = [
  join(home, '.vault-token'),
  join(root, '.git'),
  join(root, '.gitignore'),
  '/etc/shadow',
  '/run',
  '/var',
];

/** What a program sees of the machine. */
async function seen(how: Partial<Contained> | undefined) {
  const contained = how && { isOnline: false, services: [], withholdsSecrets: false, ...how };
  const secret = { VAULT_TOKEN: 'writing', GATEHOUSE_RUN_TASK_KEY: 'signing', PULUMI_ACCESS_TOKEN: 'state' };
  const stack = programOf('prying', { address: listening.address, private: JSON.stringify(notForPrograms) });
  const keys = { value: '{"review":"signing"}', secret: true };
  const engine = new LocalEngine({
    env: { ...env, ...secret },
    openStore: () => new MemoryStateStore(),
    plugins: {},
    contained,
  });
  const { diagnostics, succeeded } = await engine.run({
    verb: 'preview',
    dryRun: true,
    refresh: false,
    targets: [],
    stack: { ...stack, config: new Map([...stack.config, ['gatehouse:runTaskKeys', keys]]) },
  });
  expect([succeeded, diagnostics.length]).toEqual([true, 1]);
  return JSON.parse(diagnostics[0]?.message ?? '{}');
}

const secrets = ['VAULT_TOKEN', 'GATEHOUSE_RUN_TASK_KEY', 'PULUMI_ACCESS_TOKEN', 'PULUMI_CONFIG_PASSPHRASE'];

test('a program that is trusted has the variables, the network and the processes of its engine', async () => {
  const { variables, reached, sees } = await seen(undefined);
  expect(sees).toEqual(notForPrograms);
  expect(variables).toEqual(expect.arrayContaining(secrets));
  expect(reached).toBe(200);
});

test('one that is not has no secret of its engine, no network and no other process, and cannot get out', async () => {
  const { variables, keys, unmounts, ...rest } = await seen({});
  expect(variables.filter((name: string) => secrets.includes(name))).toEqual([]);
  expect(keys).toBe('{"review":"withheld while planning"}');
  // A system that cannot keep it apart says so at the start of a platform.
  if (whyNotContained() !== undefined) return;
  const written = { writes: [], hasScratch: true };
  expect(rest).toEqual({ holds: 0, reached: 'not reached', nests: 1, sees: [], ...written });
  expect(unmounts).not.toBe(0);
});

test('a program is kept apart wherever the system has namespaces', () => {
  const { status } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', '--net', 'true']);
  if (status === 0) expect(whyNotContained()).toBeUndefined();
});

test('ends with what keeps it apart', async () => {
  const viewed = { directory: import.meta.dirname, sockets: [], compileCache: '' };
  const { command: apart, remove } = keepApart({ isOnline: false }, viewed);
  const [command = process.execPath, ...args] = apart;
  const beating = [process.execPath, '-e', 'setInterval(() => console.log(1), 10)'];
  const child = spawn(command, [...args, ...(args.length === 0 ? beating.slice(1) : beating)]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  // Whatever writes to it is gone.
  await once(child.stdout.resume(), 'end');
  remove();
});

test('one that needs the network has that, and nothing else', async () => {
  const { variables, holds, reached } = await seen({ isOnline: true });
  expect([whyNotContained() === undefined ? holds : 0, reached]).toEqual([0, 200]);
  expect(variables).not.toContain('VAULT_TOKEN');
});

test.each(['PATH', 'LC_ALL', 'VAULT_ADDR', 'NODE_EXTRA_CA_CERTS'])('%s is left to it', (name) => {
  expect(harmlessVariables({ [name]: 'x' })).toEqual({ [name]: 'x' });
});

test('what GATEHOUSE_PLAN_VARIABLES names is left to it', () => {
  const named = { GATEHOUSE_PLAN_VARIABLES: 'REGION, TEAM_', REGION: 'eu', TEAM_A: 'a' };
  expect(harmlessVariables({ ...named, TEAM: 'b' })).toEqual({ REGION: 'eu', TEAM_A: 'a' });
});

test.each([...secrets, 'NODE_OPTIONS', 'VAULT_TOKEN_DEV', 'DATABASE_URL', 'AWS_SECRET_ACCESS_KEY', 'PATHS'])(
  '%s is not',
  (name) => {
    expect(harmlessVariables({ [name]: 'x' })).toEqual({});
  },
);

test('an unshare that does not answer does not tell that programs cannot be kept apart', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'unshare'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  try {
    expect(() => tried(50)).toThrow('did not answer in 50 ms');
  } finally {
    process.env['PATH'] = PATH;
  }
});
