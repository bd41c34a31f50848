import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import type { RunView } from '../../../core/src/run-task/run.ts';
import { openStateStore, statePath } from '../../../engine/src/local/state-store.ts';
import { listen } from '../../../host/src/listen.ts';
import { LastStart } from '../../src/dev/last-start.ts';

let directory: string;
let home: string;
let linked: string;
let own: string;
beforeEach(() => {
  [directory, home, linked, own] = [
    temporaryFolder(),
    temporaryFolder(),
    temporaryFolder(),
    temporaryFolder(),
  ];
  mkdirSync(join(home, 'dev'));
  write('index.ts', 'roles(1)');
  write('node_modules/sdk/index.js', 'sdk(1)');
  write(join(linked, 'index.js'), 'linked(1)');
  write(join(own, 'index.js'), 'own(1)');
  symlinkSync(linked, join(directory, 'node_modules/linked'));
  discoveryUrl = '';
  service = 'what the service has';
  env = { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:8200', PATH: '/nowhere' };
  time = Date.now() + 10_000;
});

let discoveryUrl: string;
let service: string;
let env: NodeJS.ProcessEnv;
let time: number;
const run = { id: 'run-1', status: 'applied', tasks: [] as RunView['tasks'] } as RunView;

function write(path: string, text: string): void {
  const at = path.startsWith('/') ? path : join(directory, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
}

function stack() {
  const jwt = { kind: 'jwt', name: 'ci', discoveryUrl, roles: [{ name: 'build', boundSubject: 'ci' }] };
  const config = {
    'gatehouse:service': { address: 'http://127.0.0.1:8200' },
    ...(discoveryUrl !== '' && { 'gatehouse:providers': [jwt] }),
  };
  const values = Object.entries(config).map(
    ([key, value]) => [key, { value: JSON.stringify(value), secret: false }] as const,
  );
  return { home, directory, project: 'login', name: 'dev', main: '.', config: new Map(values) };
}

function start(): LastStart {
  return new LastStart({
    stack: stack(),
    env,
    configured: () => service,
    identityOrigin: 'http://127.0.0.1:8260',
    ownFolder: own,
    now: () => time,
  });
}

const found = (onDamaged = () => {}) => start().unchanged(onDamaged);

test('a start finds the run of the last one while nothing has changed', async () => {
  expect(await found()).toBeUndefined();
  await start().keep(run);
  expect(await found()).toEqual(run);
});

test.each<[string, () => unknown]>([
  ['a file, with the same size', () => write('index.ts', 'roles(2)')],
  ['a new file', () => write('policies/read.hcl', '')],
  ['a text of the program’s own', () => write('policies/read.md', '')],
  ['a file that is gone', () => rmSync(join(directory, 'index.ts'))],
  ['a file of a package', () => write('node_modules/sdk/index.js', 'sdk(2)')],
  ['a file of a package that a link leads to', () => write(join(linked, 'index.js'), 'linked(2)')],
  ['a file of Gatehouse itself', () => write(join(own, 'index.js'), 'own(2)')],
  ['a variable', () => Object.assign(env, { VAULT_NAMESPACE: 'team' })],
  ['the state', () => openStateStore(statePath(stack())).close()],
  [
    'what the service has',
    () => {
      service = 'something else';
    },
  ],
  [
    'the day',
    () => {
      time += 24 * 60 * 60 * 1000;
    },
  ],
])('a start after a change runs the program: %s', async (_, change) => {
  await start().keep(run);
  change();
  expect(await found()).toBeUndefined();
});

test('a start after a change of what an issuer publishes, or without its answer, runs the program', async () => {
  let extra = 'one';
  const issuer = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer: discoveryUrl,
        jwks_uri: `${discoveryUrl}/keys`,
        extra,
        authorization_endpoint: `${discoveryUrl}/authorize`,
        token_endpoint: `${discoveryUrl}/token`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    ),
  );
  discoveryUrl = `http://127.0.0.1:${await listen(issuer, 0)}`;
  await start().keep(run);
  expect(await found()).toEqual(run);
  extra = 'two';
  expect(await found()).toBeUndefined();
  extra = 'one';
  expect(await found()).toEqual(run);
  issuer.closeAllConnections();
  await new Promise((done) => issuer.close(done));
  expect(await found()).toBeUndefined();
});

test('a start after another base revision runs the program, though no file is another one', async () => {
  env = { ...env, PATH: process.env['PATH'] };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, stdio: 'ignore' });
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  git('init', '--quiet');
  git(...author, 'commit', '--quiet', '--allow-empty', '-m', 'one');
  await start().keep(run);
  expect(await found()).toEqual(run);
  git(...author, 'commit', '--quiet', '--allow-empty', '-m', 'two');
  expect(await found()).toBeUndefined();
});

test('what a start itself writes, variables of the shell, and texts of packages are no change', async () => {
  await start().keep(run);
  write('node_modules/sdk/index.d.ts', 'declare function sdk(): void;');
  write('node_modules/sdk/README.md', 'sdk');
  write('.gatehouse/dev/run-tasks.log', 'log');
  write('node_modules/.cache/gatehouse/compiled', 'cache');
  Object.assign(env, { SHLVL: '2', npm_lifecycle_event: 'start' });
  expect(await found()).toEqual(run);
});

test('nothing is kept of a start in which a file changed, or where a file is so new that a change could have its time', async () => {
  const started = start();
  write('index.ts', 'roles(2)');
  await started.keep(run);
  expect(await found()).toBeUndefined();
  time = Date.now();
  write('index.ts', 'roles(3)');
  await start().keep(run);
  expect(await found()).toBeUndefined();
});

test('what is kept and damaged is said, and not used', async () => {
  await start().keep(run);
  writeFileSync(join(home, 'dev/last-start.json'), '{"key":');
  let damaged = 0;
  const onDamaged = () => {
    damaged += 1;
  };
  expect(await found(onDamaged)).toBeUndefined();
  expect(damaged).toBe(1);
});
