import { describe, expect, test } from '@jest/globals';
import { principalsOf } from '../../../src/access/principals.ts';
import type { OtherAccess } from '../../../src/graph/graph.ts';
import {
  aliasElsewhere,
  entityAlias,
  otherMount,
  otherRole,
} from '../../../src/graph/resources/other-access.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { method, policy, role } from '../graphs.ts';
import {
  alias,
  ann,
  bob,
  complete,
  group,
  inAll,
  named,
  narrow,
  people,
  reading,
  reviewOn,
  roleAt,
  roleOf,
  serviceWith,
  team,
  wide,
  writeBob,
  writtenBob,
} from './service-under-plan.ts';
import { entry, same, terraform } from './terraform.ts';

test('what the plan does not name stays as it is', () => {
  const graph = { ...team, identities: [inAll('ann'), ann], otherAccess: [people] };
  const plan = readPlan(terraform([entry('vault_policy.new', { after: { name: 'new', policy: '' } })]));
  const [composed] = composeChanges(plan, serviceWith(graph));
  expect(composed?.change.before).toEqual(serviceWith(graph).graph);
  const policies = [{ name: 'new', text: '' }, ...team.policies];
  expect(composed?.change.after).toEqual({ ...serviceWith(graph).graph, policies });
});

test('a mount that the plan makes has the roles of the plan alone', () => {
  const plan = readPlan(
    terraform([entry('vault_jwt_auth_backend.n', { after: { path: 'n', type: 'jwt' } })]),
  );
  const { before, after } = composeChanges(plan, serviceWith(team))[0]?.change ?? {};
  const known = [...(complete ?? []), { list: 'roles', method: 'n' }];
  expect([before?.complete, after?.complete]).toEqual([known, known]);
});

test('a group that was not read, though the service has its name, has what is not known', () => {
  const plan = readPlan(terraform([entry('vault_identity_group_alias.a', { after: alias })]));
  const service = serviceWith({ complete: [], methods: [method('ci')] });
  const [found] = composeChanges(plan, { ...service, missing: ['groups'] });
  expect(found?.change.missing).toEqual(['groups']);
  expect(found && principalsOf(found.change).reached.elsewhere).toContain(
    'groups and policies elsewhere of group "team"',
  );
});

/** What bounds another access after a change. */
function boundsAfter(other: OtherAccess, change: object) {
  const service = serviceWith({
    otherAccess: [other, people, otherMount('apps', 'approle', { type: 'approle' })],
  });
  return composeChanges(readPlan(terraform([change])), service)[0]?.change.after.otherAccess?.[0]?.bounds;
}

test('of what a plan hides and does not change, the service tells what there is', () => {
  const data = { password: 'x', a: 'b', c: 'd', token_policies: ['narrow'] };
  const change = entry('vault_generic_endpoint.bob', {
    before: writeBob(data),
    after: writeBob({ ...data, c: 'e' }),
  });
  expect(boundsAfter(bob({ a: 'real', c: 'd' }), change)).toEqual({ a: 'real', c: '(hidden 4)' });
});

test('of what a plan never gave, all stays; what it gave and gives no more, goes', () => {
  const data = { password: 'x', a: 'b', c: 'd', token_policies: ['narrow'] };
  const { a: _, ...rest } = data;
  const change = entry('vault_generic_endpoint.bob', { before: writeBob(data), after: writeBob(rest) });
  expect(boundsAfter(bob({ a: 'b', c: 'd', e: 'f' }), change)).toEqual({ c: 'd', e: 'f' });
});

test('what a plan writes over, it leaves but for what it gives, also as nothing', () => {
  const there = {
    a: 'b',
    token_bound_cidrs: ['10.0.0.0/8'],
    token_policies: ['wide', 'narrow'],
    token_ttl: 60,
  };
  const written = (data: object) => {
    const service = serviceWith({ otherAccess: [bob(there), people] });
    const plan = readPlan(terraform([writtenBob(data)]));
    const { otherAccess = [] } = composeChanges(plan, service)[0]?.change.after ?? {};
    const found = otherAccess.find(({ identity }) => identity?.type === 'otherRole');
    return [found?.policies, Object.keys(found?.bounds ?? {}), found?.lifetime];
  };
  const life = { token_ttl: 60 };
  expect(written({})).toEqual([['wide', 'narrow'], ['a', 'token_bound_cidrs'], life]);
  expect(written({ token_policies: [] })).toEqual([[], ['a', 'token_bound_cidrs'], life]);
  expect(written({ token_policies: ['narrow'], token_bound_cidrs: [] })).toEqual([['narrow'], ['a'], life]);
});

