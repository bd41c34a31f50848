import { createServer } from 'node:http';
import { listen } from '../../../packages/host/src/listen.ts';

/**
 * A double of every identity provider: each path is an issuer. A service asks for no more before it takes a configuration.
 *
 * @param withSlash paths of issuers whose own address ends with a slash
 */
export async function startIssuers(withSlash: readonly string[] = []) {
  const server = createServer((request, response) => {
    const path = request.url?.replace('/.well-known/openid-configuration', '') ?? '';
    const address = `http://${request.headers.host}${path}`;
    const endpoints = {
      authorization_endpoint: `${address}/a`,
      token_endpoint: `${address}/t`,
      jwks_uri: `${address}/k`,
    };
    const issuer = withSlash.includes(path) ? `${address}/` : address;
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ issuer, ...endpoints, keys: [] }));
  });
  const port = await listen(server, 0);
  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
