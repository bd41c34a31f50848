import { nameKey } from '../values/name-key.ts';
import { type Fields, filledText, text, type Values } from './field.ts';
import type { Resource } from './resource.ts';

/**
 * What ties a provider's group to an external group (docs/inside/specification.md B4). The accessor and the group's id
 * are the service's own; here both are by name.
 */
export const aliasFields = {
  name: filledText(
    'access',
    'The provider’s identifier of the group, for example a directory group’s object id.',
    { example: '00000000-0000-0000-c000-000000000046', source: 'B4, `name`', required: true },
  ),
  method: text('access', 'Path of the auth method through which members sign in.', {
    source: 'B4',
    required: true,
    wire: 'mount_accessor',
  }),
  group: text('access', 'Name of the external group.', {
    source: 'B4',
    required: true,
    wire: 'canonical_id',
  }),
} as const satisfies Fields;
/** The name of a group at an auth method. */
export type GroupAlias = Required<Values<typeof aliasFields>>;

/** The resource of a group alias. */
export const alias: Resource<GroupAlias, 'alias', 'aliases'> = {
  type: 'alias',
  list: 'aliases',
  fields: aliasFields,
  nameOf: ({ name }) => name,
  methodOf: ({ method }) => method,
  key: nameKey,
  canonical: ({ group }) => ({ group: nameKey(group) }),
  difference: (found, { group: declared }, { group: live }) => ({
    ...found,
    declared,
    live,
    note: 'another group has taken the alias',
  }),
  yaml: { list: 'groups', below: 'providers', name: 'alias' },
  official: {
    pulumi: 'vault:identity/groupAlias:GroupAlias',
    name: 'name',
    isWhole: true,
    fromPlan: (_fields, { name, mount, group }) => ({ name, method: mount, group }),
  },
  readWith: ({ group }) => ({ type: 'group', name: group }),
  references: {
    mount_accessor: { to: 'mount', by: 'accessor' },
    canonical_id: { to: 'group', by: 'id' },
  },
};
