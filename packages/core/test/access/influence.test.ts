import { expect, test } from '@jest/globals';
import { type Influence, influences, mayReach } from '../../src/access/influence.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Change } from '../../src/graph/change.ts';
import type { Graph, OtherAccess } from '../../src/graph/graph.ts';
import { disabling, otherMount, otherRole } from '../../src/graph/resources/other-access.ts';
import { resources } from '../../src/graph/resources/resources.ts';
import { change, method, now, policy, role } from '../review/graphs.ts';

interface World extends Partial<Pick<Change, 'replaced' | 'remade' | 'unknown'>> {
  before: Partial<Graph>;
  after: Partial<Graph>;
  says: string[];
}

const g = { name: 'g', policies: [] };
const other = (identity: OtherAccess['identity'], fields: Partial<OtherAccess>): OtherAccess => ({
  ...{ name: 'app', effect: 'gives', policies: [], bounds: {} },
  ...(identity && { identity }),
  ...fields,
});
const appRole = other({ type: 'otherRole', mount: 'apps', name: 'role app' }, { method: 'apps' });
const bobs = other({ type: 'entityAlias', mount: 'ci', name: 'bob' }, { method: 'ci', unites: true });
const inner = { kind: 'group' as const, name: 'inner', policies: [] };
const outer = { kind: 'group' as const, name: 'outer', policies: [] };
const reading = { policies: [policy('t', ['kv/{{identity.groups.names.g.metadata.team}}', 'read'])] };
const filled = 'what policy "t" allows, which group "g" fills in';
const elsewhere = (of: string) => `groups and policies elsewhere of ${of}`;
const whole = (...lists: (keyof Graph)[]) => ({
  complete: lists.map((list) => ({ list: list as 'groups' })),
});

/** Changes in which an attribute matters, by its row. */
const worlds: Record<string, World[]> = {
  'method id': [
    {
      ...{ before: { methods: [method('ci')] }, after: { methods: [method('ci')] } },
      replaced: [{ type: 'method', name: 'ci' }],
      says: ['entities and groups elsewhere with an alias of auth/ci'],
    },
    {
      before: {
        ...whole('aliases', 'otherAccess', 'identities'),
        methods: [method('ci')],
        roles: [role('r')],
      },
      after: { ...whole('aliases', 'otherAccess', 'identities'), methods: [method('ci')] },
      replaced: [{ type: 'method', name: 'ci' }],
      says: ['what others make again at auth/ci, which is replaced'],
    },
  ],
  'otherRole id': [
    {
      ...{ before: { otherAccess: [appRole] }, after: { otherAccess: [appRole] } },
      remade: [{ type: 'other', name: 'app' }],
      says: ['the entity that principals of app are known as'],
    },
  ],
  'role groupsClaim': [
    {
      before: { roles: [role('r', { groupsClaim: 'groups' })] },
      after: { roles: [role('r', { groupsClaim: 'teams' })] },
      says: ['other groups with an alias of auth/ci'],
    },
  ],
  'alias group': [
    {
      before: { groups: [g] },
      after: { groups: [g], aliases: [{ name: 'a', method: 'ci', group: 'g' }] },
      says: [elsewhere('group "g"')],
    },
    {
      before: { ...reading, groups: [g] },
      after: { ...reading, groups: [g], aliases: [{ name: 'a', method: 'ci', group: 'g' }] },
      says: [elsewhere('group "g"'), filled],
    },
  ],
  'entityAlias entity': [
    {
      ...{ before: {}, after: { otherAccess: [{ ...bobs, entity: 'bob' }] } },
      says: ['what app had before', elsewhere('entity "bob"')],
    },
  ],
  'entityAlias customMetadata': [
    {
      ...{ before: {}, after: {} },
      unknown: [{ type: 'other', name: 'alias "bob"', field: 'customMetadata' }],
      says: ['customMetadata of alias "bob"'],
    },
  ],
  'identity id': [
    {
      ...{ before: { groups: [g] }, after: { groups: [g] } },
      remade: [{ type: 'group', name: 'g' }],
      says: [elsewhere('group "g"')],
    },
  ],
  'identity members': [
    {
      before: { identities: [outer] },
      after: { identities: [{ ...outer, members: [{ kind: 'entity', name: 'e' }] }] },
      says: [elsewhere('group "outer"')],
    },
  ],
  'identity metadata': [
    {
      before: { groups: [{ ...g, metadata: { team: 'a' } }] },
      after: { groups: [{ ...g, metadata: { team: 'b' } }] },
      says: ['policies elsewhere that read the metadata of group "g"'],
    },
    {
      before: { ...reading, ...whole('policies'), groups: [{ ...g, metadata: { team: 'a' } }] },
      after: { ...reading, ...whole('policies'), groups: [{ ...g, metadata: { team: 'b' } }] },
      says: [filled],
    },
  ],
};
/** Changes in the graph, by rows that lead nowhere else. */
const inGraph: Record<string, [Partial<Graph>, Partial<Graph>]> = {
  'method config': [
    { methods: [method('ci', { jwksUrl: 'https://a.example/keys' })], roles: [role('r')] },
    { methods: [method('ci', { jwksUrl: 'https://b.example/keys' })], roles: [role('r')] },
  ],
  'method tune': [
    { methods: [{ ...method('ci'), tune: { maxLeaseTtl: 60 } }], roles: [role('r')] },
    { methods: [{ ...method('ci'), tune: { maxLeaseTtl: 3600 } }], roles: [role('r')] },
  ],
  'role bounds': [
    { roles: [role('r', { policies: ['p'], boundClaims: { org: ['a'] } })] },
    { roles: [role('r', { policies: ['p'] })] },
  ],
  'role ttl': [{ roles: [role('r', { ttl: 60 })] }, { roles: [role('r', { ttl: 3600 })] }],
  'role policies': [{ roles: [role('r', { policies: [] })] }, { roles: [role('r', { policies: ['p'] })] }],
  'role userClaim': [{ roles: [role('r')] }, { roles: [role('r', { userClaim: 'email' })] }],
  'role claimMappings': [{ roles: [role('r')] }, { roles: [role('r', { claimMappings: { team: 'team' } })] }],
  'otherRole bounds': [
    { otherAccess: [{ ...appRole, policies: ['p'], bounds: { token_bound_cidrs: ['10.0.0.0/8'] } }] },
    { otherAccess: [{ ...appRole, policies: ['p'] }] },
  ],
  'otherRole policies': [{ otherAccess: [appRole] }, { otherAccess: [{ ...appRole, policies: ['p'] }] }],
  'mount policies': [
    { otherAccess: [otherMount('ldap', 'ldap', {})] },
    { otherAccess: [otherMount('ldap', 'ldap', { token_policies: ['p'] })] },
  ],
  'tokenRole allowedPolicies': [
    {
      otherAccess: [
        otherRole({ type: 'token', mount: 'token', noun: 'role', name: 't' }, { allowed_policies: ['q'] }),
      ],
    },
    {
      otherAccess: [
        otherRole(
          { type: 'token', mount: 'token', noun: 'role', name: 't' },
          { allowed_policies: ['p', 'q'] },
        ),
      ],
    },
  ],
  'identity policies': [{ identities: [inner] }, { identities: [{ ...inner, policies: ['p'] }] }],
  'entity disabled': [
    { identities: [{ kind: 'entity', name: 'e', policies: ['p'] }], otherAccess: [disabling('entity', 'e')] },
    { identities: [{ kind: 'entity', name: 'e', policies: ['p'] }] },
  ],
  'policy text': [
    { roles: [role('r', { policies: ['p'] })] },
    { roles: [role('r', { policies: ['p'] })], policies: [policy('p', ['a', 'read', 'update'])] },
  ],
};
const keyOf = ({ of, attribute }: { of: string; attribute: string }) => `${of} ${attribute}`;

