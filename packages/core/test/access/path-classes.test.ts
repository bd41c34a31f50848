import { expect, test } from '@jest/globals';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { type PathClass, Patterns } from '../../src/access/path-classes.ts';
import { Acl, hasWildcard, isOfPattern } from '../../src/graph/policies/acl.ts';
import { Budget } from '../../src/graph/values/budget.ts';

const rounds = Number(process.env['ROUNDS'] ?? 150);
const seed = Number(process.env['SEED'] ?? 20_261_121);

/** The classes that these patterns tell apart: what is asked, a path, and the patterns that match. */
function classesOf(patterns: string[], followed = patterns): string[] {
  const all = new Patterns(patterns);
  const found: string[] = [];
  const visit = ({ asks, path, order }: PathClass) =>
    found.push(`${asks} ${path}: ${order.map((index) => all.texts[index]).join(' ')}`);
  all.walk(new Set(followed.map((text) => all.indexOf(text))), visit, new Budget());
  return found;
}

test('each class has one path, the patterns of words first', () => {
  expect(classesOf(['a', 'a/', 'a/b*', '+/c', 'a/+'])).toEqual([
    'others a: a',
    'others a/c: a/+ +/c',
    'others a/b: a/b* a/+',
    'others a/x: a/+',
    'list a/: a/ a a/+',
    'others a/: a/ a/+',
    'list a/c/: a/+ +/c',
    'others a/b/x: a/b*',
    'list a/b/: a/b* a/+',
    'list a/b/x/: a/b*',
    'list a/x/: a/+',
    'others x/c: +/c',
    'list x/c/: +/c',
  ]);
});

test('only classes that a followed pattern matches are visited', () => {
  expect(classesOf(['a/*', 'a/b', 'c/+/d'], ['a/b'])).toEqual(['others a/b: a/b a/*', 'list a/b/: a/b a/*']);
});

test('a word is fresh however many patterns begin with one letter', () => {
  const letters = [...'xyzabcdefghijklmnopqrstuvw0123456789À'];
  expect(classesOf(['x', 'y', 'z*', '+'])).toContain('others a: +');
  const patterns = letters.map((letter) => `a/${letter}*`);
  expect(classesOf(patterns)).toHaveLength(2 * letters.length);
  expect(classesOf([...patterns, 'a/+'])).toContain('others a/ä: a/+');
});

test(`every path has its class, and each class a path of its own, seed ${seed}`, () => {
  for (let round = 0; round < rounds; round++) {
    const patterns = randomPolicies(seed + round, 2)
      .flat()
      .map(({ path }) => path);
    const all = new Patterns(patterns);
    const decided = new Set<string>();
    all.walk(
      new Set(all.texts.keys()),
      ({ order, asks }) => decided.add(`${asks} ${all.texts[order[0] ?? -1]}`),
      new Budget(),
    );
    // A policy for each pattern, told by its capability.
    const acl = new Acl(
      [{ name: 'p', rules: all.texts.map((path) => ({ path, capabilities: [path, 'list'] })) }],
      0n,
    );
    const asked = new Set(
      everyPath.flatMap((path) => {
        const [pattern] = acl.capabilities(path).filter((one) => !['list', 'deny'].includes(one));
        if (pattern === undefined) return [];
        return path.endsWith('/') ? [`list ${pattern}`] : [`others ${pattern}`];
      }),
    );
    for (const one of asked)
      expect({ round, patterns, one, has: decided.has(one) }).toMatchObject({ has: true });
  }
});

const words = ['a', 'ab', 'ac', 'abc', 'c'];
/** Every path of four of these segments or fewer. */
const shortPaths = [1, 2, 3, 4].reduce<string[][]>(
  ([...levels]) => [
    ...levels,
    words.flatMap((word) => (levels.at(-1) ?? ['']).map((path) => join(path, word))),
  ],
  [],
);

function join(path: string, word: string): string {
  return path === '' ? word : `${path}/${word}`;
}

