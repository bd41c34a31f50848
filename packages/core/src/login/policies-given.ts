import type { Graph } from '../graph/graph.ts';
import { Memberships, type Named } from '../graph/memberships.ts';
import type { Role } from '../graph/resources/role.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { partName } from '../graph/values/visible.ts';
import type { SignedIn } from './identify.ts';
import { isOpenTemplate } from './session.ts';

/** A policy that a sign-in gives, and what gives it. */
export interface GivenPolicy {
  name: string;
  /** In words: `role staff/web`, `group admins, by its alias staff/x`, `every token`. */
  sources: string[];
}

/** A principal as the service stores it, with the policies that others gave it, by any method. */
export interface KnownEntity {
  id: string;
  name: string;
  policies: string[];
  /** True if no one can sign in as this entity. */
  isDisabled: boolean;
}

/**
 * The policies that a sign-in to a role gives: the role's, those of the external groups whose aliases the token names
 * and of the groups that these are in, those of the entity and of the groups that it is in, and `default`.
 *
 * @param entity what the service keeps of the person or workload; undefined where that is not known, or nothing
 */
export function policiesGiven(
  graph: Graph,
  role: Role,
  { groups, policies }: SignedIn,
  entity?: KnownEntity,
): GivenPolicy[] {
  const sourcesOf = new Map<string, Set<string>>();
  const give = (names: string[], source: string) => {
    for (const policy of names) {
      const name = policyKey(policy);
      sourcesOf.set(name, (sourcesOf.get(name) ?? new Set()).add(source));
    }
  };
  const memberships = new Memberships(graph.identities);
  const giveAround = (inner: Named) => {
    for (const { identities, member } of memberships.around(inner)) {
      const inside =
        inner.kind === 'entity' && member === inner.name ? 'the entity' : partName('group', member);
      for (const { name, policies } of identities) {
        give(policies, `${partName('group', name)}, which has ${inside} in it`);
      }
    }
  };
  const isOpen = (name: string) => role.tokenPoliciesTemplateClaims === true && isOpenTemplate(name);
  const byRole = partName('role', role.method, role.name);
  for (const name of policies) {
    give([name], isOpen(name) ? `${byRole}, by a template that is not worked out here` : byRole);
  }
  for (const { group, alias } of matchedGroups(graph, role.method, groups)) {
    const own = graph.groups.find(({ name }) => isSameName(name, group))?.policies ?? [];
    give(own, `${partName('group', group)}, by its ${partName('alias', role.method, alias)}`);
    giveAround({ kind: 'group', name: group });
  }
  if (entity !== undefined) {
    give(entity.policies, partName('entity', entity.name));
    giveAround({ kind: 'entity', name: entity.id });
  }
  if (!role.tokenNoDefaultPolicy) give(['default'], 'every token');
  return [...sourcesOf]
    .map(([name, sources]) => ({ name, sources: [...sources] }))
    .sort((policy, otherPolicy) => (policy.name < otherPolicy.name ? -1 : 1));
}

/** The external groups that the groups of a token lead to. */
export function matchedGroups(
  { aliases }: Graph,
  method: string,
  groups: string[],
): { group: string; alias: string }[] {
  return aliases
    .filter((alias) => alias.method === method && groups.some((name) => isSameName(name, alias.name)))
    .map(({ group, name }) => ({ group, alias: name }));
}

/** The service ignores case in names of groups and aliases. */
function isSameName(name: string, otherName: string): boolean {
  return nameKey(name) === nameKey(otherName);
}
