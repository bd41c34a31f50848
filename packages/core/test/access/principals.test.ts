import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '../../../../test/harness/random-policies.ts';
import type { Principals } from '../../src/access/access-change.ts';
import { principalsOf } from '../../src/access/principals.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Graph, Identity, OtherAccess } from '../../src/graph/graph.ts';
import { change, graphOf, method, now, policy, role } from '../review/graphs.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1_000);
const seed = Number(process.env['SEED'] ?? 20_261_122);

test(`groups in groups, in circles too, give what a plain closure says, seed ${seed}`, () => {
  const next = randomFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const size = 2 + next(8);
    const named = () => ({ kind: 'group' as const, name: `${next(2) === 0 ? 'g' : 'G'}${next(size)}` });
    const nested: Identity[] = Array.from({ length: size + next(4) }, (_, at) => ({
      ...named(),
      policies: next(3) === 0 ? [] : [`p${at}`],
      members: Array.from({ length: next(4) }, named),
    }));
    const groups = next(2) === 0 ? [] : [{ name: 'g0', policies: ['external'] }];
    const graph = graphOf({ groups, identities: nested });
    const { identities } = principalsOf({ before: graph, after: graph });
    const policiesOf = (name: string) =>
      identities.find((one) => one.name.toLowerCase() === name)?.after ?? [];
    for (let at = 0; at < size; at++) {
      const reached = new Set([`g${at}`]);
      // As many rounds as there are groups are enough.
      for (let step = 0; step < size; step++) {
        for (const { name, members = [] } of nested) {
          if (members.some((member) => reached.has(member.name.toLowerCase())))
            reached.add(name.toLowerCase());
        }
      }
      const expected = [...nested, ...groups].flatMap(({ name, policies }) =>
        reached.has(name.toLowerCase()) ? policies : [],
      );
      expect({ round, at, policies: policiesOf(`g${at}`) }).toEqual({
        ...{ round, at },
        policies: expected.sort(),
      });
    }
  }
});

