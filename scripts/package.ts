// What npm publishes. `npm pack` runs this before it packs the clone (package.json, prepack) and after, to tidy up:
// `node scripts/package.ts --build` compiles the program and the packages into dist/, `--remove` removes it.
// `node scripts/package.ts [FOLDER]` packs the same, and `create-gatehouse`, with which `npm create gatehouse` runs
// `gatehouse new`, into a folder (build/package).
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries } from './entries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const clone = readJson('package.json');

/** What is compiled, and the folders of files that come with it as they are: assets of pages, what `gatehouse new` writes. */
const { include: compiled }: { include: string[] } = readJson('tsconfig.package.json');
const asTheyAre = ['packages/host/src/pages/assets', 'packages/cli/templates'];

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
  const gatehouse = join(folder, 'gatehouse');
  const create = join(folder, 'create-gatehouse');
  build(join(gatehouse, 'dist'));
  const packed = clone.files.filter((path: string) => path !== 'dist');
  for (const file of ['package.json', 'LICENSE', 'README.md', ...globSync(packed, { cwd: root })])
    cpSync(join(root, file), join(gatehouse, file));
  stageCreate(create);
  return { gatehouse: pack(gatehouse, folder), create: pack(create, folder) };
}

/** Compiles what is published. */
function build(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const tsc = 'node_modules/typescript/bin/tsc';
  const compile = [tsc, '-p', 'tsconfig.package.json', '--outDir', target];
  // Declarations have comments, which editors show; without those of the code, the packed file is a fifth smaller.
  run(process.execPath, [...compile, '--emitDeclarationOnly']);
  run(process.execPath, [...compile, '--declaration', 'false', '--removeComments']);
  nameModulesByPath(target);
  keepDeclarations(target);
  run(process.execPath, ['scripts/write-package-schema.ts']);
  run(process.execPath, ['packages/review-page/build.ts', join(target, 'review.html')]);
  for (const path of asTheyAre) cpSync(join(root, path), join(target, path), { recursive: true });
  for (const path of compiled) copyUncompiled(path, target);
  // Modules read the version and the peers there.
  const { version, type, dependencies, peerDependencies, peerDependenciesMeta } = clone;
  writePackage(target, { version, type, dependencies, peerDependencies, peerDependenciesMeta });
  // An `npm install` there, which Pulumi may run, has nothing to do.
  for (const name of ['policy-pack', 'pulumi-package']) {
    const { dependencies: _, scripts: __, ...description } = readJson(`packages/${name}/package.json`);
    writePackage(join(target, 'packages', name), description);
  }
}

/**
 * Names modules as the package has them. The packages of the clone are not there where this is installed, and the compiler
 * leaves the names in declarations as they are.
 */
function nameModulesByPath(target: string): void {
  const moduleOf = new Map(entries.map(({ specifier, file }) => [specifier, file.replace(/\.ts$/, '.js')]));
  for (const path of globSync('**/*.{js,mjs,d.ts}', { cwd: target })) {
    const file = join(target, path);
    const text = readFileSync(file, 'utf8');
    const named = text.replaceAll(
      /(from |import\()(['"])(@gatehouse\/[^'"]+)\2/g,
      (_, before, quote, specifier) => {
        const module = moduleOf.get(specifier);
        if (module === undefined) throw new Error(`${path} imports ${specifier}, which no package exports`);
        const target = relative(dirname(path), module);
        return `${before}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`;
      },
    );
    const isDeclaration = path.endsWith('.d.ts');
    const whole = isDeclaration
      ? named.replaceAll(/(from |import\()(['"]\.[^'"]+)\.ts(['"])/g, '$1$2.js$3')
      : named;
    if (whole !== text) writeFileSync(file, whole);
  }
}

function stageCreate(target: string): void {
  const { name, version, license, type, engines } = clone;
  cpSync(join(root, 'packages/create-gatehouse/create-gatehouse.mjs'), join(target, 'create-gatehouse.mjs'));
  cpSync(join(root, 'packages/create-gatehouse/README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writePackage(target, {
    name: 'create-gatehouse',
    version,
    description: 'npm create gatehouse: a repository of your own for Gatehouse, login as code.',
    license,
    type,
    engines,
    bin: { 'create-gatehouse': 'create-gatehouse.mjs' },
    dependencies: { [name]: version },
  });
}

/** Other files next to the modules that are read at run time: a schema, files for pipelines and plugins. */
function copyUncompiled(pattern: string, target: string): void {
  for (const path of globSync(pattern, { cwd: root })) {
    const isRead =
      /\.(?:ya?ml|json)$/.test(path) && !['package.json', 'tsconfig.json'].includes(basename(path));
    if (isRead && statSync(join(root, path)).isFile()) cpSync(join(root, path), join(target, path));
  }
}

/** Only declarations that the exports refer to stay. */
function keepDeclarations(target: string): void {
  const kept = new Set<string>();
  const keep = (path: string) => {
    if (kept.has(path)) return;
    kept.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, module = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      keep(join(dirname(path), `${module}.d.ts`));
    }
  };
  for (const { types } of Object.values<{ types: string }>(clone.exports)) keep(join(target, '..', types));
  for (const path of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (/\.d\.m?ts$/.test(path) && !kept.has(join(target, path))) rmSync(join(target, path));
  }
}

function writePackage(target: string, content: object): void {
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

function pack(staged: string, folder: string): string {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], staged);
  const [{ filename }] = JSON.parse(output);
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
  const [target = join(root, 'build', 'package')] = process.argv.slice(2);
  const dist = join(root, 'dist');
  if (target === '--build') build(dist);
  else if (target === '--remove') rmSync(dist, { recursive: true, force: true });
  else {
    const { gatehouse, create } = packPackages(resolve(target));
    for (const path of [gatehouse, create]) console.log(relative(process.cwd(), path));
  }
}
