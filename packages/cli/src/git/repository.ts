import { existsSync } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { type GitAnswer, runGit, streamGit } from './run-git.ts';

/** Where git keeps a repository. */
interface Places {
  /** Its working tree. */
  root: string;
  /** `.git`, or what such a file leads to: of this working tree alone. */
  own: string;
  /** What all working trees of the repository share. */
  shared: string;
}

/** The part of the repository's own configuration that is used here. */
interface RepositorySettings {
  objectFormat: string;
  refStorage: string | undefined;
  /** Names of remotes, with their addresses. */
  remotes: ReadonlyMap<string, string>;
  /** Address of the person, if the repository sets one. */
  email: string | undefined;
}

/**
 * A repository that is read, and whose configuration, hooks, attributes and includes are not: git is shown a folder of ours
 * with its objects, refs and index, and a configuration that names nothing. Names of filters are free, and each version of git
 * has more settings that run a program: they cannot be switched off one by one.
 */
export class Repository {
  /** Its working tree, without links. */
  readonly root: string;
  readonly #places: Places;
  readonly #settings: RepositorySettings;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(places: Places, settings: RepositorySettings, env: NodeJS.ProcessEnv) {
    this.root = places.root;
    this.#places = places;
    this.#settings = settings;
    this.#env = env;
  }

  /**
   * The repository that a folder is in: the nearest `.git` upward. Git is not asked: its exit code is the same for no repository
   * and for one that it does not read.
   *
   * @param directory which the caller named; a repository at this very place may be another user's
   * @returns undefined if it is in none
   * @throws GatehouseError `repository_unreadable`, `git_missing`
   */
  static async of(directory: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
    const named = await realpath(directory);
    for (let root = named; ; root = dirname(root)) {
      if (await pathExists(join(root, '.git'))) return Repository.#at(root, named, env);
      if (root === dirname(root)) return undefined;
    }
  }

  static async #at(root: string, named: string, env: NodeJS.ProcessEnv): Promise<Repository> {
    try {
      const places = await repositoryPlaces(root);
      if (root !== named) await requireOwn(places, env);
      return new Repository(places, await readRepositorySettings(places, env), env);
    } catch (cause) {
      if (cause instanceof GatehouseError) throw cause;
      throw repositoryUnreadable(root, (cause as Error).message);
    }
  }

  /** Names of remotes. */
  get remotes(): readonly string[] {
    return [...this.#settings.remotes.keys()];
  }

  /** The address of the person, where the repository has one of its own. */
  get email(): string | undefined {
    return this.#settings.email;
  }

  addressOf(remote: string): string | undefined {
    return this.#settings.remotes.get(remote);
  }

  /** The repository that has this one as a submodule. @throws GatehouseError `repository_unreadable` */
  async superproject(): Promise<Repository | undefined> {
    const above = dirname(this.root);
    const outer = above === this.root ? undefined : await Repository.of(above, this.#env);
    if (outer === undefined) return undefined;
    const path = outer.pathOf(this.root);
    const entries = await outer.ask(['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', path]);
    return entries.split('\0').some((entry) => entry.startsWith('160000 ')) ? outer : undefined;
  }

  /** The path of a folder in it, with slashes; empty for its root. */
  pathOf(folder: string): string {
    return relative(this.root, folder).split(sep).join('/');
  }

  /**
   * What git prints.
   *
   * @param cwd where it runs. Defaults to the root.
   * @throws GatehouseError `repository_unreadable` with git's words, where it does not end with 0
   */
  async ask(args: readonly string[], cwd = this.root): Promise<string> {
    const { status, stdout, stderr } = await this.run(args, cwd);
    if (status !== 0) throw repositoryUnreadable(this.root, firstLine(stderr) || `git ended with ${status}`);
    return stdout.toString();
  }

  /** How git ends, for a command whose exit codes have a meaning. @throws GatehouseError `git_missing` */
  async run(args: readonly string[], cwd = this.root): Promise<GitAnswer> {
    return this.#shown((variables) => runGit({ args, cwd, env: this.#env, variables }));
  }

  /** What `read` makes of what git prints, as it comes. @throws GatehouseError `repository_unreadable` */
  async stream<Answer>(
    args: readonly string[],
    input: string,
    read: (stdout: AsyncIterable<Buffer>) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#shown(async (variables) => {
      const run = { args, cwd: this.root, env: this.#env, variables, input };
      const { stdout, ended } = streamGit(run);
      const answer = await read(stdout);
      const { status, stderr } = await ended;
      if (status !== 0)
        throw repositoryUnreadable(this.root, firstLine(stderr) || `git ended with ${status}`);
      return answer;
    });
  }

  /** What HEAD is: the full name of a branch, or the id of a commit. @throws GatehouseError `repository_unreadable` */
  async head(): Promise<{ branch: string } | { commit: string }> {
    const content = (await readFile(join(this.#places.own, 'HEAD'), 'utf8').catch(() => '')).trim();
    const [, branch] = /^ref: (refs\/\S+)$/.exec(content) ?? [];
    if (branch !== undefined) return { branch };
    if (isObjectId(content)) return { commit: content };
    throw repositoryUnreadable(this.root, 'HEAD is neither a branch nor a commit');
  }

  /** Shows git the repository in a folder of ours, for as long as it is used. */
  async #shown<Answer>(use: (variables: NodeJS.ProcessEnv) => Promise<Answer>): Promise<Answer> {
    const { root, own, shared } = this.#places;
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-git-'));
    try {
      await Promise.all([
        writeFile(join(folder, 'config'), gitConfiguration(this.#settings)),
        copyFile(join(own, 'HEAD'), join(folder, 'HEAD')),
        ...['refs', 'reftable'].map((name) => linkFolder(join(shared, name), join(folder, name))),
        ...['packed-refs', 'shallow'].map((name) => linkFile(join(shared, name), join(folder, name))),
        ...(await sharedIndexes(own)).map((name) => linkFile(join(own, name), join(folder, name))),
      ]);
      return await use({
        GIT_DIR: folder,
        GIT_WORK_TREE: root,
        GIT_OBJECT_DIRECTORY: join(shared, 'objects'),
        GIT_INDEX_FILE: join(own, 'index'),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The id of an object, in full. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** The first line of what git says, without its own word for an error. */
export function firstLine(stderr: string): string {
  return (stderr.trim().split('\n')[0] ?? '').replace(/^fatal: /, '');
}

async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw repositoryUnreadable(dirname(path), (cause as Error).message);
  }
}

function repositoryUnreadable(folder: string, reason: string): GatehouseError {
  return new GatehouseError('repository_unreadable', { where: folder, values: { folder, reason } });
}

async function repositoryPlaces(root: string): Promise<Places> {
  const git = join(root, '.git');
  const own = await realpath((await stat(git)).isDirectory() ? git : await gitDirectoryIn(git));
  const common = join(own, 'commondir');
  const shared = existsSync(common) ? resolve(own, (await readFile(common, 'utf8')).trim()) : own;
  return { root, own, shared: await realpath(shared) };
}

/** The folder that a `.git` file leads to, as in a submodule or a second working tree. */
async function gitDirectoryIn(file: string): Promise<string> {
  const [, path] = /^gitdir: (.+?)\n?$/.exec(await readFile(file, 'utf8')) ?? [];
  if (path === undefined) throw new Error(`${file} leads to no repository`);
  return resolve(dirname(file), path);
}

/**
 * What another user keeps above a folder decides nothing about it, as git has it since CVE-2022-24765: what they say was
 * committed would be the base of a review.
 *
 * @throws GatehouseError `repository_unreadable.owner`
 */
async function requireOwn({ root, own }: Places, env: NodeJS.ProcessEnv): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const ours = [user, ...(user === 0 && env['SUDO_UID'] ? [Number(env['SUDO_UID'])] : [])];
  const owners = await Promise.all(
    [root, join(root, '.git'), own].map(async (path) => (await lstat(path)).uid),
  );
  if (owners.every((owner) => ours.includes(owner)) || (await isTrusted(root, env))) return;
  throw new GatehouseError('repository_unreadable.owner', { where: root, values: { folder: root } });
}

/** Whether the person or the machine trusts this folder, by name. */
async function isTrusted(root: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const trusted = ['--global', '--system'].map(async (place) => {
    const args = ['config', place, '--null', '--get-all', 'safe.directory'];
    const variables = { GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined };
    const { stdout } = await runGit({ args, cwd: sep, env, variables });
    return stdout.toString().split('\0');
  });
  return (await Promise.all(trusted)).flat().includes(root);
}

/** Extensions of a repository that change nothing of what is read here. */
const harmless = ['noop', 'partialclone', 'preciousobjects', 'worktreeconfig', 'relativeworktrees'];

/** Reads the configuration of a repository. Files that it includes are not read, and nothing of it is ever in force. */
async function readRepositorySettings(
  { root, shared }: Places,
  env: NodeJS.ProcessEnv,
): Promise<RepositorySettings> {
  const settings = new Map<string, string>();
  const file = join(shared, 'config');
  if (existsSync(file)) {
    const args = ['config', '--file', file, '--no-includes', '--null', '--list'];
    const { status, stdout, stderr } = await runGit({ args, cwd: sep, env });
    if (status !== 0) throw repositoryUnreadable(root, firstLine(stderr));
    for (const entry of stdout.toString().split('\0')) {
      const end = entry.indexOf('\n');
      settings.set(end < 0 ? entry : entry.slice(0, end), end < 0 ? '' : entry.slice(end + 1));
    }
  }
  const extensions = [...settings.keys()].flatMap((key) => /^extensions\.(.+)$/.exec(key)?.[1] ?? []);
  const unknown = extensions.find((name) => ![...harmless, 'objectformat', 'refstorage'].includes(name));
  if (unknown !== undefined) throw repositoryUnreadable(root, `its extension ${unknown} is not known here`);
  const remotes = [...settings].flatMap(([key, address]): [string, string][] => {
    const [, name] = /^remote\.(.+)\.[^.]+$/s.exec(key) ?? [];
    return name === undefined || !key.endsWith('.url') ? [] : [[name, address]];
  });
  return {
    objectFormat: settings.get('extensions.objectformat') ?? 'sha1',
    refStorage: settings.get('extensions.refstorage'),
    remotes: new Map(remotes),
    email: settings.get('user.email'),
  };
}

/** The configuration that git is shown: it names no program, and says how the repository is stored. */
function gitConfiguration({ objectFormat, refStorage }: RepositorySettings): string {
  const lines = ['[core]', 'repositoryFormatVersion = 1', 'bare = false', 'quotePath = false'];
  lines.push(`hooksPath = ${JSON.stringify(devNull)}`, 'fsmonitor = false');
  lines.push('[extensions]', `objectFormat = ${JSON.stringify(objectFormat)}`);
  if (refStorage !== undefined) lines.push(`refStorage = ${JSON.stringify(refStorage)}`);
  return `${lines.join('\n')}\n`;
}

async function sharedIndexes(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('sharedindex.'));
}

async function linkFolder(target: string, link: string): Promise<void> {
  if (existsSync(target)) await symlink(target, link, 'junction');
}

/** Links a file if it exists. On Windows it is copied, as few users may make links to files there. */
async function linkFile(target: string, link: string): Promise<void> {
  if (!existsSync(target)) return;
  await (process.platform === 'win32' ? copyFile(target, link) : symlink(target, link));
}