describe('what else gives access', () => {
  const policies = [policy('p', ['a', 'read']), policy('q', ['a', 'read', 'update'])];
  const wordsOf = (before: Partial<Graph>, after: Partial<Graph>) => {
    const { gains, losses, changes, unseen } = decideAccess(
      change({ policies, ...before }, { policies, ...after }),
      now,
    );
    const all = changes.map(({ kind, principals, uncertain, ...one }) =>
      [kind, principals.name, `${one.gains}/${one.losses}`, ...uncertain].join(' '),
    );
    return [`${gains}/${losses}`, ...all, ...unseen].join('; ');
  };
  const app = { name: 'app', effect: 'gives' as const, policies: ['p'], bounds: {} };
  const by = (...otherAccess: OtherAccess[]): Partial<Graph> => ({ otherAccess });

  test.each<[why: string, complete: Graph['complete']]>([
    ['may be elsewhere', []],
    ['are all here', [{ list: 'roles', method: 'ci' }]],
  ])('the only role, which reads no groups, gives and takes no groups where roles %s', (_, complete = []) => {
    const led = {
      ...{ methods: [method('ci')], groups: [{ name: 'g', policies: ['q'] }], complete },
      aliases: [{ name: 'a', method: 'ci', group: 'g' }],
    };
    const withRole = { ...led, roles: [role('r', { policies: ['p'] })] };
    expect(wordsOf(withRole, led)).toBe('none/some; closed r none/some');
    expect(wordsOf(led, withRole)).toBe('some/none; opened r some/none');
  });
  const ofEntity = { ...app, policies: [], entity: 'e' };
  const byAlias = { ...app, entity: 'e', unites: true as const, method: 'ci' };
  const plain = role('r', { policies: ['p'] });
  const group = { name: 'g', policies: ['p'] };
  const alias = { name: 'a', method: 'ci', group: 'g' };
  const led = { groups: [group], aliases: [alias] };
  const denied = {
    roles: [role('r', { policies: ['no'] })],
    policies: [...policies, policy('no', ['a', 'deny'])],
  };
  const reading = role('r', { policies: ['p'], groupsClaim: 'groups' });
  const complete = { complete: [{ list: 'aliases' as const }] };
  const shut = {
    groups: [{ name: 'g', policies: ['shut'] }],
    aliases: [{ name: 'a', method: 'ci', group: 'g' }],
    policies: [...policies, policy('shut', ['b', 'deny'])],
  };
  const unreading = { roles: [role('r', { policies: [] })] };
  const granted = role('r', { policies: ['wide', 'denies'] });
  const [wide, denies] = [policy('wide', ['b', 'read']), policy('denies', ['b', 'deny'])];
  const entity = { kind: 'entity' as const, name: 'e', policies: ['p'] };
  const member = { kind: 'entity' as const, name: 'ann' };
  const team = { kind: 'group' as const, name: 'team', policies: ['p'], members: [member] };
  const cases: Record<string, [before: Partial<Graph>, after: Partial<Graph>, wanted: string]> = {
    nothing: [{}, {}, 'none/none'],
    'the same': [by(app), by({ ...app }), 'none/none'],
    'another life of its tokens': [
      by(app),
      by({ ...app, lifetime: { ttl: 1 } }),
      'some/some; changed app some/some',
    ],
    'more by one that is a role by itself': [
      { ...denied, otherAccess: [{ ...app, method: 'ci' }] },
      { ...denied, otherAccess: [{ ...app, method: 'ci', policies: ['q'] }] },
      'some/none; changed app some/none; other grants of app',
    ],
    'more by its entity': [
      { otherAccess: [ofEntity], identities: [entity] },
      { otherAccess: [ofEntity], identities: [{ ...entity, policies: ['q'] }] },
      'some/none; changed e some/none; changed app some/none; other grants of app; other grants of entity "e"',
    ],
    'a group that gets an alias, and more': [
      { groups: [group] },
      { groups: [{ ...group, policies: ['q'] }], aliases: [alias] },
      'some/none; opened a some/none; other grants of "a" of auth/ci (group "g"); groups and policies elsewhere of group "g"',
    ],
    'an alias that no role reads': [
      { ...unreading, groups: [group], aliases: [alias] },
      { ...unreading, groups: [{ ...group, policies: ['q'] }], aliases: [alias] },
      'unknown/none; other grants of "a" of auth/ci (group "g")',
    ],
    'a role reads groups no longer, whose aliases are elsewhere': [
      { roles: [reading] },
      { roles: [plain] },
      'some/unknown; widened r some/none; changed r none/unknown which groups claim "groups" maps to (no alias of auth/ci is declared here); other groups with an alias of auth/ci',
    ],
    'a role reads groups no longer, of which there are none': [
      { ...complete, roles: [reading] },
      { ...complete, roles: [plain] },
      'some/none; widened r some/none',
    ],
    'a role reads no longer a group that denies': [
      { ...complete, ...shut, roles: [reading] },
      { ...complete, ...shut, roles: [plain] },
      'some/some; widened r some/none; changed r unknown/some what else the principals of role "r" of auth/ci hold: a denial on "b" goes; closed a none/none; other grants of role "r" of auth/ci',
    ],
    'another text of the same rules': [
      {},
      { policies: policies.map(({ name, text }) => ({ name, text: `# Read\n${text}` })) },
      'none/none',
    ],
    'a policy that loses, and denies no longer': [
      { roles: [plain], policies: [policy('p', ['a', 'read', 'update'], ['b', 'deny'])] },
      { roles: [plain], policies: [policy('p', ['a', 'read'])] },
      'unknown/some; changed r none/some; changed p unknown/none what else other principals with policy "p" hold: a denial on "b" goes; other principals with policy "p"',
    ],
    'a role reads groups no longer, whose aliases are now elsewhere': [
      { ...complete, roles: [reading] },
      { roles: [plain] },
      'some/none; widened r some/none; other groups with an alias of auth/ci',
    ],
    'a way that gives': [{}, by(app), 'some/none; opened app some/none'],
    'one that gave': [by(app), {}, 'none/some; closed app none/some'],
    'one that may take': [
      {},
      by({ ...app, effect: 'either' }),
      'some/unknown; opened app some/unknown what app does',
    ],
    'one that may have taken': [
      by({ ...app, effect: 'either' }),
      {},
      'unknown/some; closed app unknown/some what app does',
    ],
    'more by it': [
      by(app),
      by({ ...app, policies: ['p', 'q'] }),
      'some/none; changed app some/none; other grants of app',
    ],
    'other bounds': [by(app), by({ ...app, bounds: { a: 1 } }), 'some/some; changed app some/some'],
    'another group by it': [
      { otherAccess: [{ ...app, group: 'g' }], groups: [{ name: 'g', policies: ['q'] }] },
      { otherAccess: [app], groups: [{ name: 'g', policies: ['q'] }] },
      'none/some; changed app none/some',
    ],
    'an entity by a new alias': [
      {},
      by(byAlias),
      'some/none; opened app some/none; other grants of app; what app had before; groups and policies elsewhere of entity "e"',
    ],
    'an entity by a new alias at a mount where groups stay': [
      { ...complete, ...led, roles: [reading] },
      { ...complete, ...led, roles: [reading], otherAccess: [{ ...byAlias, policies: [] }] },
      'some/none; opened app some/none; what app had before; groups and policies elsewhere of entity "e"',
    ],
    'a denial that goes, where another policy grants': [
      { roles: [granted], policies: [...policies, wide, denies] },
      { roles: [granted], policies: [...policies, wide, policy('denies')] },
      'some/none; changed r some/none; other principals with policy "denies"',
    ],
    'an entity whose alias goes': [
      by(byAlias),
      {},
      'unknown/some; closed app none/some; other grants of app; groups and policies elsewhere of entity "e"',
    ],
    'a group that goes': [
      { groups: [group] },
      {},
      'unknown/some; closed g none/some; other grants of group "g"; groups and policies elsewhere of group "g"',
    ],
    'a group that comes': [{}, { groups: [group] }, 'none/none'],
    'a group that gives more': [
      { groups: [group] },
      { groups: [{ ...group, policies: ['q'] }] },
      'some/none; changed g some/none; other grants of group "g"',
    ],
    'an alias that goes': [
      led,
      { groups: [group] },
      'unknown/some; closed a none/some; other grants of "a" of auth/ci (group "g"); groups and policies elsewhere of group "g"',
    ],
    'an alias of another group': [
      { groups: [group, { name: 'h', policies: ['p'] }], aliases: [alias] },
      { groups: [group, { name: 'h', policies: ['p'] }], aliases: [{ ...alias, group: 'h' }] },
      'unknown/none; groups and policies elsewhere of group "g"; groups and policies elsewhere of group "h"',
    ],
    'a name in capitals': [
      led,
      { groups: [{ ...group, name: 'G' }], aliases: [{ ...alias, group: 'G' }] },
      'none/none',
    ],
    'a member that goes': [
      { identities: [team] },
      { identities: [{ ...team, members: [] }] },
      'unknown/some; closed ann none/some; other grants of entity "ann"; groups and policies elsewhere of group "team"',
    ],
    'a member that comes': [
      { identities: [{ ...team, members: [] }] },
      { identities: [team] },
      'some/none; opened ann some/none; other grants of entity "ann"; groups and policies elsewhere of group "team"',
    ],
    'a group inside that goes': [
      { identities: [team, { ...team, name: 'all', members: [{ kind: 'group', name: 'team' }] }] },
      { identities: [team, { ...team, name: 'all', members: [] }] },
      'unknown/none; groups and policies elsewhere of group "all"',
    ],
    'a method that goes': [
      { methods: [method('ci')] },
      {},
      'unknown/none; entities and groups elsewhere with an alias of auth/ci',
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [before, after, wanted]) => {
    expect(wordsOf(before, after)).toBe(wanted);
  });

  test('a method that is made anew', () => {
    const methods = [method('ci')];
    const { unseen } = decideAccess(
      change({ methods }, { methods }, { replaced: [{ type: 'method', name: 'ci' }] }),
      now,
    );
    expect(unseen).toEqual(['entities and groups elsewhere with an alias of auth/ci']);
  });
});

