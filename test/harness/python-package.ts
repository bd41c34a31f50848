import { join } from 'node:path';
import { fetched, home, pinnedVersion, pipInstall, pipPins, requirementsOf, run, whyNot } from './fetched.ts';

/**
 * The folder with a Python package and what it needs, as `scripts/<name>-requirements.txt` pins them: fetched from PyPI
 * once. Undefined, with a word why, where that cannot be.
 */
export async function pythonPackage(name: string): Promise<string | undefined> {
  const requirements = requirementsOf(name);
  const folder = join(home, `${name}-${await pinnedVersion(name, requirements)}`);
  try {
    return await fetched(
      folder,
      () => pipPins(requirements),
      (building) => pipInstall(building, requirements),
    );
  } catch (error) {
    console.warn(`Tests with ${name} are skipped. ${whyNot(error)}`);
    return undefined;
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
