import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach } from '@jest/globals';
import { listen } from '../../packages/host/src/listen.ts';

/** What starts a server for the time of one test of a file, and resolves to its address. */
export function servingEachTest() {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  return async (listener: RequestListener, server: Server = createServer(listener)): Promise<string> => {
    servers.push(server);
    return `http://127.0.0.1:${await listen(server, 0)}`;
  };
}
