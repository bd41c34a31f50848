import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Asks the service. With `instead`, its answer is not passed on: that is called once it is complete. */
  pass(instead?: () => void): void;
}

/** A proxy in front of a service; `decide` passes each request on or answers it. */
export async function startProxy(
  upstream: string,
  decide: (exchange: Exchange) => void,
): Promise<{ address: string; close(): Promise<void> }> {
  const target = new URL(upstream);
  const server = createServer((incoming, outgoing) => {
    decide({ incoming, outgoing, pass: (instead) => pass(incoming, outgoing, target, instead) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: URL, instead?: () => void): void {
  const { method, url, headers } = incoming;
  const sent = request({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
    if (instead !== undefined) {
      answer.resume().on('end', instead);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  incoming.pipe(sent);
}
