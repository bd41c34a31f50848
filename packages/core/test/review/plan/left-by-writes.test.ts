import { expect, test } from '@jest/globals';
import type { Graph } from '../../../src/graph/graph.ts';
import { complete, composedOn, serviceWith, team } from './service-under-plan.ts';

const write = 'generic_endpoint.w path: auth/x/role/y, data_json:';
const bob = 'generic_endpoint.bob path: auth/people/users/bob, data_json:';
const renamed = '~ entity ann - → name: anne\n ~ group team narrow → name: crew';
const people = 'entity ann\n entity eve\n';
const wideTeam = 'group team narrow,wide';
const external = 'external_member_entity_ids: true';
const named = (...names: string[]) => names.map((name) => ({ name }));

/** What a service has, what a plan does, and what is there then. */
const cases: Record<string, [service: string, plan: string, after: { [List in keyof Graph]?: object[] }]> = {
  'a role that the plan leaves is as the service has it': [
    team(),
    'role reader wide',
    { roles: [{ name: 'reader', policies: ['narrow'], groupsClaim: 'groups', tokenNoDefaultPolicy: true }] },
  ],
  'a role that the plan changes keeps what the plan hides': [
    'method ci\n role reader narrow boundSubject: web, userClaim: email',
    '~ role reader narrow bound_subject!: x, token_no_default_policy: true → wide',
    { roles: [{ boundSubject: 'web', userClaim: 'sub', policies: ['wide'] }] },
  ],
  'a method that the plan changes keeps how it was tuned by hand': [
    'method ci tune: {maxLeaseTtl: 60}',
    '~ method ci → bound_issuer: x',
    { methods: [{ config: { boundIssuer: 'x' }, tune: { maxLeaseTtl: 60 } }] },
  ],
  'a role that the plan makes keeps what the plan does not give': [
    'method ci\n role reader narrow boundSubject: web',
    '+ role reader wide',
    { roles: [{ boundSubject: 'web', policies: ['wide'] }] },
  ],
  'what is gone, and the plan leaves, is not there': [
    'method ci\n group team narrow',
    'role reader\n alias a ci team',
    { roles: [], aliases: [] },
  ],
  'what is at a mount goes along where that moves': [
    `${team()}\n entity-alias a ci ann`,
    '~ method ci → path: jobs',
    { methods: [{ path: 'jobs' }], ...of('roles', 'aliases', 'others')({ method: 'jobs' }) },
  ],
  'an attachment that is not the only one leaves what others attach': [
    wideTeam,
    '+ attach team more exclusive: false',
    { groups: [{ policies: ['narrow', 'wide'] }], identities: [{ policies: ['more'] }] },
  ],
  'an attachment that becomes the only one takes away what others attach': [
    wideTeam,
    '~ attach team wide exclusive: false → exclusive: null\n - policy x',
    of('groups', 'identities')({ policies: ['wide'] }),
  ],
  'an attachment that stays the only one changes nothing': [
    wideTeam,
    'attach team wide',
    { groups: [{ policies: ['narrow', 'wide'] }], identities: [{ policies: ['wide'] }] },
  ],
  'members that become the only ones take away others of their kind, and no policies': [
    `${people} internal all wide entity:ann entity:eve group:team`,
    '+ join all entity:ann',
    {
      identities: [{ members: named('ann') }, { policies: ['wide'], members: named('ann', 'team') }, {}, {}],
    },
  ],
  'members that go leave others': [
    `${people} internal all - entity:ann entity:eve`,
    '- join all entity:ann exclusive: false',
    { identities: [{ members: named('eve') }, ...named('ann', 'eve')] },
  ],
  'a write that stays is what it made': ['', `${write} '{}'`, { others: [] }],
  'a write that changes': [
    '',
    `~ ${write} '{}' → data_json: '{"a":1}'`,
    { others: [{ kind: 'write', path: 'auth/x/role/y' }] },
  ],
  'a guard that stays, of which no list is': [
    '',
    "egp_policy.e name: e, paths: ['*'], policy: x",
    { others: [{ kind: 'guard' }] },
  ],
  'what is gone, and the plan changes, is made': [
    '',
    '~ role reader → wide',
    { roles: [{ name: 'reader', policies: ['wide'] }] },
  ],
  'members follow an entity and a group with new names': [
    `${team()}\n ${people} internal all - entity:ann entity:eve group:team`,
    renamed,
    {
      identities: [...named('anne'), { members: named('anne', 'eve', 'crew') }, ...named('eve')],
      aliases: [{ group: 'crew' }],
    },
  ],
  'members that are left to others follow an entity with a new name': [
    `${people} internal all - entity:ann entity:eve`,
    `~ entity ann - → name: anne\n ~ internal all - ${external} → wide`,
    {
      identities: [...named('anne'), { policies: ['wide'], members: named('anne', 'eve') }, ...named('eve')],
    },
  ],
  'members that are not left to others are those of the plan': [
    'entity eve\n internal all - entity:eve group:team',
    `~ internal all - group:team ${external} → member_entity_ids: [id-ann]`,
    { identities: [{ members: named('team', 'eve') }, ...named('eve')] },
  ],
  'members of an external group stay, whatever the plan says': [
    'group team narrow\n entity ann\n internal team - entity:ann',
    '~ group team narrow → wide',
    {
      groups: [{ policies: ['wide'] }],
      identities: [{ name: 'team', members: named('ann') }, ...named('ann')],
    },
  ],
  'an external group without members has none': [
    'group team narrow',
    '~ group team narrow entity:ann → wide entity:ann',
    { identities: [] },
  ],
  'who signs in as a renamed entity, or is in a renamed group, follows it': [
    `${team()}\n entity ann\n entity-alias a people ann\n group-alias b people ldap team`,
    renamed,
    { others: [{ entity: 'anne' }, { group: 'crew' }] },
  ],
  'a login enforcement of a method goes along where that moves': [
    'method ci\n guard second method:ci entity:ann',
    '~ method ci → path: jobs',
    { others: [{ kind: 'guard', targets: { methods: ['jobs'], entities: ['ann'] } }] },
  ],
  'a disabled entity stays disabled': [
    'entity ann\n disabled entity ann\n entity-alias a people ann',
    '',
    { others: [{ kind: 'disabling' }, { isOfDisabled: true }] },
  ],
  'a user that is written without policies keeps them, and other bounds': [
    'mount people userpass\n user people/bob wide token_ttl: 1, a: b',
    `+ ${bob} '{"c":"d","token_max_ttl":2}'`,
    {
      others: [
        {
          policies: ['wide'],
          bounds: { a: 'b', c: '(hidden 1)' },
          lifetime: { token_ttl: 1, token_max_ttl: '(hidden 2)' },
        },
        { kind: 'otherMethod', path: 'people' },
      ],
    },
  ],
  'a user that is written with policies has these': [
    'mount people userpass\n user people/bob wide',
    `+ ${bob} '{"token_policies":["narrow"]}'`,
    { others: [{ policies: ['narrow'] }, { kind: 'otherMethod', path: 'people' }] },
  ],
  'an external group that the plan makes keeps who is in it': [
    'group team narrow\n entity ann\n internal team - entity:ann',
    '+ group team wide',
    {
      groups: [{ policies: ['wide'] }],
      identities: [{ name: 'team', members: named('ann') }, ...named('ann')],
    },
  ],
  'a group that the plan makes keeps the lists that are left to others': [
    'entity ann\n internal all wide entity:ann',
    `+ internal all - external_policies: true, ${external}`,
    { identities: [{ policies: ['wide'], members: named('ann') }, ...named('ann')] },
  ],
  'an entity that is made anew is in no group that leaves its members to others': [
    'entity ann\n internal all - entity:ann',
    `-/+ entity ann -\n ~ internal all - ${external} → wide`,
    { identities: [...named('ann'), { policies: ['wide'], members: [] }] },
  ],
  'a group that is made anew has nothing that was left to others': [
    'entity ann\n internal all wide entity:ann',
    `-/+ internal all - external_policies: true, ${external}`,
    { identities: [{ policies: [], members: [] }, ...named('ann')] },
  ],
  'an alias goes with its group': [team(), '- group team narrow', { aliases: [] }],
  'an alias with the name of its entity goes without that': [
    'entity ann\n entity-alias ann people ann',
    '- entity-alias ann people ann',
    { identities: named('ann'), others: [] },
  ],
  'what is disabled elsewhere stays disabled': [
    'disabled entity ann',
    '',
    { others: [{ kind: 'disabling', of: 'entity', name: 'ann' }] },
  ],
};
test.each(Object.entries(cases))('%s', (_, [service, plan, after]) => {
  expect(afterOn(serviceWith(service), plan)).toMatchObject(after);
});

