import { createServer } from 'node:http';
import { ServiceClient } from '../../client/service-client.ts';
import { drift } from '../../scripts/recording/runs.ts';
import { listen } from '../../web/listen.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { Names } from './names.ts';

/**
 * An embedded service and issuers in the place of those that were recorded, and what happened to the service by hand.
 */
export async function startServiceOfThen() {
  const service = await startEmbeddedService();
  const issuers = await startIssuers();
  return {
    token: service.token,
    /** Of the secrets service and the identity provider, now. */
    addresses: { service: service.address, identity: issuers.address },
    names: new Names({
      'http://127.0.0.1:18900': service.address,
      'http://127.0.0.1:18960': issuers.address,
    }),

    /** What was done by hand between `up-update` and `preview-refresh-drift`. */
    async drift(): Promise<void> {
      const client = new ServiceClient(service);
      await drift(client);
      client.close();
    },

    async close(): Promise<void> {
      issuers.close();
      await service.close();
    },
  };
}

/**
 * A double of every provider: each address is an issuer. The service asks for no more before it takes a configuration.
 */
async function startIssuers() {
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}${request.url?.replace('/.well-known/openid-configuration', '')}`;
    const endpoints = {
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/k`,
    };
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ issuer, ...endpoints, keys: [] }));
  });
  const port = await listen(server, 0);
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}
