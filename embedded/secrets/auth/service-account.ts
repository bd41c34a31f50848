import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SignJWT } from 'jose';
import { issuerFetch } from './issuer-fetch.ts';
import { isFile } from './provider-config.ts';

/** The only two scopes that are asked for, both read-only (interface.md B-3.2). */
const scopes = [
  'https://www.googleapis.com/auth/admin.directory.group.readonly',
  'https://www.googleapis.com/auth/admin.directory.user.readonly',
];
/** Seconds that an assertion is good for: the longest that the suite takes. */
const lifetime = 3600;

export interface ServiceAccountArgs {
  /** Path of the key file, or the key as JSON. */
  account: string;
  /** Administrator on whose behalf the account asks; empty for nobody's. */
  admin: string;
  /** Where access tokens are given. What the key says of that (`token_uri`) is left out of account. */
  tokenUrl: string;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * An access token for a service account of the workspace suite, for an assertion that is signed with its key
 * (RFC 7523, section 2.1; the claims are those of golang.org/x/oauth2/jwt).
 *
 * @throws Error with a reason that holds neither key nor token
 */
export async function serviceAccountToken({
  account,
  admin,
  tokenUrl,
  now,
}: ServiceAccountArgs): Promise<string> {
  const key = await readKey(account);
  const issuedAt = Number(now / 1_000_000_000n);
  const assertion = await new SignJWT({ scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(key.id === undefined ? {} : { kid: key.id }) })
    .setIssuer(key.email)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setSubject(admin === '' ? key.email : admin)
    .sign(key.privateKey);
  const answer = await issuerFetch(tokenUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }).toString(),
    caPem: '',
  });
  const said = (await answer.json().catch(() => undefined)) as {
    error?: unknown;
    access_token?: unknown;
  } | null;
  if (answer.status !== 200) {
    const code = typeof said?.error === 'string' && /^\w{1,60}$/.test(said.error) ? ` (${said.error})` : '';
    throw new Error(`the workspace suite gives the service account no token: ${answer.status}${code}`);
  }
  if (typeof said?.access_token !== 'string') {
    throw new Error('the workspace suite answers without an access token');
  }
  return said.access_token;
}

async function readKey(account: string) {
  const text = isFile(account) ? await readFile(account, 'utf8') : account;
  // What the parsers say would repeat the key.
  try {
    const {
      client_email: email,
      private_key: pem,
      private_key_id: id,
    } = JSON.parse(text) as Record<string, unknown>;
    if (typeof email !== 'string' || typeof pem !== 'string') throw new Error('incomplete');
    return { email, privateKey: createPrivateKey(pem), id: typeof id === 'string' ? id : undefined };
  } catch {
    throw new Error('the service account has no key that can be used');
  }
}
