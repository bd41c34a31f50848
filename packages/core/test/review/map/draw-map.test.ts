import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { partName } from '../../../src/graph/values/visible.ts';
import { mapAround, mapOfChange } from '../../../src/review/map/access-map.ts';
import { accessMap } from '../../../src/review/map/draw-map.ts';
import { change, graph } from '../../worlds.ts';
import { graphOf, method, now, policy, role } from '../graphs.ts';
import { large, linesOf, mapOf, small, strayLines } from './small-map.ts';

const approle = 'role apps/web (approle)';

test('draws who has what', () => {
  const map = mapOf(small);
  expect(linesOf(map)).toEqual(
    [
      'same everyone with an account at auth/staff → role staff/reader',
      'same group Admins → policy admin',
      'same entity ann → policy shop',
      'same jobs that hold a secret id of AppRole web → role apps/web (approle)',
      'same people in /admins → group Admins',
      'same policy admin → secret/*: read, update',
      'same policy shop → secret/data/shop/*: read',
      'same policy shop → secret/data/shop/private: deny',
      'same policy unused → secret/*: read',
      `same ${approle} → policy shop`,
      'same role ci/build → policy Shop',
      'same role staff/reader → policy default',
      'same role staff/reader → policy elsewhere',
      'same claim sub "shop", audience "secrets" → role ci/build',
    ]
      .map((line) => line.replace('policy Shop', 'policy shop'))
      .sort(),
  );
  expect(map.missing).toEqual(['what policy elsewhere allows (its text is missing or unreadable)']);
  expect(map.nodes.find(({ title }) => title === 'policy elsewhere')?.detail).toBe('text unknown');
});

test('draws what appears and what goes, a capability too', () => {
  const { before, after } = change(`
    ~ role a p boundSubject: x → boundSubject: y
    - role b p
    + role c p
    ~ policy p: secret/a read → secret/a read,update`);
  const map = mapOf(after, before);
  const changed = linesOf(map).filter((line) => !line.startsWith('same'));
  const expected = [
    'appears audience "secrets" → role ci/c',
    'appears policy p → secret/a: read, update',
    'appears role ci/c → policy p',
    'appears claim sub "y", audience "secrets" → role ci/a',
    'goes audience "secrets" → role ci/b',
    'goes policy p → secret/a: read',
    'goes role ci/b → policy p',
    'goes claim sub "x", audience "secrets" → role ci/a',
  ];
  expect(changed).toEqual(expected.sort());
  const same = map.nodes.filter(({ state }) => state === 'same').map(({ title }) => title);
  expect(same).toEqual(['audience "secrets"', 'role ci/a', 'policy p', 'secret/a']);
});

test('draws no rule as new or gone of a policy whose text is known on one side only', () => {
  const { before: known, after: unknown } = change(`
    role a p,new
    ~ policy p: secret/a read → {{
    + policy new: secret/b read`);
  for (const map of [mapOf(unknown, known), mapOf(known, unknown)]) {
    expect(linesOf(map).filter((line) => line.includes('policy p → '))).toEqual([]);
    expect(map.missing).toEqual([expect.stringContaining('what policy p allows')]);
  }
  // One that the change makes said nothing before.
  expect(linesOf(mapOf(unknown, known))).toContain('appears policy new → secret/b: read');
});

test('leads from an alias of an entity to what that has, and says whose policies it does not know', () => {
  const { otherAccess = [] } = graph(`
    other a - name: 'alias a', entity: ann, method: m
    other q shop name: a quota, effect: takes
    other w - name: write to sys/x, effect: either
    token any allowed_policies_glob: ['x*']`);
  const map = mapOf({ ...small, otherAccess });
  expect(linesOf(map)).toContain('same alias a → entity ann');
  expect(map.nodes.some(({ title }) => title === 'a quota')).toBe(false);
  expect(map.missing).toEqual(
    expect.arrayContaining(['what write to sys/x gives', 'what role token/any (token) gives']),
  );
});

test('leads no one into a group that no role reads', () => {
  const roles = small.roles.map(({ groupsClaim: _, ...one }) => one);
  expect(linesOf(mapOf({ ...small, roles })).filter((line) => line.includes('people in'))).toEqual([]);
});

