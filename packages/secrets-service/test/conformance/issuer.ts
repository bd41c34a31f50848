import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../../host/src/listen.ts';
import { jwk, jwt } from './tokens.ts';

/** An identity provider that signs in those whom a code names: `<nonce>~<claims>~<userinfo>`, both as JSON in base64url. */
export async function startIssuer(): Promise<{ address: string; close: () => Promise<void> }> {
  let address = '';
  const documents: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer: address,
      authorization_endpoint: `${address}/authorize`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/jwks`,
      userinfo_endpoint: `${address}/userinfo`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/slash/.well-known/openid-configuration': () => ({
      issuer: `${address}/slash/`,
      jwks_uri: `${address}/jwks`,
    }),
    '/jwks': () => ({ keys: [jwk] }),
    '/no-keys': () => ({ nothing: true }),
    '/wrong/.well-known/openid-configuration': () => ({
      issuer: 'https://other',
      jwks_uri: `${address}/jwks`,
    }),
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', address);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const document = documents[url.pathname];
    const decoded = (text: string) =>
      JSON.parse(Buffer.from(text, 'base64url').toString().replaceAll('{issuer}', address)) as object;
    if (document !== undefined) return json(200, document());
    if (url.pathname === '/userinfo') {
      const [, given = 'none'] = request.headers.authorization?.split(' ') ?? [];
      return given === 'none' ? json(404, {}) : json(200, decoded(given));
    }
    if (url.pathname !== '/token') return json(404, {});
    const code = new URLSearchParams(await textOf(request)).get('code') ?? '';
    const [nonce, claims, userInfo = 'none'] = code.split('~');
    if (claims === undefined) return json(400, { error: 'invalid_grant' });
    const given = Object.entries({ iss: address, aud: 'client', nonce, ...decoded(claims) });
    const id_token = jwt(
      Object.fromEntries(given.map(([name, value]) => [name, value === gone ? undefined : value])),
    );
    return json(200, { access_token: userInfo, token_type: 'Bearer', expires_in: 60, id_token });
  });
  address = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    address,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The value of a claim that an ID token lacks. */
export const gone = 'gone';

/**
 * A code by which someone with these claims signs in, once its nonce is known. `{issuer}` in a text stands for the provider's address.
 *
 * @param userInfo The answer of the userinfo endpoint. Defaults to 404.
 */
export function codeFor(claims: object, userInfo?: object): string {
  const encoded = [claims, userInfo].flatMap((part) =>
    part === undefined ? [] : [Buffer.from(JSON.stringify(part)).toString('base64url')],
  );
  return ['{nonce}', ...encoded].join('~');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
