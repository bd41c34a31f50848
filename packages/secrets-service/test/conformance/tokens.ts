import { createSign, generateKeyPairSync } from 'node:crypto';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The key that the tokens of these tests are verified with. */
export const pem = (publicKey.export({ type: 'spki', format: 'pem' }) as string).trim();
export const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' };

const now = Math.floor(Date.now() / 1000);
/** Claims of a token that every role of these tests takes. */
const good = { iss: 'https://issuer.example', sub: 'ann', aud: 'app', iat: now, nbf: now, exp: now + 3600 };
export const instants = { now, longAgo: now - 100_000, farOff: now + 100_000 };

/** The least of a role that such a token signs in to. */
export const jwtRole = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };

export interface JwtArgs {
  header?: object;
  /** Signs with a key that nobody knows. */
  strange?: boolean;
}

/** A signed token; claims that are undefined are left out. */
export function jwt(claims: Record<string, unknown> = {}, { header, strange = false }: JwtArgs = {}): string {
  const signed = [
    { alg: 'RS256', typ: 'JWT', kid: 'k1', ...header },
    { ...good, ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createSign('RSA-SHA256')
    .update(signed)
    .sign(strange ? stranger : privateKey);
  return `${signed}.${signature.toString('base64url')}`;
}
