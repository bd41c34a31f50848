import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import { isFinal, type Result, resultContentType, resultToWire } from '../../core/run-task/result.ts';
import type { Delivery } from './delivery.ts';
import type { Parts } from './parts.ts';

const timeoutMs = 15_000;

/**
 * Sends one result to the platform. It is recorded before it is sent, so that after a crash we know what may have arrived.
 *
 * @returns the status of the answer; undefined if there was none
 */
export async function callBack(
  { database, outbound, userAgent, now, onAnswer }: Parts,
  { id, payload, accessToken }: Delivery,
  result: Result,
): Promise<number | undefined> {
  const [row] = await database.query(
    'INSERT INTO callbacks (delivery, at, status) VALUES ($1, $2, $3) RETURNING id',
    [id, new Date(now()), result.status],
  );
  let status: number | undefined;
  let problem: string | null = null;
  try {
    const answer = await outbound.request({
      method: 'PATCH',
      url: payload.task_result_callback_url,
      headers: {
        'content-type': resultContentType,
        authorization: `Bearer ${accessToken}`,
        'user-agent': userAgent,
      },
      body: JSON.stringify(resultToWire(result, acceptsOutcomes(payload))),
      timeoutMs,
    });
    status = answer.status;
  } catch (error) {
    problem = (error as Error).message;
  }
  await database.query('UPDATE callbacks SET http_status = $2, error = $3 WHERE id = $1', [
    row?.['id'],
    status ?? null,
    problem,
  ]);
  onAnswer(status === undefined ? 'none' : String(status));
  return status;
}

/** What happened to the final results sent so far. */
export async function earlierFinals(
  { database }: Parts,
  { id }: Delivery,
): Promise<{ mayHaveArrived: boolean; wasRefused: boolean }> {
  const rows = await database.query('SELECT status, http_status FROM callbacks WHERE delivery = $1', [id]);
  const answers = rows
    .filter(({ status }) => isFinal(status as Result['status']))
    .map((row) => row['http_status'] as number | null);
  return {
    mayHaveArrived: answers.some((status) => status === null || status === 408 || status >= 500),
    wasRefused: answers.includes(422),
  };
}

/** Whether a platform accepted what it was sent. The protocol requires 200; we treat every 2xx alike. */
export function isTaken(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
