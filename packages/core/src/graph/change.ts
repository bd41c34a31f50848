import type { Graph } from './graph.ts';
import type { Subject } from './subject.ts';

/**
 * Who could gain a token by it. `by` is what they sign in by, as its table has it; `through` are the parts that change.
 * - `gains`: without any method. - `sign-ins`: at these methods, or at others if none is known.
 * - `identity-tokens`: tokens of the service name groups and entities.
 * - `credential`: readers of a place that keeps what the plan makes. - `source`: who may ask for what others sign in with.
 * - `path`: a write to one of a secrets engine that no table has.
 * - `first-set`: fields of a method that are set first.
 * - `administration`: of a namespace. - `policies-elsewhere`: those that reach into one.
 */
export type UnmodeledEffect =
  | { of: 'gains'; by: string; through: string[] }
  | { of: 'sign-ins'; by: string; through: string[]; methods: string[] }
  | { of: 'identity-tokens'; methods: string[] }
  | {
      of: 'credential';
      field: string;
      whose: { type: string; name: string } | { path: string };
      keptAt: string;
    }
  | { of: 'path'; path: string }
  | { of: 'source'; source: string; signsInBy?: string }
  | { of: 'first-set'; method: string; fields: string[] }
  | { of: 'administration'; namespace: string; policies: string[] }
  | { of: 'policies-elsewhere'; namespace: string };

/** Something by which a token could be gained, that a plan touches and no answer works out. */
export interface UnmodeledPart {
  /** The part that the plan changes. */
  subject: Subject;
  /** The resources of the plan. */
  addresses: string[];
  effect: UnmodeledEffect;
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
  /** Paths of the mounts that stay, by the accessors that the service gave them, as far as these are known. Defaults to none. */
  accessors?: Readonly<Record<string, string>>;
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

/** What no answer works out: where something that trusts it is in sight, and where only no list excludes it. */
export function unmodeledEffects({ unmodeled = [] }: Pick<Change, 'unmodeled'>) {
  const effectsOf = (inSight: boolean) =>
    unmodeled.flatMap(({ isInSight, effect }) => (isInSight === inSight ? effect : []));
  return {
    inSight: effectsOf(true),
    elsewhere: effectsOf(false),
    mayLose: unmodeled.some(({ isInSight, mayLose }) => isInSight && mayLose),
  };
}
