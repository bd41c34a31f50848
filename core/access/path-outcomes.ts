import { type Rule, united } from '../model/policies/acl.ts';
import type { PathRule } from '../model/policies/parse-policy.ts';
import { loosened } from './limits.ts';
import type { PathClass } from './path-classes.ts';
import { textMissing } from './policy-sides.ts';

export type Side = 'gained' | 'lost';

/** What each policy says of a pattern. */
export type Saying = Record<'before' | 'after', Map<string, Rule>>;

/** What each policy says of a class of paths, and at which place in the order of precedence. */
export type Said = Map<string, { rank: number; rule: Rule }>;

/** What decides at a class of paths. */
export interface Decided {
  /** Place in the order of precedence; infinite where nothing is said. */
  rank: number;
  rule?: Rule;
}

/** One capability, or one limit, that is there on one side only; or what is missing to say so. */
export interface Outcome {
  side: Side;
  rank: number;
  capability?: string;
  limit?: string;
  /** The capabilities that the limit is on. */
  limited?: string[];
  missing?: string;
}

/** What each policy says first, in the order of precedence. */
export function saidOf(
  order: number[],
  byRank: readonly (Saying | undefined)[],
  side: 'before' | 'after',
): Said {
  const said: Said = new Map();
  for (const [rank, index] of order.entries()) {
    for (const [name, rule] of byRank[index]?.[side] ?? []) {
      if (!said.has(name)) said.set(name, { rank, rule });
    }
  }
  return said;
}

/** A rule as something that can be compared as text. */
export function shown(rule: Rule | undefined): unknown {
  return rule === undefined ? undefined : { ...rule, capabilities: [...rule.capabilities].sort() };
}

/** What decides where all of these are held together. */
export function joint(parts: readonly (Decided | undefined)[]): Decided {
  let found: Decided = { rank: Number.POSITIVE_INFINITY };
  for (const part of parts) {
    if (part?.rule === undefined) continue;
    // A token of policy root is asked nothing else.
    if (part.rule.capabilities.has('root')) return part;
    if (part.rank > found.rank) continue;
    if (part.rank < found.rank || found.rule === undefined) found = part;
    else if (part.rule !== found.rule)
      found = { rank: found.rank, rule: united(found.rule, asPathRule(part.rule)) };
  }
  return found;
}

export function asPathRule(rule: Rule): PathRule {
  return { ...rule, capabilities: [...rule.capabilities] };
}

/** What is gained and lost between two sides at a class of paths. */
export function compared(
  before: Decided,
  after: Decided,
  asks: PathClass['asks'],
  unread: string | undefined,
): Outcome[] {
  return [
    ...oneSided('gained', before, after, asks, unread),
    ...oneSided('lost', after, before, asks, unread),
  ];
}

function oneSided(
  side: Side,
  from: Decided,
  to: Decided,
  asks: PathClass['asks'],
  unread: string | undefined,
): Outcome[] {
  const rank = Math.min(from.rank, to.rank);
  const [had, has] = [allowed(from, asks), allowed(to, asks)];
  if (had.includes('root')) return [];
  const more = has.filter((capability) => !had.includes(capability));
  if (more.length > 0) return more.map((capability) => ({ side, rank, capability }));
  const limit = has.length > 0 && from.rule && to.rule ? loosened(from.rule, to.rule) : undefined;
  if (limit !== undefined) return [{ side, rank, limit, limited: has }];
  if (endsSooner(from, to)) return [{ side, rank, missing: 'what is allowed where a rule has expired' }];
  if (unread === undefined || !mayUncover(from, to, has)) return [];
  return [
    {
      side,
      rank,
      missing: textMissing(unread),
    },
  ];
}

/** Whether another rule decides from a time on, because the one of the other side holds no longer. */
function endsSooner(from: Decided, to: Decided): boolean {
  const [was, is] = [from.rule?.expires, to.rule?.expires];
  if (from.rule === undefined || is === undefined || to.rank < from.rank) return false;
  return was === undefined || is < was;
}

/** Whether another policy, of which nothing is known, could make more of the one side than of the other. */
function mayUncover(from: Decided, to: Decided, has: string[]): boolean {
  const denies = ({ rule }: Decided) => rule?.capabilities.has('deny') === true;
  if (to.rank === from.rank) return denies(from) && !denies(to);
  // What decided first is gone: something between the two may decide now.
  if (to.rank > from.rank) return true;
  return has.length > 0;
}

function allowed({ rule }: Decided, asks: PathClass['asks']): string[] {
  if (rule === undefined || rule.capabilities.has('deny')) return [];
  return [...rule.capabilities].filter((one) => one === 'root' || (one === 'list') === (asks === 'list'));
}

/** Those of the outcomes that are not among others already. */
export function without(found: Outcome[], known: Outcome[]): Outcome[] {
  return found.filter(
    ({ side, capability, limit, missing }) =>
      !known.some(
        (one) =>
          one.side === side &&
          one.capability === capability &&
          one.limit === limit &&
          one.missing === missing,
      ),
  );
}
