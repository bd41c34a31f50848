import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../web/listen.ts';

/** Milliseconds that a packet takes each way: a service in another region. */
export const awayMs = 10;

/** A service as if it were that far away: every byte, to it and back, comes that much later. */
export async function startFarService(address: string): Promise<{ address: string; close(): void }> {
  const { port, hostname } = new URL(address);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.setNoDelay();
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), awayMs));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        setTimeout(() => to.destroy(), awayMs);
      });
    }
  });
  const at = await listen(server, 0);
  return {
    address: `http://127.0.0.1:${at}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
