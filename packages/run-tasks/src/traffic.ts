import { isIPv6, type Server, type Socket } from 'node:net';
import type { Metrics } from '@gatehouse/host';

/** How much one sender can take, so that it leaves the rest to others. */
export interface TrafficLimits {
  /** Requests of one address in a second. Defaults to 1000; one more is answered 429. */
  perSecond?: number;
  /** Requests at work for one address, or for one person once signed in. Defaults to 256; one more is answered 429. */
  atWork?: number;
  /** Event streams of one person. Defaults to 64; one more is answered 429. */
  streams?: number;
  /** Event streams in all. Defaults to 4000, or half the open files; one more is answered 503. */
  allStreams?: number;
  /**
   * Connections of one address that idle or on which a request arrives. Defaults to 1000, or half the open files: of more,
   * the oldest is closed.
   */
  waiting?: number;
  /** Connections in all. Defaults to what the system lets a process open, up to 20,000. */
  connections?: number;
  /** Bytes of requests that arrive, in all. Defaults to 256 MiB: of more, the largest is closed. */
  arriving?: number;
}

/** Open files that the process needs for other work: the store, outgoing calls, git. */
const otherFiles = 256;
/** Milliseconds between counts of arriving bytes. */
const weighedMs = 250;

/** A refusal by the server itself, which no route handles. */
export class TooMany extends Error {
  readonly statusCode: 429 | 503;

  constructor(statusCode: 429 | 503) {
    super('too many requests');
    this.statusCode = statusCode;
  }
}

/** The share of a request until it is answered: its address's first, the person's once that is known. */
interface TakenShare {
  free: () => void;
}

/** Limits each sender to a share: refuses requests over it, and closes connections that only wait. */
export class Traffic {
  readonly #limits: Required<TrafficLimits>;
  readonly #now: () => number;
  readonly #onRefused: (reason: string) => void;
  readonly #atWork: Shares;
  readonly #streams: Shares;
  readonly #taken = new WeakMap<object, TakenShare>();
  #second = 0;
  /** Requests in this second, by address. */
  #counts = new Map<string, number>();

