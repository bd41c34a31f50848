import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { largestPlan, type PlanResources, planTooLarge, readPlan } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';

/**
 * Reads a plan from a file, or from standard input for `-`, up to the largest size of a plan.
 *
 * @throws GatehouseError `file_unreadable`, and what `readPlan` throws
 */
export async function readPlanFile(path: string, stdin: Readable): Promise<PlanResources> {
  if (path === '-') return readPlan(await planTextOf(stdin));
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path);
  } catch (cause) {
    throw planUnreadable(path, cause);
  }
  try {
    const stat = await file.stat();
    if (stat.size > largestPlan) throw planTooLarge();
    if (stat.isDirectory()) throw planUnreadable(path, undefined);
    return readPlan(await planTextOf(file.createReadStream()));
  } finally {
    await file.close();
  }
}

/** `terraform show -json > plan.json` on Windows writes UTF-16. */
async function planTextOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length > largestPlan) throw planTooLarge();
    chunks.push(Buffer.from(chunk as Buffer));
  }
  const bytes = Buffer.concat(chunks);
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('utf8');
}

function planUnreadable(path: string, cause: unknown): GatehouseError {
  return new GatehouseError('file_unreadable', {
    given: path,
    allowed: 'a file, or - for standard input',
    cause,
    values: { file: 'plan' },
  });
}
