import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsOf, type PackageManager } from './installer.ts';

/** What the files of a new repository depend on. */
export interface RepositoryFacts {
  /** Absolute path of its folder. */
  folder: string;
  packageManager: PackageManager;
  /** Version of the package manager; undefined where it is not known. */
  packageManagerVersion: string | undefined;
  /** Names of the stacks that a pipeline reviews. */
  stacks: string[];
  /** What to install as `gatehouse`: a version, or a packed file below the folder. */
  gatehouse: string;
}

interface RepositoryFile {
  /** Relative to the repository's folder. */
  path: string;
  text: string;
}

const folder = fileURLToPath(new URL('../../templates/', import.meta.url));

/** The files of a new repository, rendered. */
export function repositoryFiles(facts: RepositoryFacts): RepositoryFile[] {
  const { packageManager, packageManagerVersion: version } = facts;
  const commands = commandsOf(packageManager, version);
  const values: Record<string, string> = {
    ...ownPackage().dependencies,
    name: projectName(facts.folder),
    packageManager,
    // The value is put between quotes in a JSON text.
    gatehouse: JSON.stringify(facts.gatehouse).slice(1, -1),
    start: commands.start,
    test: commands.test,
    'gatehouse command': commands.gatehouse,
    'install in CI': commands.ci,
    stacks: quotedList(facts.stacks),
  };
  const written = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
    .map((stored) => ({
      path: repositoryPathOf(stored),
      text: fillTemplate(readFileSync(join(folder, stored), 'utf8'), values),
    }))
    .concat({ path: '.gitlab-ci.yml', text: gitLabPipeline(commands.ci, facts.stacks) })
    .sort((file, other) => (file.path < other.path ? -1 : 1));
  return [...written.map(pinned(packageManager, version)), ...filesOfPackageManagers[packageManager]];
}

/** npm packs no file named `.gitignore`, so a leading dot is stored as `dot-`. */
function repositoryPathOf(stored: string): string {
  return stored.replaceAll('\\', '/').replace(/(^|\/)dot-/g, '$1.');
}

/** GitLab reads no file of an installed package, so the repository has a copy of its template. */
function gitLabPipeline(install: string, stacks: string[]): string {
  return readFileSync(new URL('../../../ci/gitlab.yml', import.meta.url), 'utf8')
    .replaceAll(/- if \[ -f package\.json \].*/g, `- ${install}`)
    .replace(/^# A project without package\.json.*\n/, '')
    .replace('STACK: [dev]', `STACK: [${quotedList(stacks)}]`);
}

/** A YAML list without its brackets. Names are quoted, as the name of a stack may look like a number. */
function quotedList(stacks: string[]): string {
  return stacks.map((stack) => JSON.stringify(stack)).join(', ');
}

function fillTemplate(text: string, values: Record<string, string>): string {
  return text.replace(/\{\{(.+?)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** Corepack, and so the pipelines, take the version of pnpm and yarn from package.json. npm comes with Node.js. */
function pinned(packageManager: PackageManager, version: string | undefined) {
  return (file: RepositoryFile): RepositoryFile => {
    if (file.path !== 'package.json' || packageManager === 'npm' || version === undefined) return file;
    const content = { ...JSON.parse(file.text), packageManager: `${packageManager}@${version}` };
    return { ...file, text: `${JSON.stringify(content, null, 2)}\n` };
  };
}

/** What a package manager wants next to package.json. */
const filesOfPackageManagers: Record<PackageManager, RepositoryFile[]> = {
  npm: [],
  // pnpm fails until every install script is allowed or refused. The script of protobufjs, which gRPC depends on, is not needed.
  pnpm: [{ path: 'pnpm-workspace.yaml', text: 'allowBuilds: { protobufjs: false }\n' }],
  yarn: [
    // Pulumi reads packages from node_modules.
    { path: '.yarnrc.yml', text: 'nodeLinker: node-modules\n' },
    // Without it, yarn takes the folder for a part of a project above it.
    { path: 'yarn.lock', text: '' },
  ],
};

/** A folder's name as one of a package and of a Pulumi project. */
export function projectName(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 90);
  // No package installs one of its own name.
  return name === 'gatehouse-login' || name === 'node_modules'
    ? `our-${name.replace('_', '-')}`
    : name || 'sign-in';
}

/** The package that this code is part of. */
export function ownPackage(): { version: string; dependencies: Record<string, string> } {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { version, dependencies, peerDependencies } = JSON.parse(text);
  return { version, dependencies: { ...dependencies, ...peerDependencies } };
}