/** By whom, and with which policies before and after. */
const listed = (all: readonly Principals[]) =>
  all.map(({ by, before, after }) => `${by}: ${before.join()} → ${after.join()}`);

describe('groups of one auth method, for an entity that signs in at another', () => {
  const at = (name: string, ...methods: string[]): OtherAccess[] =>
    methods.map((path) => ({
      ...{ name: `${name} at ${path}`, effect: 'gives', policies: [], bounds: {} },
      ...{ entity: name, method: path, unites: true },
    }));
  const far = (before: OtherAccess[], after: OtherAccess[]) => {
    const graph = (otherAccess: OtherAccess[]) =>
      graphOf({
        roles: ['ci', 'far'].map((path) => role('r', { method: path, groupsClaim: 'groups' })),
        groups: [{ name: 'g', policies: ['p'] }],
        aliases: [{ name: 'a', method: 'ci', group: 'g' }],
        otherAccess,
      });
    const { mounts } = principalsOf({ before: graph(before), after: graph(after) });
    expect(listed(mounts.get('ci')?.groups.filter(({ kind }) => kind === 'alias') ?? [])).toEqual([
      '"a" of auth/ci (group "g"): p → p',
    ]);
    return listed(mounts.get('far')?.groups.filter(({ kind }) => kind === 'alias') ?? []);
  };
  const linked = '"a" of auth/ci (group "g"), at auth/far as the same entity';
  const both = at('e', 'ci', 'far');
  test.each<[string, OtherAccess[], OtherAccess[], string[]]>([
    ['stay where it has both aliases', both, both, ['"a" of auth/ci (group "g"): p → p']],
    ['come with its other alias', at('e', 'ci'), both, [`${linked}:  → p`]],
    ['go with its other alias', both, at('e', 'far'), [`${linked}: p → `]],
    [
      'come for one entity and go for another',
      both,
      at('f', 'ci', 'far'),
      [`${linked}: p → `, `${linked}:  → p`],
    ],
    [
      'come for a second entity',
      both,
      [...both, ...at('f', 'ci', 'far')],
      ['"a" of auth/ci (group "g"): p → p', `${linked}:  → p`],
    ],
    ['are none of two entities', [...at('e', 'ci'), ...at('f', 'far')], at('e', 'ci'), []],
  ])('%s', (_, before, after, expected) => {
    expect(far(before, after)).toEqual(expected);
  });
});