/** Matching patterns that count: the first for each thing that one decides for. */
function countingOf(order: readonly number[], decidesFor: readonly number[][]): number[] {
  const isNew = (index: number, at: number) =>
    decidesFor[index]?.some((one) => !order.slice(0, at).some((other) => decidesFor[other]?.includes(one)));
  return order.filter(isNew);
}

/** The same as a walk, by asking every pattern of every path. */
function askedClasses(
  texts: readonly string[],
  followed: ReadonlySet<number>,
  decidesFor: readonly number[][],
) {
  const classes = new Set<string>();
  const matchingAt = (path: string) => [...texts.keys()].filter((at) => isOfPattern(path, texts[at] ?? ''));
  const isExact = (index: number) => !hasWildcard(texts[index] ?? '');
  for (const path of shortPaths.flat()) {
    const [folder, name] = [matchingAt(`${path}/`), matchingAt(path)];
    const [exact, others] = [true, false].map((wanted) =>
      [folder, name].flatMap((all) => all.filter((index) => isExact(index) === wanted)),
    ) as [number[], number[]];
    const list = [...new Set([...exact, ...others])];
    for (const [asks, order] of [['others', name] as const, ['list', list] as const])
      if (order.some((index) => followed.has(index)))
        classes.add(`${asks} ${countingOf(order, decidesFor).join()}`);
  }
  return [...classes].sort();
}

test(`a walk finds the classes that asking every pattern of every path finds, seed ${seed}`, () => {
  for (let round = 0; round < rounds; round++) {
    const next = randomFrom(seed + round);
    const paths = randomPolicies(seed + round, 3).flatMap((rules) => rules.map(({ path }) => path));
    const all = new Patterns(paths);
    const kinds = [[0], [0, 1], [1], [0, 1, 2]];
    // Half of the time, all decide for the same, as the rules of one policy do.
    const decidesFor = all.texts.map(() => (round % 2 === 0 ? [0, 1] : (kinds[next(kinds.length)] ?? [])));
    const followed = new Set([...all.texts.keys()].filter(() => round % 3 > 0 || next(3) === 0));
    const walked = new Set<string>();
    const visit = ({ asks, path, order }: PathClass) => {
      if (asks === 'list' || !path.endsWith('/')) walked.add(`${asks} ${order.join()}`);
    };
    all.walk(followed, visit, new Budget(), (index) => decidesFor[index]);
    expect({ round, texts: all.texts, decidesFor, classes: [...walked].sort() }).toMatchObject({
      classes: askedClasses(all.texts, followed, decidesFor),
    });
  }
});

/** Counts work, without a limit. */
class CountedWork extends Budget {
  total = 0;
  override spend(work: number): void {
    this.total += work;
  }
}

/** So many patterns: of ten, one with `+`, four without a wildcard, and five that end with `*`. */
const shapes: [name: string, plus: (at: number) => string, literal: (at: number) => string][] = [
  ['a folder for each', (at) => `secret/+/k${at}`, (at) => `secret/t${at}/x`],
  ['ten in a folder', (at) => `secret/data/+/k${at}/y`, (at) => `secret/data/t${Math.floor(at / 10)}/k${at}`],
  ['a mount for each', (at) => `+/k${at}/x`, (at) => `kv${at}/data`],
];

test.each(shapes)('twice the rules take twice the work: %s', (_, plus, literal) => {
  const workOf = (length: number) => {
    const patterns = Array.from({ length }, (_rule, at) =>
      at % 10 === 0 ? plus(at) : at % 2 === 0 ? `${literal(at)}/*` : literal(at),
    );
    const all = new Patterns(patterns);
    const work = new CountedWork();
    let classes = 0;
    all.walk(
      new Set(all.texts.keys()),
      () => classes++,
      work,
      () => [0, 1],
    );
    expect(classes).toBe(2 * length);
    return work.total;
  };
  expect(workOf(2000)).toBeLessThan(2.2 * workOf(1000));
});
