import type { Graph } from './graph.ts';
import type { Subject } from './subject.ts';

/** Something by which a token could be gained, that a plan touches and no answer works out. */
export interface UnmodeledPart {
  /** The part that the plan changes. */
  subject: Subject;
  /** The resources of the plan. */
  addresses: string[];
  /** In words: `who signs in at auth/self by identity tokens of this service (identity oidc role w)`. */
  words: string;
  /** Whether something that trusts it is known; else no list excludes it. */
  isInSight: boolean;
  /** Whether anyone may lose by it, too. Defaults to false. */
  mayLose?: true;
  /** The condition under which no one gains, in words. */
  closes: string;
}

/** A planned change, as the graphs before and after it, and what these two cannot say. */
export interface Change {
  before: Graph;
  after: Graph;
  /** Methods whose mount is deleted and made again: what hangs on their accessor is lost. */
  replaced: Subject[];
  /**
   * Groups and entities that are deleted and made again, so that what hung on their ids is lost; and roles, on a mount that
   * stays. Defaults to none.
   */
  remade?: Subject[];
  /** Keys of what no stack declares and is deleted and made again: a mount of another type, a secret id. Defaults to none. */
  remadeOthers?: readonly string[];
  /** Fields that are emptied, and that an update leaves on the service as they are. Defaults to none. */
  left?: Subject[];
  /** What is left on a mount that is deleted, or deleted and made again. Defaults to nothing. */
  orphaned?: Subject[];
  /** What holds a secret that changes; the values are never shown. */
  rotated: Subject[];
  /** What it makes though the service has it: it is written over. Defaults to nothing. */
  taken?: Subject[];
  /** What could not be read of the service, in words. Defaults to nothing. */
  missing?: string[];
  /** What it writes and deletes, or writes twice, in no order: it is among the unknown. Defaults to nothing. */
  unordered?: Subject[];
  /** Unknown fields that the plan shows and no table here knows. Defaults to none. */
  unread?: Subject[];
  /** What no answer works out. Defaults to nothing. */
  unmodeled?: UnmodeledPart[];
  /** What a plan leaves unknown: it cannot be judged. */
  unknown: Subject[];
}

/** What no answer works out, in words: where something that trusts it is in sight, and where only no list excludes it. */
export function unmodeledWords({ unmodeled = [] }: Pick<Change, 'unmodeled'>) {
  const wordsOf = (inSight: boolean) =>
    unmodeled.flatMap(({ isInSight, words }) => (isInSight === inSight ? words : []));
  return {
    inSight: wordsOf(true),
    elsewhere: wordsOf(false),
    mayLose: unmodeled.some(({ isInSight, mayLose }) => isInSight && mayLose),
  };
}
