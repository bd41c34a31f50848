import type { IncomingHttpHeaders } from 'node:http';
import {
  isSigned,
  isVerification,
  type JsonApiError,
  parsePayload,
  type ReceivedPayload,
  refusal,
  signatureHeaders,
  unprocessable,
  unwieldyError,
} from '@gatehouse/core/run-task';
import { jsonIn } from '@gatehouse/core/values';

/** Characters. No platform makes longer identifiers. */
const longestId = 200;

type RequestVerdict =
  | { payload: ReceivedPayload }
  /** The platform only tests the address. */
  | { isVerification: true }
  | { status: 400 | 401 | 422; errors: JsonApiError[] };

/**
 * Judges a run task request: first the signature over the raw bytes, then whether the platform only tests the address, and
 * only then the rest (docs/inside/measured/run-task-platforms.md#signature and
 * docs/inside/measured/run-task-platforms.md#request). No error quotes the body.
 */
export function verifyRequest(
  keys: readonly string[],
  headers: IncomingHttpHeaders,
  body: Uint8Array,
): RequestVerdict {
  const signatures = signatureHeaders.flatMap((name) => headers[name.toLowerCase()] ?? []);
  if (new Set(signatures).size > 1) {
    const detail = `${signatureHeaders.join(' and ')} must be the same, or only one be there.`;
    return refusal(401, 'unauthorized', detail);
  }
  if (!isSigned(body, signatures[0], keys)) {
    const detail = `${signatureHeaders[0]} must be the HMAC-SHA512 of the body with this endpoint's key, in lower-case hex.`;
    return refusal(401, 'unauthorized', detail);
  }
  const text = Buffer.from(body).toString('utf8');
  // Unknown fields are kept, and could not be stored or shown if they were nested too deeply.
  const unwieldy = unwieldyError(text);
  if (unwieldy !== undefined) return { status: 422, errors: [unwieldy] };
  const json = jsonIn(text);
  if (json === undefined) return refusal(400, 'bad request', 'The body is not JSON.');
  if (isVerification(json)) return { isVerification: true };
  const read = parsePayload(json);
  if ('errors' in read) return { status: 422, errors: read.errors };
  const { payload } = read;
  const { task_result_id: taskResult, run_id: run, access_token: token } = payload;
  const wrong: [field: string, what: string][] = [];
  if (!isIdentifier(taskResult)) wrong.push(['task_result_id', 'an identifier']);
  // The token becomes the value of a header.
  if (!/^[\x21-\x7e]+$/.test(token)) wrong.push(['access_token', 'a token']);
  if (run != null && !isIdentifier(run)) wrong.push(['run_id', 'an identifier']);
  if (wrong.length === 0) return { payload };
  const errors = wrong.map(([field, what]) => unprocessable(`${field}: is not ${what}`, `/${field}`));
  return { status: 422, errors };
}

/** Whether a text is short and has no control characters, which a database may not accept as text. */
function isIdentifier(text: string): boolean {
  return text.length <= longestId && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
