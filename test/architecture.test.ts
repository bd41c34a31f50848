import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = new URL('..', import.meta.url).pathname;

/**
 * The arrows of the design ("Arrows, and no others"): a folder may import from those it points to, and from those
 * that they point to. A folder that is not here as a key is none of the house.
 */
const arrows: Record<string, string[]> = {
  'main.mjs': ['index.ts'],
  'index.ts': ['stacks'],
  stacks: ['providers', 'core/rules'],
  providers: ['components'],
  components: ['core/model'],
  cli: ['operations'],
  operations: ['engine', 'services', 'client', 'core/review', 'core/run-task'],
  engine: ['client', 'storage', 'core/review', 'core/run-task'],
  services: ['client', 'storage', 'core/review', 'core/run-task'],
  storage: ['core/model'],
  client: ['core/review', 'core/run-task'],
  'core/review': ['core/rules'],
  'core/rules': ['core/login'],
  'core/login': ['core/model'],
  'core/run-task': ['core/model'],
  'core/model': [],
};

/** Folders of files that may import whatever they need, and that nothing else imports. */
const free = ['test', 'bench', 'scripts', 'examples'];

const skipped = new Set(['node_modules', '.git', '.gatehouse', 'docs']);
const forbiddenNames = /^(utils?|helpers?|common|managers?)$|[-.](utils?|helpers?|common|manager)$/;
const longest = 400;

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return /\.(m?ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

/** The part of the house that a file belongs to; undefined when it belongs to none. */
function partOf(path: string): string | undefined {
  const parts = [...Object.keys(arrows), ...free];
  return parts.find((part) => path === part || path.startsWith(`${part}/`));
}

/** What a part may import from: itself, and all that its arrows lead to. */
function reachable(part: string): Set<string> {
  const found = new Set([part]);
  for (const inner of found) for (const next of arrows[inner] ?? []) found.add(next);
  return found;
}

/** The files of the tree that a file imports, statically or by `import()`, for its types alone too. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const specifier =
    /(?:^|[\s;}])(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(specifier)]
    .map(([, from, direct]) => from ?? direct ?? '')
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(root, join(root, dirname(path), target)));
}

const files = filesBelow('');
const house = files.filter((path) => arrows[partOf(path) ?? ''] !== undefined);

describe('the house', () => {
  test('has every file in one of its folders, but for the configuration of tools at its root', () => {
    expect(files.filter((path) => partOf(path) === undefined && path !== 'jest.config.mjs')).toEqual([]);
  });

  test('has no arrows but those of the design', () => {
    const wrong = house.flatMap((path) => {
      const allowed = reachable(partOf(path) ?? '');
      return importsOf(path)
        .filter((target) => !allowed.has(partOf(target) ?? ''))
        .map((target) => `${path} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('has a core without Pulumi and without input or output', () => {
    const outward =
      /from '(@pulumi\/[^']*|node:(?:fs|http|https|net|tls|child_process|dns|worker_threads)[^']*)'/;
    const wrong = house.filter(
      (path) => path.startsWith('core/') && outward.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  test(`has no file of more than ${longest} lines`, () => {
    const long = files
      .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > longest);
    expect(long).toEqual([]);
  });

  test('has no file or folder named for nothing in particular', () => {
    const vague = files.filter((path) =>
      path.split('/').some((part) => forbiddenNames.test(part.replace(/(\.test)?\.\w+$/, ''))),
    );
    expect(vague).toEqual([]);
  });
});

describe('what this test reads of imports', () => {
  test('finds every form of them', () => {
    const own = importsOf('test/architecture.test.ts');
    expect(own).toEqual([]);
    expect(importsOf('index.ts')).toContain('stacks/environment.ts');
    expect(importsOf('core/model/declared.ts')).toEqual(
      expect.arrayContaining([
        'core/model/auth-method.ts',
        'core/model/kinds/kind.ts',
        'core/model/errors.ts',
      ]),
    );
  });

  test('follows arrows as far as they lead', () => {
    expect([...reachable('stacks')].sort()).toEqual([
      'components',
      'core/login',
      'core/model',
      'core/rules',
      'providers',
      'stacks',
    ]);
    expect([...reachable('core/login')].sort()).toEqual(['core/login', 'core/model']);
  });
});
