import { expect, test } from '@jest/globals';
import { everyPath, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { type PathClass, Patterns } from '../../src/access/path-classes.ts';
import { Acl } from '../../src/graph/policies/acl.ts';
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
