import { sortedJson } from '../graph/resources/field.ts';
import type { Subject } from '../graph/subject.ts';

/**
 * What a log has of some things only in part, or what of it was left out. `twice`: requests that are there twice.
 * `sign-ins-damaged`: damaged lines of sign-ins. `rules`, `askers`, `not-listed`: of requests, for an access list.
 */
type CountedKind =
  | 'cut-lines'
  | 'repaired-lines'
  | 'damaged-lines'
  | 'sign-ins-damaged'
  | 'without-response'
  | 'without-request'
  | 'twice'
  | 'not-json'
  | 'other-format'
  | 'gaps'
  | 'out-of-order'
  | 'other-namespaces'
  | 'not-counted'
  | 'not-listed'
  | 'rules'
  | 'askers'
  | 'without-token'
  | 'refused-sign-ins'
  | 'undeclared-roles'
  | 'mounts-not-seen'
  | 'jumped-clock';

/** What a log does not say: names and numbers, and no sentence. `words/` has the sentences. */
export type MissingFromLog =
  | { [Kind in CountedKind]: { kind: Kind; count: number } }[CountedKind]
  /** The log may be of another service: none of so many entities is known here. */
  | { kind: 'other-service'; entities: number }
  | { kind: 'allowed-left-out' }
  /** Requests whose token is older than the log, of all. */
  | { kind: 'sign-ins-of-requests'; count: number; of: number }
  | { kind: 'arrived-mounts'; mount: string }
  | { kind: 'future-end' }
  /** What a plan leaves unknown and has no name yet, so that no request can be compared with it. */
  | { kind: 'unnamed'; subject: Subject }
  | { kind: 'unnamed-entity' };

/** Why a log shows no use at all. */
export type ForeignLog = Extract<MissingFromLog, { kind: 'other-service' | 'allowed-left-out' }>;

/** One of them with its number, where there are some. */
export function countedMissing<Kind extends CountedKind>(
  kind: Kind,
  count: number,
): { kind: Kind; count: number }[] {
  return count === 0 ? [] : [{ kind, count }];
}

/** Each once, in their order. */
export function uniqueMissing<Missing extends object>(all: readonly Missing[]): Missing[] {
  return [...new Map(all.map((missing) => [sortedJson(missing), missing])).values()];
}
