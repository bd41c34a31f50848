import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { httpAddress, listen } from '../../packages/host/src/listen.ts';

/** A bare HTTP server on a port of loopback. */
export async function serveRequests(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown,
) {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, await buffer(request), response);
    } catch {
      response.destroy();
    }
  });
  const host = '127.0.0.1';
  return {
    address: httpAddress(host, await listen(server, 0, host)),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export type BareServer = Awaited<ReturnType<typeof serveRequests>>;
