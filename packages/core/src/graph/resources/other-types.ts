import { groupFields } from './external-group.ts';
import type { Fields } from './field.ts';
import { listTypes } from './method-lists.ts';
import type { Official, Reference, Referred } from './resource.ts';
import { inertTypes } from './writes.ts';

/** A type of the official provider that a plan has, and that is no entry of a graph's list by itself. */
export interface OtherType extends Pick<Official, 'lookedAt'> {
  /** Names in Terraform; the words that a pattern has found say what it is of. */
  terraform: readonly (string | RegExp)[];
  /** What others refer to it as. */
  referredAs?: Referred;
  /** What it refers to. Where it adds to what that has, the property comes first. */
  references?: Record<string, Reference>;
  /** The fields that it is judged by. */
  fields?: Fields;
  /** It adds to what another one has: to a group, or an entity. */
  addsTo?: 'group' | 'entity';
  /** It writes data of any form, which is no secret but for its values. */
  isWrite?: true;
  /** It gives no access and takes none, where its writes lead where they are meant to. */
  isInert?: true;
  /** Its fields are compared as they are: none of them can be overlooked. */
  isCompared?: true;
  /** Properties that may have the path of its mount: the first one that is given has it. */
  at?: readonly string[];
  /** Properties that the service draws when it is made. */
  drawn?: readonly string[];
}

const members = {
  member_group_ids: { to: 'group', by: 'id', isList: true },
  member_entity_ids: { to: 'entity', by: 'id', isList: true },
} as const;
const toGroup = { group_id: { to: 'group', by: 'id' } } as const;
const memberNames = ['group_id', 'group_name', 'exclusive', ...Object.keys(members)];

export const otherTypes = {
  groupPolicies: {
    terraform: ['vault_identity_group_policies'],
    addsTo: 'group',
    references: toGroup,
    fields: { policies: groupFields.policies },
    lookedAt: ['group_id', 'group_name', 'exclusive'],
  },
  groupMembers: {
    terraform: ['vault_identity_group_member_group_ids', 'vault_identity_group_member_entity_ids'],
    addsTo: 'group',
    references: { ...toGroup, ...members },
    lookedAt: memberNames,
  },
  entityPolicies: {
    terraform: ['vault_identity_entity_policies'],
    addsTo: 'entity',
    references: { entity_id: { to: 'entity', by: 'id' } },
    fields: { policies: groupFields.policies },
    lookedAt: ['entity_id', 'entity_name', 'exclusive'],
  },
  entityAlias: {
    terraform: ['vault_identity_entity_alias'],
    references: {
      mount_accessor: { to: 'mount', by: 'accessor' },
      canonical_id: { to: 'entity', by: 'id' },
    },
    lookedAt: ['name', 'mount_accessor', 'canonical_id'],
  },
  /** A mount of another kind. */
  backend: {
    terraform: ['vault_auth_backend', /^vault_(\w+)_auth_backend$/],
    referredAs: 'mount',
    isCompared: true,
    lookedAt: ['path', 'description', 'local', 'disable_remount'],
  },
  /** A role, group or user of one. */
  otherRole: {
    terraform: listTypes,
    isCompared: true,
    at: ['backend', 'path', 'mount'],
    drawn: ['role_id'],
  },
  /** A credential of an AppRole. */
  secretId: {
    terraform: ['vault_approle_auth_backend_role_secret_id'],
    isCompared: true,
    at: ['backend'],
    drawn: ['secret_id', 'wrapping_token', 'wrapping_accessor', 'metadata'],
  },
  /** Whom a method asks, or trusts. */
  configuration: {
    terraform: [
      /^vault_(kubernetes|azure)_auth_backend_config$/,
      /^vault_(aws)_auth_backend(_client|_config_identity|_sts_role|_cert)$/,
    ],
    isCompared: true,
    at: ['path', 'backend'],
    // It says who asks, and not who is asked.
    lookedAt: ['token_reviewer_jwt', 'token_reviewer_jwt_wo', 'token_reviewer_jwt_wo_version'],
  },
  token: {
    terraform: ['vault_token'],
    isCompared: true,
    lookedAt: ['client_token', 'lease_duration', 'lease_started', 'wrapped_token', 'wrapping_accessor'],
  },
  /** A write to any path. */
  endpoint: {
    terraform: ['vault_generic_endpoint', 'vault_generic_secret'],
    isCompared: true,
    isWrite: true,
    lookedAt: ['path', 'write_data', 'write_data_json', 'data', 'disable_read', 'disable_delete'],
  },
  /** Something that takes: multi-factor enforcement, a quota, a governing policy. */
  guard: {
    terraform: [/^vault_((?:identity_)?mfa_\w+)$/, 'vault_quota_lease_count', /^vault_([er]gp_policy)$/],
    isCompared: true,
    references: {
      identity_group_ids: { to: 'group', by: 'id', isList: true },
      identity_entity_ids: { to: 'entity', by: 'id', isList: true },
      auth_method_accessors: { to: 'mount', by: 'accessor', isList: true },
    },
  },
  inert: { isInert: true, terraform: inertTypes },
} as const satisfies Record<string, OtherType>;
