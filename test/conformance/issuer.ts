import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../web/listen.ts';
import { jwk, jwt } from './tokens.ts';

/** An identity provider that signs in whoever a code names: `<nonce>~<claims as JSON, base64url>`. */
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
    if (document !== undefined) return json(200, document());
    if (url.pathname !== '/token') return json(404, {});
    const code = new URLSearchParams(await textOf(request)).get('code') ?? '';
    const [nonce, claims] = code.split('~');
    if (claims === undefined) return json(400, { error: 'invalid_grant' });
    const own = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
    const id_token = jwt({ iss: address, aud: 'client', nonce, ...own });
    return json(200, { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token });
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

/** A code by which someone with these claims signs in, once its nonce is known. */
export function codeFor(claims: object): string {
  return `{nonce}~${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