test('one policy of a role is written over all that it had', () => {
  const at = { type: 'approle', mount: 'apps', noun: 'role', name: 'web' };
  const service = serviceWith({ otherAccess: [otherRole(at, { token_policies: ['wide', 'narrow'] })] });
  const change = entry('vault_approle_auth_backend_role.web', {
    after: { backend: 'apps', role_name: 'web', token_policies: ['narrow'] },
  });
  const { otherAccess = [] } = composeChanges(readPlan(terraform([change])), service)[0]?.change.after ?? {};
  expect(otherAccess.map(({ policies }) => policies)).toEqual([['narrow']]);
});

test('what a plan shows is written again, also where the service has another value or none', () => {
  const glob = { role_name: 'web', allowed_policies_glob: ['*'], allowed_entity_aliases: ['a'] };
  const found = otherRole(
    { type: 'token', mount: 'token', noun: 'role', name: 'web' },
    { allowed_entity_aliases: ['b'], path_suffix: 'x' },
  );
  const change = entry('vault_token_auth_backend_role.web', {
    before: glob,
    after: { ...glob, path_suffix: 'y' },
  });
  expect(boundsAfter(found, change)).toEqual({
    allowed_policies_glob: ['*'],
    allowed_entity_aliases: ['a'],
    path_suffix: 'y',
  });
});

test('what a service draws for a role, and does not return with it, is no change of the role', () => {
  const web = { backend: 'apps', role_name: 'web', role_id: 'id-web' };
  const found = otherRole({ type: 'approle', mount: 'apps', noun: 'role', name: 'web' }, {});
  const change = entry('vault_approle_auth_backend_role.web', {
    before: web,
    after: { ...web, token_bound_cidrs: ['10.0.0.0/8'] },
  });
  expect(boundsAfter(found, change)).toEqual({ token_bound_cidrs: ['10.0.0.0/8'] });
});

test('what is there already is told, but for the policy default, which every service has', () => {
  const policies = [narrow, policy('default'), policy('new')].map(({ name }) =>
    entry(`vault_policy.${name}`, { after: { name, policy: '' } }),
  );
  const graph = {
    ...{
      policies: [narrow, policy('default')],
      roles: [role('default')],
      identities: [ann],
      groups: team.groups,
    },
    otherAccess: [
      people,
      entityAlias('a', 'people', 'ann'),
      aliasElsewhere('b', 'people', 'userpass', 'team'),
    ],
  };
  const standing = [
    entry(roleAt, { after: roleOf({ role_name: 'default' }) }),
    entry('vault_auth_backend.p', { after: { path: 'people', type: 'userpass' } }),
    entry('vault_identity_entity_alias.a', { after: named('a', 'e1') }),
    entry('vault_identity_group_alias.b', { after: named('b', 'g1') }),
  ];
  expect(reviewOn(graph, ...policies, ...standing).taken).toEqual([
    'narrow',
    'default',
    'auth/people (userpass)',
    'alias "a" of auth/people for entity "ann"',
    'alias "b" of auth/people (userpass) for group "team"',
  ]);
});

test('a snapshot is older than the plan: what the plan says was there, was', () => {
  const plan = readPlan(
    terraform([entry(roleAt, { before: roleOf({ token_policies: ['wide'] }), after: roleOf({}) })]),
  );
  const before = (service: object) =>
    composeChanges(plan, { ...serviceWith(team), ...service })[0]?.change.before.roles;
  expect(before({ isSnapshot: true })).toMatchObject([{ policies: ['wide'] }]);
  expect(before({})).toMatchObject([{ policies: ['narrow'] }]);
});

