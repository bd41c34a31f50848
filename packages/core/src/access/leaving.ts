import { isSame } from '../graph/resources/field.ts';
import type { Role } from '../graph/resources/role.ts';
import type { GraphIndex } from './graph-index.ts';
import type { Reason } from './reasons/reason.ts';
import { findsAll } from './sign-in/group-reading.ts';
import { identifyingClaim } from './sign-in/identity-change.ts';
import { inclusion, populationOf } from './sign-in/population.ts';

/** People can leave groups by a sign-in. `missing`: what is missing to say so. */
export interface Leaving {
  missing?: Reason;
}

/** By the path of an auth method. */
export type Leavings = ReadonlyMap<string, Leaving>;

/**
 * The methods, by their paths, at which people can leave groups after a change and could not before.
 *
 * Groups hang on the entity: a sign-in by a role that reads none, or reads them elsewhere, takes a person out of the groups
 * of the method that it does not find, and earlier tokens go on without these (docs/inside/access.md). Such a role counts
 * where it may let in someone whom none let in before that takes them out of as many. Whether anyone signs in by it is not
 * asked.
 */
export function newlyLeft(before: GraphIndex, after: GraphIndex): Leavings {
  const rolesBefore = byMethod(before);
  const left = new Map<string, Leaving>();
  for (const [path, roles] of byMethod(after)) {
    const former = rolesBefore.get(path) ?? [];
    if (before.aliasesAt(path).length === 0 || !former.some((role) => before.readingOf(role).from)) continue;
    const all = roles.flatMap((role) => leavingBy(role, former, before, after) ?? []);
    const leaving = all.find(({ missing }) => missing === undefined) ?? all[0];
    if (leaving !== undefined) left.set(path, leaving);
  }
  return left;
}

function byMethod({ roles }: GraphIndex): Map<string, Role[]> {
  return Map.groupBy(roles.values(), ({ method }) => method);
}

/** Undefined where no one newly leaves groups by a role. */
function leavingBy(
  role: Role,
  former: readonly Role[],
  before: GraphIndex,
  after: GraphIndex,
): Leaving | undefined {
  const own = before.roleNamed(role.method, role.name);
  const [methodBefore, methodAfter] = [before, after].map(({ methods }) => methods.get(role.method));
  if (own === role && methodBefore === methodAfter) return undefined;
  const reading = after.readingOf(role);
  const notFound = former.map((one) => before.readingOf(one)).filter((one) => !findsAll(reading, one));
  if (notFound.length === 0) return undefined;
  // How many groups the same claim names may depend on how the provider is asked for it.
  const isKnown = notFound.some(({ from }) => from !== reading.from) || reading.depth !== undefined;
  const about = { of: reading.scopes === undefined ? 'sign-in' : 'requested-scope' } as const;
  let leaving: Leaving = isKnown ? {} : { missing: { kind: 'unordered', about } };
  const population = populationOf(role, methodAfter);
  for (const one of own === undefined ? former : [own, ...former]) {
    // People could do as much before by one that finds no more groups.
    if (!findsAll(reading, before.readingOf(one)) || !isSame(identifyingClaim(one), identifyingClaim(role)))
      continue;
    const included = inclusion(population, populationOf(one, methodBefore));
    if (included.answer === 'yes') return undefined;
    if (included.answer === 'unknown') leaving = { missing: included.missing };
  }
  return leaving;
}