  constructor(limits: TrafficLimits, metrics: Metrics, now: () => number) {
    const connections = limits.connections ?? Math.min(20_000, openFiles() - otherFiles);
    this.#limits = {
      perSecond: 1000,
      atWork: 256,
      streams: 64,
      connections,
      arriving: 256 * 1024 * 1024,
      allStreams: Math.min(4000, connections / 2),
      waiting: Math.min(1000, connections / 2),
      ...limits,
    };
    this.#now = now;
    this.#atWork = new Shares(this.#limits.atWork);
    this.#streams = new Shares(this.#limits.streams, this.#limits.allStreams);
    const help = 'Requests refused, and connections closed, as too many.';
    const refused = metrics.counter('gatehouse_http_refused_total', help, ['reason']);
    this.#onRefused = (reason) => refused.inc({ reason });
  }

  /** Watches the connections of a server, until it closes. */
  watch(server: Server): ServerConnections {
    return new ServerConnections(server, this.#limits, () => this.#onRefused('connection'));
  }

  /** @throws TooMany if the address has asked too often in this second */
  countAsked(address: string): void {
    const current = Math.floor(this.#now() / 1000);
    if (current !== this.#second) this.#counts = new Map();
    this.#second = current;
    const key = network(address);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > this.#limits.perSecond) this.#refuse('rate', 429);
  }

  /** Begins work on a request whose body has arrived. @throws TooMany if its address has too many at work */
  begin(request: object, address: string): void {
    const free = this.#atWork.take(`address ${network(address)}`);
    if (free === undefined) this.#refuse('at_work', 429);
    else this.#taken.set(request, { free });
  }

  /**
   * Counts a request at work toward the limits of a person, no longer toward those of its address.
   *
   * @throws TooMany if the person has too many, or there are too many streams in all
   */
  countAs(request: object, person: string, kind: 'request' | 'stream'): void {
    const taken = this.#taken.get(request);
    if (taken === undefined) return;
    const shares = kind === 'stream' ? this.#streams : this.#atWork;
    const free = shares.take(`person ${person}`);
    if (free === undefined)
      this.#refuse(kind === 'stream' ? 'streams' : 'at_work', shares.isFull ? 503 : 429);
    else {
      taken.free();
      taken.free = free;
    }
  }

  /** Ends work on a request: it is answered, or its connection is lost. */
  end(request: object): void {
    this.#taken.get(request)?.free();
    this.#taken.delete(request);
  }

  #refuse(reason: string, status: 429 | 503): never {
    this.#onRefused(reason);
    throw new TooMany(status);
  }
}

/** Shares in use, by owner. */
class Shares {
  readonly #most: number;
  readonly #mostInAll: number;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(most: number, mostInAll = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostInAll = mostInAll;
  }

  get isFull(): boolean {
    return this.#all >= this.#mostInAll;
  }

  /** Takes a share. @returns a function that gives it back, once; undefined if none is left */
  take(key: string): (() => void) | undefined {
    const count = this.#counts.get(key) ?? 0;
    if (this.isFull || count >= this.#most) return undefined;
    this.#counts.set(key, count + 1);
    this.#all += 1;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#all -= 1;
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }
}

/** The connections of a server. To make room, it closes only connections that idle, or on which a request arrives. */
export class ServerConnections {
  readonly #limits: Pick<Required<TrafficLimits>, 'waiting' | 'connections' | 'arriving'>;
  readonly #onClosed: () => void;
  /** Waiting connections by address, the longest wait first, each with the bytes it had read when the wait began. */
  readonly #waiting = new Map<string, Map<Socket, number>>();
  /** Requests at work, by connection. */
  readonly #atWork = new Map<Socket, number>();
  /** Kept here because a closed connection no longer has its address. */
  readonly #addresses = new WeakMap<Socket, string>();
  #connected = 0;

  constructor(
    server: Server,
    limits: Pick<Required<TrafficLimits>, 'waiting' | 'connections' | 'arriving'>,
    onClosed: () => void,
  ) {
    this.#limits = limits;
    this.#onClosed = onClosed;
    const timer = setInterval(() => this.#weigh(), weighedMs).unref();
    server.once('close', () => clearInterval(timer));
    server.on('connection', (socket: Socket) => {
      this.#connected += 1;
      this.#addresses.set(socket, network(socket.remoteAddress ?? ''));
      socket.once('close', () => {
        this.#connected -= 1;
        this.#atWork.delete(socket);
        this.#leave(socket);
      });
      this.#wait(socket);
    });
  }

  /** A request of the connection has arrived. */
  begin(socket: Socket): void {
    this.#atWork.set(socket, (this.#atWork.get(socket) ?? 0) + 1);
    this.#leave(socket);
  }

  /** A request of the connection is answered. */
  end(socket: Socket): void {
    const left = (this.#atWork.get(socket) ?? 0) - 1;
    if (left > 0) this.#atWork.set(socket, left);
    else if (this.#atWork.delete(socket) && !socket.destroyed) this.#wait(socket);
  }

  #wait(socket: Socket): void {
    const address = this.#addressOf(socket);
    const waiting = this.#waiting.get(address) ?? new Map<Socket, number>();
    this.#waiting.set(address, waiting.set(socket, socket.bytesRead));
    if (waiting.size > this.#limits.waiting) this.#close(waiting.keys().next().value);
    else if (this.#connected > this.#limits.connections) {
      const largest = [...this.#waiting.values()].reduce((a, b) => (b.size > a.size ? b : a));
      this.#close(largest.keys().next().value);
    }
  }

  #addressOf(socket: Socket): string {
    return this.#addresses.get(socket) ?? '';
  }

  #leave(socket: Socket): void {
    const address = this.#addressOf(socket);
    const waiting = this.#waiting.get(address);
    if (waiting?.delete(socket) && waiting.size === 0) this.#waiting.delete(address);
  }

  #weigh(): void {
    const arriving = [...this.#waiting.values()].flatMap((sockets) =>
      [...sockets].map(([socket, before]) => ({ socket, bytes: socket.bytesRead - before })),
    );
    let sum = arriving.reduce((total, { bytes }) => total + bytes, 0);
    if (sum <= this.#limits.arriving) return;
    for (const { socket, bytes } of arriving.sort((a, b) => b.bytes - a.bytes)) {
      if (sum <= this.#limits.arriving) break;
      sum -= bytes;
      this.#close(socket);
    }
  }

  #close(socket: Socket | undefined): void {
    if (socket === undefined) return;
    // Removed at once, because the event `close` comes later.
    this.#leave(socket);
    this.#onClosed();
    socket.destroy();
  }
}

/** The key of a sender: its IPv4 address, or its IPv6 network, in which it has any number of addresses. */
export function network(address: string): string {
  const [, v4] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  if (!isIPv6(address)) return address;
  const [front = '', back] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = front.split(':').filter(Boolean);
  const after = back?.split(':').filter(Boolean) ?? [];
  while (back !== undefined && groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Most files that the system lets this process open. */
export function openFiles(): number {
  // With the network, the report would resolve the names of peers.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  // The limit is `unlimited`, or the system does not report it.
  return Number.isFinite(soft) ? Math.max(soft, 2 * otherFiles) : 20_000;
}
