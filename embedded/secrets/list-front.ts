import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A client that has ended its side still gets its responses. */
const halfOpen = { allowHalfOpen: true };

interface ListFront {
  server: Server;
  destroyConnections(): void;
}

/**
 * A server in front of an HTTP server that turns the method LIST into `GET …?list=true`: Node's HTTP parser rejects
 * LIST. Everything else passes unchanged.
 *
 * @param headMs Milliseconds until the head of a request must be complete.
 */
export function createListFront(
  onConnection: (socket: FrontedSocket) => void,
  headMs: number,
  tls?: TlsOptions,
): ListFront {
  const open = new Set<FrontedSocket>();
  const accept = (raw: Socket) => {
    const socket = new FrontedSocket(raw, headMs);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    onConnection(socket);
  };
  const server =
    tls === undefined
      ? createServer(halfOpen, accept)
      : createTlsServer({ handshakeTimeout: headMs, ...tls, ...halfOpen }, accept);
  // A failed handshake is the client's problem.
  server.on('tlsClientError', () => {});
  return { server, destroyConnections: () => open.forEach((socket) => void socket.destroy()) };
}

/** A connection whose incoming bytes go through a ListRewriter. */
class FrontedSocket extends Duplex {
  readonly #raw: Socket;
  readonly #rewriter = new ListRewriter();
  readonly #headMs: number;
  #patience: NodeJS.Timeout | undefined;

  constructor(raw: Socket, headMs: number) {
    super({ allowHalfOpen: true });
    this.#raw = raw;
    this.#headMs = headMs;
    raw.on('data', (bytes: Buffer) => {
      const passed = this.#rewriter.rewrite(bytes);
      this.#watchHead();
      if (passed.length > 0 && !this.push(passed)) raw.pause();
    });
    raw.on('end', () => {
      const rest = this.#rewriter.rest();
      if (rest.length > 0) this.push(rest);
      this.push(null);
    });
    raw.on('timeout', () => this.emit('timeout'));
    raw.on('error', (error) => this.destroy(error));
    raw.on('close', () => this.destroy());
  }

  /** The HTTP server cannot time out a head that it has not received. */
  #watchHead(): void {
    if (this.#rewriter.isHolding) {
      this.#patience ??= setTimeout(() => this.destroy(), this.#headMs).unref();
    } else {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    }
  }

  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.#raw.setTimeout(milliseconds);
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  override _read(): void {
    this.#raw.resume();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#raw.write(bytes, encoding, done);
  }

  override _final(done: () => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#patience);
    this.#raw.destroy();
    done(error);
  }
}

/** More than the HTTP server accepts, which then refuses the request. */
const longestHead = 64 * 1024;
const longestChunkLine = 1024;
const nothing = Buffer.alloc(0);

type State =
  | { in: 'head' }
  /** Bytes left of a body, or of a chunk with its line end. */
  | { in: 'body' | 'chunk'; left: number }
  | { in: 'chunk-size' | 'trailers' }
  /** Passed through: the HTTP server could read it differently. */
  | { in: 'unknown' };

/** What the rewriter takes from its input, and what it passes on for it. */
interface Taken {
  length: number;
  passed: Buffer;
}

/**
 * Finds where each request begins on an HTTP/1.1 connection, and turns `LIST /path HTTP/1.1` into
 * `GET /path?list=true HTTP/1.1`. Bodies pass unchanged. After anything unexpected, so does everything.
 */
export class ListRewriter {
  #state: State = { in: 'head' };
  /** An incomplete head, chunk size or trailer. */
  #held: Buffer = nothing;

