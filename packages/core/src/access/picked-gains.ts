import { mayMeet } from '../graph/policies/pattern-overlap.ts';
import type { Principals } from './access-change.ts';
import { decide, type PathChange } from './decide.ts';
import type { Grant } from './grants.ts';
import type { RuleBook } from './rule-book.ts';

/** Policies of a maker that are compared with each of them alone. With more, all that one alone newly gets stays. */
const mostPolicies = 50;

/**
 * Without what a token with one policy alone newly gets and its maker had: who makes it gains nothing by it. Tokens of a maker in
 * groups that its role requires had less than its policies say, so that theirs stay, and so do limits and what comes later.
 */
export function withoutMakersOwn(
  changes: readonly PathChange<Principals>[],
  book: RuleBook,
): PathChange<Principals>[] {
  const grants = new Map<Principals, Grant>();
  for (const change of changes) {
    const { by } = change;
    if (by.partOf !== undefined && isComparable(change))
      grants.set(by, { before: by.partOf.before, after: by.after });
  }
  if (grants.size === 0) return [...changes];
  const { changes: beyond, undecided } = decide(
    [{ roles: [...grants.values()], groups: [] }],
    book,
    [],
    undefined,
    ['gained'],
  );
  if (undecided.length > 0) return [...changes];
  const gainsOf = Map.groupBy(beyond, ({ by }) => by);
  return changes.filter((change) => {
    const grant = grants.get(change.by);
    if (grant === undefined || !isComparable(change)) return true;
    return gainsOf.get(grant)?.some((gain) => mayBeOf(change, gain)) === true;
  });
}

function isComparable({ by, direction, together, probed, limit, from }: PathChange<Principals>): boolean {
  const isPlain = probed.length === 0 && limit === undefined && from === undefined;
  if (direction !== 'gained' || !isPlain || together.length > 0) return false;
  const { before = [], required } = by.partOf ?? {};
  return required === undefined && before.length <= mostPolicies;
}

function mayBeOf(change: PathChange<Principals>, gain: PathChange): boolean {
  const isShared = change.capabilities.some((one) => gain.capabilities.includes(one));
  return (isShared || gain.limit !== undefined) && mayMeet(change.pattern, gain.pattern);
}
