import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** When the process is to be killed: at its nth write, before the service sees it or after it was done. */
export interface Kill {
  pid: number;
  write: number;
  moment: 'before' | 'after';
}

/** A proxy in front of a service that kills a process at a chosen write, so that a crash has a place and a number. */
export interface KillingProxy {
  address: string;
  /** Arms the proxy and starts counting writes anew; undefined disarms it. */
  arm(kill: Kill | undefined): void;
  /** Writes passed on since the proxy was armed. */
  writes(): number;
  close(): Promise<void>;
}

export async function startKillingProxy(upstream: string): Promise<KillingProxy> {
  const target = new URL(upstream);
  let kill: Kill | undefined;
  let writes = 0;

  const server = createServer((incoming, outgoing) => {
    // The plugin's own token is no part of what is deployed.
    const isWrite = incoming.method !== 'GET' && !incoming.url?.includes('/auth/token/');
    if (isWrite) writes += 1;
    const armed = kill;
    const strike = isWrite && armed !== undefined && armed.write === writes;
    if (strike && armed.moment === 'before') process.kill(armed.pid, 'SIGKILL');
    else pass(incoming, outgoing, target, strike ? () => process.kill(armed.pid, 'SIGKILL') : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: (next) => {
      kill = next;
      writes = 0;
    },
    writes: () => writes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: URL, done?: () => void): void {
  const { method, url, headers } = incoming;
  const sent = request({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
    if (done !== undefined) {
      answer.resume().on('end', done);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  incoming.pipe(sent);
}