describe('what hangs on a group or an entity by its id', () => {
  test('goes along where that is renamed, and gains with it', () => {
    const found = reviewOn(
      { ...team, roles: [{ ...reading, policies: [] }] },
      entry('vault_identity_group.g', {
        before: group,
        after: { ...group, name: 'crew', policies: ['wide'] },
      }),
    );
    expect(found).toMatchObject({ gains: 'some', whole: true });
    const people = found.access.filter(({ principals }) => principals.kind === 'alias');
    expect(people.map(({ gains }) => gains)).toEqual(['some']);
  });

  test('is in a renamed group as before: members gain what it gains', () => {
    const inner = {
      kind: 'group' as const,
      name: 'all',
      policies: [],
      members: [{ kind: 'entity' as const, name: 'ann' }],
    };
    const found = reviewOn(
      {
        policies: [wide],
        identities: [inner, { kind: 'entity', name: 'ann', policies: [] }],
        otherAccess: [entityAlias('ann', 'people', 'ann')],
      },
      entry('vault_identity_entity.ann', {
        before: { id: 'e1', name: 'ann', policies: [] },
        after: { id: 'e1', name: 'anne', policies: [] },
      }),
      entry('vault_identity_group_policies.p', {
        after: { group_id: 'g2', policies: ['wide'], exclusive: false },
      }),
    );
    expect(found).toMatchObject({ gains: 'some', whole: true });
  });

  test('goes along where the plan leaves it as it is', () => {
    const found = reviewOn(
      { ...team, roles: [{ ...reading, policies: [] }] },
      entry('vault_identity_group.g', {
        before: group,
        after: { ...group, name: 'crew', policies: ['wide'] },
      }),
      entry('vault_identity_group_alias.a', same(alias)),
    );
    expect(found).toMatchObject({ gains: 'some', losses: 'none', whole: true });
  });

  test('goes where that is deleted', () => {
    const found = reviewOn(
      { ...team, groups: [{ name: 'team', policies: ['wide'] }], roles: [{ ...reading, policies: [] }] },
      entry('vault_identity_group.g', { before: group }),
    );
    expect(found).toMatchObject({ gains: 'none', losses: 'some', whole: true });
  });
});

describe('what a group leaves to others', () => {
  const members = [{ kind: 'group' as const, name: 'team' }];
  const outer = { kind: 'group' as const, name: 'all', policies: [], members };
  const side = { id: 'g2', name: 'all', type: 'internal', policies: [], external_member_group_ids: true };

  test('its members stay, and gain what it gains', () => {
    const found = reviewOn(
      {
        ...team,
        roles: [{ ...reading, policies: [] }],
        groups: [{ name: 'team', policies: [] }],
        identities: [outer],
      },
      entry('vault_identity_group.all', { before: side, after: { ...side, policies: ['wide'] } }),
    );
    expect(
      found.access.filter(({ gains }) => gains === 'some').map(({ principals }) => principals.kind),
    ).toContain('alias');
  });

  test('its policies stay: a denial of others keeps people out', () => {
    const all = { id: 'g1', name: 'team', type: 'external', external_policies: true, policies: [] };
    const found = reviewOn(
      { ...team, roles: [{ ...reading, policies: ['wide'] }] },
      entry('vault_identity_group.g', { before: all, after: { ...all, metadata: { a: 'b' } } }),
    );
    expect(found).toMatchObject({ gains: 'none', whole: true });
  });
});

describe('attachments', () => {
  const attached = (policies: string[], fields: object = {}) => ({
    group_id: 'g1',
    policies,
    exclusive: false,
    ...fields,
  });

  test('that go take away what they gave: a denial', () => {
    const found = reviewOn(
      { ...team, roles: [{ ...reading, policies: ['wide'] }] },
      entry('vault_identity_group_policies.p', { before: attached(['narrow']) }),
    );
    expect(found).toMatchObject({ gains: 'some', whole: true });
  });

  test('that are the only one take away what others gave', () => {
    const found = reviewOn(
      { ...team, roles: [{ ...reading, policies: ['wide'] }] },
      entry('vault_identity_group_policies.p', { after: attached([], { exclusive: true }) }),
    );
    expect(found).toMatchObject({ gains: 'some', whole: true });
  });
});

