// What `npm test -- --changed` runs: the files of tests that may load a file that has changed.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { importsOf, root, sourcesBelow, targetOf, textOf } from './import-graph.ts';

/** A file of tests, and over how many steps it reaches what has changed: 0 where it has changed itself. */
export interface TouchedTest {
  file: string;
  steps: number;
}

/** The programs of the clone: whatever starts a process of Node may run them, and load all that they may. */
const programs = ['packages/cli/gatehouse.mjs', 'main.mjs'];

/** What tests read, by paths that they name in one piece. */
const readByTests = /\b(?:docs|examples|policies|templates)\/[\w./-]*/g;

/** How long the tests that are picked may take, in seconds of one worker. */
const budget = 50;
/** What a file is taken to need that no run has timed yet. */
const unknownSeconds = 0.5;
/** Tests up to this many imports away from a change run, however long they take. */
const nearest = 1;

/** What `npm test -- --changed` runs, and what it says about that. */
export function pickTests(
  revision: string,
  { isLong, seconds }: { isLong: boolean; seconds: Record<string, number> },
): { files: string[]; summary: string } {
  const changed = changedFiles(revision);
  const isTest = isLong ? /\.(long|both|long\.weekly)\.test\.ts$/ : /(?<!\.(long|weekly))\.test\.ts$/;
  const tests = [...sourcesBelow('test'), ...sourcesBelow('packages')].filter((file) => isTest.test(file));
  const touched = touchedBy(changed, tests);
  const files = withinBudget(touched, seconds);
  const all = `${changed.length} files differ from ${revision}; ${touched.length} of ${tests.length} files of tests may load them.`;
  if (files.length === touched.length) return { files, summary: all };
  return {
    files,
    summary: `${all} Here run the ${files.length} that are nearest to the change; \`npm test\` runs all.`,
  };
}

/** The nearest, and of those as near the quickest. */
export function withinBudget(touched: TouchedTest[], seconds: Record<string, number>): string[] {
  const timed = touched
    .map(({ file, steps }) => ({ file, steps, took: seconds[file] ?? unknownSeconds }))
    .toSorted((a, b) => a.steps - b.steps || a.took - b.took);
  let sum = 0;
  return timed
    .filter(({ steps, took }) => {
      sum += took;
      return steps <= nearest || sum <= budget;
    })
    .map(({ file }) => file);
}

/** The files that differ from where this branch left a revision, those that git does not know yet among them. */
export function changedFiles(revision: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  return [
    ...git('diff', '--name-only', '-z', '--no-renames', '--merge-base', revision, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
}

/** A path within the clone, of what is kept in it. */
const isOwn = /^(?!\.|node_modules\/|build\/|dist\/)./;

/** What a file may load or read: what it imports, what it names by a path, and the programs where it starts Node. */
export function mayLoad(file: string): string[] {
  const text = textOf(file);
  const imported = importsOf(file)
    .filter(({ isOfTypes }) => !isOfTypes)
    .flatMap(({ specifier }) => targetOf(file, specifier) ?? []);
  const isOfTests = /^(?:packages\/[^/]+\/)?test\//.test(file);
  const named = [
    ...[...text.matchAll(/['"`]([\w@./-]*[./][\w@./-]*)['"`]/g)].map(([, path = '']) => path),
    ...(isOfTests ? (text.match(readByTests) ?? []) : []),
  ]
    .flatMap((path) => [normalize(path), join(dirname(file), path)])
    .filter((path) => isOwn.test(path) && existsSync(join(root, path)));
  return [...imported, ...named, ...(text.includes('process.execPath') ? programs : [])];
}

/** The files of tests that reach one of these files, the nearest first. A folder that is named reaches all that is below it. */
export function touchedBy(changed: string[], tests: string[]): TouchedTest[] {
  const loads = new Map<string, string[]>();
  const loadedBy = (file: string): string[] => {
    const known = loads.get(file);
    if (known !== undefined) return known;
    const isSource = /\.(m?ts|mjs|js)$/.test(file) && existsSync(join(root, file));
    const loaded = isSource && statSync(join(root, file)).isFile() ? mayLoad(file) : [];
    loads.set(file, loaded);
    return loaded;
  };
  const isChanged = (path: string) =>
    changed.some((file) => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`));
  return tests
    .flatMap((file) => {
      const steps = stepsTo(isChanged, file, loadedBy);
      return steps === undefined ? [] : { file, steps };
    })
    .toSorted((a, b) => a.steps - b.steps);
}

function stepsTo(
  isLookedFor: (file: string) => boolean,
  start: string,
  next: (file: string) => string[],
): number | undefined {
  const seen = new Set([start]);
  let level = [start];
  for (let steps = 0; level.length > 0; steps += 1) {
    if (level.some(isLookedFor)) return steps;
    level = level.flatMap(next).filter((file) => !seen.has(file) && seen.add(file));
  }
  return undefined;
}
