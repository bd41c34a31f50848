// Which file of the clone imports which: what the architecture's test and `npm test -- --changed` read.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries } from './entries.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

const skipped = /(^|\/)(node_modules|\.git|\.gatehouse|build|dist)$|^(docs|packages\/cli\/templates)$/;

/** The sources below a folder of the clone, by their paths from its root. */
export function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.test(path) ? [] : sourcesBelow(path);
    return /\.(m?ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

export const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** An import as it is written. */
export interface Import {
  specifier: string;
  /** `import type` and `export type`, which nothing is loaded for. */
  isOfTypes: boolean;
}

/** What a file imports, statically or by `import()`, for its types alone too. */
export function importsOf(path: string): Import[] {
  const statement =
    /(?:^|[\s;}])(?:import|export)\b(\s+type\b)?[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...textOf(path).matchAll(statement)].map(([, type, specifier, direct]) => ({
    specifier: specifier ?? direct ?? '',
    isOfTypes: type !== undefined,
  }));
}

const fileOf = new Map(entries.map(({ specifier, file }) => [specifier, file]));

/** The file of the tree that an import means; undefined for one from outside, and for what a package does not offer. */
export function targetOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(importer), specifier));
  return fileOf.get(specifier);
}

/** What is reached over arrows, in one step or several. */
export function reachedFrom(start: string, next: (from: string) => Iterable<string>): Set<string> {
  const reached = new Set(next(start));
  for (const inner of reached) for (const further of next(inner)) reached.add(further);
  return reached;
}
