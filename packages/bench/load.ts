// Sends requests and measures them. A separate process with plain sockets, to take little CPU from the server that it
// measures: each message is a `LoadStep`, the reply a `LoadResult`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AtEnd, percentile } from './frame.ts';
import { runTaskRequest } from './run-task-request.ts';

export interface LoadStep {
  url: string;
  connections: number;
  /** Ends after so long, … */
  seconds?: number;
  /** … or, without a rate, after so many requests. */
  count?: number;
  /** JSON bodies to send in turn, or the platform whose run tasks they are and a prefix for these. */
  bodies: string[] | { origin: string; prefix: string };
  /** Requests a second, each sent when it is due (open loop). By default, each connection sends one after the other. */
  rate?: number;
  /** Seconds at the same rate before, which do not count. Defaults to 0. */
  leadIn?: number;
}

export interface LoadResult {
  /** When the first was due, in milliseconds since 1970. */
  begun: number;
  sent: number;
  /** Without a 200 in time. */
  failed: number;
  seconds: number;
  /** Milliseconds from when a request was sent, or due, to its 200. */
  p50: number;
  p99: number;
}

/** Stops when so many requests are waiting: the rate is missed. */
const mostWaiting = 2000;
/** Milliseconds to wait for the last responses; those that fail count as much. */
const patienceMs = 2000;
/** Source addresses, because a server may limit requests by address. */
const senders = process.platform === 'linux' ? 16 : 1;

async function load(step: LoadStep): Promise<LoadResult> {
  const { connections, bodies, rate = 0, leadIn = 0 } = step;
  const { seconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } = step;
  const url = new URL(step.url);
  const uncounted = Math.ceil(rate * leadIn);
  const requests = Array.isArray(bodies)
    ? bodies.map((body) => requestOf(url, body))
    : Array.from({ length: uncounted + Math.ceil(rate * seconds) }, (_, at) => {
        const { body, signature } = runTaskRequest(bodies.origin, `${bodies.prefix}-${at}`);
        return requestOf(url, body, `x-platform-task-signature: ${signature}\r\n`);
      });
  const all: Connection[] = [];
  const open = () =>
    all[all.push(openConnection(url, `127.0.0.${1 + (all.length % senders)}`)) - 1] as Connection;
  const idle = Array.from({ length: connections }, open);
  // Node accepts one connection per turn of its event loop, so each gets a request before the measurement.
  await Promise.all(idle.map(({ send }) => send(requestOf(url, ''))));

  const latencies: number[] = [];
  let [sent, waiting, failed] = [0, 0, 0];
  const begun = performance.now();
  const sendOver = async ({ send }: Connection, due: number, counts = true): Promise<boolean> => {
    const request = requests[sent % requests.length] as Buffer;
    sent += 1;
    waiting += 1;
    const isTaken = await send(request);
    waiting -= 1;
    if (!isTaken) failed += 1;
    else if (counts) latencies.push(performance.now() - due);
    return isTaken;
  };
  if (step.rate === undefined) {
    const isOver = () => sent >= count || performance.now() - begun >= seconds * 1000;
    const sendAll = async (connection: Connection) => {
      while (!isOver() && (await sendOver(connection, performance.now())));
    };
    await Promise.all(idle.map(sendAll));
  } else {
    const due = () => begun + (sent * 1000) / rate;
    const sendOne = async (connection: Connection) => {
      if (await sendOver(connection, due(), sent >= uncounted)) idle.push(connection);
    };
    while (sent < requests.length && waiting < mostWaiting) {
      while (sent < requests.length && due() <= performance.now()) void sendOne(idle.pop() ?? open());
      await sleep(1);
    }
    for (const end = performance.now() + patienceMs; waiting > 0 && performance.now() < end; ) await sleep(1);
    failed += waiting + requests.length - sent;
  }
  const took = (performance.now() - begun) / 1000;
  const counted = [...latencies, ...Array<number>(failed).fill(patienceMs)];
  for (const { close } of all) close();
  const [p50, p99] = [percentile(counted, 0.5), percentile(counted, 0.99)];
  return { begun: performance.timeOrigin + begun, sent, failed, seconds: took, p50, p99 };
}

function requestOf({ pathname, host }: URL, body: string | Buffer, headers = ''): Buffer {
  const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${type}${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

type Connection = ReturnType<typeof openConnection>;

/** A connection with one request at a time; `send` resolves to whether the response is 200. */
function openConnection({ port, hostname }: URL, localAddress: string) {
  const socket = connect({ port: Number(port), host: hostname, localAddress })
    .setNoDelay()
    .setEncoding('latin1');
  let held = '';
  let done: (isTaken: boolean) => void = () => {};
  socket.on('error', () => {}).on('close', () => done(false));
  socket.on('data', (text: string) => {
    held += text;
    const headEnd = held.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(held)?.[1] ?? 0);
    if (headEnd === -1 || held.length < headEnd + 4 + length) return;
    const isTaken = held.startsWith('HTTP/1.1 200');
    held = '';
    done(isTaken);
  });
  const send = (request: Buffer) =>
    new Promise<boolean>((resolve) => {
      done = resolve;
      socket.write(request);
    });
  return { send, close: () => socket.removeAllListeners('close').destroy() };
}

/** Starts the process. @returns what has it take a step */
export function startLoad(atEnd: AtEnd): (step: LoadStep) => Promise<LoadResult> {
  const child = fork(new URL(import.meta.url));
  atEnd(() => child.kill());
  const ended = once(child, 'exit').then(() => [undefined]);
  return async (step) => {
    child.send(step);
    const [result] = await Promise.race([once(child, 'message'), ended]);
    if (result === undefined) throw new Error('the load generator ended');
    return result;
  };
}

if (import.meta.main) {
  process.on('message', async (step: LoadStep) => process.send?.(await load(step)));
  process.on('disconnect', () => process.exit());
}
