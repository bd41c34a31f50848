import { describe, expect, test } from '@jest/globals';
import { type AccessRow, accessRows, madeAt } from '../../src/access-list/access-rows.ts';
import { digest } from '../../src/access-list/grant-conditions.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { entityAlias } from '../../src/graph/nodes/other-alias.ts';
import type { OtherNode } from '../../src/graph/nodes/other-node.ts';
import { issuedTokens } from '../../src/graph/nodes/tokens.ts';
import { now } from '../usage/usage-graph.ts';
import { graph as worldOf } from '../worlds.ts';

const graph: Graph = worldOf(`
  approle apps/web app
  policy app: path "kv/app/*" { capabilities = ["read"] required_parameters = ["a"] }
  policy team: kv/team/* update
  method staff
  role staff/reader app groupsClaim: groups, boundSubject: ann, boundAudiences: [], tokenNoDefaultPolicy: false
  group admins team
  alias /admins staff admins
  internal inner team group:deep
  internal deep - entity:ann
  entity ann app
  entity-alias ann people ann
  complete methods groups aliases policies identities others tokens roles:staff`);

const of = (given: Graph, rest = {}) =>
  accessRows({ graph: given, missing: [], exceptions: [], promises: [], ...rest }, now);
const find = (rows: AccessRow[], who: string, pattern: string) =>
  rows.find((row) => row.who.includes(who) && row.pattern === pattern);
const conditions = (given: Graph, who: string) => of(given).find((row) => row.who.includes(who))?.conditions;

