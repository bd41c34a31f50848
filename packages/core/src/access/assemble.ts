import { defined } from '../graph/values/loose-values.ts';
import { type AccessChange, type Answer, type Principals, strongest } from './access-change.ts';
import type { PathChange, PathDecision, Undecided } from './decide.ts';
import type { Direction } from './match-change.ts';
import { missingBy, type OpenGains } from './open-gains.ts';
import { outcomesOf, someIf, type TokenOutcome, withoutMembers } from './outcomes.ts';
import { ownPaths } from './own-default.ts';
import { PathCauses } from './path-cause.ts';
import { type Reason, uniqueReasons } from './reasons/reason.ts';
import type { RolesOf } from './roles-of-groups.ts';
import type { RuleBook } from './rule-book.ts';
import { witnessOf } from './sign-in/population.ts';
import { longest } from './sign-in/token-life.ts';

/** What becomes of each path, and by which roles groups give it. */
export type DecidedPaths = PathDecision<Principals> & { rolesOf: RolesOf };

/** The principals with what becomes of their paths; without a change they are left out. */
export function accessChanges(
  principals: readonly Principals[],
  decision: DecidedPaths,
  book: RuleBook,
  gainsLeftOpen: OpenGains,
): AccessChange[] {
  const assembly = new Assembly(decision, book, gainsLeftOpen);
  return withoutMembers(principals.flatMap((each) => assembly.changesOf(each)));
}

/** What was found of principals. */
interface Evidence {
  paths: PathChange<Principals>[];
  undecided: Undecided<Principals>[];
  /** What is missing to say whether they gain with whatever else they have. */
  missing: Reason[];
  /** They are a pick of policies, and another pick has what this one loses: whether anyone makes this one is not known. */
  mayLose: boolean;
}

class Assembly {
  readonly #rolesOf: RolesOf;
  readonly #book: RuleBook;
  readonly #gainsLeftOpen: OpenGains;
  readonly #causes: PathCauses;
  /** The name `default` tells what every token may do for itself. */
  readonly #builtIn: ReadonlySet<string>;
  readonly #pathsBy: ReadonlyMap<Principals, PathChange<Principals>[]>;
  readonly #undecidedBy: ReadonlyMap<Principals | undefined, Undecided<Principals>[]>;
  /** Principals with a gain that is shown, and the policies that they had. */
  readonly #withGain: ReadonlySet<Principals | string>;
  /** Principals whose gains and losses were said so far: a pick comes after the whole that it is of. */
  readonly #gaining = new Set<Principals>();
  readonly #losing = new Set<Principals>();

