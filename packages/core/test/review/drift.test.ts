import { expect, test } from '@jest/globals';
import { declare } from '../../src/environment/declared.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { liveGraphOf } from '../../src/graph/live/live-graph.ts';
import { driftOf } from '../../src/review/drift.ts';
import { now } from './graphs.ts';

const environment = parseEnvironment({
  service: { address: 'https://secrets.example.com' },
  providers: [
    {
      kind: 'jwt',
      name: 'ci',
      issuer: 'https://ci.example.com',
      roles: [
        { name: 'web', policies: ['shop'], boundSubject: 'web', boundAudiences: ['vault'], userClaim: 'sub' },
      ],
    },
  ],
  policies: [{ name: 'shop', policy: 'path "kv/shop" { capabilities = ["read"] }' }],
  promises: [{ never: ['role ci/web'], can: ['delete'], on: 'kv/*', because: 'it is kept' }],
});
const graph = declare(environment);
const declared = { environment, graph };
const nothing = liveGraphOf(
  {
    mounts: new Map(),
    wanted: [],
    configs: [],
    parts: [],
    groups: { all: [] },
    entities: [],
    programs: [],
    apart: [],
    unreadable: [],
  },
  { knownOnly: true, undeclared: true, whole: false },
);
const compared = (live: Partial<typeof nothing>, whole = live) =>
  driftOf(
    declared,
    { declared: { ...nothing, graph, ...live }, whole: { ...nothing, graph, ...whole, missing: [] } },
    { unmanaged: false, now },
  );
const widened: Graph = {
  ...graph,
  policies: [{ name: 'shop', text: 'path "kv/shop" { capabilities = ["read", "delete"] }' }],
};

test('what is as declared has no drift', () => {
  expect(compared({})).toMatchObject({ differences: [], unverifiable: [], compared: 3 });
});

test('what may not be read is unverifiable, and not missing', () => {
  const subject = { type: 'role', name: 'web', method: 'ci' } as const;
  const live = { graph: { ...graph, roles: [] } };
  expect(compared(live).differences).toMatchObject([{ kind: 'missing', subject }]);
  const found = compared({ ...live, unreadable: [{ subject, why: 'permission denied' }] });
  expect(found).toMatchObject({ differences: [], unverifiable: [{ subject }] });
});

test('a list of groups that may not be read matters to a stack without groups only where all is asked for', () => {
  const subject = { type: 'group', name: '*' } as const;
  const refused = { unreadable: [{ subject, why: 'permission denied' }] };
  expect(compared(refused).unverifiable).toEqual([]);
  const withGroup = { ...graph, groups: [{ name: 'all', policies: [] }] };
  const answered = { declared: { ...nothing, graph, ...refused }, whole: { ...nothing, graph, missing: [] } };
  const found = driftOf({ environment, graph: withGroup }, answered, { unmanaged: false, now });
  expect(found.unverifiable).toMatchObject([{ subject }]);
});

test('says who gains by a difference, and which promise it breaks', () => {
  expect(compared({ graph: widened })).toMatchObject({
    access: { gains: 'some' },
    promises: [{ rule: 'promise-broken' }],
  });
});

test('says which method trusts another party than is declared', () => {
  const methods = graph.methods.map((method) => ({
    ...method,
    config: { ...method.config, oidcDiscoveryUrl: 'https://other.example.com' },
  }));
  expect(compared({ graph: { ...graph, methods } }).trust).toMatchObject([
    { rule: 'trust-changed', subject: { type: 'method', name: 'ci' } },
  ]);
  expect(compared({ graph: widened }).trust).toEqual([]);
});
