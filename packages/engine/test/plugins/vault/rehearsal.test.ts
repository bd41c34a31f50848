import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../../test/harness/temporary-folder.ts';
import type { Step } from '../../../src/engine.ts';
import { drawnId, rehearse } from '../../../src/plugins/vault/rehearsal.ts';
import { Unknown } from '../../../src/property-value.ts';
import type { ResourceState } from '../../../src/resource-state.ts';

const auditFile = join(temporaryFolder(), 'audit.log');
let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let environment: EnvironmentUnderTest;
beforeAll(async () => {
  service = await startEmbeddedService({ auditFile });
  environment = await EnvironmentUnderTest.start(service);
});
afterAll(async () => {
  await environment?.close();
  await service.close();
});

interface Logged {
  type: string;
  request: { operation: string; path: string };
}
const logged = () =>
  readFileSync(auditFile, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): Logged => JSON.parse(line))
    .filter(({ type, request }) => type === 'request' && !request.path.startsWith('auth/token/'))
    .map(({ request: { operation, path } }) => ({ operation, path }));
const withoutIds = (path: string) => path.replace(/(\/id\/|custom-messages\/)[0-9a-f-]{36}$/, `$1${drawnId}`);
const written = (requests: readonly { operation: string; path: string }[]) =>
  [
    ...new Set(
      requests
        .filter(({ operation }) => operation !== 'read' && operation !== 'list')
        .map(({ operation, path }) => `${operation === 'delete' ? 'delete' : 'write'} ${withoutIds(path)}`),
    ),
  ].sort();

/** What an operation on the dev stack writes, and what was said before. */
async function writes(verb: 'up' | 'destroy', stack = environment.stack()) {
  const { steps } = await environment.run(verb, stack, { dryRun: true });
  const rehearsed = await rehearse(steps);
  const start = logged().length;
  const { diagnostics } = await environment.run(verb, stack);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { rehearsed: written(rehearsed), sent: written(logged().slice(start)) };
}

describe('what a plan will write is what is written', () => {
  test('by an up that makes everything', async () => {
    const { rehearsed, sent } = await writes('up');
    expect(rehearsed).toEqual(sent);
    expect(rehearsed).toEqual(
      expect.arrayContaining([
        'write auth/staff/config',
        'write auth/staff/role/reader',
        'write identity/group',
        'write identity/group-alias',
        'write sys/auth/staff',
        'write sys/config/ui/custom-messages',
        'write sys/mounts/auth/staff/tune',
        'write sys/policies/acl/secrets-read',
      ]),
    );
  });

  test('by an up that changes, moves and deletes', async () => {
    const changed = environment.stack((config) => {
      config['providers'][0].roles[0].ttl = '2h';
      config['providers'][0].groups[0].policies = ['secrets-read'];
      config['providers'][1].path = 'moved';
      config['providers'][2].tune = { listingVisibility: 'hidden' };
      config['providers'][3].roles[0].name = 'renamed';
      config['providers'][3].defaultRole = 'renamed';
      config['policies'][0] = { name: 'secrets-read', policy: 'path "x" { capabilities = ["read"] }' };
      config['messages'][0].message = 'Changed.';
      config['messages'].pop();
    });
    const { rehearsed, sent } = await writes('up', changed);
    expect(rehearsed).toEqual(sent);
    expect(rehearsed).toContain('write sys/remount');
  });

  test('by a destroy', async () => {
    const { rehearsed, sent } = await writes('destroy');
    expect(rehearsed).toEqual(sent);
    expect(rehearsed).toContain('delete sys/auth/moved');
  });
});

describe('a step', () => {
  const state = (type: string, inputs: ResourceState['inputs']) =>
    ({ urn: `urn:pulumi:s::p::${type}::a`, type, inputs, outputs: {} }) as ResourceState;
  const created = (type: string, inputs: ResourceState['inputs']): Step => ({
    op: 'create',
    type,
    urn: `urn:pulumi:s::p::${type}::a`,
    newState: state(type, inputs),
  });
  const policy = 'vault:index/policy:Policy';

  test('in a namespace has that with its paths', async () => {
    const [write] = await rehearse([created(policy, { name: 'a', policy: '', namespace: 'team' })]);
    expect(write).toMatchObject({ operation: 'write', path: 'sys/policies/acl/a', namespace: 'team' });
  });

  test.each([
    ['in a namespace that is not known yet', policy, { name: 'a', policy: '', namespace: Unknown.value }],
    ['of another plugin', 'aws:iam/policy:Policy', { name: 'a' }],
  ])('%s says nothing', async (_, type, inputs) => {
    expect(await rehearse([created(type, inputs)])).toEqual([]);
  });

  test('that only reads says nothing', async () => {
    expect(await rehearse([{ ...created(policy, { name: 'a' }), op: 'same' }])).toEqual([]);
  });
});
