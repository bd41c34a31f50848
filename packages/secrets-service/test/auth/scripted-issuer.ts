import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT } from 'jose';
import { listen } from '../../../host/src/listen.ts';

/** An issuer that a test controls. It returns an ID token for every code and asks nobody. */
export interface ScriptedIssuer {
  url: string;
  /** Claims of the next ID tokens, in addition to `iss`, `aud`, `iat`, `exp` and the nonce. */
  claims: Record<string, unknown>;
  /** Further claims of the userinfo endpoint; undefined for no such endpoint. */
  userInfo?: Record<string, unknown>;
  /** Signs with an unpublished key with its own id. */
  hasCustomKey: boolean;
  /** Signs an ID token for a client that began a login with this authorization URL. */
  idToken(authUrl: string, change?: Record<string, unknown>): Promise<string>;
  /** The nonce of the login whose code is exchanged next. */
  expect(authUrl: string): void;
  /** Runs before a code is exchanged, and may say why it is not. */
  beforeExchange?: () => unknown;
  close(): void;
}

export async function startScriptedIssuer(): Promise<ScriptedIssuer> {
  const published = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const custom = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let nonce = '';
  const server = createServer(async (request, response) => {
    const json = (value: unknown) =>
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: issuer.url,
          authorization_endpoint: `${issuer.url}/authorize`,
          token_endpoint: `${issuer.url}/token`,
          jwks_uri: `${issuer.url}/keys`,
          ...(issuer.userInfo === undefined ? {} : { userinfo_endpoint: `${issuer.url}/userinfo` }),
        });
      case '/keys':
        return json({
          keys: [{ ...published.publicKey.export({ format: 'jwk' }), kid: 'published', use: 'sig' }],
        });
      case '/token': {
        const problem = (await issuer.beforeExchange?.()) as { error?: string } | undefined;
        if (problem?.error !== undefined) {
          response.statusCode = 400;
          return json(problem);
        }
        return json({ access_token: 'opaque-access-token', token_type: 'Bearer', id_token: await sign({}) });
      }
      case '/userinfo':
        return json(issuer.userInfo);
      default:
        return response.writeHead(404).end();
    }
  });
  function sign(change: Record<string, unknown>): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const key = issuer.hasCustomKey ? custom : published;
    return new SignJWT({
      sub: 'alice',
      iss: issuer.url,
      aud: 'client',
      iat: now,
      exp: now + 60,
      nonce,
      ...issuer.claims,
      ...change,
    })
      .setProtectedHeader({ alg: 'RS256', kid: issuer.hasCustomKey ? 'custom' : 'published' })
      .sign(key.privateKey);
  }
  const issuer: ScriptedIssuer = {
    url: `http://127.0.0.1:${await listen(server, 0)}`,
    claims: {},
    hasCustomKey: false,
    expect(authUrl) {
      nonce = new URL(authUrl).searchParams.get('nonce') ?? '';
    },
    idToken(authUrl, change = {}) {
      issuer.expect(authUrl);
      return sign(change);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return issuer;
}