describe('a write of what is there', () => {
  const apps = otherMount('apps', 'approle', { type: 'approle' });
  const web = (policies: string[]): OtherAccess =>
    otherRole({ type: 'approle', mount: 'apps', noun: 'role', name: 'web' }, { token_policies: policies });

  test('leaves what it does not give', () => {
    const found = reviewOn(
      { policies: [wide, narrow], otherAccess: [apps, web(['wide'])] },
      entry('vault_approle_auth_backend_role.web', {
        after: { backend: 'apps', role_name: 'web', token_ttl: 60 },
        after_unknown: { role_id: true },
      }),
    );
    expect(found).toMatchObject({
      taken: ['role "web" of auth/apps (approle)'],
      losses: 'some',
      whole: true,
    });
    expect(found.access.flatMap(({ policies }) => policies.lost)).toEqual([]);
  });

  test('of a user by a path is one of the user', () => {
    const people = otherMount('people', 'userpass', { type: 'userpass' });
    const ann = otherRole(
      { type: 'userpass', mount: 'people', noun: 'user', name: 'ann' },
      { token_policies: ['narrow'] },
    );
    const at = { path: 'auth/people/users/ann' };
    const data = (policies: string[]) => ({
      ...at,
      data_json: JSON.stringify({ password: 'x', token_policies: policies }),
    });
    const found = reviewOn(
      { policies: [wide, narrow], otherAccess: [people, ann] },
      entry('vault_generic_endpoint.ann', { before: data(['narrow']), after: data(['narrow', 'wide']) }),
    );
    expect(found).toMatchObject({ gains: 'some', taken: [], whole: true });
    expect(found.access.map(({ principals: { name } }) => name)).toEqual([
      'user "ann" of auth/people (userpass)',
    ]);
  });
});

test('what the service no longer has is not there before', () => {
  const found = reviewOn(
    { policies: [wide] },
    entry('vault_policy.narrow', same({ name: 'narrow', policy: narrow.text })),
    entry('vault_policy.more', { after: { name: 'more', policy: wide.text } }),
  );
  expect(found).toMatchObject({ gains: 'none', losses: 'none', whole: true });
});

test('what others have in a mount that is replaced is made again by them, and may be without a denial then', () => {
  const found = reviewOn(
    {
      methods: [method('ci')],
      roles: [role('theirs', { policies: ['wide'] })],
      policies: [wide, narrow],
      identities: [{ ...ann, policies: ['narrow'] }],
      otherAccess: [entityAlias('p', 'ci', 'ann')],
    },
    entry('vault_jwt_auth_backend.ci', {
      before: { path: 'ci', type: 'jwt' },
      after: { path: 'ci', type: 'jwt' },
      actions: ['delete', 'create'],
    }),
  );
  expect(found.gains).toBe('unknown');
});

test('a guard that goes lets in more, though no list of a service has it', () => {
  const found = reviewOn(
    { policies: [wide] },
    entry('vault_egp_policy.e', { before: { name: 'e', paths: ['*'], policy: 'x' } }),
  );
  expect(found.gains).toBe('some');
});

test('people of an entity at two mounts keep the groups of one at the other', () => {
  const people = otherMount('people', 'userpass', { type: 'userpass' });
  const ann = otherRole(
    { type: 'userpass', mount: 'people', noun: 'user', name: 'ann' },
    { token_policies: ['wide'] },
  );
  const found = reviewOn(
    {
      ...team,
      otherAccess: [people, ann, entityAlias('ann', 'people', 'ann'), entityAlias('sub', 'ci', 'ann')],
      identities: [{ kind: 'entity', name: 'ann', policies: [] }],
      roles: [{ ...reading, policies: [] }],
    },
    entry('vault_identity_group.g', { before: group, after: { ...group, policies: [] } }),
  );
  expect(found).toMatchObject({ gains: 'some', whole: true });
});