describe('who picks of the policies of a token role', () => {
  const picking = (policies: string[], picks = true): OtherAccess => ({
    ...{ name: 't', effect: 'gives', policies, bounds: {}, ...(picks && { picks }) },
  });
  const described = (before: OtherAccess[], after: OtherAccess[]) =>
    listed(
      principalsOf({ before: graphOf({ otherAccess: before }), after: graphOf({ otherAccess: after }) })
        .otherPrincipals,
    );
  test.each<[string, OtherAccess[], OtherAccess[], string[]]>([
    [
      'may take each alone, with the default policy',
      [picking(['default', 'p', 'q'])],
      [picking(['default', 'p', 'r'])],
      [
        't: default,p,q → default,p,r',
        't, with policy "p" alone: default,p → default,p',
        't, with policy "r" alone: default,p,q → default,r',
      ],
    ],
    [
      'has no choice of one',
      [picking(['default', 'p'])],
      [picking(['default', 'p'])],
      ['t: default,p → default,p'],
    ],
    [
      'has a choice of two, one of which goes',
      [picking(['p', 'q'])],
      [picking(['p'])],
      ['t: p,q → p', 't, with policy "p" alone: p → p'],
    ],
    ['may not pick', [picking(['p', 'q'], false)], [picking(['p', 'q'], false)], ['t: p,q → p,q']],
    ['is new', [], [picking(['p', 'q'])], ['t:  → p,q']],
  ])('%s', (_, before, after, expected) => {
    expect(described(before, after)).toEqual(expected);
  });
});

test('an external group that becomes an internal one had no members before', () => {
  const before = graphOf({
    groups: [{ name: 'g', policies: ['p'] }],
    aliases: [{ name: 'a', method: 'ci', group: 'g' }],
  });
  const after = graphOf({ identities: [{ kind: 'group', name: 'g', policies: ['p'], members: [] }] });
  const described = (from: Graph, to: Graph) => listed(principalsOf({ before: from, after: to }).identities);
  expect(described(before, after)).toEqual(['group "g":  → p']);
  expect(described(after, before)).toEqual(['group "g": p → ']);
});

test('a policy whose name a claim fills in is another one than that of its text', () => {
  const side = (tokenPoliciesTemplateClaims: boolean) =>
    graphOf({ roles: [role('r', { policies: ['a', 'of-{{.x}}'], tokenPoliciesTemplateClaims })] });
  const described = (before: Graph, after: Graph) =>
    listed(principalsOf({ before, after }).mounts.get('ci')?.roles ?? []);
  const [filled, plain] = [side(true), side(false)];
  expect(described(filled, plain)).toEqual(['role "r" of auth/ci: a,of-{{.x}} (filled in) → a,of-{{.x}}']);
  expect(described(plain, filled)).toEqual(['role "r" of auth/ci: a,of-{{.x}} → a,of-{{.x}} (filled in)']);
  expect(described(filled, side(true))).toEqual(['role "r" of auth/ci: a,of-{{.x}} → a,of-{{.x}}']);
});

test('a method without roles here may have some elsewhere, unless all are known before and after', () => {
  const side = (...complete: NonNullable<Graph['complete']>) =>
    graphOf({ methods: [method('far')], complete });
  const roles = { list: 'roles' as const, method: 'far' };
  const described = (before: Graph, after: Graph) =>
    listed(principalsOf({ before, after }).mounts.get('far')?.roles ?? []);
  expect(described(side(), side())).toEqual(['auth/far:  → ']);
  expect(described(side(roles), side())).toEqual(['auth/far:  → ']);
  expect(described(side(roles), side(roles))).toEqual([]);
});
