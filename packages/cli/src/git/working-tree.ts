import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Repository } from './repository.ts';
import { headCommit } from './revision.ts';

/** Files of a working tree that git knows of, by their paths from a folder. */
export interface KnownFiles {
  /** Files that are tracked, also in submodules. */
  tracked: string[];
  /** Files that git would add. */
  untracked: string[];
}

/**
 * The files below a folder that are tracked, and those that would be added.
 *
 * @param leftOut pathspecs of what is never added
 * @throws GatehouseError `repository_unreadable`
 */
export async function knownFiles(
  repository: Repository,
  folder: string,
  leftOut: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<KnownFiles> {
  const listUntracked = ['ls-files', '-z', '--others', '--exclude-standard', '--', '.', ...leftOut];
  const [entries, untracked] = await Promise.all([
    indexEntries(repository, folder),
    repository.ask(listUntracked, folder),
  ]);
  const tracked = await Promise.all(
    entries.map(async ({ mode, path }) => {
      const submodule = mode === submoduleMode ? await submoduleAt(join(folder, path), env) : undefined;
      if (submodule === undefined) return [path];
      const known = await knownFiles(submodule, submodule.root, leftOut, env);
      return known.tracked.map((name) => `${path}/${name}`);
    }),
  );
  return { tracked: tracked.flat(), untracked: pathsIn(untracked) };
}

/**
 * The paths, from the root of the repository, of the files below a folder that differ from the last commit or are not in it.
 * Empty for a folder whose files are those of the commit. A file that git would convert by a program counts as it is.
 *
 * @throws GatehouseError `repository_unreadable`
 */
export async function changedFiles(
  repository: Repository,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  // Git would look into a submodule by its own configuration.
  const status = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=all', '--', '.'];
  const [changed, entries] = await Promise.all([
    repository.ask(status, folder),
    indexEntries(repository, folder),
  ]);
  const submodules = entries.filter(({ mode }) => mode === submoduleMode);
  const inSubmodules = await Promise.all(
    submodules.map(async ({ id, path }) => {
      const isAsCommitted = await isSubmoduleAsCommitted(repository, { folder, id, path }, env);
      return isAsCommitted ? [] : [repository.pathOf(join(folder, path))];
    }),
  );
  // `git status --porcelain -z` prints two letters and a blank before each path.
  return [...pathsIn(changed).map((line) => line.slice(3)), ...inSubmodules.flat()];
}

const submoduleMode = '160000';

/** The index entries below a folder, as `git ls-files --stage -z` prints them: `<mode> <id> <stage>\t<path>`, from the folder. */
async function indexEntries(repository: Repository, folder: string) {
  const listed = await repository.ask(['ls-files', '--stage', '-z', '--', '.'], folder);
  return pathsIn(listed).map((line) => {
    const [head = '', ...path] = line.split('\t');
    const [mode = '', id = ''] = head.split(' ');
    return { mode, id, path: path.join('\t') };
  });
}

async function isSubmoduleAsCommitted(
  repository: Repository,
  { folder, id, path }: { folder: string; id: string; path: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const whole = repository.pathOf(join(folder, path));
  const committed = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', 'HEAD', '--', whole];
  if (!(await repository.ask(committed)).startsWith(`${submoduleMode} commit ${id}\t`)) return false;
  const place = join(folder, path);
  const submodule = await submoduleAt(place, env);
  if (submodule === undefined) return (await readdir(place).catch(() => [])).length === 0;
  if ((await headCommit(submodule)) !== id) return false;
  return (await changedFiles(submodule, submodule.root, env)).length === 0;
}

/** The repository of a submodule; undefined where it was not fetched. */
async function submoduleAt(folder: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  const root = await realpath(folder).catch(() => undefined);
  const repository = root === undefined ? undefined : await Repository.of(root, env);
  return repository?.root === root ? repository : undefined;
}

function pathsIn(listed: string): string[] {
  return listed.split('\0').filter((path) => path !== '');
}
