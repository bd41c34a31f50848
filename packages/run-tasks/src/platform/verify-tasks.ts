import { createHmac, randomUUID } from 'node:crypto';
import { verificationToken } from '@gatehouse/core/run-task';
import { EnforcementLevel, GatehouseError } from '@gatehouse/core/values';
import { newTask, type Run } from './run.ts';
import { post } from './send-request.ts';
import type { DeclaredRunTask, PlatformParts } from './work.ts';

/**
 * Sends a verification request to each run task whose address or key is new: a payload like any other, with a token that
 * starts no work.
 *
 * @param run with the description that it will have
 * @returns why the run may not begin: a mandatory task never answered with 200 at this address, with this key
 * @throws GatehouseError what `Work.signingKey` throws
 */
export async function verifyTasks(run: Run, parts: PlatformParts): Promise<{ refusal?: string }> {
  const { database, work, now } = parts;
  const earlier = await database.query(
    'SELECT name, fingerprint, verified_at FROM verifications WHERE stack = $1',
    [run.stack],
  );
  const troubles = await Promise.all(
    run.description.tasks.map(async (task) => {
      // The fingerprint changes with the address and the key, and does not reveal the key.
      const key = (await work.signingKey(run.stack, task.name)) ?? '';
      const fingerprint = createHmac('sha512', key).update(`run task at ${task.url}`).digest('hex');
      const same = earlier.find((row) => row['name'] === task.name && row['fingerprint'] === fingerprint);
      if (same?.['verified_at']) return undefined;
      const trouble = await verify(run, task, parts);
      const verifiedAt = trouble === undefined ? new Date(now()) : null;
      await database.query(
        `INSERT INTO verifications (stack, name, fingerprint, verified_at, trouble) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (stack, name) DO UPDATE SET fingerprint = $3, verified_at = $4, trouble = $5`,
        [run.stack, task.name, fingerprint, verifiedAt, trouble ?? null],
      );
      if (trouble === undefined || task.enforcement !== EnforcementLevel.mandatory) return undefined;
      return `${task.name}: ${trouble}`;
    }),
  );
  const refused = troubles.filter((trouble) => trouble !== undefined);
  if (refused.length === 0) return {};
  const what = 'A mandatory run task did not answer the verification request of its address and key with 200';
  return { refusal: `${what}. ${refused.join('; ')}.` };
}

/** Sends a verification request. @returns why it was not answered with 200 */
async function verify(
  run: Run,
  declared: DeclaredRunTask,
  parts: PlatformParts,
): Promise<string | undefined> {
  const [stage] = declared.stages;
  if (stage === undefined) return 'has no stage';
  const task = newTask(run, declared, { stage, position: 0 }, { now: parts.now(), newId: randomUUID });
  try {
    // Verifications do not count as requests of tasks.
    return await post(run, task, verificationToken, { ...parts, onAnswer: () => {} });
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'address_refused') return error.message;
    throw error;
  }
}
