import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The files of a repository that a program may read: nothing else of it is there for the program. */
export interface ShownFiles {
  /** The root of the repository. */
  at: string;
  /** Folder with the files, laid out as they are below `at`. */
  from: string;
}

/** A file system of its own for one program, as a list of what is mounted. */
export interface ProgramView {
  /** Its root, before it is mounted. */
  root: string;
  /** Its mounts, as fstab(5) has them. */
  table: string;
  /** The program's folder for temporary files, which is all that it can write to. */
  scratch: string;
  remove(): void;
}

export interface Viewed {
  /** The program's folder. */
  directory: string;
  /** Defaults to the files of the directory, but for those with a name that begins with a dot. */
  files?: ShownFiles | undefined;
  /** Folders with sockets. */
  sockets: readonly string[];
  /** What programs that are trusted have compiled. It is only read. */
  compileCache: string;
}

/** What programs of a Linux system need of it, and what says who and where they are. No file with a secret is there. */
const systemPaths = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/group',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/passwd',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/resolv.conf',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];

/** This project's folder. */
const ownFolder = join(import.meta.dirname, '../../../..');

/**
 * Builds the file system of a program that is not trusted. It has the system's programs, Node, this package, the packages that
 * are installed for the program, and the files that are shown. It has no home, no state, no key and no socket but the engine's.
 */
export function viewFor({ directory, files, sockets, compileCache }: Viewed): ProgramView {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-view-'));
  const view = new ViewBuilder(join(folder, 'root'), files);
  const real = realpathSync(directory);
  for (const path of systemPaths) view.show(path);
  for (const path of devices) view.show(path, 'bind');
  // A later mount would hide these files.
  if (files === undefined || !isWithin(ownFolder, files.at)) view.showVisible(ownFolder);
  if (files === undefined) view.showVisible(real);
  else view.mount(files.at, reading, files.from);
  for (const place of above(real)) view.show(join(place, 'node_modules'));
  view.show(realpathSync(process.execPath));
  if (real !== directory) view.link(directory, real);
  view.show(compileCache);
  for (const path of sockets) view.mount(path, 'bind');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  view.mount(scratch, 'bind,nosuid,nodev');
  const table = join(folder, 'table');
  writeFileSync(table, view.table());
  return { root: view.root, table, scratch, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const reading = 'bind,ro,nosuid,nodev';

class ViewBuilder {
  readonly root: string;
  readonly #files: ShownFiles | undefined;
  readonly #mounts = new Map<string, { from: string; options: string }>();
  readonly #links = new Set<string>();

  constructor(root: string, files: ShownFiles | undefined) {
    this.root = root;
    this.#files = files;
    for (const name of ['proc', 'old', 'tmp']) mkdirSync(join(root, name), { recursive: true });
  }

  /** Shows a file or folder as it is, unless it is not there, or is shown already. */
  show(path: string, options = reading): void {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || this.#isShown(path)) return;
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(path);
      this.link(path, target);
      this.show(resolve(dirname(path), target), options);
    } else this.mount(path, options);
  }

  /** Shows what is in a folder, but for what has a name that begins with a dot: repositories, state, settings. */
  showVisible(folder: string): void {
    mkdirSync(this.#standIn(folder), { recursive: true });
    for (const name of readdirSync(folder)) if (!name.startsWith('.')) this.show(join(folder, name));
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(this.#standIn(path)), { recursive: true });
    symlinkSync(target, this.#standIn(path));
    this.#links.add(path);
  }

  mount(path: string, options: string, source = path): void {
    const place = this.#standIn(path);
    mkdirSync(dirname(place), { recursive: true });
    if (statSync(source).isDirectory()) mkdirSync(place, { recursive: true });
    else writeFileSync(place, '');
    this.#mounts.set(path, { from: source, options });
  }

  table(): string {
    const mounts = [...this.#mounts].map(([path, { from, options }]) =>
      fstabLine(from, join(this.root, path), options),
    );
    return [fstabLine(this.root, this.root, 'rbind'), ...mounts].join('');
  }

  /** Whether the view has a path, or a folder above it. Of a repository, only its shown files count. */
  #isShown(path: string): boolean {
    if (this.#links.has(path)) return true;
    const last = [...this.#mounts.keys()].findLast((mount) => isWithin(path, mount));
    return last !== undefined && (last !== this.#files?.at || existsSync(this.#standIn(path)));
  }

  /** Where a path is while the view is built: among the files that are shown, if it is of their repository. */
  #standIn(path: string): string {
    const { at, from } = this.#files ?? {};
    if (at === undefined || from === undefined || path === at || !isWithin(path, at))
      return join(this.root, path);
    return join(from, relative(at, path));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? folder : folder + sep);
}

/** A folder and all folders above it. */
function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/** A bind mount as a line of fstab(5). */
function fstabLine(source: string, target: string, options: string): string {
  return `${escapedForFstab(source)} ${escapedForFstab(target)} none ${options} 0 0\n`;
}

/** A path with the escapes of fstab(5). */
function escapedForFstab(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
