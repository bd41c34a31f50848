import { z } from 'zod';
import { nameKey } from '../values/name-key.ts';
import { ownNamespace } from '../values/namespace-path.ts';
import type { Identity } from './entity.ts';
import { group, groupFields, metadataIn } from './external-group.ts';
import { canonicalFields, checked } from './field.ts';
import { policiesIn, policyNames } from './policy.ts';
import type { Resource } from './resource.ts';

/** A group of groups, as a person writes it: who is in one of its members is in it, and has its policies. */
export const internalGroupSettings = z.strictObject({
  name: checked(groupFields.name).describe(groupFields.name.about),
  namespace: ownNamespace,
  policies: policyNames.default([]).describe(groupFields.policies.about),
  members: z
    .array(z.string().min(1))
    .min(1, 'name at least one group: only groups can be in it')
    .describe('Names of the groups in it: of a provider, or of this list.'),
});
/** A group of groups, as an environment declares it. */
export type InternalGroup = z.output<typeof internalGroupSettings>;

/** Groups with those that they hold before them. Groups in a circle, which no service takes, follow in the order given. */
export function membersFirst(groups: readonly InternalGroup[]): InternalGroup[] {
  const sorted = new Set<InternalGroup>();
  const started = new Set<InternalGroup>();
  const add = (group: InternalGroup) => {
    if (started.has(group)) return;
    started.add(group);
    for (const member of group.members) {
      const inner = groups.find(({ name }) => name.toLowerCase() === member.toLowerCase());
      if (inner !== undefined) add(inner);
    }
    sorted.add(group);
  };
  for (const group of groups) add(group);
  return [...sorted];
}

/** A group of groups: its policies, and who is in it. In findings it is a group as any other. */
export const internalGroup: Resource<Identity, 'group', 'identities'> = {
  type: 'group',
  list: 'identities',
  fields: groupFields,
  key: nameKey,
  isOne: ({ kind }) => kind === 'group',
  nameOf: ({ name }) => name,
  canonical: ({ policies, members = [] }) => ({
    ...canonicalFields(groupFields, { policies }),
    members: [
      ...new Set(members.map(({ kind, name }) => `${kind} ${kind === group.type ? nameKey(name) : name}`)),
    ].sort(),
  }),
  isToldOnRead: true,
  grants: ({ policies }) => policies,
  yaml: { list: 'groups', name: 'name' },
  referredAs: 'group',
  official: {
    pulumi: 'vault:identity/group:Group',
    name: 'name',
    variant: { property: 'type', is: (type) => type !== 'external' },
    fromPlan: (fields, { name, members }) => ({
      kind: 'group',
      name,
      policies: policiesIn(fields, ['policies']),
      ...metadataIn(fields),
      members,
    }),
  },
  references: group.references ?? {},
};
