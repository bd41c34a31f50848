import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { EndedCommand, RunGatehouse } from './command.ts';

/**
 * Gets what the newest scheduled run of the default branch kept under a name; undefined where there is none. Runs of anything
 * else, a pull request above all, do not count.
 */
export type FetchSnapshot = (name: string) => Promise<Buffer | undefined>;

/** The name of a stack's snapshot among the artifacts of a run. */
export function snapshotName(stack: string): string {
  return `gatehouse-${stack}.snapshot`;
}

/** Options of `gatehouse` for the key of the snapshots, which a job has as a variable and a fork's has not. */
export async function keyOptions(home: string, { SNAPSHOT_KEY: key }: NodeJS.ProcessEnv): Promise<string[]> {
  if (!key) return [];
  return ['--key-file', await secretFile(home, 'key', key)];
}

/** A file that no one else on the machine can read. */
export async function secretFile(home: string, name: string, content: string): Promise<string> {
  const file = join(home, name);
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

/**
 * Runs a review with the newest snapshot of the stack. One that is missing or refused is left out: the review then says what
 * it could not check, and `without` why.
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

/** The first file of a zip archive, as an artifact of one file is kept. @throws RangeError, Error if it is none */
export function unzipped(zip: Buffer): Buffer {
  const entry = zip.readUInt32LE(zip.lastIndexOf('PK\x05\x06') + 16);
  const [method, size, local] = [
    zip.readUInt16LE(entry + 10),
    zip.readUInt32LE(entry + 20),
    zip.readUInt32LE(entry + 42),
  ];
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(start, start + size);
  return method === 0 ? data : inflateRawSync(data);
}
