import { cannotUnmarshal, wrongBase64Byte } from '../graph/values/go.ts';
import { isObject } from '../graph/values/json.ts';
import { parseStrictJson } from '../graph/values/strict-json.ts';
import type { Claims } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';

/**
 * Rules for reading a token: `own` are those of the embedded service, strict on purpose
 * (docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725); `server` are those of OpenBao and Vault, to
 * predict their answers.
 */
export type TokenRules = 'own' | 'server';

/** Bytes that a token presented at a login may have, by our own rules: 200 groups make more than 8 KiB. */
export const tokenLimit = 64 * 1024;

export interface CompactToken {
  header: { alg: string; kid?: string };
  payload: Buffer;
  /** The text that the signature covers. */
  signed: string;
  signature: Buffer;
  /** False where the header names unknown critical extensions: no key verifies it then. */
  isVerifiable: boolean;
  /** Base64 padding is taken with configured keys only. */
  isPadded: boolean;
}

/** A token that cannot be read. The message never repeats it. */
export class MalformedToken extends Error {}

/**
 * Takes a token in JWS compact form apart, without verifying it: as go-jose/go-jose jws.go does it, which takes blanks
 * anywhere, padding, bits left over, and the JSON serialization. Our own rules refuse whatever is not strictly a token.
 *
 * @throws MalformedToken
 */
export function parseCompactToken(token: string, rules: TokenRules): CompactToken {
  const isOwn = rules === 'own';
  const segments = partsOf(isOwn ? token : compactFormOf(token));
  const parts = isOwn ? segments : segments.map((part) => part.replace(/=+$/, ''));
  const [header, payload, signature] = parts.map(isOwn ? decode : fromBase64Url) as [Buffer, Buffer, Buffer];
  const parsed = headerOf(header);
  if (isOwn) requireStrict(parsed, signature);
  const { crit, b64, alg, kid } = parsed;
  const id = headerText(kid, 'key ID');
  const extensions = crit ?? [];
  // RFC 7797: the payload itself is signed then, and not its base64.
  const encoding = !isOwn && b64 === false ? 'latin1' : 'base64url';
  return {
    header: {
      alg: headerText(alg, 'algorithm'),
      ...(kid === undefined || (!isOwn && id === '') ? {} : { kid: id }),
    },
    payload,
    signed: `${header.toString('base64url')}.${payload.toString(encoding)}`,
    signature,
    isVerifiable: Array.isArray(extensions) && extensions.every((extension) => extension === 'b64'),
    isPadded: parts.some((part, index) => part !== segments[index]),
  };
}

/** @throws MalformedToken for a header that our own rules refuse, or without a signature */
function requireStrict({ crit, alg, kid }: Claims, signature: Buffer): void {
  if (crit !== undefined) throw new MalformedToken('critical headers are not supported');
  if (typeof alg !== 'string') throw new MalformedToken('the header names no algorithm');
  if (kid !== undefined && typeof kid !== 'string') throw new MalformedToken('the key id is not a string');
  if (signature.length === 0) throw new MalformedToken('the token is not signed');
}

function partsOf(token: string): string[] {
  const parts = token.split('.');
  if (parts.length === 3) return parts;
  throw new MalformedToken('go-jose/go-jose: compact JWS format must have three parts');
}

function compactFormOf(token: string): string {
  const plain = token.replace(/\s/g, '');
  return plain.startsWith('{') ? fromJson(plain) : plain;
}

/** The compact form of the JSON serialization (RFC 7515, section 7.2) with one signature. */
function fromJson(text: string): string {
  const { payload, signatures, ...flat } = parseObject(Buffer.from(text)) ?? {};
  const [only, ...rest] = Array.isArray(signatures) ? signatures : [flat];
  const parts = [only?.protected, payload, only?.signature];
  if (rest.length > 0 || parts.some((part) => typeof part !== 'string')) {
    throw new MalformedToken('not a JWS with one signature');
  }
  return parts.join('.');
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new MalformedToken('a part is not base64url');
  return bytes;
}

function fromBase64Url(part: string): Buffer {
  const wrong = wrongBase64Byte(part);
  if (wrong === undefined) return Buffer.from(part, 'base64url');
  throw new MalformedToken(`illegal base64 data at input byte ${wrong}`);
}

function headerOf(bytes: Buffer): Claims {
  const header = parseObject(bytes);
  if (header === undefined)
    throw new MalformedToken('the header is not a JSON object, or says something twice');
  const { jwk } = header;
  if (jwk !== undefined && jwk !== null && !isObject(jwk))
    throw new MalformedToken('failed to unmarshal JWK');
  return header;
}

/** In the words of go-jose. */
function headerText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  const quotedValue = JSON.stringify(JSON.stringify(value));
  throw new MalformedToken(`failed to unmarshal ${what}: ${cannotUnmarshal(value, 'value')}: ${quotedValue}`);
}

/**
 * The claims of a payload.
 *
 * @param isLoose A repeated claim has its last value, as on real servers for tokens of published keys.
 * @returns undefined for what is not a JSON object, or, unless loose, says something twice.
 */
export function claimsOf(payload: Buffer, rules: TokenRules, isLoose = false): Claims | undefined {
  return parseObject(payload, rules === 'own' ? 'strict' : isLoose ? 'loose' : 'server');
}

function parseObject(bytes: Buffer, how: 'strict' | 'server' | 'loose' = 'strict'): Claims | undefined {
  try {
    // Go writes U+FFFD for what is not UTF-8.
    const text = new TextDecoder('utf-8', { fatal: how === 'strict', ignoreBOM: true }).decode(bytes);
    const value: unknown = how === 'loose' ? JSON.parse(text) : parseStrictJson(text);
    if (value === null && how !== 'strict') return {};
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The refusal of a token that cannot be read. */
export function malformed(what: string): LoginRefused {
  return new LoginRefused(
    LoginReason.tokenMalformed,
    `error validating token: error verifying token signature: ${what}`,
  );
}
