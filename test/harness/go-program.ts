import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { home, run, whyNot } from './fetched.ts';
import { builtOnce, sourcesOf } from './go-build.ts';

/**
 * Builds the Go program of a folder next to the tests, with the modules that its `go.sum` pins. Undefined, with a word why,
 * where that cannot be.
 */
export async function goProgram(name: string): Promise<string | undefined> {
  const module = fileURLToPath(new URL(`../clients/${name}/`, import.meta.url));
  try {
    // Its own sources change: each has a program of its own.
    const program = join(home, 'clients', `${name}-${(await sourcesOf(module)).slice(0, 16)}`);
    return await builtOnce({ program, module, path: '.', ldflags: '-s -w' });
  } catch (error) {
    console.warn(`Tests with ${name} are skipped. ${whyNot(error)}`);
    return undefined;
  }
}

/** Runs a program with JSON on standard input; resolves with the JSON that it prints. */
export async function runProgram(program: string | undefined, given: unknown): Promise<any> {
  const child = run(program ?? '', [], { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 });
  child.child.stdin?.end(JSON.stringify(given));
  return JSON.parse((await child).stdout);
}
