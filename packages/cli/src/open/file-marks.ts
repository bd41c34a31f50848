import { createHash, type Hash } from 'node:crypto';
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** A fingerprint of the files in some folders, for which their contents are not read. */
export interface FileMarks {
  /** SHA-256 of names, sizes, inodes and times, in hex. */
  digest: string;
  /** Whether a file changed so shortly before that a further change could have the same time. */
  isFresh: boolean;
}

/** Above this number of files, looking takes longer than the deployment that it could save. */
const mostFiles = 200_000;

/** Files of packages that no program loads. */
const neverRun = /\.(?:d\.[cm]?ts|map|md)$/;

/** Folders that a start writes itself, and git's copies of files that are looked at anyway. */
const writtenFolders = ['.git', '.gatehouse', '.cache'];

/**
 * Looks at the files of a program's folder, of the packages that it can load, and of Gatehouse's own folder. A file that is
 * written always gets another time, as no program can set the time of a file's last change (`ctime`). Links are followed out of
 * the folders. Declarations, source maps and texts of packages are left out.
 *
 * @param now milliseconds since 1970
 * @returns undefined for too many files, or where a folder cannot be read
 */
export function fileMarks(directory: string, ownFolder: string, now: number): FileMarks | undefined {
  return marksBy(() => {
    const marks = new MarkCollector(now, writtenFolders);
    for (const folder of [directory, ownFolder]) {
      marks.look(folder);
      for (const above of foldersAbove(folder)) marks.look(join(above, 'node_modules'), true);
    }
    return marks.result();
  });
}

/** Looks at the files of a folder as `fileMarks` does, without those of packages. */
export function projectMarks(directory: string, now: number): FileMarks | undefined {
  return marksBy(() => {
    const marks = new MarkCollector(now, [...writtenFolders, 'node_modules']);
    marks.look(directory);
    return marks.result();
  });
}

function marksBy(look: () => FileMarks): FileMarks | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof TooManyFiles || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}

class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

class MarkCollector {
  readonly #hash: Hash = createHash('sha256');
  /** Nanoseconds since 1970. */
  readonly #began: bigint;
  /** Names of folders that are passed over. */
  readonly #passedOver: ReadonlySet<string>;
  /** Real paths of folders that were looked at, with all that is below. */
  readonly #seen: string[] = [];
  #files = 0;
  #isFresh = false;

  /** @param began milliseconds since 1970 */
  constructor(began: number, passedOver: readonly string[]) {
    this.#began = BigInt(began) * 1_000_000n;
    this.#passedOver = new Set(passedOver);
  }

  /** Looks at a folder, if it is there and was not looked at. */
  look(folder: string, isOfPackages = false): void {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      this.#hash.update(`none ${folder}\n`);
      return;
    }
    const real = realpathSync(folder);
    if (this.#isSeen(real)) return;
    this.#seen.push(real);
    this.#lookBelow(real, isOfPackages);
  }

  result(): FileMarks {
    return { digest: this.#hash.digest('hex'), isFresh: this.#isFresh };
  }

  #isSeen(real: string): boolean {
    return this.#seen.some((folder) => real === folder || real.startsWith(folder + sep));
  }

  #lookBelow(folder: string, isOfPackages: boolean): void {
    this.#hash.update(`in ${folder}\n`);
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
      if (this.#passedOver.has(entry.name)) continue;
      const path = `${folder}${sep}${entry.name}`;
      if (entry.isDirectory()) this.#lookBelow(path, isOfPackages || entry.name === 'node_modules');
      else if (entry.isSymbolicLink()) this.#lookThrough(path);
      else if (!isOfPackages || !neverRun.test(entry.name)) this.#lookAt(path, entry.name);
    }
  }

  #lookThrough(path: string): void {
    this.#hash.update(`${path} -> ${readlinkSync(path)}\n`);
    const real = existingRealPath(path);
    if (real === undefined || this.#isSeen(real)) return;
    if (lstatSync(real).isDirectory()) this.look(real);
    else this.#lookAt(real, real);
  }

  #lookAt(path: string, name: string): void {
    this.#files += 1;
    if (this.#files > mostFiles) throw new TooManyFiles();
    const stats = lstatSync(path, { bigint: true });
    const { size, mode, ino, mtimeNs, ctimeNs } = stats;
    this.#hash.update(`${name} ${size} ${mode} ${ino} ${mtimeNs} ${ctimeNs}\n`);
    if (this.#began - ctimeNs < timeStepOf(stats)) this.#isFresh = true;
  }
}

/** Nanoseconds, and some more, between two times that a file system tells apart: some keep whole or even seconds. */
function timeStepOf({ ctimeNs, mtimeNs }: BigIntStats): bigint {
  const isWhole = ctimeNs % 1_000_000_000n === 0n && mtimeNs % 1_000_000_000n === 0n;
  return isWhole ? 3_000_000_000n : 100_000_000n;
}

function byName({ name: left }: Dirent, { name: right }: Dirent): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The path without links; undefined for a link to nothing. */
function existingRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A folder, and all above it. */
function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}
