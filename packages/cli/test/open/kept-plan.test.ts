import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import type { DeploymentRequest, DeploymentResult, Engine } from '../../../engine/src/engine.ts';
import { openStateStore, statePath } from '../../../engine/src/local/state-store.ts';
import { Secret, Unknown } from '../../../engine/src/property-value.ts';
import type { Stack } from '../../../engine/src/stack.ts';
import { PreviewEngine } from '../../src/open/kept-plan.ts';

let directory: string;
let own: string;
let stack: Stack;
let env: NodeJS.ProcessEnv;
let plan: DeploymentResult;
let runs: number;
let time: number;
beforeEach(() => {
  directory = temporaryFolder();
  own = directory;
  writeFileSync(join(directory, 'index.ts'), 'roles(1)');
  env = { PATH: '/nowhere' };
  runs = 0;
  time = Date.now() + 10_000;
  plan = planOf();
  stack = stackOf({});
});

function stackOf(extra: object): Stack {
  const values = { service: { address: 'http://127.0.0.1:8200', features: { messages: false } }, ...extra };
  const config = Object.entries(values).map(
    ([key, value]) => [`gatehouse:${key}`, { value: JSON.stringify(value), secret: false }] as const,
  );
  const home = temporaryFolder();
  return { home, directory, project: 'login', name: 'dev', main: '.', config: new Map(config) };
}

function planOf(changed: Partial<DeploymentResult> = {}): DeploymentResult {
  const urn = 'urn:pulumi:dev::login::vault:jwt/authBackendRole:AuthBackendRole::web';
  const type = 'vault:jwt/authBackendRole:AuthBackendRole';
  const flags = { custom: true, protect: false, delete: false, pendingReplacement: false };
  const lists = { dependencies: [], initErrors: [], additionalSecretOutputs: [], replaceOnChanges: [] };
  const inputs = { role: 'web', key: new Secret('a hidden key') };
  const state = {
    urn,
    type,
    id: 'web',
    inputs,
    outputs: inputs,
    propertyDependencies: {},
    ...flags,
    ...lists,
  };
  const steps = [{ op: 'same' as const, urn, type, oldState: state, newState: state }];
  const outputs = { address: 'http://127.0.0.1:8200' };
  return {
    succeeded: true,
    steps,
    changes: { same: 1 },
    outputs,
    diagnostics: [],
    durationMs: 1,
    ...changed,
  };
}

function preview(request: Partial<DeploymentRequest> = {}): Promise<DeploymentResult> {
  const program: Engine = {
    async run() {
      runs += 1;
      return plan;
    },
    async exportState() {
      return {};
    },
  };
  const engine = new PreviewEngine(env, async () => program, { ownFolder: own, now: () => time });
  return engine.run({ verb: 'preview', stack, dryRun: true, refresh: false, targets: [], ...request });
}

test('a plan that changes nothing stands while nothing changes, and keeps no secret', async () => {
  await preview();
  const kept = await preview();
  expect(runs).toBe(1);
  const masked = { inputs: { role: 'web', key: '[secret]' } };
  expect(kept.steps).toMatchObject([{ op: 'same', oldState: masked, newState: masked }]);
  expect({ ...kept, steps: [], durationMs: 1 }).toEqual({ ...plan, steps: [] });
  expect(readFileSync(join(stack.home, 'previews/login/dev.json'), 'utf8')).not.toContain('a hidden key');
});

test.each<[string, () => unknown]>([
  ['a file', () => writeFileSync(join(directory, 'index.ts'), 'roles(2)')],
  ['a variable', () => Object.assign(env, { VAULT_TOKEN: 'another' })],
  ['the configuration', () => stack.config.set('gatehouse:groups', { value: '[]', secret: false })],
  ['the state', () => openStateStore(statePath(stack)).close()],
  [
    'the day',
    () => {
      time += 24 * 60 * 60 * 1000;
    },
  ],
])('the program runs again after a change of %s', async (_, change) => {
  await preview();
  change();
  await preview();
  expect(runs).toBe(2);
});

test.each<[string, Partial<DeploymentRequest>]>([
  ['with a refresh', { refresh: true }],
  ['of a part', { targets: ['urn'] }],
  ['of all but a part', { excludes: ['urn'] }],
  ['with imports', { imports: {} }],
  ['that is applied', { verb: 'up' }],
])('a plan %s neither uses nor replaces what is kept', async (_, request) => {
  await preview();
  await preview(request);
  expect(runs).toBe(2);
  await preview();
  expect(runs).toBe(2);
});

test.each<[string, () => unknown]>([
  [
    'of another program',
    () => {
      own = temporaryFolder();
    },
  ],
  ['that reads a cluster', () => Object.assign(stack, stackOf({ providers: [cluster] }))],
  ['with a passphrase in a file', () => Object.assign(env, { PULUMI_CONFIG_PASSPHRASE_FILE: '/a/file' })],
])('no plan is kept %s', async (_, change) => {
  change();
  await preview();
  await preview();
  expect(runs).toBe(2);
});

const cluster = {
  kind: 'container_orchestrator',
  name: 'cluster',
  apiServer: 'https://kubernetes.example.com',
  roles: [{ name: 'web', namespace: 'shop', serviceAccount: 'web', policies: ['default'] }],
};

test.each<[string, () => DeploymentResult]>([
  [
    'that changes something',
    () => planOf({ steps: planOf().steps.map((step) => ({ ...step, op: 'update' })) }),
  ],
  ['that failed', () => planOf({ succeeded: false })],
  ['with messages', () => planOf({ diagnostics: [{ severity: 'warning', message: 'deprecated' }] })],
  ['with unknown values', () => planOf({ outputs: { id: Unknown.value } })],
])('no plan is kept %s', async (_, made) => {
  plan = made();
  await preview();
  await preview();
  expect(runs).toBe(2);
});
