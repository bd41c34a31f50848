import type { IncomingHttpHeaders } from 'node:http';
import { type JsonApiError, refusal, unprocessable } from '../../core/run-task/json-api-error.ts';
import { parsePayload, type ReceivedPayload } from '../../core/run-task/payload.ts';
import { isSigned, signatureHeaders } from '../../core/run-task/signature.ts';

/** Characters. No platform makes longer identifiers. */
const longestId = 200;

type Verdict = { payload: ReceivedPayload } | { status: 400 | 401 | 422; errors: JsonApiError[] };

/**
 * Judges a run task request: the signature over the bytes as they came first, and only then what they say
 * (facts/run-tasks.md, "Signature"). No error holds anything of the body.
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
  const problems = [
    ...(isIdentifier(payload.task_result_id) ? [] : ['task_result_id: is not an identifier']),
    // It is going to be the value of a header.
    ...(/^[\x21-\x7e]+$/.test(payload.access_token) ? [] : ['access_token: is not a token']),
    ...(payload.run_id == null || isIdentifier(payload.run_id) ? [] : ['run_id: is not an identifier']),
  ];
  return problems.length === 0
    ? { payload }
    : { status: 422, errors: problems.map((text) => unprocessable(text)) };
}

/** Without control characters, which a database may not hold as text. */
function isIdentifier(text: string): boolean {
  return text.length <= longestId && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
