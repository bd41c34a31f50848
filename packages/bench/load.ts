// Sends run task requests at a rate, and measures them. A separate process with plain sockets, to take little CPU from the
// server that it measures: each message is a `LoadStep`, the reply a `LoadResult`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sign } from '../core/src/run-task/signature.ts';
import { samplePayload } from '../core/test/run-task/sample-payload.ts';
import { type AtEnd, percentile } from './frame.ts';

export interface LoadStep {
  /** Of the integrator. */
  url: string;
  /** Of the platform that asks. */
  origin: string;
  /** The tasks' ids are `<prefix>-0` and so on. */
  prefix: string;
  /** Requests a second, each sent when it is due (open loop). */
  rate: number;
  seconds: number;
}

export interface LoadResult {
  /** When the first was due, in milliseconds since 1970. */
  startedAt: number;
  sent: number;
  /** Without a 200 in time. */
  failed: number;
  /** Milliseconds from when a request was due to its 200. */
  p99: number;
}

export const runTaskKey = 'a key of the bench';
/** Of each body. */
const bytes = 10_240;
/** Stops when so many requests are waiting: the rate is missed. */
const mostWaiting = 2000;
/** Milliseconds to wait for the last responses; those that fail count as much. */
const patienceMs = 2000;
/** Opened before: Node accepts one connection per turn of its event loop. */
const connections = 64;
/** Source addresses, because a server may limit requests by address. */
const senders = process.platform === 'linux' ? 16 : 1;

async function load({ url, origin, prefix, rate, seconds }: LoadStep): Promise<LoadResult> {
  const target = new URL(url);
  const requests = Array.from({ length: Math.ceil(rate * seconds) }, (_, at) =>
    runTaskRequest(target, origin, `${prefix}-${at}`),
  );
  const all: LoadConnection[] = [];
  const connect = () => {
    const connection = openConnection(target, `127.0.0.${1 + (all.length % senders)}`);
    all.push(connection);
    return connection;
  };
  const idle = Array.from({ length: connections }, connect);
  await Promise.all(idle.map(({ send }) => send(requestOf(target, ''))));

  const latencies: number[] = [];
  let [sent, waiting, failed] = [0, 0, 0];
  const startedAt = performance.now();
  const due = () => startedAt + (sent * 1000) / rate;
  const sendOne = async (connection: LoadConnection, request: Buffer) => {
    const since = due();
    sent += 1;
    waiting += 1;
    const isTaken = await connection.send(request);
    waiting -= 1;
    if (!isTaken) {
      failed += 1;
      return;
    }
    latencies.push(performance.now() - since);
    idle.push(connection);
  };
  while (sent < requests.length && waiting < mostWaiting) {
    while (sent < requests.length && due() <= performance.now())
      void sendOne(idle.pop() ?? connect(), requests[sent] as Buffer);
    await sleep(1);
  }
  for (const end = performance.now() + patienceMs; waiting > 0 && performance.now() < end; ) await sleep(1);
  failed += waiting + requests.length - sent;
  for (const { close } of all) close();
  const p99 = percentile([...latencies, ...Array<number>(failed).fill(patienceMs)], 0.99);
  return { startedAt: performance.timeOrigin + startedAt, sent, failed, p99 };
}

/** Text that compresses like a person's: words in no repeating order. */
const words = Array.from({ length: 2_500 }, (_, at) =>
  (Math.imul(at + 1, 2_654_435_761) >>> 19).toString(36),
).join(' ');

/** A signed run task request after planning, of 10 KB, from the platform at `origin`. */
function runTaskRequest(target: URL, origin: string, id: string): Buffer {
  const payload = samplePayload({
    access_token: `token-of-${id}`,
    run_id: `run-${id}`,
    task_result_id: id,
    run_message: '',
    plan_json_api_url: `${origin}/plans/${id}`,
    task_result_callback_url: `${origin}/callbacks/${id}`,
  });
  const run_message = words.slice(0, bytes - JSON.stringify(payload).length);
  const body = Buffer.from(JSON.stringify({ ...payload, run_message }));
  return requestOf(target, body, `x-platform-task-signature: ${sign(body, runTaskKey)}\r\n`);
}

function requestOf({ pathname, host }: URL, body: string | Buffer, headers = ''): Buffer {
  const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${type}${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

type LoadConnection = ReturnType<typeof openConnection>;

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
