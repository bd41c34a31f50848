import { getOrMake } from '../graph/values/get-or-make.ts';
import type { IsAdministrator } from './administration.ts';
import { decide, decidersKey, type PathChange, type PathDecision } from './decide.ts';
import type { Grant } from './grants.ts';
import type { Direction } from './match-change.ts';
import type { RuleBook } from './rule-book.ts';

/**
 * The same changes, each with all that becomes of one token: what is gained with one role is not pooled with what is lost
 * with another. What a token with fewer grants gains or loses, too, stands there alone.
 */
export function byWholeTokens<G extends Grant>(
  decided: PathDecision<G>,
  book: RuleBook,
  probes: readonly string[],
  isAdministrator: IsAdministrator,
  directions: readonly Direction[],
): PathChange<G>[] {
  const whole = new Map<string, Grant>();
  const tokens = [...decided.tokens].flatMap(([by, all]) =>
    all.map((together) => {
      const [before, after] = (['before', 'after'] as const).map((side) =>
        [...new Set([by, ...together].flatMap((one) => one[side]))].sort(),
      ) as [string[], string[]];
      const grant = getOrMake(whole, JSON.stringify([before, after]), () => ({ before, after }));
      return { by, together, grant };
    }),
  );
  if (tokens.length === 0) return decided.changes;
  const { changes, undecided } = decide(
    [{ roles: [...whole.values()], groups: [] }],
    book,
    probes,
    isAdministrator,
    directions,
  );
  // Too much to look at each: what shows a change stays.
  if (undecided.some(({ by }) => by === undefined)) return decided.changes;
  const byGrant = Map.groupBy(changes, ({ by }) => by);
  const [alone = [], shown = []] = [true, false].map((isAlone) =>
    decided.changes.filter(({ together }) => (together.length === 0) === isAlone),
  );
  const known = new KnownChanges<G>(Map.groupBy(alone, ({ by }) => by));
  const tokensBy = Map.groupBy(tokens, ({ by }) => by);
  // If there are very many tokens, not each is looked at: what shows a change that no other has stays.
  const placeOf = ({ direction, pattern }: PathChange) => `${direction} ${pattern}`;
  const places = new Map([...byGrant].map(([grant, all]) => [grant, new Set(all.map(placeOf))]));
  const unsampled = shown.filter((change) => {
    const token = tokensBy.get(change.by)?.find(({ together }) => areSame(together, change.together));
    return token === undefined || places.get(token.grant)?.has(placeOf(change)) !== true;
  });
  const found = tokens
    .sort((a, b) => a.together.length - b.together.length)
    .flatMap(({ by, together, grant }) => {
      const own = (byGrant.get(grant) ?? []).map((change) => ({ ...change, by, together: [...together] }));
      return known.add([by, ...together], own);
    });
  return [...alone, ...found, ...unsampled];
}

function areSame<G>(one: readonly G[], other: readonly G[]): boolean {
  return one.length === other.length && one.every((grant, at) => grant === other[at]);
}

/** Changes of tokens by what they have, so that one with more repeats none. */
class KnownChanges<G extends Grant> {
  readonly #alone: ReadonlyMap<G, readonly PathChange<G>[]>;
  readonly #textsAlone = new Map<G, ReadonlySet<string>>();
  readonly #ofSets = new Map<G, { has: ReadonlySet<G>; texts: ReadonlySet<string> }[]>();

  constructor(alone: ReadonlyMap<G, readonly PathChange<G>[]>) {
    this.#alone = alone;
  }

  /** Answers with those that no token with fewer of these grants has; none where one with the same was there. */
  add(grants: readonly G[], own: PathChange<G>[]): PathChange<G>[] {
    const has = new Set(grants);
    const sets = grants
      .flatMap((one) => this.#ofSets.get(one) ?? [])
      .filter((one) => [...one.has].every((grant) => has.has(grant)));
    if (sets.some((one) => one.has.size === has.size)) return [];
    const texts = textsOf(own);
    const [first] = grants;
    if (first !== undefined)
      getOrMake(this.#ofSets, first, () => []).push({ has, texts: new Set(texts.map(({ text }) => text)) });
    const known = [...sets.map((one) => one.texts), ...grants.map((one) => this.#ofOne(one))];
    return texts.flatMap(({ all, text }) => (known.some((one) => one.has(text)) ? [] : all));
  }

  #ofOne(grant: G): ReadonlySet<string> {
    return getOrMake(
      this.#textsAlone,
      grant,
      () => new Set(textsOf(this.#alone.get(grant) ?? []).map(({ text }) => text)),
    );
  }
}

function textsOf<G extends Grant>(changes: readonly PathChange<G>[]) {
  const byPattern = Map.groupBy(changes, ({ pattern }) => pattern);
  return [...byPattern.values()].map((all) => ({ all, text: textOf(all) }));
}

/** What becomes of the paths of a pattern. */
function textOf(changes: readonly PathChange[]): string {
  const texts = changes.map((change) =>
    JSON.stringify([change.direction, change.limit, change.capabilities.toSorted(), decidersKey(change)]),
  );
  return texts.sort().join('\n');
}
