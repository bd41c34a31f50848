import { existsSync, readFileSync } from 'node:fs';

/** A mutation that no test can notice, with the reason. Lines change too often to name it by. */
export interface Explained {
  file: string;
  within: string;
  original: string;
  mutated: string;
  why: string;
}

type Named = Omit<Explained, 'why'>;

export function readExplained(path: string): Explained[] {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

export function keyOf({ file, within, original, mutated }: Named): string {
  return JSON.stringify([file, within, original, mutated]);
}

/**
 * Explanations of nothing: their mutation is not there any more, or was noticed.
 *
 * @param all every mutation of the sources that were looked at
 * @param noticed those of them that tests noticed
 * @param survived those that no test noticed: one text may be there twice
 */
export function staleOf(
  explained: Explained[],
  all: Named[],
  noticed: Named[],
  survived: Named[],
): Explained[] {
  const files = new Set(all.map(({ file }) => file));
  const [there, killed, left] = [all, noticed, survived].map((named) => new Set(named.map(keyOf)));
  return explained.filter((one) => {
    const key = keyOf(one);
    return files.has(one.file) && (!there?.has(key) || (killed?.has(key) && !left?.has(key)));
  });
}
