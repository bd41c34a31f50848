import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { EndedCommand, RunGatehouse } from './command.ts';

/**
 * Fetches the artifact of a name from the newest scheduled run of the default branch; undefined if there is none. Other
 * runs, such as those of pull requests, do not count.
 */
export type FetchSnapshot = (name: string) => Promise<Buffer | undefined>;

/** The name of a stack's snapshot among the artifacts of a run. */
export function snapshotName(stack: string): string {
  return `gatehouse-${stack}.snapshot`;
}

/** Options of `gatehouse` for the key of snapshots. Jobs have it as a variable, jobs of forks do not. */
export async function keyOptions(home: string, { SNAPSHOT_KEY: key }: NodeJS.ProcessEnv): Promise<string[]> {
  if (!key) return [];
  return ['--key-file', await secretFile(home, 'key', key)];
}

/** Writes a file that no other user of the machine can read. */
export async function secretFile(home: string, name: string, content: string): Promise<string> {
  const file = join(home, name);
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

/**
 * Runs a review with the newest snapshot of the stack. Without a usable snapshot, the review says what it could not check,
 * and `without` says why there is none.
 */
export async function reviewWithSnapshot(
  args: string[],
  { stack, folder, home }: { stack: string; folder: string; home: string },
  env: NodeJS.ProcessEnv,
  { fetchSnapshot, run: runAt }: { fetchSnapshot: FetchSnapshot; run: RunGatehouse },
): Promise<EndedCommand & { without?: string }> {
  const run = (added: string[]) => runAt([...args, ...added], folder, env);
  try {
    const content = await fetchSnapshot(snapshotName(stack));
    if (content === undefined) throw new Error('no scheduled run of the default branch has one.');
    const file = join(home, 'snapshot');
    await writeFile(file, content, { mode: 0o600 });
    const ended = await run(['--snapshot', file, ...(await keyOptions(home, env))]);
    if (ended.code !== 1 || !ended.stderr.includes('(snapshot_')) return ended;
    throw new Error(ended.stderr.replace('error: ', ''));
  } catch (error) {
    return { ...(await run([])), without: error instanceof Error ? error.message : String(error) };
  }
}

/** The first file of a zip archive, the form of an artifact with one file. @throws Error if it is no archive, or not a whole one */
export function unzipped(zip: Buffer): Buffer {
  try {
    return firstFile(zip);
  } catch (cause) {
    throw new Error('the artifact is no zip archive that can be read.', { cause });
  }
}

/** @throws RangeError, Error */
function firstFile(zip: Buffer): Buffer {
  const end = zip.lastIndexOf('PK\x05\x06');
  if (end === -1) throw new RangeError('no end of a zip archive');
  const entry = zip.readUInt32LE(end + 16);
  const method = zip.readUInt16LE(entry + 10);
  const size = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(start, start + size);
  return method === 0 ? data : inflateRawSync(data);
}
