import { nameKey } from '../values/name-key.ts';
import { groupFields, metadataIn } from './external-group.ts';
import { type Fields, flag, text } from './field.ts';
import { givenPolicies, policiesIn } from './policy.ts';
import type { Resource } from './resource.ts';

/** A group or entity, with policies that people or workloads have by it. Several of one name add up. */
export interface Identity {
  kind: 'group' | 'entity';
  /** The name; the id where a plan tells nothing better. */
  name: string;
  policies: string[];
  /** Groups and entities directly in it: they have its policies as well. */
  members?: { kind: 'group' | 'entity'; name: string }[];
  /** What else the service keeps of it. Defaults to nothing. */
  metadata?: Record<string, string>;
  /** It is only what is attached to a group or entity that stands elsewhere. */
  isAttached?: true;
}

/** A person or workload as the service knows it, however it signs in. No stack declares one. */
const entityFields = {
  name: text('access', 'Name of the entity.', { required: true }),
  policies: givenPolicies('Policies that the entity has, however it signs in.', {}),
  metadata: groupFields.metadata,
  disabled: flag('access', 'Whether it is kept from signing in.', { default: false }),
} as const satisfies Fields;

/** An identity entity, with the policies that its tokens get. */
export const entity: Resource<Identity, 'entity', 'identities'> = {
  type: 'entity',
  list: 'identities',
  isOne: ({ kind }) => kind === 'entity',
  fields: entityFields,
  nameOf: ({ name }) => name,
  key: nameKey,
  isToldOnRead: true,
  grants: ({ policies }) => policies,
  referredAs: 'entity',
  official: {
    pulumi: 'vault:identity/entity:Entity',
    name: 'name',
    lookedAt: ['external_policies', 'name'],
    fromPlan: (fields, { name }) => ({
      kind: 'entity',
      name,
      policies: fields['disabled'] === true ? [] : policiesIn(fields, ['policies']),
      ...metadataIn(fields),
    }),
  },
  wire: {
    list: () => 'identity/entity/id',
    nameInList: 'name',
    fromWire: ({ name, policies, metadata }) => ({
      kind: 'entity',
      name: String(name),
      policies: Array.isArray(policies) ? policies.map(String) : [],
      ...metadataIn({ metadata }),
    }),
  },
};
