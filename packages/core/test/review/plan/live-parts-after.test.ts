import { expect, test } from '@jest/globals';
import type { Graph } from '../../../src/graph/graph.ts';
import { aliasElsewhere, disabling, entityAlias } from '../../../src/graph/resources/other-access.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { method, policy } from '../graphs.ts';
import {
  alias,
  ann,
  attach,
  attached,
  attachMembers,
  bob,
  complete,
  eve,
  group,
  inAll,
  inner,
  isAnne,
  isCrew,
  named,
  people,
  reading,
  renamedMount,
  roleAt,
  roleOf,
  serviceWith,
  team,
  write,
  writtenBob,
} from './service-under-plan.ts';
import { entry, same, terraform } from './terraform.ts';

const ci = { path: 'ci', type: 'jwt', accessor: 'acc' };

/** What a service has, what a plan does, and what is there then. */
const cases: Record<string, [graph: Partial<Graph>, changes: object[], after: Partial<Graph>]> = {
  'a message is none of it': [{ messages: [{ title: 'x' }] as never }, [], { messages: [] }],
  'a role that the plan leaves is as the service has it': [
    team,
    [entry(roleAt, same(roleOf({ token_policies: ['wide'] })))],
    { roles: [reading] },
  ],
  'a role that the plan changes keeps what the plan hides': [
    { ...team, roles: [{ ...reading, boundSubject: 'web', userClaim: 'email' }] },
    [
      entry(roleAt, {
        before: roleOf({ bound_subject: 'x', token_policies: ['narrow'], token_no_default_policy: true }),
        after: roleOf({ bound_subject: 'x', token_policies: ['wide'], token_no_default_policy: true }),
        before_sensitive: { bound_subject: true },
        after_sensitive: { bound_subject: true },
      }),
    ],
    { roles: [{ boundSubject: 'web', userClaim: 'sub', policies: ['wide'] }] as never },
  ],
  'a method that the plan changes keeps how it was tuned by hand': [
    { methods: [{ ...method('ci'), tune: { maxLeaseTtl: 60 } }] },
    [entry('vault_jwt_auth_backend.ci', { before: ci, after: { ...ci, bound_issuer: 'x' } })],
    { methods: [{ config: { boundIssuer: 'x' }, tune: { maxLeaseTtl: 60 } }] as never },
  ],
  'a role that the plan makes keeps what the plan does not give': [
    { ...team, roles: [{ ...reading, boundSubject: 'web' }] },
    [entry(roleAt, { after: roleOf({ token_policies: ['wide'] }) })],
    { roles: [{ boundSubject: 'web', policies: ['wide'] }] as never },
  ],
  'what is gone, and the plan leaves, is not there': [
    { methods: [method('ci')], groups: team.groups },
    [entry(roleAt, same(roleOf({}))), entry('vault_identity_group_alias.a', same(alias))],
    { roles: [], aliases: [] },
  ],
  'what is at a mount goes along where that moves': [
    { ...team, otherAccess: [entityAlias('a', 'ci', 'ann')] },
    [entry('vault_jwt_auth_backend.ci', renamedMount)],
    {
      methods: [{ path: 'jobs' }] as never,
      roles: [{ method: 'jobs' }] as never,
      aliases: [{ method: 'jobs' }] as never,
      otherAccess: [{ method: 'jobs' }] as never,
    },
  ],
  'an attachment that is not the only one leaves what others attach': [
    { groups: [{ name: 'team', policies: ['narrow', 'wide'] }] },
    [attach({ after: { ...attached, policies: ['more'], exclusive: false } })],
    { groups: [{ policies: ['narrow', 'wide'] }] as never, identities: [{ policies: ['more'] }] as never },
  ],
  'an attachment that becomes the only one takes away what others attach': [
    { groups: [{ name: 'team', policies: ['narrow', 'wide'] }] },
    [
      attach({ before: { ...attached, exclusive: false }, after: attached }),
      entry('vault_policy.x', { before: { name: 'x', policy: '' } }),
    ],
    { groups: [{ policies: ['wide'] }] as never, identities: [{ policies: ['wide'] }] as never },
  ],
  'an attachment that stays the only one changes nothing': [
    { groups: [{ name: 'team', policies: ['narrow', 'wide'] }] },
    [attach(same(attached))],
    { groups: [{ policies: ['narrow', 'wide'] }] as never, identities: [{ policies: ['wide'] }] as never },
  ],
  'members that become the only ones take away others of their kind, and no policies': [
    { identities: [ann, eve, { ...inAll('ann', 'eve', 'team'), policies: ['wide'] }] },
    [attachMembers({ after: { group_id: 'g2', member_entity_ids: ['e1'] } })],
    {
      identities: [
        { members: [{ name: 'ann' }] },
        { policies: ['wide'], members: [{ name: 'ann' }, { name: 'team' }] },
        ...[ann, eve],
      ] as never,
    },
  ],
  'members that go leave others': [
    { identities: [ann, eve, inAll('ann', 'eve')] },
    [attachMembers({ before: { group_id: 'g2', member_entity_ids: ['e1'], exclusive: false } })],
    { identities: [{ members: [{ name: 'eve' }] }, ann, eve] as never },
  ],
  'a write that stays is what it made': [
    {},
    [entry('vault_generic_endpoint.w', same(write))],
    { otherAccess: [] },
  ],
  'a write that stays, where others are not known': [
    { complete: [{ list: 'groups' }] },
    [entry('vault_generic_endpoint.w', same(write))],
    { otherAccess: [{ name: 'write to auth/x/role/y' }] as never },
  ],
  'a write that changes': [
    {},
    [entry('vault_generic_endpoint.w', { before: write, after: { ...write, data_json: '{"a":1}' } })],
    { otherAccess: [{ name: 'write to auth/x/role/y' }] as never },
  ],
  'a guard that stays, of which no list is': [
    {},
    [entry('vault_egp_policy.e', same({ name: 'e', paths: ['*'], policy: 'x' }))],
    { otherAccess: [{ effect: 'takes' }] as never },
  ],
  'what is gone, and the plan changes, is made': [
    {},
    [entry(roleAt, { before: roleOf({}), after: roleOf({ token_policies: ['wide'] }) })],
    { roles: [{ name: 'reader', policies: ['wide'] }] as never },
  ],
  'what was not read is as the plan has it': [
    { complete: complete.filter(({ list }) => list !== 'roles') },
    [entry(roleAt, same(roleOf({ token_policies: ['wide'] })))],
    { roles: [{ name: 'reader', policies: ['wide'] }] as never },
  ],
  'members follow an entity and a group with new names': [
    { ...team, identities: [ann, eve, inAll('ann', 'eve', 'team')] },
    [isAnne, isCrew],
    {
      identities: [
        { name: 'anne' },
        { members: [{ name: 'anne' }, { name: 'eve' }, { name: 'crew' }] },
        eve,
      ] as never,
      aliases: [{ group: 'crew' }] as never,
    },
  ],
  'members that are left to others follow an entity with a new name': [
    { identities: [ann, eve, inAll('ann', 'eve')] },
    [
      isAnne,
      entry('vault_identity_group.all', {
        before: { ...inner, external_member_entity_ids: true },
        after: { ...inner, external_member_entity_ids: true, policies: ['wide'] },
      }),
    ],
    {
      identities: [
        { name: 'anne' },
        { policies: ['wide'], members: [{ name: 'anne' }, { name: 'eve' }] },
        eve,
      ] as never,
    },
  ],
  'members that are not left to others are those of the plan': [
    { identities: [eve, inAll('eve', 'team')] },
    [
      entry('vault_identity_group.all', {
        before: { ...inner, external_member_entity_ids: true, member_group_ids: ['g1'] },
        after: {
          ...inner,
          external_member_entity_ids: true,
          member_entity_ids: ['e1'],
          member_group_ids: ['g1'],
        },
      }),
    ],
    { identities: [{ members: [{ name: 'team' }, { name: 'eve' }] }, eve] as never },
  ],
  'members of an external group stay, whatever the plan says': [
    { groups: team.groups, identities: [ann, { ...inAll('ann'), name: 'team' }] },
    [entry('vault_identity_group.g', { before: group, after: { ...group, policies: ['wide'] } })],
    {
      groups: [{ name: 'team', policies: ['wide'] }],
      identities: [{ ...inAll('ann'), name: 'team' }, ann],
    },
  ],
  'an external group without members has none': [
    { groups: team.groups },
    [
      entry('vault_identity_group.g', {
        before: { ...group, member_entity_ids: ['e1'] },
        after: { ...group, member_entity_ids: ['e1'], policies: ['wide'] },
      }),
    ],
    { identities: [] },
  ],
  'who signs in as a renamed entity, or is in a renamed group, follows it': [
    {
      ...team,
      identities: [ann],
      otherAccess: [entityAlias('a', 'people', 'ann'), aliasElsewhere('b', 'people', 'ldap', 'team')],
    },
    [isAnne, isCrew],
    { otherAccess: [{ entity: 'anne' }, { group: 'crew' }] as never },
  ],
  'a disabled entity stays disabled': [
    { identities: [ann], otherAccess: [disabling('entity', 'ann'), entityAlias('a', 'people', 'ann')] },
    [],
    { otherAccess: [{ effect: 'takes' }, { effect: 'either' }] as never },
  ],
  'a user that is written without policies keeps them, and other bounds': [
    { otherAccess: [people, bob({ token_policies: ['wide'], token_ttl: 1, a: 'b' })] },
    [writtenBob({ c: 'd', token_max_ttl: 2 })],
    {
      otherAccess: [
        {
          policies: ['wide'],
          bounds: { a: 'b', c: '(hidden 1)' },
          lifetime: { token_ttl: 1, token_max_ttl: '(hidden 2)' },
        },
        people,
      ] as never,
    },
  ],
  'a user that is written with policies has these': [
    { otherAccess: [people, bob({ token_policies: ['wide'] })] },
    [writtenBob({ token_policies: ['narrow'] })],
    { otherAccess: [{ policies: ['narrow'] }, people] as never },
  ],
  'an alias goes with its group': [
    team,
    [entry('vault_identity_group.g', { before: group })],
    { aliases: [] },
  ],
  'an alias with the name of its entity goes without that': [
    { identities: [ann], otherAccess: [entityAlias('ann', 'people', 'ann')] },
    [entry('vault_identity_entity_alias.a', { before: named('ann', 'e1') })],
    { identities: [ann], otherAccess: [] },
  ],
  'what is disabled elsewhere stays disabled': [
    { otherAccess: [disabling('entity', 'ann')] },
    [],
    { otherAccess: [disabling('entity', 'ann')] },
  ],
};
test.each(Object.entries(cases))('%s', (_, [graph, changes, after]) => {
  const all = [...changes, entry('vault_policy.new', { after: { name: 'new', policy: '' } })];
  const [composed] = composeChanges(readPlan(terraform(all)), serviceWith(graph));
  expect(composed?.change.unknown).toEqual([]);
  const found = { identities: [], otherAccess: [], ...composed?.change.after };
  expect({ ...found, policies: found.policies?.filter(({ name }) => name !== 'new') }).toMatchObject(after);
});

