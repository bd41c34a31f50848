import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { largestPlan, type PlanResources, readPlan } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';

/** A plan file that Terraform or OpenTofu applies. */
export interface PlanArchive {
  plan: PlanResources;
  /** SHA-256 of the very bytes that the plan was read from, in hex. */
  digest: string;
}

const zip = Buffer.from('PK\x03\x04');

/**
 * Has OpenTofu or Terraform, whichever is on PATH and reads it, show a plan file as JSON. It runs where the command does:
 * in an initialized folder, as `show` needs the providers.
 *
 * @returns undefined for what is no such file, or where neither program is there
 * @throws GatehouseError `plan_not_shown`, and what `readPlan` throws
 */
export async function readPlanArchive(
  path: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<PlanArchive | undefined> {
  const bytes = path === '-' ? undefined : await archiveAt(path);
  if (bytes === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-plan-'));
  try {
    // A copy is shown, so that the digest is of what was shown even if the file changes meanwhile.
    const copy = join(folder, 'plan');
    await writeFile(copy, bytes, { mode: 0o600 });
    let reason: string | undefined;
    for (const program of ['tofu', 'terraform']) {
      const shown = await show(program, copy, cwd, env);
      if (typeof shown === 'string')
        return { plan: readPlan(shown), digest: createHash('sha256').update(bytes).digest('hex') };
      reason = shown?.reason ?? reason;
    }
    if (reason === undefined) return undefined;
    throw new GatehouseError('plan_not_shown', { given: path, values: { reason } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bytes of a zip file; undefined for all else, also for what cannot be read. */
async function archiveAt(path: string): Promise<Buffer | undefined> {
  const file = await open(path).catch(() => undefined);
  try {
    const { buffer } =
      (await file?.read(Buffer.alloc(zip.length), 0, zip.length, 0).catch(() => undefined)) ?? {};
    return buffer?.equals(zip) ? await file?.readFile() : undefined;
  } finally {
    await file?.close();
  }
}

/** @returns the JSON, or why there is none; undefined where there is no such program */
async function show(
  program: string,
  path: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string | { reason: string } | undefined> {
  try {
    const args = ['show', '-json', '-no-color', path];
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: largestPlan });
    // The plan is the last line. Warnings about the machine's configuration come before it, on the same stream.
    const text = stdout.trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return undefined;
    const line = stderr.split('\n').find((text) => /\w/.test(text)) ?? String(code);
    return { reason: `${program}: ${line.replace(/^\W+/, '').trim()}` };
  }
}
