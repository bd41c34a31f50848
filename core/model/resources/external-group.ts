import { z } from 'zod';
import { type Fields, shapeOf, type Values } from './field.ts';
import { canonicalPolicyNames, policyNames } from './policy.ts';

/** A group of the secrets service whose members the provider decides at sign-in. */
export const groupFields = {
  name: {
    type: 'text',
    schema: z.string().min(1),
    bearsOn: 'identity',
    about: 'Name of the group in the secrets service.',
    example: 'admins',
    source: 'B4, `canonical_id` by name',
    required: true,
  },
  policies: {
    type: 'texts',
    schema: policyNames,
    bearsOn: 'access',
    about: 'Policies of the group’s members; `root` is refused.',
    otherwise: 'none',
    example: '[secrets-admin]',
    source: 'service',
    isSet: true,
    canonical: canonicalPolicyNames,
  },
  metadata: {
    type: 'textsByName',
    schema: z.record(z.string(), z.string()),
    bearsOn: 'identity',
    about: 'What else the service keeps of the group; templates of policies can use it.',
    takes: 'map of texts',
    otherwise: 'none',
    example: '{ team: platform }',
    source: 'service',
  },
} as const satisfies Fields;
export type ExternalGroup = Values<typeof groupFields> & { name: string; policies: string[] };

/**
 * What ties a provider's group to an external group (interface.md B4). The accessor and the group's id are the
 * service's own; here both are by name.
 */
export const aliasFields = {
  name: {
    type: 'text',
    schema: z.string().min(1),
    bearsOn: 'access',
    about: 'The provider’s identifier of the group, for example a directory group’s object id.',
    example: '00000000-0000-0000-c000-000000000046',
    source: 'B4, `name`',
    required: true,
  },
  method: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'Path of the auth method through which members sign in.',
    source: 'B4',
    required: true,
    wire: 'mount_accessor',
  },
  group: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'Name of the external group.',
    source: 'B4',
    required: true,
    wire: 'canonical_id',
  },
} as const satisfies Fields;
export type GroupAlias = Required<Values<typeof aliasFields>>;

/** An external group with its alias, as a person writes it below a provider. */
export const groupSettings = z.strictObject({
  ...shapeOf(groupFields),
  policies: policyNames.default([]).describe(groupFields.policies.about),
  /** One only: the service keeps one alias of a group in effect. */
  alias: aliasFields.name.schema.optional().describe(aliasFields.name.about),
});
