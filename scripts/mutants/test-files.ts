import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A test file, and everything that it imports from this repository, itself included. */
export interface TestFile {
  file: string;
  imports: string[];
  /** Of the contents of all of these. */
  digest: string;
}

/** Imports of other files; those of types alone have no effect. */
const imported =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:[^'";]*?from\s*)?'(\.[^']+)'|import\(\s*'(\.[^']+)'/g;

/** The test files of `npm test` below folders that import one of the sources. */
export function testFilesFor(root: string, folders: string[], sources: string[]): TestFile[] {
  const read = new Map<string, { imports: string[]; digest: string }>();
  const importsOf = (file: string) => {
    const known = read.get(file);
    if (known !== undefined) return known;
    const text = readFileSync(`${root}${file}`, 'utf8');
    const imports = [...text.matchAll(imported)]
      .map(([, from, on]) => posix.join(posix.dirname(file), from ?? on ?? ''))
      .filter((path) => existsSync(`${root}${path}`));
    const found = { imports, digest: createHash('sha256').update(text).digest('hex') };
    read.set(file, found);
    return found;
  };
  const below = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root })).toSorted();
  return below
    .filter((file) => !file.endsWith('.long.test.ts'))
    .map((file) => {
      const all = new Set([file]);
      for (const one of all) for (const other of importsOf(one).imports) all.add(other);
      const digest = createHash('sha256');
      for (const one of [...all].toSorted()) digest.update(`${one} ${importsOf(one).digest}\n`);
      return { file, imports: [...all], digest: digest.digest('hex') };
    })
    .filter(({ imports }) => sources.some((source) => imports.includes(source)));
}
