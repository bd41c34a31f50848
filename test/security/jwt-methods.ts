import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { ask, type Server, write } from '../harness/ask.ts';
import { serveRequests } from '../harness/bare-server.ts';

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
export const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;

/** The part of a compact token that says this. A text stays as it is. */
export function part(content: unknown): string {
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
}

/** How each algorithm signs, whatever the key is for. */
const signers: Record<string, (input: string, key: KeyObject) => Buffer> = {
  RS256: (input, key) => sign('sha256', Buffer.from(input), key),
  RS512: (input, key) => sign('sha512', Buffer.from(input), key),
  PS512: (input, key) =>
    sign('sha512', Buffer.from(input), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
  PS256: (input, key) =>
    sign('sha256', Buffer.from(input), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (input, key) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  ES384: (input, key) => sign('sha384', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  HS256: (input, key) => createHmac('sha256', key).update(input).digest(),
};

/** Signs by hand what no library would: the algorithm of the header is the test's to choose. */
export function signed(
  header: unknown,
  claims: unknown,
  { by = 'RS256', key = rsa.privateKey }: { by?: keyof typeof signers; key?: KeyObject } = {},
): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signers[by]?.(input, key).toString('base64url')}`;
}

/** Claims with which a token signs in at `people`. */
export function goodClaims(at = Date.now()) {
  const now = Math.floor(at / 1000);
  return { iss: 'https://issuer.example', sub: 'alice', aud: 'secrets', iat: now, nbf: now, exp: now + 3600 };
}

export const rsaJwk = rsa.publicKey.export({ format: 'jwk' });
const publishedKeys: object[] = [
  { ...rsaJwk, kid: 'rsa', use: 'sig' },
  { ...p256.publicKey.export({ format: 'jwk' }), kid: 'p256', use: 'sig' },
  { ...p384.publicKey.export({ format: 'jwk' }), kid: 'p384', use: 'sig' },
];

/** A server of keys, which counts what it is asked for. */
export async function startKeyServer(keys = publishedKeys) {
  const asked: string[] = [];
  const server = await serveRequests((request, _, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  return { ...server, asked };
}

export interface JwtMethod {
  path: string;
  /** Where its keys are: at this address, or configured. */
  jwksUrl?: string;
  /** Defaults to what the service accepts by default. */
  algorithms?: string[];
  role?: object;
}

/** A JWT method with the role `people`, for audience `secrets`. */
export async function enableJwt(
  server: Server,
  { path, jwksUrl, algorithms, role }: JwtMethod,
): Promise<void> {
  await write(server, `sys/auth/${path}`, { type: 'jwt' });
  await write(server, `auth/${path}/config`, {
    ...(jwksUrl === undefined ? { jwt_validation_pubkeys: [rsaPem] } : { jwks_url: jwksUrl }),
    ...(algorithms === undefined ? {} : { jwt_supported_algs: algorithms }),
  });
  await write(server, `auth/${path}/role/people`, {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['secrets'],
    ...role,
  });
}

/** Signs in without a token of the service. */
export function login(server: Server, path: string, jwt: string) {
  const body = { role: 'people', jwt };
  return ask(server, { method: 'POST', path: `auth/${path}/login`, body, token: '' });
}
