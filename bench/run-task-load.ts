// Open-loop load: sends signed run task requests at a fixed rate, and measures each from when it was due. A separate
// process with plain sockets. Each message is a `LoadStep`; the reply is a `LoadResult`.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTaskRequest } from './run-task-request.ts';

export interface LoadStep {
  url: string;
  /** Of the platform. */
  origin: string;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Seconds at the same rate before, which do not count. */
  leadIn: number;
  /** Of each body. */
  bytes: number;
  /** Prefix of the identifiers of this step. */
  prefix: string;
}

export interface LoadResult {
  sent: number;
  /** Without a 200 in time. */
  failed: number;
  /** Milliseconds from when a request was due to its 200. */
  p50: number;
  p99: number;
}

/** Connections open at the start; more are opened when all are waiting. */
const firstConnections = 64;
/** Stops when so many requests are waiting: the rate is missed. */
const mostWaiting = 2000;
/** Milliseconds to wait for the last responses. */
const patienceMs = 2000;
/** Source addresses, because a server may limit requests by address. */
const senders = process.platform === 'linux' ? 16 : 1;

async function load({ url, origin, rate, seconds, leadIn, bytes, prefix }: LoadStep): Promise<LoadResult> {
  const { host, hostname, port, pathname } = new URL(url);
  const uncounted = Math.ceil(rate * leadIn);
  const requests = Array.from({ length: uncounted + Math.ceil(rate * seconds) }, (_, at) => {
    const { body, signature } = runTaskRequest(origin, `${prefix}-${at}`, bytes);
    const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nx-platform-task-signature: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
  const latencies: number[] = [];
  const idle: Connection[] = [];
  const all: Connection[] = [];
  let waiting = 0;
  let taken = 0;

  const open = () => {
    const localAddress = `127.0.0.${1 + (all.length % senders)}`;
    const connection = new Connection(connect({ port: Number(port), host: hostname, localAddress }));
    all.push(connection);
    return connection;
  };
  const send = (request: Buffer, due: number, counts: boolean) => {
    const connection = idle.pop() ?? open();
    waiting += 1;
    connection.send(request, (isTaken) => {
      waiting -= 1;
      if (!isTaken) return;
      taken += 1;
      if (counts) latencies.push(performance.now() - due);
      idle.push(connection);
    });
  };

  // Node accepts one connection per turn of its event loop, so each gets a request before the measurement.
  const unsigned = Buffer.from(`POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`);
  for (let count = 0; count < firstConnections; count += 1) idle.push(open());
  await Promise.all(
    idle.map((connection) => new Promise<void>((done) => connection.send(unsigned, () => done()))),
  );
  const begun = performance.now();
  const due = (at: number) => begun + (at * 1000) / rate;
  let sent = 0;
  while (sent < requests.length && waiting < mostWaiting) {
    while (sent < requests.length && due(sent) <= performance.now()) {
      send(requests[sent] as Buffer, due(sent), sent >= uncounted);
      sent += 1;
    }
    await sleep(1);
  }
  const end = performance.now() + patienceMs;
  while (waiting > 0 && performance.now() < end) await sleep(1);
  for (const connection of all) connection.close();
  const failed = requests.length - taken;
  // Failed requests count as slower than all others.
  const sorted = [...latencies.sort((a, b) => a - b), ...Array(failed).fill(patienceMs)];
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return { sent, failed, p50: at(0.5), p99: at(0.99) };
}

/** A connection with one request at a time. */
class Connection {
  readonly #socket: Socket;
  #held = '';
  #done: ((isTaken: boolean) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', () => {});
    socket.on('close', () => this.#end(false));
  }

  /** @param done gets whether the response is 200 */
  send(request: Buffer, done: (isTaken: boolean) => void): void {
    this.#done = done;
    this.#socket.write(request);
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#held += text;
    const headEnd = this.#held.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(this.#held)?.[1] ?? 0);
    if (headEnd === -1 || this.#held.length < headEnd + 4 + length) return;
    const isTaken = this.#held.startsWith('HTTP/1.1 200');
    this.#held = '';
    this.#end(isTaken);
  }

  #end(isTaken: boolean): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(isTaken);
  }
}

process.on('message', async (step: LoadStep) => process.send?.(await load(step)));
process.on('disconnect', () => process.exit());
