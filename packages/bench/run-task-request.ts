import { sign } from '../../core/run-task/signature.ts';
import { samplePayload } from '../../test/core/run-task/sample-payload.ts';

export const runTaskKey = 'a key of the bench';
/** Of each body. */
const bytes = 10_240;

/** Text that compresses like a person's: words in no repeating order. */
const words = Array.from({ length: 2_500 }, (_, at) =>
  (Math.imul(at + 1, 2_654_435_761) >>> 19).toString(36),
).join(' ');

/** A signed run task request after planning, of 10 KB, from the platform at `origin`. */
export function runTaskRequest(origin: string, id: string): { body: Buffer; signature: string } {
  const payload = samplePayload({
    ...{ access_token: `token-of-${id}`, run_id: `run-${id}`, task_result_id: id, run_message: '' },
    ...{ plan_json_api_url: `${origin}/plans/${id}`, task_result_callback_url: `${origin}/callbacks/${id}` },
  });
  const run_message = words.slice(0, bytes - JSON.stringify(payload).length);
  const body = Buffer.from(JSON.stringify({ ...payload, run_message }));
  return { body, signature: sign(body, runTaskKey) };
}
