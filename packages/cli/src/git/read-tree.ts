import { createHash } from 'node:crypto';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import type { Repository } from './repository.ts';

/** An entry of a tree. */
interface TreeEntry {
  /** Path from the tree, with slashes. */
  path: string;
  mode: string;
  id: string;
}

/** Modes of a tree's entries, as git writes them. */
const modes = { tree: '040000', link: '120000', submodule: '160000', program: '100755' };

/**
 * Writes the files of a folder, as they are in a commit, to a folder of ours: their bytes as git keeps them, without anything
 * that attributes would have done to them. Submodules are left out, and links that lead out of the folder.
 *
 * @param path of the folder in the repository; empty for all of it
 * @param target a new folder
 * @param isNeeded whether a file is written, by its path from the folder. Defaults to all. A folder with links is written as a
 *   whole, as they may lead to any file.
 * @returns false where the commit has no such folder
 * @throws GatehouseError `repository_unreadable`, `tree_unsafe`
 */
export async function writeTree(
  repository: Repository,
  commit: string,
  path: string,
  target: string,
  isNeeded: (path: string) => boolean = () => true,
): Promise<boolean> {
  const tree = path === '' ? commit : await treeAt(repository, commit, path);
  if (tree === undefined) return false;
  const entries = entriesIn(await repository.ask(['ls-tree', '-r', '-z', '--full-tree', tree]));
  const kept = entries.filter(({ mode }) => mode !== modes.submodule);
  const linked = new Set(kept.filter(({ mode }) => mode === modes.link).map((entry) => entry.path));
  for (const { path: name } of kept) requireSafe(name, linked);
  const needed = linked.size > 0 ? kept : kept.filter((entry) => isNeeded(entry.path));
  const links: { path: string; target: string }[] = [];
  await mkdir(target, { recursive: true });
  await readBlobs(repository, needed, async ({ path, mode }, content) => {
    const file = join(target, path);
    if (mode === modes.link) {
      links.push({ path, target: content.toString() });
      return;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    if (mode === modes.program) await chmod(file, 0o755);
  });
  // Links are made last, so that nothing is ever written through one.
  for (const link of links) {
    if (!staysInside(link, linked)) continue;
    const place = join(target, link.path);
    await mkdir(dirname(place), { recursive: true });
    await symlink(link.target, place);
  }
  return true;
}

/**
 * Whether a commit has these files with these very bytes, as regular files.
 *
 * @param files by their paths in the repository
 * @throws GatehouseError `repository_unreadable`
 */
export async function hasFiles(
  repository: Repository,
  commit: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<boolean> {
  const entries = await entriesAt(repository, commit, [...files.keys()]);
  const regular = new Map(
    entries.filter(({ mode }) => mode.startsWith('100')).map(({ path, id }) => [path, id]),
  );
  return [...files].every(([path, content]) => {
    const id = regular.get(path);
    return id !== undefined && id === blobId(content, id.length === 40 ? 'sha1' : 'sha256');
  });
}

/** The id that git gives a file's bytes. */
function blobId(content: Buffer, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}

async function treeAt(repository: Repository, commit: string, path: string): Promise<string | undefined> {
  const [entry] = await entriesAt(repository, commit, [path]);
  return entry?.path === path && entry.mode === modes.tree ? entry.id : undefined;
}

async function entriesAt(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<TreeEntry[]> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...paths];
  return entriesIn(await repository.ask(args));
}

/** The entries in the output of `git ls-tree -z`: `<mode> <type> <id>\t<path>`. */
function entriesIn(listed: string): TreeEntry[] {
  return listed
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [head = '', ...path] = line.split('\t');
      const [mode = '', , id = ''] = head.split(' ');
      return { path: path.join('\t'), mode, id };
    });
}

/**
 * Refuses a name that leads out of the folder, or below a link. A tree that was made by hand can have any names.
 *
 * @throws GatehouseError `tree_unsafe`
 */
function requireSafe(path: string, links: ReadonlySet<string>): void {
  const parts = path.split('/');
  const isSafe =
    parts.every((part) => !/^(?:|\.|\.\.|\.git)$/i.test(part) && !/[\0\\]/.test(part)) &&
    parts.every((_, at) => at === 0 || !links.has(parts.slice(0, at).join('/')));
  if (!isSafe) throw new GatehouseError('tree_unsafe', { given: path });
}

/** Whether a link leads to a file or folder of the same tree, not over another link. */
function staysInside(
  { path, target }: { path: string; target: string },
  links: ReadonlySet<string>,
): boolean {
  if (posix.isAbsolute(target) || /[\0\\]/.test(target)) return false;
  let at = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  for (const part of parts) {
    if (links.has(at)) return false;
    if (part === '..' && at === '') return false;
    at = part === '..' ? parentOf(at) : posix.join(at, part);
  }
  return true;
}

function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}

/**
 * Reads blobs, one after another, by one process.
 *
 * @throws GatehouseError `repository_unreadable`, also for one that is not there
 */
async function readBlobs(
  repository: Repository,
  entries: readonly TreeEntry[],
  use: (entry: TreeEntry, content: Buffer) => Promise<void>,
): Promise<void> {
  if (entries.length === 0) return;
  const input = entries.map(({ id }) => `${id}\n`).join('');
  await repository.stream(['cat-file', '--batch'], input, async (stdout) => {
    const bytes = new ByteReader(stdout);
    for (const entry of entries) {
      // `<id> blob <size>`, or `<id> missing`
      const header = (await bytes.line()).split(' ');
      const size = Number(header[2]);
      if (header[0] !== entry.id || header[1] !== 'blob' || !Number.isSafeInteger(size))
        throw new GatehouseError('repository_unreadable', {
          where: repository.root,
          values: { folder: repository.root, reason: `${entry.path} is not in this clone` },
        });
      const content = await bytes.take(size);
      await bytes.take(1);
      await use(entry, content);
    }
  });
}

/** Takes lines and bytes from what comes in pieces. */
class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer[] = [];
  #size = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const all = this.#joined();
      const end = all.indexOf(0x0a);
      if (end >= 0) {
        const line = all.subarray(0, end).toString();
        this.#keep(all.subarray(end + 1));
        return line;
      }
      if (!(await this.#readNext())) return '';
    }
  }

  /** Takes so many bytes, or fewer where there are no more. */
  async take(size: number): Promise<Buffer> {
    while (this.#size < size && (await this.#readNext()));
    const all = this.#joined();
    this.#keep(all.subarray(size));
    return all.subarray(0, size);
  }

  async #readNext(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done) return false;
    this.#rest.push(value);
    this.#size += value.length;
    return true;
  }

  #joined(): Buffer {
    const all = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest);
    return all ?? Buffer.alloc(0);
  }

  #keep(rest: Buffer): void {
    this.#rest = [rest];
    this.#size = rest.length;
  }
}
