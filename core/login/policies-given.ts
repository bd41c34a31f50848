import type { Role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import type { SignedIn } from './identify.ts';

/** A policy that a sign-in gives, and what gives it. */
export interface GivenPolicy {
  name: string;
  /** In words: `role "web"`, `group "admins", by its alias "x"`, `every token`. */
  sources: string[];
}

/**
 * The policies that a sign-in to a role gives: the role's, those of the external groups whose aliases the token names,
 * and `default`. What the service keeps of the person or workload itself (an entity's own policies) is not known here.
 */
export function policiesGiven(state: State, role: Role, { groups }: SignedIn): GivenPolicy[] {
  const given = new Map<string, Set<string>>();
  const give = (policies: string[], source: string) => {
    for (const policy of policies) {
      const name = policy.trim().toLowerCase();
      given.set(name, (given.get(name) ?? new Set()).add(source));
    }
  };
  give(role.policies ?? [], `role ${JSON.stringify(role.name)}`);
  for (const { group, alias } of matchedGroups(state, role.method, groups)) {
    const policies = state.groups.find(({ name }) => same(name, group))?.policies ?? [];
    give(policies, `group ${JSON.stringify(group)}, by its alias ${JSON.stringify(alias)}`);
  }
  if (!role.tokenNoDefaultPolicy) give(['default'], 'every token');
  return [...given]
    .map(([name, sources]) => ({ name, sources: [...sources] }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The external groups that the groups of a token lead to. */
export function matchedGroups(
  { aliases }: State,
  method: string,
  groups: string[],
): { group: string; alias: string }[] {
  return aliases
    .filter((alias) => alias.method === method && groups.some((name) => same(name, alias.name)))
    .map(({ group, name }) => ({ group, alias: name }));
}

/** The service tells names of groups and aliases apart without regard to case. */
function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