test.each<[what: string, parts: Partial<Graph>, plan: string, after: object]>([
  ['a message is none of it', { messages: [{ title: 'x' }] as never }, '', { messages: [] }],
  [
    'a write that stays, where others are not known',
    { complete: [{ list: 'groups' }] },
    `${write} '{}'`,
    { others: [{ kind: 'write', path: 'auth/x/role/y' }] },
  ],
  [
    'what was not read is as the plan has it',
    { complete: complete.filter(({ list }) => list !== 'roles') },
    'role reader wide',
    { roles: [{ name: 'reader', policies: ['wide'] }] },
  ],
])('%s', (_, parts, plan, after) => {
  expect(afterOn(serviceWith('', parts), plan)).toMatchObject(after);
});

function afterOn(service: ReturnType<typeof serviceWith>, plan: string) {
  const { after, unknown } = composedOn(service, `${plan}\n + policy new`);
  expect(unknown).toEqual([]);
  return {
    identities: [],
    others: [],
    ...after,
    policies: after.policies.filter(({ name }) => name !== 'new'),
  };
}

function of(...lists: (keyof Graph)[]) {
  return (node: object) => Object.fromEntries(lists.map((list) => [list, [node]]));
}

test.each([
  [
    'of which one reads it',
    'a/{{identity.entity.metadata.x}}',
    [{ type: 'entity', name: 'ann', field: 'metadata' }],
  ],
  ['none of which reads it', 'b', []],
])('metadata that is not known matters on a service with policies %s', (_, path, unknown) => {
  const service = `policy p: a read\n policy q: ${path} read\n entity ann`;
  expect(composedOn(service, '~ entity ann metadata: {x: y} → metadata?').unknown).toEqual(unknown);
});

test('a token field that was changed by hand, and that the plan does not change, may stay or be written again', () => {
  const { unknown } = composedOn(
    'method ci\n role reader narrow ttl: 60',
    '~ role reader → bound_subject: x',
  );
  expect(unknown).toContainEqual({ type: 'role', method: 'ci', name: 'reader', field: 'ttl' });
});

test('a method that is made anew is not tuned by hand', () => {
  const { after } = composedOn('method ci tune: {maxLeaseTtl: 60}', '-/+ method ci → bound_issuer: x');
  expect(after.methods).toEqual([{ path: 'ci', type: 'jwt', config: { boundIssuer: 'x' } }]);
});
