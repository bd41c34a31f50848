import { parseStrictJson } from '../model/values/strict-json.ts';
import type { Claims } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';

/** Bytes that a token presented at a login may have. */
export const tokenLimit = 8 * 1024;

export interface CompactToken {
  header: { alg: string; kid?: string };
  claims: Claims;
  /** What the signature is of: header and payload as they came. */
  signed: string;
  signature: Buffer;
}

/**
 * Takes a token in JWS compact form apart, without verifying it, and refuses whatever is not strictly one: other
 * alphabets and paddings, names that are there twice, encrypted tokens, critical headers, unsigned tokens.
 *
 * @param limit Bytes that the token may have.
 * @throws LoginRefused at step `token`
 */
export function parseCompactToken(token: string, limit = tokenLimit): CompactToken {
  if (token.length > limit) throw malformed(`a token may have ${limit} bytes at most`);
  const parts = token.split('.');
  if (parts.length !== 3) throw malformed('compact JWS format must have three parts');
  const [header, payload, signature] = parts.map(decode) as [Buffer, Buffer, Buffer];
  const { alg, kid, crit } = object(header, 'header');
  if (crit !== undefined) throw malformed('critical headers are not supported');
  if (typeof alg !== 'string') throw malformed('the header names no algorithm');
  if (kid !== undefined && typeof kid !== 'string') throw malformed('the key id is not a string');
  if (signature.length === 0) throw malformed('the token is not signed');
  const signed = token.slice(0, token.lastIndexOf('.'));
  return { header: { alg, kid }, claims: object(payload, 'payload'), signed, signature };
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw malformed('a part is not base64url');
  return bytes;
}

function object(bytes: Buffer, part: string): Claims {
  let value: unknown;
  try {
    value = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformed(`the ${part} is not JSON, or says something twice`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(`the ${part} is not an object`);
  }
  return value as Claims;
}

function malformed(what: string): LoginRefused {
  return new LoginRefused(
    LoginReason.tokenMalformed,
    `error validating token: error verifying token signature: malformed token: ${what}`,
  );
}
