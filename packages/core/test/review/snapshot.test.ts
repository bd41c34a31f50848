import { expect, test } from '@jest/globals';
import { type Graph, isWhole, type ServiceGraph } from '../../src/graph/graph.ts';
import { entityAlias } from '../../src/graph/nodes/other-alias.ts';
import { wordsOf } from '../../src/graph/nodes/other-node.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { readSnapshot, snapshotOf } from '../../src/review/snapshot.ts';
import { graph as graphOf } from '../worlds.ts';
import { now } from './graphs.ts';
import { entry, terraform } from './plan/terraform.ts';

const key = 'a key of sixteen letters';
const source = { at: '2026-11-23T12:00:00Z', server: 'https://s.example', namespace: '' };
const graph = graphOf(`
  policy wide: secret/* read
  policy none: secret/x deny
  entity Ann none
  internal all - entity:Ann
  mount people userpass
  user people/ann wide
  entity-alias ann people Ann
  disabled entity Ann
  complete`);
const live: ServiceGraph = {
  graph,
  ids: { mount: {}, group: { g1: 'all' }, entity: { e1: 'Ann' } },
  plainAliases: [entityAlias('eve ann', 'people', 'Eve Ann')],
  missing: [],
};
const withField = (text: string) => text.replace('"kind":"disabling"', '"kind":"disabling","claims":1');
const written = (withNames = false) => snapshotOf(live, source, key, withNames).text;

test('a snapshot with names says what the service has, and where it is from', () => {
  const read = readSnapshot(snapshotOf(live, source).text);
  expect(read).toMatchObject({ ...source, ids: live.ids, hasNames: true, isVerified: false });
  const sorted = (one: Graph) => (one.others ?? []).map(wordsOf).sort();
  expect(sorted(read.graph)).toEqual(sorted(graph));
  expect(read.plainAliases).toEqual(live.plainAliases);
  expect(isWhole(read.graph)).toBe(true);
});

test('it has one node a line, in an order that does not depend on the service’s', () => {
  const turned = { ...live, graph: { ...graph, policies: graph.policies.toReversed() } };
  expect(snapshotOf(turned, source, key).text).toBe(written());
});

test('with a key, no name of a person is in it', () => {
  expect(written()).not.toMatch(/ann\b/i);
  expect(written(true)).toMatch(/"Ann"/);
});

test('without the key, nothing is proved of people', () => {
  const { graph: read, missing, hasNames } = readSnapshot(written());
  expect([isWhole(read), hasNames]).toEqual([false, false]);
  expect(missing).toEqual([expect.stringContaining('their names are hashed')]);
});

test('with the key, a plan that names a person is judged as on the service itself', () => {
  const plan = readPlan(
    terraform([
      entry('vault_identity_entity.ann', {
        before: { id: 'e1', name: 'Ann', policies: ['none'] },
        after: { id: 'e1', name: 'Ann', policies: [] },
      }),
    ]),
  );
  const read = readSnapshot(written(), { key, names: ['Ann', 'x'] });
  const [onSnapshot, onService] = [read, live].map((one) =>
    review(plan, { now, live: { ...one, namespace: '', isSnapshot: true } }),
  );
  expect(onSnapshot).toMatchObject({ gains: 'some', scope: { whole: true } });
  expect(onSnapshot?.access.map(({ gains }) => gains)).toEqual(onService?.access.map(({ gains }) => gains));
});

test.each([
  ['a line is changed', (text: string) => text.replace('secret/x', 'secret/y'), { key }, 'snapshot_changed'],
  ['a line is gone', (text: string) => text.replace(/\n.*"all".*\n/, '\n'), { key }, 'snapshot_changed'],
  ['its signature is gone', (text: string) => text.replace(/\{"mac.*\n$/, ''), { key }, 'snapshot_changed'],
  ['it has no key, and one is given', () => snapshotOf(live, source).text, { key }, 'snapshot_changed'],
  ['its digest is another', (text: string) => text, { digest: 'sha256:0' }, 'snapshot_changed'],
  [
    'its key is another',
    (text: string) => text,
    { key: 'another key of letters' },
    'snapshot_of_another_key',
  ],
  ['a node is none', (text: string) => text.replace('"policies"', '"police"'), {}, 'snapshot_unreadable'],
  [
    'a field of a node is of another kind',
    (text: string) => text.replace('["wide"]', '5'),
    {},
    'snapshot_unreadable',
  ],
  [
    'it is of another format',
    (text: string) => text.replace('"snapshot":2', '"snapshot":1'),
    {},
    'snapshot_unreadable',
  ],
  ['it is empty', () => '', {}, 'snapshot_unreadable'],
  ['a node has a field that its kind has not', withField, {}, 'snapshot_unreadable'],
])('a snapshot is refused where %s', (_, change, how, code) => {
  expect(() => readSnapshot(change(written()), how)).toThrow(expect.objectContaining({ code }));
});

test('a snapshot with a node of a kind that this version does not know is refused, and the kind is named', () => {
  const lines = snapshotOf(live, source).text.split('\n');
  const newer = lines.map((line) => line.replace('"kind":"disabling"', '"kind":"oracle"'));
  expect(() => readSnapshot(newer.join('\n'))).toThrow(
    expect.objectContaining({
      code: 'snapshot_unreadable',
      message: expect.stringContaining('is no node that this version knows: it is of kind "oracle"'),
    }),
  );
});

test('its digest shows that it is as it was written', () => {
  const { text, digest } = snapshotOf(live, source, key);
  expect(readSnapshot(text, { digest }).isVerified).toBe(true);
  expect(readSnapshot(text, { key }).isVerified).toBe(true);
});
