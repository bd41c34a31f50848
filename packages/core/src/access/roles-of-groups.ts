import type { Graph } from '../graph/graph.ts';
import type { AccessChange, Principals } from './access-change.ts';
import type { PathDecision } from './decide.ts';
import type { TokenOutcome } from './outcomes.ts';
import type { PrincipalsOfChange } from './principals.ts';
import type { Giver } from './reasons/giver.ts';

/** By which roles an outcome of these principals comes about: undefined where those that it names are all. */
export type RolesOf = (
  one: Principals,
  outcomes: readonly TokenOutcome[],
) => (outcome: TokenOutcome | undefined) => AccessChange['byRoles'];

/**
 * Says for each group of a provider whether people get what it gives by any role of their method. Tokens are looked at in
 * classes of roles, and of many one stands for the others: so which roles an outcome names does not tell.
 */
export function rolesOfGroups(
  { mounts }: Pick<PrincipalsOfChange, 'mounts'>,
  { varying, sampled, undecided }: PathDecision<Principals>,
  sides: readonly Graph[],
): RolesOf {
  const isCut = undecided.some(({ by }) => by === undefined);
  const withRoles = new Set(sides.flatMap(({ roles }) => roles.map(({ method }) => method)));
  /** Whether all roles of a method, if it has several, give the same with a group. */
  const isByAny = (group: Principals, method: string) => {
    const { roles = [] } = mounts.get(method) ?? {};
    const isSameRequired = new Set(roles.map(({ required }) => required)).size === 1;
    const isMore = roles.filter(({ kind }) => kind === 'role').length > 1;
    return isMore && isSameRequired && !isCut && !varying.has(group);
  };
  return (one, outcomes) => {
    const { kind, by, method = '' } = one;
    if (kind === 'role') return () => undefined;
    // One that an entity brings along is had by the sign-ins of another mount.
    if (kind !== 'alias' || by.kind !== 'alias' || by.at !== undefined)
      return (outcome) => (outcome?.together && sampled.has(one) ? 'some' : undefined);
    const byOwn = outcomes.filter(({ together = [] }) => together.some((token) => isByRole(token, method)));
    const [common] = byOwn.length === 1 && isByAny(one, method) ? byOwn : [];
    return (outcome) => {
      const isElsewhere = outcome?.together?.some(([giver]) => giver?.kind === 'method') ?? true;
      if (isElsewhere && !withRoles.has(method)) return 'elsewhere';
      if (outcome !== undefined && outcome === common) return 'any';
      return outcome?.together && sampled.has(one) ? 'some' : undefined;
    };
  };
}

/** Whether a token has, in addition to a group, a role of its method and nothing else. */
function isByRole([giver, ...others]: readonly Giver[], path: string): boolean {
  return giver?.kind === 'role' && giver.method === path && others.length === 0;
}
