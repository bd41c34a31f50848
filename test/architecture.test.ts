import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = new URL('..', import.meta.url).pathname;

/**
 * The rooms of the house, and the arrows between them: from which others a room imports, directly. docs/architecture.md
 * draws exactly this list.
 */
const arrows: Record<string, string[]> = {
  'main.mjs': ['index.ts'],
  'index.ts': ['stacks'],
  'packages/policy-pack': ['engine', 'core'],
  'packages/gatehouse': ['stacks', 'providers', 'components', 'core'],
  stacks: ['providers', 'components', 'client', 'core'],
  'packages/pulumi-package': ['providers', 'components', 'core'],
  providers: ['components', 'core'],
  components: ['core'],
  cli: ['operations', 'core'],
  'packages/ci': ['core'],
  operations: ['engine', 'run-tasks', 'embedded', 'client', 'core'],
  engine: ['client', 'storage', 'core'],
  'run-tasks': ['web', 'client', 'storage', 'core'],
  embedded: ['web', 'client', 'storage', 'core'],
  client: ['core'],
  web: ['core'],
  storage: ['core'],
  core: [],
};

/** The order inside core: a folder imports from those that follow it here. */
const coreOrder = [
  ['review', 'rules', 'usage', 'access', 'login', 'model'],
  ['review', 'run-task', 'model'],
];

/** Only these files of operations may stand on what stands in for real systems. */
const standsOnEmbedded = /^operations\/dev\//;

/** Folders of files that may import whatever they need, and that nothing else imports. */
const free = ['test', 'scripts', 'examples', 'packages/bench', 'packages/create-gatehouse'];

const skipped = new Set(['node_modules', '.git', '.gatehouse', 'build', 'docs']);
const forbiddenNames = /^(utils?|helpers?|common|managers?)$|[-.](utils?|helpers?|common|manager)$/;
const longest = 400;

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return /\.(m?ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

/** The room that a file belongs to; undefined when it belongs to none. */
function roomOf(path: string): string | undefined {
  const rooms = [...Object.keys(arrows), ...free];
  return rooms.find((room) => path === room || path.startsWith(`${room}/`));
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
const house = files.filter((path) => arrows[roomOf(path) ?? ''] !== undefined);
const imports = house.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

/** Which part of `folder` a file stands in: a folder's name, or `.` for the files directly in it. */
function partOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...more] = path.slice(folder.length + 1).split('/');
  return more.length === 0 ? '.' : first;
}

/** The parts of a folder that import each other in a circle: its folders, and the files directly in it as one. */
function circleIn(folder: string): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [one, other] = [partOf(folder, from), partOf(folder, to)];
    if (one === undefined || other === undefined || one === other) continue;
    next.set(one, (next.get(one) ?? new Set()).add(other));
  }
  return [...next.keys()]
    .filter((part) => {
      const reached = new Set(next.get(part));
      for (const inner of reached) for (const further of next.get(inner) ?? []) reached.add(further);
      return reached.has(part);
    })
    .sort();
}

describe('the house', () => {
  test('has every file in one of its rooms, but for the configuration of tools at its root', () => {
    expect(files.filter((path) => roomOf(path) === undefined && path !== 'jest.config.mjs')).toEqual([]);
  });

  test('has no arrows between rooms but those of the list', () => {
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) !== roomOf(to))
      .filter(({ from, to }) => !arrows[roomOf(from) ?? '']?.includes(roomOf(to) ?? ''))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('has no arrow in the list that no file needs', () => {
    const used = new Set(imports.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
    const listed = Object.entries(arrows).flatMap(([from, targets]) =>
      targets.map((to) => `${from} → ${to}`),
    );
    expect(listed.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  test('stands on what stands in for real systems in `gatehouse dev` alone', () => {
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) === 'operations' && roomOf(to) === 'embedded')
      .filter(({ from }) => !standsOnEmbedded.test(from))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('has a core whose folders import in one order', () => {
    const allowed = (from: string, to: string) =>
      from === to ||
      coreOrder.some((order) => order.includes(from) && order.indexOf(to) > order.indexOf(from));
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) === 'core' && roomOf(to) === 'core')
      .filter(({ from, to }) => !allowed(partOf('core', from) ?? '', partOf('core', to) ?? ''))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('has no folder, at any level, whose parts import each other in a circle', () => {
    const folders = new Set<string>();
    for (const path of house) {
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
    }
    const circles = [...folders].filter((folder) => circleIn(folder).length > 0).sort();
    expect(circles).toEqual([]);
  });

  test('has no two files that import each other, but for types', () => {
    const pairs = imports.filter(
      ({ from, to }) => from < to && imports.some((back) => back.from === to && back.to === from),
    );
    const typesOnly = ({ from, to }: { from: string; to: string }) =>
      new RegExp(`import type [^;]*/${basename(to)}'`).test(readFileSync(join(root, from), 'utf8'));
    expect(pairs.filter((pair) => !typesOnly(pair) && !typesOnly({ from: pair.to, to: pair.from }))).toEqual(
      [],
    );
  });

  test('is drawn in docs/architecture.md as it is', () => {
    const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const drawn = [...text.matchAll(/^\s*(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} → ${to}`);
    const listed = Object.entries(arrows)
      .filter(([from]) => from !== 'main.mjs')
      .flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));
    const inCore = coreOrder.flatMap((order) =>
      order.slice(1).map((to, index) => `core/${order[index]} → core/${to}`),
    );
    expect(drawn.sort()).toEqual([...listed, ...inCore].sort());
  });

  test('has a core without Pulumi and without input or output', () => {
    const outward =
      /from '(@pulumi\/[^']*|node:(?:fs|http|https|net|tls|child_process|dns|worker_threads)[^']*)'/;
    const wrong = house.filter(
      (path) => path.startsWith('core/') && outward.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  test('imports no file from the inside of another package', () => {
    const inside = /(?:from |import\()'(?:@[^/']+\/)?[^./@'][^/']*\/(?:lib|src|internal|build)\/[^']*'/;
    expect(files.filter((path) => inside.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
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
    expect(importsOf('cli/main.ts').length).toBeGreaterThan(0);
  });

  test('tells the files directly in a folder from its folders', () => {
    expect(partOf('core', 'core/model/graph.ts')).toBe('model');
    expect(partOf('core/model', 'core/model/graph.ts')).toBe('.');
    expect(partOf('core/rules', 'core/model/graph.ts')).toBeUndefined();
  });
});
