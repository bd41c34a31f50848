import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import { type Result, resultContentType, resultToWire } from '../../core/run-task/result.ts';
import type { Delivery } from './delivery.ts';
import type { Parts } from './parts.ts';

const timeoutMs = 15_000;

/**
 * Sends one result to the platform. It is recorded before it is sent, so that after a crash we know what may have arrived.
 *
 * @returns the status of the answer; undefined if there was none
 */
export async function callBack(
  { deliveries, outbound, userAgent, onAnswer }: Parts,
  { id, payload, accessToken }: Delivery,
  result: Result,
): Promise<number | undefined> {
  const callback = await deliveries.recordCallback({ delivery: id, status: result.status });
  let status: number | undefined;
  let problem: string | undefined;
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
  await deliveries.recordAnswer({ callback, status, problem });
  onAnswer(status === undefined ? 'none' : String(status));
  return status;
}

/** Whether a platform accepted what it was sent. The protocol requires 200; we treat every 2xx alike. */
export function isTaken(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
