import { type AccessChange, type Answer, strongest } from '../access/access-change.ts';
import type { AccessDecision } from '../access/questions/change.ts';
import { type Reason, uniqueReasons } from '../access/reasons/reason.ts';
import { type Life, longest } from '../access/sign-in/token-life.ts';
import type { Change } from '../graph/change.ts';
import { isComplete } from '../graph/graph.ts';
import type { Place } from './plan/compose-change.ts';

/** A change of access, and where it is. */
export interface ReviewedAccess extends AccessChange, Place {
  /** When it was last used, where logs are followed: `2026-11-20, 12 sign-ins in 90 days`; for a group, requests with its policies. */
  lastUsed?: string;
}

/** Who gains and who loses, without the findings. */
export interface AccessVerdict {
  /**
   * Whether principals gain requests, trust or another identity. `none` holds whatever else the service has; `unknown` where it
   * depends on that.
   */
  gains: Answer;
  /** Whether principals lose any of these, of those that are known. */
  losses: Answer;
  /** Whether tokens live longer or can be used more often. */
  life: Life;
  /** What the answers leave open: `missing` was not looked at, and complete is true where it is nothing. */
  scope: {
    complete: boolean;
    /** The whole service was read: the answers hold for all that can sign in, and not for tokens made by hand. */
    whole: boolean;
    /** Tokens that were issued were read as well, but for batch tokens, which no service lists. */
    tokens: boolean;
    missing: Reason[];
  };
  /** Over what that was decided. */
  over: AccessDecision['over'];
  /** What is missing to decide it; empty where it is decided. */
  missing: Reason[];
  access: ReviewedAccess[];
}

/** What a comparison says of gains and losses. */
export function verdictOf({ after }: Change, access: AccessDecision): AccessVerdict {
  return {
    gains: access.gains,
    losses: access.losses,
    life: access.life,
    scope: scopeOf(access.unseen, access.isWhole, isComplete(after, 'tokens')),
    over: access.over,
    missing: [...access.uncertain, ...access.changes.flatMap(({ uncertain }) => uncertain)],
    access: access.changes,
  };
}

/** The verdicts of several places as one. */
export function verdictOfAll(all: readonly AccessVerdict[]): AccessVerdict {
  const isEach = (holds: (scope: AccessVerdict['scope']) => boolean) =>
    all.length > 0 && all.every(({ scope }) => holds(scope));
  const sum = (part: keyof AccessVerdict['over']) => all.reduce((total, { over }) => total + over[part], 0);
  return {
    gains: strongest(all.map(({ gains }) => gains)),
    losses: strongest(all.map(({ losses }) => losses)),
    life: longest(all.map(({ life }) => life)),
    scope: scopeOf(
      all.flatMap(({ scope }) => scope.missing),
      isEach(({ whole }) => whole),
      isEach(({ tokens }) => tokens),
    ),
    over: {
      roles: sum('roles'),
      groups: sum('groups'),
      otherPrincipals: sum('otherPrincipals'),
      paths: sum('paths'),
    },
    missing: uniqueReasons(all.flatMap(({ missing }) => missing)),
    access: all.flatMap(({ access }) => access),
  };
}

export function scopeOf(missing: readonly Reason[], whole = false, tokens = false): AccessVerdict['scope'] {
  return { complete: missing.length === 0, whole, tokens, missing: uniqueReasons(missing) };
}