  constructor({ changes, undecided, rolesOf }: DecidedPaths, book: RuleBook, gainsLeftOpen: OpenGains) {
    this.#rolesOf = rolesOf;
    this.#book = book;
    this.#gainsLeftOpen = gainsLeftOpen;
    this.#causes = new PathCauses(book, changes.length);
    this.#builtIn = ownPaths(book.sidesOf('default'));
    this.#pathsBy = Map.groupBy(changes, ({ by }) => by);
    this.#undecidedBy = Map.groupBy(undecided, ({ by }) => by);
    this.#withGain = new Set<Principals | string>(
      changes.flatMap(({ direction, by }) => (direction === 'gained' ? [by, ...by.before] : [])),
    );
  }

  /** What becomes of principals, and of their tokens with something else that others add. */
  changesOf(principals: Principals): { change: AccessChange; by: Principals }[] {
    const { change, partOf } = principals;
    const evidence = this.#evidenceOf(principals);
    if (isNothing(principals, evidence)) return [];
    const isHere = ({ pattern }: PathChange<Principals>) => !this.#builtIn.has(pattern);
    const outcomes = outcomesOf(evidence.paths.filter(isHere), this.#causes);
    const [first, ...further] = outcomes;
    const rolesOf = this.#rolesOf(principals, outcomes);
    const withOthers = further.map((outcome) => changeWithOthers(change, outcome, rolesOf(outcome)));
    const answers = this.#answersOf(principals, evidence, further);
    const all = [answers, ...withOthers];
    if (all.some(({ gains }) => gains !== 'none')) this.#gaining.add(principals);
    if (all.some(({ losses }) => losses !== 'none')) this.#losing.add(principals);
    if (partOf && !this.#isSaidApart(principals, partOf)) return [];
    const shown = {
      paths: first?.paths ?? [],
      ...defined({ together: first?.together, byRoles: rolesOf(first) }),
    };
    const whole = this.#wholeOf(principals, evidence, { ...answers, ...shown });
    return [whole, ...withOthers].map((each) => ({ change: each, by: principals }));
  }

  /** A pick is said by itself where it loses, or gains what the whole does not. */
  #isSaidApart(pick: Principals, whole: Principals): boolean {
    return this.#losing.has(pick) || (this.#gaining.has(pick) && !this.#gaining.has(whole));
  }

  #evidenceOf(principals: Principals): Evidence {
    const { kind, name, partOf, left } = principals;
    const all = this.#pathsBy.get(principals) ?? [];
    // Another pick has what one of them loses.
    const shown = all.filter(({ direction }) => !partOf || direction === 'gained');
    const doubt = shown.length === 0 ? undefined : left?.missing;
    const openGain = this.#gainsLeftOpen.get(principals);
    // Where a gain is shown, nothing is missing for the same policy or grant.
    const isShown = this.#withGain.has(principals) || (kind === 'policy' && this.#withGain.has(name));
    return {
      paths: doubt === undefined ? shown : [],
      undecided: [
        ...(this.#undecidedBy.get(principals) ?? []),
        ...(doubt === undefined ? [] : [{ direction: 'gained' as const, missing: doubt }]),
      ],
      missing: openGain === undefined || isShown ? [] : missingBy(openGain, principals),
      mayLose: partOf !== undefined && shown.length < all.length && !this.#losing.has(partOf),
    };
  }

  /** Whether principals gain and lose, apart from what they do with something else that others add. */
  #answersOf(
    { change, partOf, leaves, left }: Principals,
    { paths, undecided, missing, mayLose }: Evidence,
    further: readonly TokenOutcome[],
  ): { gains: Answer; losses: Answer } {
    const shown = new Set(further.flatMap(({ changes }) => changes));
    // Whether anyone else is let in is not known: what they would get then shows no more.
    const isGuess = (answer: Answer) =>
      answer === 'unknown' && (change.kind === 'widened' || change.kind === 'narrowed');
    const answer = (direction: Direction, side: 'gains' | 'losses') => {
      if (isGuess(change[side])) return 'unknown';
      return strongest([
        change[side],
        ...change.also.map((also) => also[side]),
        // A policy in addition is a gain, whatever it may allow.
        ...this.#unread(change.policies[direction]).map(() => 'some' as const),
        ...paths.filter((path) => !shown.has(path)).map((path) => someIf(path, direction)),
        ...undecided.map((path) => (path.direction === direction ? ('unknown' as const) : 'none')),
      ]);
    };
    const gains = strongest([answer('gained', 'gains'), missing.length > 0 ? 'unknown' : 'none']);
    if (partOf || left) return { gains, losses: mayLose ? 'unknown' : 'none' };
    const leaving = leaves && gains === 'none' ? 'some' : 'none';
    return { gains, losses: strongest([leaving, answer('lost', 'losses')]) };
  }

  #wholeOf(
    { change, population, by }: Principals,
    { undecided, missing, mayLose }: Evidence,
    decided: Pick<AccessChange, 'gains' | 'losses' | 'paths' | 'together' | 'byRoles'>,
  ): AccessChange {
    const { gained, lost } = change.policies;
    const picked: Reason[] = mayLose && by.kind === 'picked' ? [{ kind: 'token-picks', by }] : [];
    const token =
      change.token ?? (decided.gains === 'some' && population ? witnessOf(population()) : undefined);
    const uncertain = [...change.uncertain, ...undecided.map((path) => path.missing), ...missing, ...picked];
    return {
      ...change,
      ...decided,
      unread: this.#unread([...gained, ...lost]),
      uncertain: uniqueReasons(uncertain),
      life: longest(change.also.flatMap(({ life }) => life ?? [])),
      ...(token && { token }),
    };
  }

  /** Of some policies those whose text is not known on a side. */
  #unread(policies: readonly string[]): string[] {
    return policies.filter((name) => {
      const { before, after } = this.#book.sidesOf(name);
      return before === undefined || after === undefined;
    });
  }
}

function isNothing(
  { change, kind, left }: Principals,
  { paths, undecided, missing, mayLose }: Evidence,
): boolean {
  const { also, uncertain, policies } = change;
  return (
    change.kind === 'changed' &&
    !mayLose &&
    paths.length + undecided.length + missing.length + also.length + uncertain.length === 0 &&
    (kind === 'policy' || left !== undefined || policies.gained.length + policies.lost.length === 0)
  );
}

function changeWithOthers(
  change: Principals['change'],
  { together, paths, changes }: TokenOutcome,
  byRoles: AccessChange['byRoles'],
): AccessChange {
  return {
    ...change,
    also: [],
    groups: [],
    uncertain: [],
    ...defined({ together, byRoles }),
    paths,
    gains: strongest(changes.map((path) => someIf(path, 'gained'))),
    losses: strongest(changes.map((path) => someIf(path, 'lost'))),
  };
}
