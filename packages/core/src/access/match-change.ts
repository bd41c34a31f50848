import { gainWithAnyRest } from './any-rest.ts';
import { granted, type Match } from './first-match.ts';
import { isPassable, loosened } from './limits.ts';
import type { Side } from './policy-sides.ts';
import type { PathView } from './rule-book.ts';

export type Direction = 'gained' | 'lost';

/** One capability, or one limit, that is there on one side only; or what is missing to say so. */
export interface MatchChange {
  direction: Direction;
  rank: number;
  capability?: string;
  limit?: string;
  /** The capabilities that the limit is on. */
  limited?: string[];
  /** A policy whose text is missing to say so. */
  missing?: string;
  matches: Record<Side, Match>;
}

/** @param unread a policy that is held on both sides and that cannot be read */
export function matchChanges(
  direction: Direction,
  { before, after }: Record<Side, Match>,
  { asks }: PathView,
  unread: string | undefined,
): MatchChange[] {
  const [from, to] = direction === 'gained' ? [before, after] : [after, before];
  const seen = { direction, rank: Math.min(from.rank, to.rank), matches: { before, after } };
  const passableBefore = passable(from, asks);
  const passableAfter = passable(to, asks);
  if (passableBefore.includes('root')) return [];
  const gained = passableAfter.filter((capability) => !passableBefore.includes(capability));
  if (gained.length > 0) return gained.map((capability) => ({ ...seen, capability }));
  const limit = from.rule && to.rule ? loosened(from.rule, to.rule, passableAfter) : undefined;
  if (limit !== undefined) return [{ ...seen, limit, limited: passableAfter }];
  if (unread === undefined || gainWithAnyRest(from, to, asks) === undefined) return [];
  return [{ ...seen, missing: unread }];
}

/** The capabilities with which some request passes. */
function passable(match: Match, asks: PathView['asks']): string[] {
  return granted(match, asks).filter((one) => match.rule !== undefined && isPassable(match.rule, one));
}

/** The changes that are not among others already. */
export function withoutKnown(changes: MatchChange[], known: readonly MatchChange[]): MatchChange[] {
  const asked = ['direction', 'capability', 'limit', 'missing'] as const;
  return changes.filter((one) => known.every((other) => asked.some((field) => one[field] !== other[field])));
}
