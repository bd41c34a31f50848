// Logs in repeatedly on open connections and prints a `LoginLoad` as JSON. A separate process with plain sockets, to
// take little CPU from the server that it measures.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** Read as JSON from standard input. */
export interface LoginLoadArgs {
  address: string;
  /** Below `/v1/`. */
  path: string;
  /** JSON bodies, sent in turn. */
  bodies: string[];
  connections: number;
  /** Ends after so many logins, … */
  count?: number;
  /** … or so many seconds. */
  seconds?: number;
}

export interface LoginLoad {
  logins: number;
  seconds: number;
  /** Milliseconds of a login. */
  p50: number;
  p99: number;
}

async function load(args: LoginLoadArgs): Promise<LoginLoad> {
  const { address, path, bodies, connections } = args;
  const { count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = args;
  const { host, hostname, port } = new URL(address);
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST /v1/${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  let sent = 0;

  /** Sends one login after the other on a connection. */
  function logInOver(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let held = '';
      let sentAt = 0;
      const send = () => {
        if (sent >= count || performance.now() >= end) return resolve();
        sentAt = performance.now();
        socket.write(requests[sent++ % requests.length] as Buffer);
      };
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => {
        held += text;
        const headEnd = held.indexOf('\r\n\r\n');
        if (headEnd === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(held)?.[1]);
        if (held.length < headEnd + 4 + length) return;
        if (!held.startsWith('HTTP/1.1 200')) return reject(new Error(`the server answers ${held}`));
        held = '';
        latencies.push(performance.now() - sentAt);
        send();
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the server closed a connection')));
      send();
    });
  }

  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await Promise.all(sockets.map(logInOver));
  const took = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  latencies.sort((one, other) => one - other);
  const at = (part: number) => latencies[Math.floor(part * (latencies.length - 1))] ?? Number.NaN;
  return { logins: latencies.length, seconds: took, p50: at(0.5), p99: at(0.99) };
}

if (import.meta.main) console.log(JSON.stringify(await load(JSON.parse(readFileSync(0, 'utf8')))));
