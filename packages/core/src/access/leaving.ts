import { isSame } from '../graph/resources/field.ts';
import type { Role } from '../graph/resources/role.ts';
import type { Leaving } from './access-change.ts';
import type { GraphIndex } from './graph-index.ts';
import { findsAll, type GroupReading } from './sign-in/group-reading.ts';
import { identifyingClaim } from './sign-in/identity-change.ts';
import { inclusion, populationOf } from './sign-in/population.ts';

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
    const former = (rolesBefore.get(path) ?? []).map((role) => ({ role, reading: before.readingOf(role) }));
    if (before.aliasesAt(path).length === 0 || !former.some(({ reading }) => reading.from)) continue;
    const readings = new Map(former.map(({ reading }) => [JSON.stringify(reading), reading]));
    const formerRoles = { former, readings: [...readings.values()] };
    const all = roles.flatMap((role) => leavingBy(role, formerRoles, before, after) ?? []);
    const leaving = all.find(({ missing }) => missing === undefined) ?? all[0];
    if (leaving !== undefined) left.set(path, leaving);
  }
  return left;
}

function byMethod({ roles }: GraphIndex): Map<string, Role[]> {
  return Map.groupBy(roles.values(), ({ method }) => method);
}

interface FormerRoles {
  former: readonly { role: Role; reading: GroupReading }[];
  /** How they read groups, each once. */
  readings: readonly GroupReading[];
}

/** Undefined where no one newly leaves groups by a role. */
function leavingBy(
  role: Role,
  { former, readings }: FormerRoles,
  before: GraphIndex,
  after: GraphIndex,
): Leaving | undefined {
  const own = before.roleNamed(role.method, role.name);
  const [methodBefore, methodAfter] = [before, after].map(({ methods }) => methods.get(role.method));
  if (own === role && methodBefore === methodAfter) return undefined;
  const reading = after.readingOf(role);
  const notFound = readings.filter((other) => !findsAll(reading, other));
  if (notFound.length === 0) return undefined;
  // How many groups the same claim names may depend on how the provider is asked for it.
  const isKnown = notFound.some(({ from }) => from !== reading.from) || reading.depth !== undefined;
  const about = { of: reading.scopes === undefined ? 'sign-in' : 'requested-scope' } as const;
  let leaving: Leaving = isKnown ? {} : { missing: { kind: 'unordered', about } };
  const population = populationOf(role, methodAfter);
  // People could do as much before by one that finds no more groups.
  const fewest = former.filter(
    (other) =>
      findsAll(reading, other.reading) && isSame(identifyingClaim(other.role), identifyingClaim(role)),
  );
  for (const other of fewest.toSorted((a, b) => Number(b.role === own) - Number(a.role === own))) {
    const included = inclusion(population, populationOf(other.role, methodBefore));
    if (included.answer === 'yes') return undefined;
    if (included.answer === 'unknown') leaving = { missing: included.missing };
  }
  return leaving;
}
