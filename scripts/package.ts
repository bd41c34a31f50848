// What npm publishes, made in build/package/: `gatehouse`, compiled, and `create-gatehouse`, with which `npm create
// gatehouse` runs `gatehouse new`. `node scripts/package.ts [FOLDER]` packs both into a folder (build/package).
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The compiler's configuration says which folders are part of the package, and what in them is not compiled. */
const { include: rooms, exclude: uncompiled }: { include: string[]; exclude: string[] } = JSON.parse(
  readFileSync(join(root, 'tsconfig.package.json'), 'utf8'),
);

/** What can be imported from outside: `gatehouse`, and the others as `gatehouse/review` and so on. */
const exported = readdirSync(join(root, 'packages/gatehouse'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));

/** Paths of the packed files. */
export interface Packed {
  gatehouse: string;
  create: string;
}

/**
 * Stages both packages below `folder` and packs them into it.
 *
 * @throws Error with the compiler's or npm's output
 */
export function packPackages(folder: string): Packed {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [gatehouse, create] = [join(folder, 'gatehouse'), join(folder, 'create-gatehouse')];
  stageGatehouse(gatehouse);
  stageCreate(create);
  return { gatehouse: pack(gatehouse, folder), create: pack(create, folder) };
}

function stageGatehouse(target: string): void {
  run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.package.json',
    '--outDir',
    target,
  ]);
  keepDeclarations(target);
  run(process.execPath, ['scripts/write-package-schema.ts']);
  for (const room of rooms) copyUncompiled(room, target);
  for (const file of ['action.yml', 'CHANGELOG.md', 'LICENSE', 'README.md', ...pagesNamedIn(target)])
    cpSync(join(root, file), join(target, file));
  chmodSync(join(target, clone.bin.gatehouse), 0o755);
  const { name, version, description, license, type, bin, engines } = clone;
  const { peerDependencies, peerDependenciesMeta } = clone;
  // What the clone alone brings along: a team has its own Node.js, and the peers in addition to this package.
  const own = Object.entries(clone.dependencies).filter(
    ([dependency]) => dependency !== 'node' && !Object.hasOwn(peerDependencies, dependency),
  );
  // Not in the clone's package.json: Pulumi would take its `exports` for the program.
  const exports = Object.fromEntries(
    exported.map((module) => [
      module === name ? '.' : `./${module}`,
      { types: `./packages/gatehouse/${module}.d.ts`, default: `./packages/gatehouse/${module}.js` },
    ]),
  );
  writePackage(target, {
    ...{ name, version, description, license, type, bin, exports, engines },
    ...{ dependencies: Object.fromEntries(own), peerDependencies, peerDependenciesMeta },
  });
}

/** The pages of the docs that messages and findings name (not those that only a comment does), with what lies next to them. */
function pagesNamedIn(target: string): string[] {
  const modules = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.m?js$/.test(path),
  );
  const lines = modules.flatMap((path) => readFileSync(join(target, path), 'utf8').split('\n'));
  const said = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join('\n');
  const named = new Set(said.match(/\bdocs\/[\w-]+(?=\.md)/g));
  const pages = readdirSync(join(root, 'docs')).map((file) => `docs/${file}`);
  return pages.filter((page) => named.has(page.replace(/\..*/, '')));
}

function stageCreate(target: string): void {
  const { version, license, type, engines } = clone;
  cpSync(join(root, 'packages', 'create-gatehouse'), target, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writePackage(target, {
    name: 'create-gatehouse',
    version,
    description: 'npm create gatehouse: a repository of your own for Gatehouse, login as code.',
    ...{ license, type, engines },
    bin: { 'create-gatehouse': 'create-gatehouse.mjs' },
    dependencies: { gatehouse: version },
  });
}

/** What comes with the modules: styles and scripts of pages, what `gatehouse new` writes. */
function copyUncompiled(path: string, target: string): void {
  if (!existsSync(join(root, path))) return;
  if (statSync(join(root, path)).isDirectory() && !uncompiled.includes(path)) {
    for (const name of readdirSync(join(root, path))) copyUncompiled(join(path, name), target);
  } else if (!['.ts', '.mjs'].includes(extname(path)) && basename(path) !== 'tsconfig.json') {
    cpSync(join(root, path), join(target, path), { recursive: true });
  }
}

/** Of the declarations, only those stay that what is exported refers to; they name modules as the package has them. */
function keepDeclarations(target: string): void {
  const kept = new Set<string>();
  const keep = (path: string) => {
    if (kept.has(path)) return;
    kept.add(path);
    const text = readFileSync(path, 'utf8').replaceAll(
      /(from |import\()(['"]\.[^'"]+)\.ts(['"])/g,
      '$1$2.js$3',
    );
    writeFileSync(path, text);
    for (const [, module = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      keep(join(dirname(path), `${module}.d.ts`));
    }
  };
  for (const module of exported) keep(join(target, 'packages/gatehouse', `${module}.d.ts`));
  for (const path of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (/\.d\.m?ts$/.test(path) && !kept.has(join(target, path))) rmSync(join(target, path));
  }
}

function writePackage(target: string, content: object): void {
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

function pack(staged: string, folder: string): string {
  const said = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], staged);
  const [{ filename }] = JSON.parse(said);
  return join(folder, filename);
}

/** Runs a program to its end. @returns what it prints. @throws Error with all that it printed, where it fails */
export function run(command: string, args: string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

if (import.meta.main) {
  const { gatehouse, create } = packPackages(resolve(process.argv[2] ?? join(root, 'build', 'package')));
  for (const path of [gatehouse, create]) console.log(relative(process.cwd(), path));
}
