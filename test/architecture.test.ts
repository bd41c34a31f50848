import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { entries } from '../scripts/entries.ts';
import { importsOf, reachedFrom, root, sourcesBelow, targetOf, textOf } from '../scripts/import-graph.ts';
import { readmesWithNames } from '../scripts/public-names.ts';
import { sentencesIn } from '../scripts/sentences.ts';
import { spreadsOfData, spreadsOfLiterals } from '../scripts/spreads.ts';

/**
 * The rooms of the house, and the arrows between them: from which others a room imports, directly. docs/inside/architecture.md
 * draws exactly this list.
 */
const arrows: Record<string, string[]> = {
  'main.mjs': ['index.ts'],
  'index.ts': ['stacks'],
  stacks: ['providers', 'components', 'packages/service-client', 'packages/core'],
  providers: ['components', 'packages/core'],
  components: ['packages/core'],
  'packages/gatehouse': ['stacks', 'providers', 'components', 'packages/core'],
  'packages/pulumi-package': ['providers', 'components', 'packages/core'],
  'packages/policy-pack': ['packages/engine', 'packages/core'],
  'packages/ci': ['packages/core'],
  'packages/cli': ['engine', 'run-tasks', 'secrets-service', 'service-client', 'core'].map(
    (name) => `packages/${name}`,
  ),
  'packages/engine': ['packages/service-client', 'packages/host', 'packages/core'],
  'packages/run-tasks': ['packages/host', 'packages/service-client', 'packages/core'],
  'packages/secrets-service': ['packages/host', 'packages/service-client', 'packages/core'],
  'packages/service-client': ['packages/core'],
  'packages/host': ['packages/core'],
  'packages/review-page': ['packages/core'],
  'packages/core': [],
};

/** The same inside of core: a folder imports those that it points to, and those that they point to. */
const coreArrows: Record<string, string[]> = {
  statement: ['review'],
  review: ['words', 'environment'],
  'access-list': ['words'],
  words: ['usage'],
  usage: ['access'],
  access: ['login'],
  login: ['graph'],
  environment: ['graph'],
  'run-task': ['graph'],
  graph: [],
};

/** Only these files of the command may stand on what stands in for real systems. */
const standsOnDoubles = /^packages\/cli\/src\/dev\//;

/** Folders of files that may import whatever they need, also the inside of a package, and that nothing else imports. */
const free = [/^test\//, /^packages\/[^/]+\/test\//, /^scripts\//, /^examples\//, /^packages\/bench\//];

const forbiddenNames = /^(utils?|helpers?|common|managers?)$|[-.](utils?|helpers?|common|manager)$/;
const longest = 400;

const packageAt = (folder: string) => JSON.parse(textOf(`${folder}/package.json`));

const isFree = (path: string) => free.some((pattern) => pattern.test(path));

/** The room that a file belongs to; undefined when it belongs to none, as tests do in the folder of a package. */
function roomOf(path: string): string | undefined {
  if (isFree(path)) return undefined;
  return Object.keys(arrows).find((room) => path === room || path.startsWith(`${room}/`));
}

const ownPackage = /^@gatehouse\//;
const specifiersOf = (path: string) => importsOf(path).map(({ specifier }) => specifier);

const files = sourcesBelow('');
const house = files.filter((path) => roomOf(path) !== undefined);
const imports = house.flatMap((from) =>
  specifiersOf(from).flatMap((specifier) => {
    const to = targetOf(from, specifier);
    return to === undefined ? [] : [{ from, to, specifier }];
  }),
);
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
const faces = new Set(entries.map(({ file }) => file));

/** Which part of `folder` a file stands in: a folder's name, or `.` for the files directly in it. */
function partOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length === 0 ? '.' : first;
}

/** The parts of a folder that import each other in a circle: its folders, and the files directly in it as one. */
function circleIn(folder: string): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    if (faces.has(from)) continue;
    const [one, other] = [partOf(folder, from), partOf(folder, to)];
    if (one === undefined || other === undefined || one === other) continue;
    next.set(one, (next.get(one) ?? new Set()).add(other));
  }
  return [...next.keys()]
    .filter((part) => reachedFrom(part, (from) => next.get(from) ?? []).has(part))
    .sort();
}