test('every row of the table of influence has a world in which it matters', () => {
  expect([...Object.keys(worlds), ...Object.keys(inGraph)]).toEqual(influences.map(keyOf));
});

/** What rows of a kind have to decide where a field of it bears on something. */
const decided: Record<string, string[]> = {
  access: ['who', 'groups', 'policies', 'rules', 'identity'],
  lifetime: ['lifetime'],
  identity: ['identity', 'templates'],
};
const kinds: Record<string, string[]> = { group: ['identity'], entity: ['identity', 'entity'] };

test.each(
  resources.flatMap(({ type, fields }) =>
    Object.entries(fields).flatMap(([name, { bearsOn }]) =>
      bearsOn === 'nothing' ? [] : [[`${type} ${name}`, type, bearsOn] as const],
    ),
  ),
)('a field that bears on something has a row of its kind: %s', (_, type, bearsOn) => {
  const rows = influences.filter(({ of }) => (kinds[type] ?? [type]).includes(of));
  const decides = rows.flatMap((row) => row.decides) as string[];
  // A policy's own end is a part of its rules.
  const wanted = type === 'policy' ? ['rules'] : (decided[bearsOn] ?? []);
  expect(decides.some((one) => wanted.includes(one))).toBe(true);
});

test.each(
  Object.entries(worlds).flatMap(([row, all]) => all.map((world, at) => [`${row}, ${at}`, world] as const)),
)('a change by %s is said to lead elsewhere', (_, { before, after, says, ...rest }) => {
  const { gains, unseen, uncertain } = decideAccess({ ...change(before, after), ...rest }, now);
  const notes = [...unseen, ...uncertain];
  for (const words of says) expect(notes).toContain(words);
  expect(gains).not.toBe('none');
});

test.each(influences.filter(({ elsewhere }) => elsewhere !== undefined))(
  'without the row $of $attribute a world of it is not told',
  (row) => {
    const rows = influences as Influence[];
    const at = rows.indexOf(row);
    rows.splice(at, 1);
    try {
      const missed = (worlds[keyOf(row)] ?? []).some(({ before, after, says, ...rest }) => {
        const { unseen, uncertain } = decideAccess({ ...change(before, after), ...rest }, now);
        return says.some((words) => ![...unseen, ...uncertain].includes(words));
      });
      expect(missed).toBe(true);
    } finally {
      rows.splice(at, 0, row);
    }
  },
);

test.each(Object.entries(inGraph))('a change by %s is a gain in the graph', (_, [before, after]) => {
  const policies = [policy('p', ['a', 'read'])];
  const { gains } = decideAccess(change({ policies, ...before }, { policies, ...after }), now);
  expect(gains).not.toBe('none');
});

test.each<[read: string, complete: Graph['complete'], reaches: boolean]>([
  ['entity.aliases.auth_jwt_1.custom_metadata.team', [{ list: 'policies' }], true],
  ['entity.aliases.auth_jwt_1.metadata.team', [{ list: 'policies' }], false],
  ['entity.metadata.team', [{ list: 'policies' }], false],
  ['entity.metadata.team', [], true],
])(
  'custom metadata of an alias, where policies read %s and %j is complete: may reach a token: %s',
  (read, complete = [], reaches) => {
    const graph = { policies: [policy('t', [`kv/{{identity.${read}}}`, 'read'])], complete };
    const unknown = { type: 'other' as const, name: 'alias "bob"', field: 'customMetadata' };
    expect(mayReach(change(graph, graph), unknown)).toBe(reaches);
  },
);
