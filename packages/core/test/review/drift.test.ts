import { expect, test } from '@jest/globals';
import { declare } from '../../src/environment/declared.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { liveGraphOf } from '../../src/graph/live/live-graph.ts';
import { driftOf, judgedDrift } from '../../src/review/drift.ts';
import { now } from './graphs.ts';

const environment = parseEnvironment({
  service: { address: 'https://secrets.example.com' },
  providers: [
    {
      ...{ kind: 'jwt', name: 'ci', issuer: 'https://ci.example.com' },
      roles: [
        { name: 'web', policies: ['shop'], boundSubject: 'web', boundAudiences: ['vault'], userClaim: 'sub' },
      ],
    },
  ],
  policies: [{ name: 'shop', policy: 'path "kv/shop" { capabilities = ["read"] }' }],
  promises: [{ never: ['role web of ci'], can: ['delete'], on: 'kv/*', because: 'it is kept' }],
});
const graph = declare(environment);
const declared = { environment, graph };
const nothing = liveGraphOf(
  {
    ...{ mounts: new Map(), wanted: [], configs: [], parts: [], groups: { all: [] }, entities: [] },
    ...{ programs: [], apart: [], unreadable: [], otherRoles: 0 },
  },
  { knownOnly: true, undeclared: true, whole: false },
);
const compared = (live: Partial<typeof nothing>) =>
  driftOf(declared, { ...nothing, graph, ...live }, { unmanaged: false, now });
const widened: Graph = {
  ...graph,
  policies: [{ name: 'shop', text: 'path "kv/shop" { capabilities = ["read", "delete"] }' }],
};

test('what is as declared has no drift', () => {
  expect(compared({}).found).toMatchObject({ differences: [], unverifiable: [], compared: 3 });
});

test('what may not be read is unverifiable, and not missing', () => {
  const subject = { type: 'role', name: 'web', method: 'ci' } as const;
  const live = { graph: { ...graph, roles: [] } };
  expect(compared(live).found.differences).toMatchObject([{ kind: 'missing', subject }]);
  const { found } = compared({ ...live, unreadable: [{ subject, why: 'permission denied' }] });
  expect(found).toMatchObject({ differences: [], unverifiable: [{ subject }] });
});

test('who gains by a difference, and which promise it breaks, is of the whole service', () => {
  const { found, needsWhole } = compared({ graph: widened });
  expect({ needsWhole, access: found.access, promises: found.promises }).toEqual({
    ...{ needsWhole: true, access: undefined, promises: [] },
  });
  const whole = { graph: widened, ids: { mount: {}, group: {}, entity: {} }, missing: [] };
  expect(judgedDrift(declared, found, whole, now)).toMatchObject({
    access: { gains: 'some' },
    promises: [{ rule: 'promise-broken' }],
  });
});