const arrowTexts = (wrong: typeof imports) => wrong.map(({ from, to }) => `${from} → ${to}`);
const listed = Object.entries(arrows).flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));

describe('the house', () => {
  test('has every file in one of its rooms, but for the configuration of tools at its root', () => {
    const outside = files.filter((path) => roomOf(path) === undefined && !isFree(path));
    expect(
      outside.filter((path) => !/^(jest\.config\.mjs|packages\/create-gatehouse\/.*)$/.test(path)),
    ).toEqual([]);
  });

  test('has no arrows between rooms but those of the list', () => {
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) !== roomOf(to))
      .filter(({ from, to }) => !arrows[roomOf(from) ?? '']?.includes(roomOf(to) ?? ''));
    expect(arrowTexts(wrong)).toEqual([]);
  });

  test('has no arrow in the list that no file needs', () => {
    const used = new Set(imports.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
    expect(listed.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  test('has packages that are imported by what they export', () => {
    const around = imports.filter(
      ({ from, to, specifier }) =>
        to.startsWith('packages/') && roomOf(from) !== roomOf(to) && specifier.startsWith('.'),
    );
    expect(arrowTexts(around)).toEqual([]);
    const missing = house.flatMap((from) =>
      specifiersOf(from)
        .filter((specifier) => ownPackage.test(specifier) && targetOf(from, specifier) === undefined)
        .map((specifier) => `${from} → ${specifier}`),
    );
    expect(missing).toEqual([]);
  });

  test('stands on what stands in for real systems in `gatehouse dev` alone', () => {
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) === 'packages/cli' && roomOf(to) === 'packages/secrets-service')
      .filter(({ from }) => !standsOnDoubles.test(from));
    expect(arrowTexts(wrong)).toEqual([]);
  });

  test('has a core whose folders import in one order', () => {
    const folderOf = (path: string) => partOf('packages/core/src', path) ?? '';
    const wrong = imports
      .filter(({ from, to }) => roomOf(from) === 'packages/core' && folderOf(from) !== folderOf(to))
      .filter(({ from, to }) => !reachedFrom(folderOf(from), (at) => coreArrows[at] ?? []).has(folderOf(to)));
    expect(arrowTexts(wrong)).toEqual([]);
  });

  test('has no folder, at any level, whose parts import each other in a circle', () => {
    const folders = new Set<string>();
    for (const path of house) {
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
    }
    expect([...folders].filter((folder) => circleIn(folder).length > 0).sort()).toEqual([]);
  });

  test('has no files that import each other in a circle', () => {
    const next = Map.groupBy(imports, ({ from }) => from);
    const inCircle = house.filter((path) =>
      reachedFrom(path, (from) => (next.get(from) ?? []).map(({ to }) => to)).has(path),
    );
    expect(inCircle).toEqual([]);
  });

  test('is drawn in docs/inside/architecture.md as it is', () => {
    const text = textOf('docs/inside/architecture.md');
    const drawn = [...text.matchAll(/^\s*(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} → ${to}`);
    const inCore = Object.entries(coreArrows).flatMap(([from, targets]) =>
      targets.map((to) => `core/${from} → core/${to}`),
    );
    const short = listed.map((arrow) => arrow.replaceAll('packages/', ''));
    expect(drawn.sort()).toEqual(
      [...short.filter((arrow) => !arrow.startsWith('main.mjs')), ...inCore].sort(),
    );
  });

  test('has a core without Pulumi and without input or output', () => {
    const outward =
      /from '(@pulumi\/[^']*|node:(?:fs|http|https|net|tls|child_process|dns|worker_threads)[^']*)'/;
    expect(house.filter((path) => roomOf(path) === 'packages/core' && outward.test(textOf(path)))).toEqual(
      [],
    );
  });

  test('runs git in one file alone', () => {
    const runsGit = /(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|run)\(\s*['"`]git\b/;
    const named = /^\s*(?:const|let) \w+ = ['"`]git['"`]/m;
    const starts = /child_process/;
    const one = 'packages/cli/src/git/run-git.ts';
    expect(files.filter((path) => !isFree(path) && runsGit.test(textOf(path)))).toEqual([one]);
    const around = house.filter((path) => starts.test(textOf(path)) && named.test(textOf(path)));
    expect(around).toEqual([]);
    // What starts programs is known: a new one says here that it does not start git.
    expect(house.filter((path) => path !== one && starts.test(textOf(path)))).toEqual([
      'packages/ci/command.ts',
      'packages/cli/src/about/about.ts',
      'packages/cli/src/new/installer.ts',
      'packages/cli/src/open/login.ts',
      'packages/cli/src/open/read-plan-archive.ts',
      'packages/cli/src/terminal/pager.ts',
      'packages/cli/src/verify/verify.ts',
      'packages/engine/src/local/containment.ts',
      'packages/engine/src/local/program.ts',
      'packages/engine/src/pulumi/pulumi-cli.ts',
      'packages/pulumi-package/schema.ts',
    ]);
    const scripts = ['action.yml', 'packages/ci/gitlab.yml'].filter((path) =>
      /\bgit\s+[a-z]/.test(textOf(path)),
    );
    expect(scripts).toEqual([]);
  });

  test('imports no file from the inside of another package', () => {
    const inside = /(?:from |import\()'(?:@[^/']+\/)?[^./@'][^/']*\/(?:lib|src|internal|build)\/[^']*'/;
    expect(files.filter((path) => inside.test(textOf(path)))).toEqual([]);
  });

  test(`has no file of more than ${longest} lines`, () => {
    const lines = (path: string) => textOf(path).split('\n').length - 1;
    expect(files.filter((path) => lines(path) > longest)).toEqual([]);
  });

  test('has no type that the compiler cannot check', () => {
    const unchecked = /as unknown as|@ts-(?:ignore|nocheck)/;
    const own = 'test/architecture.test.ts';
    expect(files.filter((path) => path !== own && unchecked.test(textOf(path)))).toEqual([]);
  });

  test('uses the name of a type for one type', () => {
    // Where names are not yet each their own.
    const leftOut = /^packages\/core\/src\/(access|review\/plan|graph\/resources)\//;
    const declaration = /^(?:export )?(?:abstract )?(?:type|interface|class) (\w+)/gm;
    const sources = files.filter(
      (path) => (!isFree(path) || /^(scripts|packages\/bench)\//.test(path)) && !leftOut.test(path),
    );
    const declared = sources.flatMap((path) =>
      [...textOf(path).matchAll(declaration)].map(([, name = '']) => ({ name, path })),
    );
    const shared = [...Map.groupBy(declared, ({ name }) => name)].filter(([, all]) => all.length > 1);
    expect(shared.map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(', ')}`)).toEqual([]);
  });

  test('spreads no literal into a literal, where the compiler checks less', () => {
    const spreads = files.flatMap((path) => spreadsOfLiterals(textOf(path)).map((at) => `${path}:${at}`));
    expect(spreads).toEqual([]);
  });

  test('spreads no list of any length into the arguments of a call, which would crash', () => {
    const offending = house.flatMap((path) => {
      const textOfImport = (specifier: string) => {
        const target = targetOf(path, specifier);
        return target === undefined ? undefined : textOf(target);
      };
      return spreadsOfData(textOf(path), textOfImport).map((spread) => `${path}:${spread}`);
    });
    expect(offending).toEqual([]);
  });

  test('has no sentence in what decides access or use: words/ turns their data into words', () => {
    const collectors = 'packages/core/src/usage/wrappers.ts';
    // Orders of fields, and demands on claims.
    const named =
      /^\d+: (?:in one of|one of several|(?:asked|given) (?:if true|unless false)|(?:texts?|number) if there)$/;
    const sentences = house
      .filter((path) => /^packages\/core\/src\/(?:access|usage)\//.test(path) && path !== collectors)
      .flatMap((path) =>
        sentencesIn(textOf(path))
          .filter((found) => !named.test(found))
          .map((found) => `${path}:${found}`),
      );
    expect(sentences).toEqual([]);
  });

  test('has no file or folder named for nothing in particular', () => {
    const vague = files.filter((path) =>
      path.split('/').some((part) => forbiddenNames.test(part.replace(/(\.test)?\.\w+$/, ''))),
    );
    expect(vague).toEqual([]);
  });
});

describe.each(packages)('%s', (folder) => {
  const { private: isPrivate, exports = {}, dependencies = {} } = packageAt(folder);
  const clone = JSON.parse(textOf('package.json'));

  test('is a part of the clone, which npm does not publish', () => {
    expect(isPrivate).toBe(true);
    expect(Object.keys(exports).filter((entry) => entry.includes('*'))).toEqual([]);
  });

  test('depends on what it imports', () => {
    const imported = files
      .filter((path) => path.startsWith(`${folder}/`) && !path.startsWith(`${folder}/test/`))
      .flatMap((path) => specifiersOf(path))
      .flatMap((specifier) => /^(?:@[^/]+\/)?[\w-][^/:]*(?=\/|$)/.exec(specifier)?.[0] ?? [])
      .filter((name) => name !== clone.name && clone.peerDependenciesMeta[name] === undefined);
    expect(imported.filter((name) => dependencies[name] === undefined)).toEqual([]);
    // Loaded when it is needed, run, or needed by the program, which has no dependencies of its own.
    const rooms = [folder, ...(arrows[folder] ?? []).filter((room) => !room.startsWith('packages/'))];
    const texts = files.filter((path) => rooms.some((room) => path.startsWith(`${room}/`))).map(textOf);
    const isNamed = (name: string) => texts.some((text) => text.includes(`'${name}`));
    expect(Object.keys(dependencies).filter((name) => !isNamed(name) && name !== 'node')).toEqual([]);
  });
});

test('the package that is published depends on what its parts depend on, and on peers of a program', () => {
  const { dependencies, peerDependencies } = JSON.parse(textOf('package.json'));
  const parts = packages
    // The page is published as one file, built.
    .filter((folder) => !['packages/bench', 'packages/review-page'].includes(folder))
    .flatMap((folder) => Object.entries<string>(packageAt(folder).dependencies ?? {}))
    .filter(([name]) => name !== 'node' && !name.startsWith('@gatehouse/') && !(name in peerDependencies));
  expect(dependencies).toEqual(Object.fromEntries(parts));
});

test('the package that is published exports what the public library does, compiled', () => {
  const library = packageAt('packages/gatehouse').exports;
  const modules = Object.entries<string>(library).map(([entry, file]) => {
    const module = `./dist/${join('packages/gatehouse', file).replace(/\.ts$/, '')}`;
    return [entry, { types: `${module}.d.ts`, default: `${module}.js` }];
  });
  expect(JSON.parse(textOf('package.json')).exports).toEqual(Object.fromEntries(modules));
});

describe('what packages offer each other', () => {
  test.each(Object.entries(readmesWithNames()))(
    'is in %s (node scripts/write-reference.ts)',
    (path, readme) => expect(textOf(path)).toBe(readme),
  );
});

describe('what this test reads of texts', () => {
  test.each([
    ["const a = 'what it does';", ['1: what it does']],
    [`const a = \`what \${b} allows here now\`;`, ['1: allows here now']],
    ["const a = 'auth/token/create'; const b = 'two words';", []],
    ["throw new Error('this is one'); const a = new GatehouseError('this is one');", []],
    ["import { a } from 'x'; type B = 'one of several';", []],
  ])('are sentences: %s', (source, found) => {
    expect(sentencesIn(source)).toEqual(found);
  });
});

describe('what this test reads of imports', () => {
  test('finds every form of them', () => {
    expect(specifiersOf('index.ts')).toContain('./stacks/environment.ts');
    expect(targetOf('index.ts', './stacks/environment.ts')).toBe('stacks/environment.ts');
    expect(targetOf('index.ts', '@gatehouse/core/graph')).toBe('packages/core/src/graph/index.ts');
    expect(targetOf('index.ts', '@gatehouse/core/no-such')).toBeUndefined();
    expect(targetOf('index.ts', 'zod')).toBeUndefined();
  });

  test('tells the files directly in a folder from its folders', () => {
    expect(partOf('packages/core/src', 'packages/core/src/graph/graph.ts')).toBe('graph');
    expect(partOf('packages/core/src/graph', 'packages/core/src/graph/graph.ts')).toBe('.');
    expect(partOf('packages/host', 'packages/core/src/graph/graph.ts')).toBeUndefined();
  });
});
