import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasSecretInClear } from '@gatehouse/core/environment';
import { type PlannedFile, planDigest } from '@gatehouse/core/run-task';
import { GatehouseError, secretKeys } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { Contained } from '@gatehouse/engine/local';
import { create } from 'tar';
import { Repository } from '../git/repository.ts';
import { knownFiles } from '../git/working-tree.ts';

/** The files of a project, copied as they were read once: what is planned is what is scanned. */
export interface ProjectFiles {
  /** By path. */
  list: PlannedFile[];
  /** SHA-256 of the list, in hex. */
  digest: string;
  /** Where the copies are, for a program. */
  shown: NonNullable<Contained['files']>;
  /** Folder of the copies of the project's own. */
  folder: string;
}

/**
 * The digest of the files that git knows of a folder, submodules included, or would add to it. They are those of the folder, byte
 * by byte: no attribute of git changes or leaves out any. YAML files with a secret in clear are left out: everyone who is asked
 * about a run gets the files. Undefined for a folder that is in no repository, or that git ignores.
 *
 * @throws GatehouseError `file_outside`, for a link that leads out of the folder; `repository_unreadable`
 */
export async function digestOfFiles(directory: string): Promise<string | undefined> {
  const project = await projectOf(directory);
  return project && planDigest(await filesOf(project));
}

/**
 * Copies the files that `digestOfFiles` is about, for as long as they are used.
 *
 * @returns what `use` returns; it gets undefined where there is no digest
 * @throws GatehouseError `file_outside`, `repository_unreadable`
 */
export async function withFiles<Result>(
  directory: string,
  use: (files: ProjectFiles | undefined) => Promise<Result>,
): Promise<Result> {
  const project = await projectOf(directory);
  if (project === undefined) return await use(undefined);
  const copies = await mkdtemp(join(tmpdir(), 'gatehouse-files-'));
  try {
    const folder = join(copies, relative(project.repository, project.root));
    await mkdir(folder, { recursive: true });
    const list = await filesOf(project, folder);
    const shown = { at: project.repository, from: copies };
    return await use({ list, digest: planDigest(list), shown, folder });
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/**
 * The files of a folder as a `tar.gz`; undefined if they are no longer those of a digest, or too many to send.
 *
 * @param digest of `ProjectFiles`
 */
export async function archiveOf(directory: string, digest: string): Promise<Buffer | undefined> {
  return await withFiles(directory, async (files) => {
    if (files?.digest !== digest) return undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const paths = files.list.map(({ path }) => `./${path}`);
    const packed = create({ cwd: files.folder, gzip: true, portable: true, mtime: new Date(0) }, paths);
    for await (const chunk of packed) {
      size += chunk.length;
      if (size > largestArchive) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  });
}

/**
 * The result of a plan. If it fails because the program does not see a file that exists, the error names that file.
 *
 * @throws GatehouseError `file_unplanned`, and what the plan throws
 */
export async function requireFiles<Planned>(plan: Promise<Planned>, { directory }: Stack): Promise<Planned> {
  return await plan.catch((error: unknown) => {
    if (!(error instanceof GatehouseError) || error.code !== 'plan_failed') throw error;
    const missing = [...error.message.matchAll(unseen)].map(([, path = '']) => resolve(directory, path));
    const existing = missing.find((path) => existsSync(path));
    if (existing === undefined) throw error;
    throw new GatehouseError('file_unplanned', { given: realpathSync(existing), cause: error });
  });
}

/** How Node.js says that a file is not there. */
const unseen = /(?:Cannot find (?:module|package)|no such file or directory, \w+) '([^']+)'/g;

/** Bytes; larger archives are not made. */
const largestArchive = 64 * 1024 * 1024;

interface TrackedProject {
  /** Root of its repository, or of the one that has that as a submodule. */
  repository: string;
  /** Its folder. */
  root: string;
  /** Paths in it of what git tracks, submodules included, and of what it would add. */
  paths: string[];
}

/** Undefined without a repository or git, and for a folder that git ignores. */
async function projectOf(directory: string): Promise<TrackedProject | undefined> {
  try {
    const repository = await Repository.of(directory, process.env);
    if (repository === undefined) return undefined;
    let outermost = repository;
    for (let outer = await outermost.superproject(); outer; outer = await outer.superproject())
      outermost = outer;
    const root = await realpath(directory);
    const { tracked, untracked } = await knownFiles(repository, root, neverAdded, process.env);
    const paths = [...new Set([...tracked, ...untracked])].sort();
    return paths.length === 0 ? undefined : { repository: outermost.root, root, paths };
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'git_missing') return undefined;
    throw error;
  }
}

