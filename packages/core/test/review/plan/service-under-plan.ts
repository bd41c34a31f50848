import { emptyGraph, type Graph, type Identity } from '../../../src/graph/graph.ts';
import { otherMount, otherRole } from '../../../src/graph/resources/other-access.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { method, now, policy, role } from '../graphs.ts';
import { type Entry, entry, terraform } from './terraform.ts';

export const wide = policy('wide', ['secret/*', 'read', 'update']);
export const narrow = policy('narrow', ['secret/x', 'deny']);
export const complete: NonNullable<Graph['complete']> = [
  ...(['methods', 'groups', 'aliases', 'policies', 'identities', 'otherAccess'] as const).map((list) => ({
    list,
  })),
  ...['ci', 'staff'].map((at) => ({ list: 'roles' as const, method: at })),
];
export const ids = {
  mount: { 'acc-ci': 'ci', 'acc-people': 'people' },
  group: { g1: 'team', g2: 'all' },
  entity: { e1: 'ann' },
};

export function serviceWith(graph: Partial<Graph>) {
  return { graph: { ...emptyGraph(), complete, ...graph }, ids, missing: [], namespace: '' };
}

/** A review of these changes on top of a service that is known as a whole. */
export function reviewOn(graph: Partial<Graph>, ...changes: object[]) {
  const live = serviceWith(graph);
  const { gains, losses, scope, taken, access } = review(readPlan(terraform(changes)), { now, live });
  return { gains, losses, whole: scope.whole, taken: taken.map(({ name }) => name), access };
}

export const reading = role('reader', { groupsClaim: 'groups', policies: ['narrow'] });
export const team = {
  methods: [method('ci')],
  roles: [reading],
  groups: [{ name: 'team', policies: ['narrow'] }],
  aliases: [{ name: 'a', method: 'ci', group: 'team' }],
  policies: [wide, narrow],
};
export const group = { id: 'g1', name: 'team', type: 'external', policies: ['narrow'] };
export const alias = { id: 'a1', name: 'a', mount_accessor: 'acc-ci', canonical_id: 'g1' };
export const inner = { id: 'g2', name: 'all', type: 'internal', policies: [] };
export const entityNamed = (name: string): Identity => ({ kind: 'entity', name, policies: [] });
export const [ann, eve] = [entityNamed('ann'), entityNamed('eve')];
export const inAll = (...names: string[]): Identity => ({
  ...{ kind: 'group', name: 'all', policies: [] },
  members: names.map((name) => ({ kind: name === 'team' ? 'group' : 'entity', name })),
});
export const isAnne = entry('vault_identity_entity.ann', {
  before: { id: 'e1', name: 'ann', policies: [] },
  after: { id: 'e1', name: 'anne', policies: [] },
});
export const isCrew = entry('vault_identity_group.g', { before: group, after: { ...group, name: 'crew' } });
export const roleOf = (fields: object) => ({
  ...{ backend: 'ci', role_name: 'reader', role_type: 'jwt', user_claim: 'sub' },
  ...fields,
});
export const roleAt = 'vault_jwt_auth_backend_role.r';
export const write = { path: 'auth/x/role/y', data_json: '{}' };
export const renamedMount = { before: { path: 'ci', type: 'jwt' }, after: { path: 'jobs', type: 'jwt' } };
export const attached = { group_id: 'g1', policies: ['wide'] };
export const attach = (given: Entry) => entry('vault_identity_group_policies.p', given);
export const attachMembers = (given: Entry) => entry('vault_identity_group_member_entity_ids.m', given);
export const named = (name: string, id: string) => ({ name, mount_accessor: 'acc-people', canonical_id: id });
export const bob = (fields: object) =>
  otherRole({ type: 'userpass', mount: 'people', noun: 'user', name: 'bob' }, { ...fields });
export const writeBob = (data: object) => ({
  path: 'auth/people/users/bob',
  data_json: JSON.stringify(data),
});
export const writtenBob = (data: object) => entry('vault_generic_endpoint.bob', { after: writeBob(data) });
export const people = otherMount('people', 'userpass', { type: 'userpass' });
