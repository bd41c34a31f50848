import { GatehouseError } from '../../core/model/values/errors.ts';
import type { SentPayload } from '../../core/run-task/payload.ts';
import { sign, signatureHeaders } from '../../core/run-task/signature.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { RunTask } from './run.ts';
import type { Work } from './work.ts';

/** Milliseconds for the answer: an integrator stores the request, answers, and works afterwards. */
const answerMs = 10_000;
/** Bytes of the answer; its content does not matter. */
const largestAnswer = 64 * 1024;

export interface PostArgs {
  outbound: Pick<Outbound, 'request'>;
  work: Pick<Work, 'signingKey'>;
  /** The platform's, without a trailing slash. */
  address: string;
  version: string;
  /** Called with the status that answered each request, or `none`. */
  onAnswer: (answer: string) => void;
}

/**
 * Posts a payload to the address of a run task, signed with the task's key (interface.md A-1).
 *
 * @returns undefined if it was answered with 200, or why it was not accepted
 * @throws GatehouseError `address_refused`, and what `Work.signingKey` throws
 */
export async function post(
  stack: string,
  { name, requestUrl }: Pick<RunTask, 'name' | 'requestUrl'>,
  payload: SentPayload,
  { outbound, work, address, version, onAnswer }: PostArgs,
): Promise<string | undefined> {
  const key = await work.signingKey(stack, name);
  const body = Buffer.from(JSON.stringify(payload));
  const signature = sign(body, key);
  try {
    const { status } = await outbound.request({
      method: 'POST',
      url: URL.parse(requestUrl, address)?.href ?? requestUrl,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': `gatehouse/${version} (+${address})`,
        ...Object.fromEntries(signatureHeaders.map((header) => [header, signature])),
      },
      body,
      timeoutMs: answerMs,
      maxBytes: largestAnswer,
    });
    onAnswer(String(status));
    return status === 200 ? undefined : `answered with ${status} instead of 200`;
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'address_unreachable') throw error;
    onAnswer('none');
    return error.parts.what;
  }
}
