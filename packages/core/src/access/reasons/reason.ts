import type { UnmodeledEffect } from '../../graph/change.ts';
import type { Named } from '../../graph/memberships.ts';
import { sortedJson } from '../../graph/resources/field.ts';
import type { Subject } from '../../graph/subject.ts';
import { type Compared, OutOfBudget } from '../../graph/values/budget.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import type { Giver, PickedGiver } from './giver.ts';
import type { Respect } from './respect.ts';

/** A node of a graph that something else may hang on. */
export type EdgeNode = Named | { kind: 'method' | 'other'; name: string };

/**
 * Edges that may lead out of a graph.
 * - `aliases`: entities and groups with an alias of a method. - `group-aliases`: groups with one that a claim leads to.
 * - `former-entity`: the entity that its principals had. - `former`: what an alias led to before.
 * - `identity`: groups around it, policies attached to it, second factors that it is asked for.
 * - `name`, `metadata`, `name-and-metadata`: policies that these fill in.
 * - `made-again`: what others make at a mount that is replaced.
 */
export type OpenEdge =
  | 'aliases'
  | 'group-aliases'
  | 'former-entity'
  | 'former'
  | 'identity'
  | 'name'
  | 'metadata'
  | 'name-and-metadata'
  | 'made-again';

/** What the service itself keeps some tokens from: those with a number of uses, and batch tokens. */
export type LimitName = 'uses' | 'batch';

/** Principals that a promise is about: as they are found, or as the promise names them. */
export type PromisedWho = { principals: readonly Giver[] } | { promised: string };

/**
 * Why an answer is not known, or what it leaves open: names of things, and no sentence. `words/` has the sentences. Two are the
 * same if their keys are.
 */
export type Reason =
  /** There is more than can be compared. `isOfAll`: on every path. */
  | { kind: 'budget'; of: Compared; claim?: string; isOfAll?: true }
  /** The text of a policy is missing or unreadable. */
  | { kind: 'text-missing'; policies: string[]; who?: PromisedWho }
  /** More than two groups limit the fields of one path. */
  | { kind: 'united-parameters' }
  /** A denial goes, and what else its principals hold is not known. */
  | { kind: 'denial-gone'; pattern: string; by: Giver }
  /** Principals with a changed policy that were not looked at. */
  | { kind: 'other-principals'; policy: string }
  /** Grants of known principals that were not looked at. `lifted`: the limit that their tokens lose. */
  | { kind: 'other-grants'; by: Giver; lifted?: LimitName }
  /** Whether a pick of policies is ever made. */
  | { kind: 'token-picks'; by: PickedGiver }
  /** A part, or a field of one, that a plan leaves unknown or hides. */
  | { kind: 'hidden-field'; subject: Subject }
  /** Something outside the graph hangs on a node by an edge. */
  | { kind: 'open-end'; edge: OpenEdge; node: EdgeNode }
  /** What a template of a policy allows changes with a node. */
  | { kind: 'filled-in'; policy: string; by: EdgeNode; what?: 'metadata' }
  /** What a part of a graph does, or grants, is not looked into. */
  | { kind: 'opaque'; name: string; asks: 'effect' | 'grants' }
  /** The groups that a claim leads to are declared elsewhere. */
  | { kind: 'groups-of-claim'; claim: string; method: string }
  /** A setting whose values have no order. */
  | { kind: 'unordered'; about: Respect }
  /** A claim is bound at a place that is too deep, as a time, or as a list and within it. */
  | { kind: 'claim-too-deep'; claim: string; names: number }
  | { kind: 'claim-is-time'; claim: string }
  | { kind: 'claim-is-list'; claim: string }
  | { kind: 'unreadable-addresses'; range: string }
  /** Whether principals are the same people as those that a promise is about. */
  | { kind: 'same-people'; who: PromisedWho; capability: string; path: string }
  | { kind: 'limits-met'; who: PromisedWho; pattern: string; limits: string[] }
  | { kind: 'sign-in-unknown'; who: PromisedWho }
  /** Something that no answer works out, and by which a token could be gained. */
  | { kind: 'unmodeled'; effect: UnmodeledEffect }
  /** What could not be read of a service, or was not asked. */
  | { kind: 'not-read'; what: string }
  /** Resources of a plan that were not looked into. */
  | { kind: 'resources-not-read'; type: string; count: number }
  /** A plan is not whole. */
  | { kind: 'plan-incomplete'; why: string }
  | { kind: 'state-before-unknown' };

/** The text of a policy that matters is not known. */
export function textMissing(policy: string): Reason {
  return { kind: 'text-missing', policies: [policy] };
}

/** Many principals have one reason. */
const keys = new WeakMap<Reason, string>();

/** Equal for reasons that say the same. */
export function reasonKey(reason: Reason): string {
  return getOrMake(keys, reason, () => sortedJson(reason));
}

/** Each of some reasons once, in their order. */
export function uniqueReasons(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [reasonKey(reason), reason])).values()];
}

/** A question that cannot be decided, or would take too long. */
export class Undecidable extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.kind);
    this.reason = reason;
  }
}

/** Why something was not decided; undefined for any other error. */
export function undecidedBy(error: unknown): Reason | undefined {
  if (error instanceof Undecidable) return error.reason;
  if (!(error instanceof OutOfBudget)) return undefined;
  const { of, claim } = error;
  return { kind: 'budget', of, ...(claim !== undefined && { claim }) };
}
