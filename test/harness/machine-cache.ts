import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What is written beside what is kept. */
interface Label {
  machine: string;
  /** SHA-256 of the content: names, kinds, who may execute, bytes. */
  digest: string;
}

/** What programs built or fetched here run on. */
export const thisMachine = `${process.platform}-${process.arch}-${libc()}`;

/**
 * What tests have built or fetched, outside the clone: a fresh clone copies it. Each entry is found by a digest of all that
 * it is made of, and has a checksum beside it.
 */
export class MachineCache {
  readonly #folder: string;
  readonly #machine: string;
  readonly #say: (line: string) => void;

  constructor(folder: string, machine = thisMachine, say: (line: string) => void = console.warn) {
    this.#folder = folder;
    this.#machine = machine;
    this.#say = say;
  }

  /**
   * Copies an entry to a path where nothing is yet.
   *
   * @param madeOf all that decides what the entry is: versions, pins, flags
   * @returns whether there is one to be trusted. Says in one line why what is there is not.
   */
  async copyTo(target: string, name: string, madeOf: string): Promise<boolean> {
    const entry = this.#entry(name, madeOf);
    const label = await readFile(join(entry, 'label.json'), 'utf8').catch(() => undefined);
    if (label === undefined) return false;
    const problem = await this.#copy(entry, label, target).catch(({ message }: Error) => message);
    if (problem === undefined) return true;
    this.#say(`${entry}: ${problem}; it is made anew.`);
    await rm(target, { recursive: true, force: true });
    return false;
  }

  /** Keeps a copy of a file or folder. Where that cannot be, it is said, and nothing else is different. */
  async keep(source: string, name: string, madeOf: string): Promise<void> {
    const entry = this.#entry(name, madeOf);
    try {
      await mkdir(this.#folder, { recursive: true });
      const writing = await mkdtemp(join(this.#folder, 'writing-'));
      try {
        await copy(source, join(writing, 'content'));
        const label: Label = { machine: this.#machine, digest: await digestOf(source) };
        await writeFile(join(writing, 'label.json'), JSON.stringify(label));
        // What is there could not be used, or was written by another process meanwhile.
        await rm(entry, { recursive: true, force: true });
        await rename(writing, entry);
      } finally {
        await rm(writing, { recursive: true, force: true });
      }
    } catch (error) {
      this.#say(`${entry}: not kept for other clones: ${(error as Error).message}`);
    }
  }

  #entry(name: string, madeOf: string): string {
    return join(this.#folder, `${name}-${createHash('sha256').update(madeOf).digest('hex').slice(0, 16)}`);
  }

  /** @returns what is wrong with the entry */
  async #copy(entry: string, text: string, target: string): Promise<string | undefined> {
    const label = readLabel(text);
    if (label === undefined) return 'its label is damaged';
    if (label.machine !== this.#machine) return `made for ${label.machine}, and this is ${this.#machine}`;
    // The copy is what is looked at: it is what will run.
    await copy(join(entry, 'content'), target);
    return (await digestOf(target)) === label.digest ? undefined : 'it is damaged';
  }
}

/** Outside every clone, where a machine keeps what can be made again. */
export const machineCache = new MachineCache(
  process.env['GATEHOUSE_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gatehouse', 'tests'),
);

function readLabel(text: string): Label | undefined {
  try {
    const { machine, digest } = JSON.parse(text) as Partial<Label>;
    return typeof machine === 'string' && typeof digest === 'string' ? { machine, digest } : undefined;
  } catch {
    return undefined;
  }
}

/** Shares the bytes where the file system can. */
function copy(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await addTo(hash, path, '');
  return hash.digest('hex');
}

async function addTo(hash: Hash, path: string, name: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) {
    hash.update(JSON.stringify([name, 'link', await readlink(path)]));
  } else if (entry.isDirectory()) {
    const names = (await readdir(path)).sort();
    hash.update(JSON.stringify([name, 'folder', names]));
    for (const inner of names) await addTo(hash, join(path, inner), inner);
  } else {
    hash.update(JSON.stringify([name, 'file', entry.size, (entry.mode & 0o111) !== 0]));
    await pipeline(createReadStream(path), hash, { end: false });
  }
}

/** The C library that this Node is linked with: what PyPI has for one does not run with the other. */
function libc(): string {
  if (process.platform !== 'linux') return 'system';
  // Its type lacks the setting: without it, the report looks names up.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
