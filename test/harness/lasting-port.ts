import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the ports that Linux gives to connections: none takes it while the process that listens is away. */
const first = 61_000;
const last = 65_535;

/** A free port for processes that listen on it one after the other. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first));
    const server = createServer();
    const isFree = once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
