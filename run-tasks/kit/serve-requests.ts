import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { httpAddress, listen } from '../../web/listen.ts';

/** A bare HTTP server. @throws GatehouseError `port_in_use` */
export async function serveRequests(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown,
  { port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {},
) {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, await buffer(request), response);
    } catch {
      response.destroy();
    }
  });
  const bound = await listen(server, port, host);
  return {
    address: httpAddress(host, bound),
    port: bound,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export type BareServer = Awaited<ReturnType<typeof serveRequests>>;
