import { z } from 'zod';
import { defined, textMap } from '../values/loose-values.ts';
import { nameKey } from '../values/name-key.ts';
import { groupName, metadata } from './checks.ts';
import {
  type ByName,
  type Fields,
  filledText,
  readFields,
  shapeOf,
  textsByName,
  type Values,
} from './field.ts';
import { aliasFields } from './group-alias.ts';
import { givenPolicies, policiesIn, policyNames } from './policy.ts';
import type { Resource } from './resource.ts';
import { until } from './until.ts';

/** A group of the secrets service whose members the provider decides at sign-in. */
export const groupFields = {
  name: filledText('identity', 'Name of the group in the secrets service.', {
    example: 'admins',
    source: 'B4, `canonical_id` by name',
    required: true,
    check: groupName,
  }),
  policies: givenPolicies('Policies of the group’s members; `root` is refused.', {
    otherwise: 'none',
    example: '[secrets-admin]',
  }),
  metadata: textsByName(
    'identity',
    'What else the service keeps of the group; templates of policies can use it.',
    { takes: 'map of texts', otherwise: 'none', example: '{ team: platform }', check: metadata },
  ),
} as const satisfies Fields;
/** A group whose members a provider names. */
export type ExternalGroup = Values<typeof groupFields> & { name: string; policies: string[] };

/** An external group with its alias, as a person writes it below a provider. */
export const groupSettings = z
  .strictObject({
    ...shapeOf({ ...groupFields, until }),
    policies: policyNames.default([]).describe(groupFields.policies.about),
    /** One only: the service keeps one alias of a group in effect. */
    alias: aliasFields.name.schema.optional().describe(aliasFields.name.about),
  })
  .refine(({ alias, until }) => until === undefined || alias !== undefined, {
    path: ['until'],
    message: 'it is the last day of the alias, and the group has none',
  });

/** Reads an external group, as `identity/group/id/<id>` answers it. */
export function groupFromWire(wire: ByName): ExternalGroup {
  return { name: '', policies: [], ...readFields(groupFields, wire) };
}

/** The metadata of a group or an entity, where it has any. */
export function metadataIn({ metadata }: ByName): { metadata?: Record<string, string> } {
  return defined({ metadata: textMap(metadata) });
}

/** The resource of an external group. */
export const group: Resource<ExternalGroup, 'group', 'groups'> = {
  type: 'group',
  list: 'groups',
  fields: groupFields,
  nameOf: ({ name }) => name,
  key: nameKey,
  isNameable: true,
  grants: ({ policies }) => policies,
  yaml: { list: 'groups', below: 'providers', name: 'name' },
  referredAs: 'group',
  official: {
    pulumi: 'vault:identity/group:Group',
    name: 'name',
    variant: { property: 'type', is: (type) => type === 'external' },
    lookedAt: [
      'type',
      'external_policies',
      'external_member_entity_ids',
      'external_member_group_ids',
      'member_entity_ids',
      'member_group_ids',
      'group_id',
      'group_name',
    ],
    fromPlan: (fields, { name }) => ({
      name,
      policies: policiesIn(fields, ['policies']),
      ...metadataIn(fields),
    }),
  },
  references: {
    member_group_ids: { to: 'group', by: 'id', isList: true },
    member_entity_ids: { to: 'entity', by: 'id', isList: true },
  },
  wire: { list: () => 'identity/group/id', nameInList: 'name' },
};
