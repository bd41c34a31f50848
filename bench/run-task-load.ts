// Sends signed run task requests at a rate, whatever becomes of those before (open loop): one that waits does not keep
// the next one back, and its time counts from when it was due. A process of its own, with no more than sockets; it
// takes one `LoadStep` after the other as messages, and answers each with a `LoadResult`.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTaskRequest } from './run-task-request.ts';

export interface LoadStep {
  /** Where the requests go. */
  url: string;
  /** Of the platform that they are from. */
  origin: string;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Seconds of the same rate before, which do not count: what was at work is done with, or has given way. */
  leadIn: number;
  /** Of each body. */
  bytes: number;
  /** What the identifiers of this step begin with. */
  prefix: string;
}

export interface LoadResult {
  sent: number;
  /** Not answered with 200, or not in time. */
  failed: number;
  /** Milliseconds, from when a request was due to its 200. */
  p50: number;
  p99: number;
}

/** Connections that are there from the start; more are made when all wait. */
const firstConnections = 64;
/** With so many requests waiting the rate is lost: no more are sent. */
const mostWaiting = 2000;
/** Milliseconds that the last answers may take. */
const patienceMs = 2000;
/** Addresses that the requests come from, as a server may limit how many one of them sends. */
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
      if (isTaken) {
        taken += 1;
        if (counts) latencies.push(performance.now() - due);
      }
      if (isTaken) idle.push(connection);
    });
  };

  // Node accepts one connection in a turn of its loop: it is asked something on each before the time runs.
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
  // What was not answered took longer than all that was.
  const sorted = [...latencies.sort((a, b) => a - b), ...Array(failed).fill(patienceMs)];
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return { sent, failed, p50: at(0.5), p99: at(0.99) };
}

/** One connection that is kept open, with one request at a time. */
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

  /** @param done told whether it was answered with 200 */
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
