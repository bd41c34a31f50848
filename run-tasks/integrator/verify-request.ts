import type { IncomingHttpHeaders } from 'node:http';
import { type JsonApiError, refusal, unprocessable } from '../../core/run-task/json-api-error.ts';
import { parsePayload, type ReceivedPayload } from '../../core/run-task/payload.ts';
import { isSigned, signatureHeaders } from '../../core/run-task/signature.ts';

/** Characters. No platform makes longer identifiers. */
const longestId = 200;

type Verdict = { payload: ReceivedPayload } | { status: 400 | 401 | 422; errors: JsonApiError[] };

/**
 * Judges a run task request: first the signature over the raw bytes, and only then their content (facts/run-tasks.md,
 * "Signature"). No error quotes the body.
 */
export function verifyRequest(
  keys: readonly string[],
  headers: IncomingHttpHeaders,
  body: Uint8Array,
): Verdict {
  const given = signatureHeaders.map((name) => headers[name.toLowerCase()]);
  if (!given.some((one) => isSigned(body, typeof one === 'string' ? one : undefined, keys))) {
    const detail = `${signatureHeaders[0]} must be the HMAC-SHA512 of the body with this endpoint's key, in lower-case hex.`;
    return refusal(401, 'unauthorized', detail);
  }
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return refusal(400, 'bad request', 'The body is not JSON.');
  }
  const read = parsePayload(json);
  if ('problems' in read) return { status: 422, errors: read.problems.map((text) => unprocessable(text)) };
  const { payload } = read;
  const { task_result_id: taskResult, run_id: run, access_token: token } = payload;
  const problems: string[] = [];
  if (!isIdentifier(taskResult)) problems.push('task_result_id: is not an identifier');
  // It becomes the value of a header.
  if (!/^[\x21-\x7e]+$/.test(token)) problems.push('access_token: is not a token');
  if (run != null && !isIdentifier(run)) problems.push('run_id: is not an identifier');
  if (problems.length === 0) return { payload };
  return { status: 422, errors: problems.map((text) => unprocessable(text)) };
}

/** Without control characters, which a database may not accept as text. */
function isIdentifier(text: string): boolean {
  return text.length <= longestId && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
