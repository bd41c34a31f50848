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
  readonly #keys: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string | undefined>;
  readonly #byStart: Parts;
  /** Patterns that begin with a star, by their end. */
  readonly #byEnd: Parts;

  constructor(globs: readonly Glob[]) {
    this.#keys = new Set(globs.map(keyOfGlob));
    this.#texts = new Set(globs.filter(isText).map(([text]) => text));
    const patterns = globs.filter((glob) => !isText(glob));
    this.#byStart = new Parts(globs, ([start = '']) => start);
    this.#byEnd = new Parts(
      patterns.filter(([start]) => start === ''),
      (glob) => reversed(glob.at(-1) ?? ''),
    );
  }

  /** Whether this very glob is one of them. */
  has(glob: Glob): boolean {
    return this.#keys.has(keyOfGlob(glob));
  }

  /**
   * Whether one of the globs matches a text.
   *
   * @param spend takes how much work that is
   */
  matches(text: string, spend: (work: number) => void): boolean {
    if (this.#texts.has(text)) return true;
    const near = [
      ...this.#byStart.startsOf(text).flatMap(([start, globs]) => (start === '' ? [] : globs)),
      ...this.#byEnd.startsOf(reversed(text)).flatMap(([, globs]) => globs),
    ];
    spend((near.length * (16 + text.length)) >> 7);
    return near.some((glob) => !isText(glob) && matchesGlob(glob.join('*'), text));
  }
}

/** Globs by a part of theirs. */
class Parts {
  readonly #byPart: ReadonlyMap<string, Glob[]>;
  readonly #lengths: number[];

  constructor(globs: readonly Glob[], partOf: (glob: Glob) => string) {
    this.#byPart = Map.groupBy(globs, partOf);
    this.#lengths = [...new Set([...this.#byPart.keys()].map(({ length }) => length))].sort((a, b) => a - b);
  }

  /** The globs of each part that a text begins with. */
  startsOf(text: string): [part: string, globs: Glob[]][] {
    return this.#lengths.flatMap((length): [string, Glob[]][] => {
      const part = text.slice(0, length);
      const globs = length > text.length ? undefined : this.#byPart.get(part);
      return globs === undefined ? [] : [[part, globs]];
    });
  }
}

function reversed(text: string): string {
  // By code units, as texts are compared.
  return text.split('').reverse().join('');
}
