import { matchesGlob } from '../../login/bound-claims.ts';

/** A text with holes: between its parts stands anything, nothing included. A single part is a text without holes. */
export type Glob = readonly string[];

export function isText(glob: Glob): boolean {
  return glob.length === 1;
}

export function keyOfGlob(glob: Glob): string {
  return glob.join('\u0000*');
}

/** Globs by what they begin and end with: a role may bind thousands, and few have to do with one text. */
export class GlobIndex {
  readonly #texts: ReadonlySet<string | undefined>;
  /** Patterns by what they begin with; those that begin with a star, by what they end with. */
  readonly #startingWith: Finding;
  readonly #endingWith: Finding;

  constructor(globs: readonly Glob[]) {
    this.#texts = new Set(globs.filter(isText).map(([text]) => text));
    const patterns = globs.filter((glob) => !isText(glob));
    const isOpen = ([start]: Glob) => start === '';
    this.#startingWith = byPart(
      patterns.filter((glob) => !isOpen(glob)),
      ([start = '']) => start,
      (text, length) => text.slice(0, length),
    );
    this.#endingWith = byPart(
      patterns.filter(isOpen),
      (glob) => glob.at(-1) ?? '',
      (text, length) => text.slice(text.length - length),
    );
  }

  /**
   * Whether one of the globs matches a text.
   *
   * @param spend takes how much work that is
   */
  matches(text: string, spend: (work: number) => void): boolean {
    if (this.#texts.has(text)) return true;
    const near = [...this.#startingWith(text), ...this.#endingWith(text)];
    spend((near.length * (16 + text.length)) >> 7);
    return near.some((glob) => matchesGlob(glob.join('*'), text));
  }
}

/** Finds the globs whose part a text begins or ends with. */
type Finding = (text: string) => Glob[];

function byPart(
  globs: readonly Glob[],
  partOf: (glob: Glob) => string,
  cut: (text: string, length: number) => string,
): Finding {
  if (globs.length === 0) return () => [];
  const found = Map.groupBy(globs, partOf);
  const lengths = [...new Set([...found.keys()].map(({ length }) => length))];
  return (text) =>
    lengths.flatMap((length) => (length > text.length ? [] : (found.get(cut(text, length)) ?? [])));
}
