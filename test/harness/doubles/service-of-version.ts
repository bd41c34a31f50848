import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A test double, not a server: it says that it is of this version and accepts every token, for what is decided by
 * the version alone. The embedded service has one version, and OpenBao has another.
 */
export async function startServiceOfVersion(
  version: string,
): Promise<{ address: string; close(): Promise<void> }> {
  const answers: Record<string, object> = {
    '/v1/sys/seal-status': { initialized: true, sealed: false, version },
    '/v1/auth/token/lookup-self': { data: { policies: ['root'] } },
    '/v1/auth/token/create': { auth: { client_token: 'child-of-the-double' } },
  };
  const server = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? ''];
    incoming.resume().once('end', () => {
      outgoing.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
      outgoing.end(JSON.stringify(answer ?? { errors: [] }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