  /** The bytes to pass on after receiving these. */
  rewrite(bytes: Buffer): Buffer {
    if (this.#state.in === 'unknown') return bytes;
    let input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = nothing;
    const passed: Buffer[] = [];
    while (input.length > 0) {
      const taken = this.#take(input);
      if (taken === undefined) {
        this.#held = input;
        break;
      }
      passed.push(taken.passed);
      input = input.subarray(taken.length);
    }
    return passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed);
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** The bytes to pass on when the connection ends. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  /** One part of the input; undefined if it is incomplete. */
  #take(input: Buffer): Taken | undefined {
    switch (this.#state.in) {
      case 'head':
        return this.#takeHead(input);
      case 'chunk-size':
        return this.#takeLine(input, (line) => this.#beginChunk(line));
      case 'trailers':
        return this.#takeLine(input, (line) => {
          if (line === '') this.#state = { in: 'head' };
        });
      case 'body':
      case 'chunk':
        return this.#takeBody(input, this.#state);
      default:
        return { length: input.length, passed: input };
    }
  }

  #takeHead(input: Buffer): Taken | undefined {
    // Line ends are allowed before a request.
    if (input[0] === 0x0d || input[0] === 0x0a) return { length: 1, passed: input.subarray(0, 1) };
    const end = input.indexOf('\r\n\r\n');
    if (end === -1 && input.length <= longestHead) return undefined;
    if (end === -1) return this.#giveUp(input);
    const length = end + 4;
    const head = input.subarray(0, length);
    const framing = framingOf(head.toString('latin1'));
    if (framing === undefined) return this.#giveUp(input);
    this.#state = framing;
    return { length, passed: rewritten(head) };
  }

  #takeLine(input: Buffer, read: (line: string) => void): Taken | undefined {
    const end = input.indexOf('\r\n');
    if (end > longestChunkLine || (end === -1 && input.length > longestChunkLine)) return this.#giveUp(input);
    if (end === -1) return undefined;
    read(input.toString('latin1', 0, end));
    return { length: end + 2, passed: input.subarray(0, end + 2) };
  }

  #beginChunk(line: string): void {
    const [, digits] = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?$/.exec(line) ?? [];
    if (digits === undefined) this.#state = { in: 'unknown' };
    else if (Number.parseInt(digits, 16) === 0) this.#state = { in: 'trailers' };
    // Plus the line end after the chunk.
    else this.#state = { in: 'chunk', left: Number.parseInt(digits, 16) + 2 };
  }

  #takeBody(input: Buffer, state: { in: 'body' | 'chunk'; left: number }): Taken {
    const length = Math.min(state.left, input.length);
    if (length < state.left) this.#state = { in: state.in, left: state.left - length };
    else this.#state = state.in === 'body' ? { in: 'head' } : { in: 'chunk-size' };
    return { length, passed: input.subarray(0, length) };
  }

  #giveUp(input: Buffer): Taken {
    this.#state = { in: 'unknown' };
    return { length: input.length, passed: input };
  }
}

/** What follows a head, by its headers; undefined if that is ambiguous. */
function framingOf(head: string): State | undefined {
  const [first = '', ...lines] = head.slice(0, -4).split('\r\n');
  if (!/^\S+ \S+ HTTP\/1\.[01]$/.test(first)) return undefined;
  const lengths: string[] = [];
  const codings: string[] = [];
  for (const line of lines) {
    const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || /[\r\n]/.test(line)) return undefined;
    if (name.toLowerCase() === 'content-length') lengths.push(value);
    if (name.toLowerCase() === 'transfer-encoding') codings.push(value.toLowerCase());
    if (name.toLowerCase() === 'upgrade') return undefined;
  }
  if (lengths.length + codings.length > 1) return undefined;
  if (codings.length === 1) return codings[0] === 'chunked' ? { in: 'chunk-size' } : undefined;
  const [length = '0'] = lengths;
  if (!/^\d{1,15}$/.test(length)) return undefined;
  return Number(length) === 0 ? { in: 'head' } : { in: 'body', left: Number(length) };
}

function rewritten(head: Buffer): Buffer {
  if (!head.subarray(0, 5).equals(Buffer.from('LIST '))) return head;
  const end = head.indexOf('\r\n');
  const [, target = '', version = ''] = head.toString('latin1', 0, end).split(' ');
  const line = `GET ${target}${target.includes('?') ? '&' : '?'}list=true ${version}`;
  return Buffer.concat([Buffer.from(line, 'latin1'), head.subarray(end)]);
}