describe('an access report', () => {
  test('has a row for each grant and pattern, of roles, groups, entities and others', () => {
    const rows = of(graph).filter(({ kind }) => kind !== 'everyone');
    expect(rows.map(({ kind, who, pattern }) => [kind, who, pattern])).toEqual([
      ['role', 'role staff/reader', 'kv/app/*'],
      ['group', 'group admins (alias staff//admins)', 'kv/team/*'],
      ['group', 'members of group deep', 'kv/team/*'],
      ['group', 'members of group inner', 'kv/team/*'],
      ['entity', 'entity ann', 'kv/app/*'],
      ['entity', 'entity ann', 'kv/team/*'],
      ['other', 'role web of apps (approle)', 'kv/app/*'],
    ]);
    expect(rows[0]).toMatchObject({
      capabilities: ['read'],
      limits: ['required_parameters'],
      policies: ['app'],
      letsIn: 'claim sub "ann", audience none',
      status: 'new',
      decision: '',
      lastUsed: '',
    });
  });

  test('lists what every token has once', () => {
    const rows = of(graph).filter(({ policies }) => policies.join() === 'default');
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['everyone']));
  });

  test('says what was not read in rows of their own', () => {
    const unread = (given: Graph, missing: string[] = []) =>
      of(given, { missing: missing.map((what) => ({ kind: 'not-read', what })) }).flatMap(({ kind, who }) =>
        kind === 'not read' ? who : [],
      );
    expect(unread(graph)).toEqual([]);
    expect(unread({ ...graph, complete: [] }, ['policies'])).toEqual(
      expect.arrayContaining([
        'policies',
        'the rest of the service: only a part of it was read',
        'tokens that were issued, or made by hand',
      ]),
    );
    const text = { ...graph, policies: [{ name: 'app', text: 'path' }, ...graph.policies.slice(1)] };
    expect(unread(text)).toContain('what policy app gives role staff/reader');
    const program: OtherNode = { kind: 'program', method: 'staff', name: 'x' };
    expect(unread({ ...graph, others: [program] })).toContain('what role x of staff (a program) grants');
  });

  test('keeps tokens of an entity, and leaves out what only takes away', () => {
    const undeclared: OtherNode[] = [
      issuedTokens(['team'], 'ann'),
      { kind: 'disabling', of: 'entity', name: 'bob' },
    ];
    const rows = of({ ...graph, others: undeclared }).filter(({ kind }) => kind === 'other');
    expect(rows.map(({ who }) => who)).toEqual(expect.arrayContaining(['tokens with team of entity ann']));
    expect(rows.filter(({ who }) => who.includes('disabling'))).toEqual([]);
  });

  test('names exceptions and promises about a row', () => {
    const exceptions = [
      { rule: 'r', subject: 'role staff/reader', because: 'b', owner: 'o', until: '2026-12-01' },
      { rule: 's', subject: 'policy team', because: 'b', owner: 'o', until: '2026-12-01' },
    ];
    const promises = [{ only: ['group admins'], can: ['update'], on: 'kv/team/x', because: 'b' }];
    const rows = of(graph, { exceptions, promises });
    expect(find(rows, 'reader', 'kv/app/*')?.about).toEqual(['exception r until 2026-12-01, o: b']);
    expect(find(rows, 'admins', 'kv/team/*')?.about).toEqual([
      'exception s until 2026-12-01, o: b',
      'promise only group admins: update on kv/team/x',
    ]);
  });

  test('has the last use where logs tell it, and what they leave open', () => {
    const use = {
      lastOf: ({ name }: { name: string }) => (name === 'reader' ? 0 : undefined),
      missing: [{ kind: 'arrived-mounts', mount: 'kv' }],
    };
    const rows = of(graph, { use });
    expect(find(rows, 'reader', 'kv/app/*')?.lastUsed).toBe('1970-01-01T00:00:00.000Z');
    expect(find(rows, 'admins', 'kv/team/*')?.lastUsed).toBe('');
    expect(rows.at(-1)).toMatchObject({
      kind: 'not read',
      who: 'the use of kv, which came from another namespace',
      capabilities: ['not known'],
    });
  });

  test.each<[string, string, (given: Graph) => Partial<Graph>]>([
    ['reader', 'bounds', ({ roles }) => ({ roles: roles.map((one) => ({ ...one, boundSubject: 'bob' })) })],
    [
      'reader',
      'trust',
      ({ methods }) => ({ methods: methods.map((one) => ({ ...one, config: { boundIssuer: 'x' } })) }),
    ],
    ['admins', 'alias', ({ aliases }) => ({ aliases: aliases.map((one) => ({ ...one, name: 'x' })) })],
    [
      'admins',
      'a role that leads there',
      ({ roles }) => ({ roles: roles.map((one) => ({ ...one, boundSubject: 'x' })) }),
    ],
    [
      'inner',
      'a member of a member',
      ({ identities = [] }) => ({
        identities: identities.map((one) => (one.name === 'deep' ? { ...one, members: [] } : one)),
      }),
    ],
    [
      'inner',
      'an alias of a group within',
      ({ aliases }) => ({ aliases: [...aliases, { name: '/deep', method: 'staff', group: 'deep' }] }),
    ],
    [
      'inner',
      'an alias of an entity within',
      ({ others = [] }) => ({ others: [...others, entityAlias('a', 'apps', 'ann')] }),
    ],
    [
      'entity ann',
      'an alias',
      ({ others = [] }) => ({ others: [...others, entityAlias('a', 'apps', 'ann')] }),
    ],
    [
      'web',
      'bounds',
      ({ others = [] }) => ({
        others: others.map((node) => (node.kind === 'otherRole' ? { ...node, bounds: { x: 1 } } : node)),
      }),
    ],
  ])('has other conditions for %s with another %s', (who, _, change) => {
    expect(conditions({ ...graph, ...change(graph) }, who)).not.toBe(conditions(graph, who));
    expect(conditions(structuredClone(graph), who)).toBe(conditions(graph, who));
  });

  test('has the same conditions where a token is issued, which lets no one else in', () => {
    const withToken = [...(graph.others ?? []), issuedTokens(['team'], 'ann')];
    expect(conditions({ ...graph, others: withToken }, 'entity ann')).toBe(conditions(graph, 'entity ann'));
  });

  test('has the same conditions with other policies, which are a column', () => {
    const roles =
      graph.others?.map((node) => (node.kind === 'otherRole' ? { ...node, policies: ['team'] } : node)) ?? [];
    expect(conditions({ ...graph, others: roles }, '"web"')).toBe(conditions(graph, '"web"'));
  });
});

test('a digest is one of the values, whatever their order; a time is in whole seconds', () => {
  expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
  expect(digest({ a: 1 })).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(madeAt(now + 5n)).toBe('2026-11-01T00:00:00Z');
});