/** What a repository without `.gitignore` would add: packages that are installed, in a folder or a link to one, and local state. */
const neverAdded = ['node_modules', 'node_modules/**', '.gatehouse/**'].map(
  (path) => `:(exclude,glob)**/${path}`,
);

/** @param folder to copy them to. Defaults to none. */
async function filesOf({ root, paths }: TrackedProject, folder?: string): Promise<PlannedFile[]> {
  const walk = new Walk(root, folder);
  const files: PlannedFile[] = [];
  for (const [index, path] of paths.entries()) {
    // Waiting for each of several thousand files takes ten times the work of reading them; other work goes on in between.
    if (index % filesInTurn === 0) await nextTurn();
    const file = walk.fileAt(path);
    if (file !== undefined) files.push(file);
  }
  return files;
}

/** Files that are read in one turn of the event loop: some milliseconds. */
const filesInTurn = 32;

/** One reading of a project's files. */
class Walk {
  readonly #root: string;
  readonly #folder: string | undefined;
  /** Folders that are no links, and have no link above them. */
  readonly #real = new Set<string>();
  /** Folders that were made for copies. */
  readonly #copiedTo = new Set<string>();

  /** @param folder to copy to. Defaults to none. */
  constructor(root: string, folder: string | undefined) {
    this.#root = root;
    this.#folder = folder;
  }

  /**
   * Undefined for what is not there, or is no file: a submodule that was not fetched.
   *
   * @throws GatehouseError `file_outside`
   */
  fileAt(path: string): PlannedFile | undefined {
    const from = join(this.#root, path);
    const entry = entryAt(from);
    if (entry === undefined || entry.isDirectory()) return undefined;
    this.#requireReal(path, dirname(from));
    if (entry.isSymbolicLink()) return this.#linkAt(path, from);
    if (!entry.isFile()) throw outside(path, from);
    const content = readFileSync(from);
    const digest = digestOf(content);
    if (/\.ya?ml$/i.test(path) && isInClear(content, digest)) return undefined;
    const isProgram = (entry.mode & 0o100) !== 0;
    const to = this.#copyAt(path);
    if (to !== undefined) writeFileSync(to, content);
    if (to !== undefined && isProgram) chmodSync(to, 0o755);
    return { path, digest, mode: isProgram ? '100755' : '100644' };
  }

  #linkAt(path: string, from: string): PlannedFile {
    const target = readlinkSync(from);
    const direct = resolve(dirname(from), target);
    const leadsTo = realPathOf(from) ?? direct;
    if (!leadsTo.startsWith(this.#root + sep) || direct === target) throw outside(path, leadsTo);
    const to = this.#copyAt(path);
    if (to !== undefined) symlinkSync(target, to);
    return { path, digest: digestOf(target), mode: '120000' };
  }

  /** A folder above the file may have become a link, too. */
  #requireReal(path: string, folder: string): void {
    if (this.#real.has(folder)) return;
    const real = realpathSync(folder);
    if (real !== folder) throw outside(path, real);
    this.#real.add(folder);
  }

  /** Where the copy of a file goes, if there is one. */
  #copyAt(path: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    const to = join(this.#folder, path);
    const folder = dirname(to);
    if (!this.#copiedTo.has(folder)) mkdirSync(folder, { recursive: true });
    this.#copiedTo.add(folder);
    return to;
  }
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined for a link to what is not there. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function outside(path: string, realPath: string): GatehouseError {
  return new GatehouseError('file_outside', { where: path, given: realPath });
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Whether a text has a secret in clear, or names one and cannot be read. A text is parsed once a process. */
function isInClear(content: Buffer, digest: string): boolean {
  const known = inClear.get(digest);
  if (known !== undefined) return known;
  const text = content.toString();
  if (!Object.keys(secretKeys).some((key) => text.includes(key))) return false;
  const answer = readInClear(text);
  if (inClear.size >= mostInClear) inClear.clear();
  inClear.set(digest, answer);
  return answer;
}

/** Whether texts have a secret in clear, by their digests. */
const inClear = new Map<string, boolean>();
/** A process that runs for months sees many texts. */
const mostInClear = 10_000;

function readInClear(text: string): boolean {
  try {
    return hasSecretInClear(text);
  } catch {
    return true;
  }
}
