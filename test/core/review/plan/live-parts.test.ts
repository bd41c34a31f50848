import { describe, expect, test } from '@jest/globals';
import { emptyGraph, type Graph, type OtherAccess } from '../../../../core/model/graph.ts';
import { entityAlias, otherMount, otherRole } from '../../../../core/model/resources/other-access.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { reviewPlan } from '../../../../core/review/review.ts';
import { method, now, policy, role } from '../graphs.ts';
import { entry, same, terraform } from './terraform.ts';

const wide = policy('wide', ['secret/*', 'read', 'update']);
const narrow = policy('narrow', ['secret/x', 'deny']);
const complete: Graph['complete'] = [
  ...(['methods', 'groups', 'aliases', 'policies', 'holders', 'others'] as const).map((list) => ({ list })),
  ...['ci', 'staff'].map((at) => ({ list: 'roles' as const, method: at })),
];
const ids = {
  mount: { 'acc-ci': 'ci', 'acc-people': 'people' },
  group: { g1: 'team', g2: 'all' },
  entity: { e1: 'ann' },
};

/** A review of these changes on top of a service that is known as a whole. */
function reviewOn(graph: Partial<Graph>, ...changes: object[]) {
  const live = { graph: { ...emptyGraph(), complete, ...graph }, ids, missing: [], namespace: '' };
  const { gains, losses, scope, taken, access } = reviewPlan(readPlan(terraform(changes)), { now, live });
  return { gains, losses, whole: scope.whole, taken: taken.map(({ name }) => name), access };
}

const reading = role('reader', { groupsClaim: 'groups', policies: ['narrow'] });
const team = {
  methods: [method('ci')],
  roles: [reading],
  groups: [{ name: 'team', policies: ['narrow'] }],
  aliases: [{ name: 'a', method: 'ci', group: 'team' }],
  policies: [wide, narrow],
};
const group = { id: 'g1', name: 'team', type: 'external', policies: ['narrow'] };

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
        holders: [inner, { kind: 'entity', name: 'ann', policies: [] }],
        others: [entityAlias('ann', 'people', 'ann')],
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
        holders: [outer],
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
  const attached = (policies: string[], more: object = {}) => ({
    group_id: 'g1',
    policies,
    exclusive: false,
    ...more,
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
      { policies: [wide, narrow], others: [apps, web(['wide'])] },
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
      { policies: [wide, narrow], others: [people, ann] },
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
      others: [people, ann, entityAlias('ann', 'people', 'ann'), entityAlias('sub', 'ci', 'ann')],
      holders: [{ kind: 'entity', name: 'ann', policies: [] }],
      roles: [{ ...reading, policies: [] }],
    },
    entry('vault_identity_group.g', { before: group, after: { ...group, policies: [] } }),
  );
  expect(found).toMatchObject({ gains: 'some', whole: true });
});