test.each([
  [
    'of which one reads it',
    ['a', 'a/{{identity.entity.metadata.x}}'],
    [{ type: 'entity', name: 'ann', field: 'metadata' }],
  ],
  ['none of which reads it', ['a', 'b'], []],
])('metadata that is not known matters on a service with policies %s', (_, paths, expected) => {
  const before = { id: 'e1', name: 'ann', metadata: { x: 'y' } };
  const change = entry('vault_identity_entity.ann', {
    ...{ before, after: { id: 'e1', name: 'ann' }, after_unknown: { metadata: true } },
  });
  const policies = paths.map((path, at) => policy(`p${at}`, [path, 'read']));
  const service = serviceWith({ policies, identities: [ann] });
  expect(composeChanges(readPlan(terraform([change])), service)[0]?.change.unknown).toEqual(expected);
});

test('a token field that was changed by hand, and that the plan does not change, may stay or be written again', () => {
  const [before, after] = [roleOf({}), roleOf({ bound_subject: 'x' })];
  const plan = readPlan(terraform([entry(roleAt, { before, after })]));
  const [composed] = composeChanges(plan, serviceWith({ ...team, roles: [{ ...reading, ttl: 60 }] }));
  expect(composed?.change.unknown).toContainEqual({
    type: 'role',
    method: 'ci',
    name: 'reader',
    field: 'ttl',
  });
});
