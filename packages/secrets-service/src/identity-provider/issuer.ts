import { generateKeyPair as generate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';

export interface Issuer {
  /** `http://127.0.0.1:<port>/<path>`, exactly the `iss` of its tokens: a slash at the end counts. */
  url: string;
  key: SigningKey;
  /** Answers a request; `request.url` is relative to the issuer and begins with a slash. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The common beginning of an issuer's addresses: its URL without a slash at the end. */
export function baseOf(url: string): string {
  return url.replace(/\/$/, '');
}

const generateKeyPair = promisify(generate);

/** An issuer's RS256 key. It is in memory only: a restart invalidates older tokens. */
export interface SigningKey {
  privateJwk: JWK;
  /** Published in the JWKS document. */
  publicJwk: JWK;
}

export async function createSigningKey(): Promise<SigningKey> {
  const pair = await generateKeyPair('rsa', { modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const description = { kid: await calculateJwkThumbprint(publicJwk), alg: 'RS256', use: 'sig' };
  return {
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...description },
    publicJwk: { ...publicJwk, ...description },
  };
}
