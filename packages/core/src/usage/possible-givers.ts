import type { NodeKey } from '../access/edges/edge.ts';
import type { Side } from '../access/policy-sides.ts';

/** What principals may have policies by, and no log says whether they do: a group, an entity, a group of a directory. */
export interface PossibleGiver {
  key: NodeKey;
  /** All that a token has by it, on each side of a change. */
  policies: Readonly<Record<Side, readonly string[]>>;
  /** The change moves who has it. */
  changesMembers: boolean;
  /** The change leaves its policies unknown. */
  isOpen: boolean;
}

/** What principals of a log had, and what they may have had it by. */
export interface LoggedPolicies<Giver extends PossibleGiver> {
  /** Policies that they had by some of the givers, or by themselves. */
  inside: ReadonlySet<string>;
  /** Those, and all others that the log shows them with. */
  seen: ReadonlySet<string>;
  /** What they have by themselves, on each side. */
  own: Readonly<Record<Side, ReadonlySet<string>>>;
  givers: readonly Giver[];
  /** Whether nothing else gives policies. */
  isKnown: boolean;
  /** Whether a sign-in may lead to a giver: then one counts that gives only what they were seen with. */
  isReached(giver: Giver): boolean;
}

/** What is missing to tell whether principals have a policy: whether they have a giver, or one that is elsewhere. */
export type GiverDoubt<Giver> = { giver: Giver } | { elsewhere: string };

/** The policies that principals have by givers when they sign in again. */
interface GivenPolicies<Giver> {
  sure: Set<string>;
  maybe: Map<string, GiverDoubt<Giver>>;
  /** Givers that they may have on that side. */
  givers: readonly Giver[];
}

/**
 * Which policies principals have on a side of a change, by what they had: those of givers whose policies they had, all of
 * them. A giver whose policies changed since counts as possible, never as left.
 */
export function givenPolicies<Giver extends PossibleGiver>(
  logged: LoggedPolicies<Giver>,
  side: Side,
): GivenPolicies<Giver> {
  const { inside, own, isKnown } = logged;
  const { possible, isExplained } = possibleGivers(logged);
  const isKept = ({ changesMembers, isOpen }: Giver) => side === 'before' || !(changesMembers || isOpen);
  // Others may have it then.
  const entered = logged.givers.filter(
    (giver) => side === 'after' && giver.changesMembers && !possible.includes(giver),
  );
  const giversOf = (policy: string) => possible.filter(({ policies }) => policies.before.includes(policy));
  const isOnlyOf = (policy: string) =>
    inside.has(policy) && !own.before.has(policy) && giversOf(policy).length === 1;
  const isTheirs = ({ policies }: Giver) => isKnown && isExplained && policies.before.some(isOnlyOf);
  const sure = new Set<string>();
  const maybe: GivenPolicies<Giver>['maybe'] = new Map();
  const leaveOpen = (policy: string, doubt: GiverDoubt<Giver>) => {
    if (!maybe.has(policy)) maybe.set(policy, doubt);
  };
  for (const giver of [...possible, ...entered]) {
    const isSure = isKept(giver) && isTheirs(giver);
    for (const policy of giver.policies[side]) {
      if (isSure) sure.add(policy);
      else leaveOpen(policy, { giver });
    }
  }
  for (const policy of inside) {
    if (own[side].has(policy)) continue;
    const givers = own.before.has(policy) ? [] : giversOf(policy);
    const still = givers.filter((giver) => isKept(giver) && giver.policies[side].includes(policy));
    const isElsewhere = !isKnown && givers.length === 0 && !own.before.has(policy);
    if (isElsewhere || (givers.length > 0 && still.length === givers.length)) sure.add(policy);
    else if (!isKnown) leaveOpen(policy, { elsewhere: policy });
  }
  for (const policy of sure) maybe.delete(policy);
  return { sure, maybe, givers: [...possible, ...entered] };
}

/**
 * Those whose policies the principals had, all of them. Where these do not give all that they had, givers have changed
 * since: then also those that give some of it, or any.
 */
function possibleGivers<Giver extends PossibleGiver>({
  inside,
  seen,
  own,
  givers,
  isKnown,
  isReached,
}: LoggedPolicies<Giver>): { possible: readonly Giver[]; isExplained: boolean } {
  const isWithin = ({ policies }: Giver, list: ReadonlySet<string>) =>
    policies.before.every((policy) => list.has(policy));
  const strict = givers.filter(
    (giver) => isWithin(giver, inside) || (isWithin(giver, seen) && isReached(giver)),
  );
  const isGivenBy = (policy: string, some: readonly Giver[]) =>
    some.some(({ policies }) => policies.before.includes(policy));
  const left = [...inside].filter((policy) => !own.before.has(policy) && !isGivenBy(policy, strict));
  if (left.length === 0) return { possible: strict, isExplained: true };
  const isGiven = left.every((policy) => isGivenBy(policy, givers));
  if (!isGiven && isKnown) return { possible: givers, isExplained: false };
  const loose = givers.filter(
    (giver) => strict.includes(giver) || left.some((policy) => giver.policies.before.includes(policy)),
  );
  return { possible: loose, isExplained: false };
}