test('keeps what is in two namespaces apart', () => {
  const changes = [{}, { namespace: 'team' }].map((place) => ({
    place,
    change: { before: small, after: small },
  }));
  const { nodes } = accessMap(changes, now);
  const details = nodes.filter(({ title }) => title === 'policy shop').map(({ detail }) => detail);
  expect(details.sort()).toEqual(['', 'namespace team']);
});

test('shows the rules of `default` where a graph has its text', () => {
  const given = graph('role a default\n policy default: x read');
  expect(linesOf(mapOf(given))).toContain('same policy default → x: read');
});

test('is about some principals, however their names are spelt', () => {
  const map = mapAround(mapOf(small), ['Role CI/build', 'group admins']);
  expect(map.nodes.map(({ title }) => title).sort()).toEqual([
    'claim sub "shop", audience "secrets"',
    'group Admins',
    'people in /admins',
    'policy admin',
    'policy shop',
    'role ci/build',
    'secret/*',
    'secret/data/shop/*',
    'secret/data/shop/private',
  ]);
  expect(strayLines(map)).toEqual([]);
  expect(mapAround(map, []).nodes).toEqual([]);
});

test('is about what changes: who it leads to, and what is reached from there', () => {
  const policies = small.policies.map((one) =>
    one.name === 'shop' ? policy('shop', ['secret/data/shop/*', 'read', 'update']) : one,
  );
  const map = mapOfChange(mapOf({ ...small, policies }, small));
  expect(linesOf(map)).toEqual([
    'appears policy shop → secret/data/shop/*: read, update',
    'goes policy shop → secret/data/shop/*: read',
    'goes policy shop → secret/data/shop/private: deny',
    'same claim sub "shop", audience "secrets" → role ci/build',
    'same entity ann → policy shop',
    'same jobs that hold a secret id of AppRole web → role apps/web (approle)',
    'same role apps/web (approle) → policy shop',
    'same role ci/build → policy shop',
  ]);
  expect(strayLines(map)).toEqual([]);
  expect(mapOfChange(mapOf(small)).nodes).toEqual([]);
});

test('is in the same order whatever the order of the graphs', () => {
  const graph = large();
  const backwards = { ...graph, roles: graph.roles.toReversed(), policies: graph.policies.toReversed() };
  expect(mapOf(backwards)).toEqual(mapOf(graph));
});

const name = fc.constantFrom('a', 'B', 'b', 'c d', 'e"f');
const graphs = fc
  .record({
    roles: fc.array(
      fc.record({ name, policies: fc.array(name, { maxLength: 3 }), readsGroups: fc.boolean() }),
    ),
    groups: fc.uniqueArray(fc.record({ name, policies: fc.array(name) }), { selector: (one) => one.name }),
    policies: fc.uniqueArray(fc.record({ name, path: name }), { selector: (one) => one.name.toLowerCase() }),
  })
  .map(({ roles, groups, policies }) =>
    graphOf({
      methods: [method('ci')],
      roles: roles.map((one) =>
        role(one.name, { policies: one.policies, ...(one.readsGroups && { groupsClaim: 'g' }) }),
      ),
      groups,
      aliases: groups.map((one) => ({ name: one.name, method: 'ci', group: one.name })),
      policies: policies.map((one) => policy(one.name, [one.path.replace('"', ''), 'read'])),
    }),
  );

test('joins nodes of neighboring columns, and gives every role and group with a policy a line to it', () => {
  fc.assert(
    fc.property(graphs, graphs, (before, after) => {
      const map = mapOf(after, before);
      expect(strayLines(map)).toEqual([]);
      expect(new Set(map.nodes.map(({ id }) => id)).size).toBe(map.nodes.length);
      const lines = new Set(linesOf(map).map((line) => line.replace(/^\w+ /, '').toLowerCase()));
      for (const { roles, groups } of [before, after]) {
        // Of roles with one name, the last one counts.
        const last = new Map(roles.map((one) => [one.name.toLowerCase(), one]));
        for (const one of last.values()) {
          for (const given of one.policies ?? []) {
            expect(lines).toContain(
              `${partName('role', 'ci', one.name)} → ${partName('policy', given)}`.toLowerCase(),
            );
          }
        }
        for (const one of groups) {
          for (const given of one.policies) {
            expect(lines).toContain(
              `${partName('group', one.name)} → ${partName('policy', given)}`.toLowerCase(),
            );
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});
