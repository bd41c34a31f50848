import type { Change } from '../../../src/graph/change.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { entries } from '../../worlds.ts';

/** A Terraform plan as text, with these entries of `resource_changes`. */
export function terraform(changes: object[], rest: object = {}): string {
  return JSON.stringify({ format_version: '1.2', resource_changes: changes, ...rest });
}

interface Entry {
  actions?: string[];
  before?: object | null;
  after?: object | null;
  after_unknown?: object;
  before_sensitive?: object;
  after_sensitive?: object;
}

/** One entry of `resource_changes`; what is done follows from the sides that are given. */
export function entry(address: string, { before = null, after = null, ...rest }: Entry): object {
  const local = address.split('.').at(-2) ?? '';
  const actions = before === null ? ['create'] : after === null ? ['delete'] : ['update'];
  return { address, mode: 'managed', type: local, change: { actions, before, after, ...rest } };
}

export const roleAt = 'vault_jwt_auth_backend_role.r';
export const groupAt = 'vault_identity_group.g';
export const aliasAt = 'vault_identity_group_alias.a';
export const role = {
  backend: 'ci',
  role_name: 'r',
  role_type: 'jwt',
  user_claim: 'sub',
  token_policies: ['a'],
};
export const staff = { path: 'staff', type: 'oidc', accessor: 'acc' };
export const group = { id: 'gid', name: 'g', type: 'external', policies: ['p'] };

/** The sides of something that the plan does not change. */
export const same = (side: object): Entry => ({ before: side, after: side, actions: ['no-op'] });

/** What a plan of these entries changes, at each place. */
export function composed(changes: object[] | string, rest: object = {}) {
  const all = typeof changes === 'string' ? entries(changes) : changes;
  return composeChanges(readPlan(terraform(all, rest)));
}

/** What a plan of these entries changes at its only place. */
export function compose(changes: object[] | string, rest: object = {}) {
  const [first] = composed(changes, rest);
  if (first === undefined) throw new Error('nothing was composed');
  return first.change;
}

/** What a change leaves unknown, in words such as `role ci/build ttl`. */
export function unknownIn({ unknown }: Pick<Change, 'unknown'>): string[] {
  return unknown.map(({ type, method, name, field }) =>
    [type, method === undefined ? name : `${method}/${name}`, ...(field === undefined ? [] : [field])].join(
      ' ',
    ),
  );
}
