import { GatehouseError } from '../../core/model/values/errors.ts';
import { sign, signatureHeaders } from '../../core/run-task/signature.ts';
import { hasEnded } from '../../core/run-task/task-result.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import { issueToken } from './access-token.ts';
import { requestPayload } from './request-payload.ts';
import { readRun, touchRun } from './run-store.ts';
import { readTask, recordAttempt } from './run-task-store.ts';
import type { Work } from './work.ts';

/** Milliseconds for the answer: an integrator stores the request, answers, and works afterwards. */
const answerMs = 10_000;
/** Bytes of the answer; its content does not matter. */
const largestAnswer = 64 * 1024;

interface SendArgs {
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  work: Pick<Work, 'signingKey'>;
  /** The platform's, without a trailing slash. */
  address: string;
  version: string;
  now: () => number;
  /** Called with the status that answered each request, or `none`. */
  onAnswer: (answer: string) => void;
}

/**
 * Sends the run task request of a task once (interface.md A-1), unless it was accepted already or the task has ended.
 *
 * @returns `refused` if the address may never be called
 * @throws Error if it was not accepted, so that the queue sends it again; its message contains no secret
 */
export async function sendRequest(
  taskId: string,
  { database, outbound, work, address, version, now, onAnswer }: SendArgs,
): Promise<{ refused?: GatehouseError }> {
  const task = await readTask(database, taskId);
  if (task === undefined || hasEnded(task) || task.acceptedAt !== undefined) return {};
  const run = await readRun(database, task.run);
  if (run === undefined) return {};
  const record = (attempt: { acceptedAt?: number; trouble?: string }) =>
    database.transaction(async (sql) => {
      await touchRun(sql, run.id);
      await recordAttempt(sql, taskId, attempt);
    });
  let trouble: string;
  try {
    const key = await work.signingKey(run.stack, task.name);
    // Step 4: the token is stored before anybody can use it.
    const token = await issueToken(database, taskId);
    const body = Buffer.from(JSON.stringify(requestPayload(run, task, token, address)));
    const signature = sign(body, key);
    // Step 5.
    const { status } = await outbound.request({
      method: 'POST',
      url: URL.parse(task.requestUrl, address)?.href ?? task.requestUrl,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': `gatehouse/${version} (+${address})`,
        ...Object.fromEntries(signatureHeaders.map((name) => [name, signature])),
      },
      body,
      timeoutMs: answerMs,
      maxBytes: largestAnswer,
    });
    onAnswer(String(status));
    if (status === 200) {
      // Step 6.
      await record({ acceptedAt: now() });
      return {};
    }
    trouble = `answered with ${status} instead of 200`;
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    trouble = error.parts.what;
    if (error.code === 'address_unreachable') onAnswer('none');
    if (error.code === 'address_refused') {
      await record({ trouble });
      return { refused: error };
    }
  }
  await record({ trouble });
  throw new Error(`the run task ${task.name} was not accepted: ${trouble}`);
}
