import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** As HTTP servers have it: who has no more to ask still gets the answers. */
const halfOpen = { allowHalfOpen: true };

export interface ListFront {
  server: Server;
  /** Closes every connection that is open. */
  destroyConnections(): void;
}

/**
 * A server in front of an HTTP server that makes the method LIST arrive there as `GET …?list=true`, its equal: Node's
 * HTTP parser refuses the method itself. Everything else passes as it is.
 *
 * @param onConnection is given each connection, for example the `connection` event of an HTTP server.
 * @param headMs is how many milliseconds what is held back here of a request may take to become whole.
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
  // A handshake that fails is the client's concern.
  server.on('tlsClientError', () => {});
  return { server, destroyConnections: () => open.forEach((socket) => void socket.destroy()) };
}

/** A connection as an HTTP server takes it, whose incoming bytes went through a ListRewriter. */
class FrontedSocket extends Duplex {
  readonly #raw: Socket;
  readonly #rewriter = new ListRewriter();
  readonly #headMs: number;
  #patience: NodeJS.Timeout | undefined;

  /** @param headMs is how many milliseconds the head of a request may take. */
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

  /** The HTTP server cannot time out a head that is held back here. */
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

  get remotePort(): number | undefined {
    return this.#raw.remotePort;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.#raw.setTimeout(milliseconds);
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  setNoDelay(noDelay?: boolean): this {
    this.#raw.setNoDelay(noDelay);
    return this;
  }

  setKeepAlive(enable?: boolean, initialDelay?: number): this {
    this.#raw.setKeepAlive(enable, initialDelay);
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

/** Longer heads than the HTTP server takes are not for us to judge. */
const longestHead = 64 * 1024;
const longestChunkLine = 1024;
const nothing = Buffer.alloc(0);

type State =
  | { in: 'head' }
  /** Bytes that are left of a body of known length, or of a chunk with its line end. */
  | { in: 'body' | 'chunk'; left: number }
  | { in: 'chunk-size' | 'trailers' }
  /** The rest passes unseen: we and the HTTP server could read it differently. */
  | { in: 'unknown' };

/**
 * Follows the requests on one HTTP/1.1 connection so far as to know where each begins, and turns the line
 * `LIST /path HTTP/1.1` of one into `GET /path?list=true HTTP/1.1`. Bodies are left as they are, whatever they hold.
 * After anything it does not understand it changes nothing more: what is wrong there, the HTTP server says.
 */
export class ListRewriter {
  #state: State = { in: 'head' };
  /** What came of a head, a chunk's line or a trailer that is not whole yet. */
  #held: Buffer = nothing;

  /** What of the connection may be passed on now that these bytes came. */
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

  /** Whether something is held back that the HTTP server does not know of yet. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** What was held back when the connection ended. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  /** One part of the input; undefined when the rest of it has to come first. */
  #take(input: Buffer): { length: number; passed: Buffer } | undefined {
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

  #takeHead(input: Buffer): { length: number; passed: Buffer } | undefined {
    // Line ends before a request are allowed, and none of it.
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

  #takeLine(input: Buffer, read: (line: string) => void): { length: number; passed: Buffer } | undefined {
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
    // The line end after the chunk is part of it.
    else this.#state = { in: 'chunk', left: Number.parseInt(digits, 16) + 2 };
  }

  #takeBody(
    input: Buffer,
    state: { in: 'body' | 'chunk'; left: number },
  ): { length: number; passed: Buffer } {
    const length = Math.min(state.left, input.length);
    if (length < state.left) this.#state = { in: state.in, left: state.left - length };
    else this.#state = state.in === 'body' ? { in: 'head' } : { in: 'chunk-size' };
    return { length, passed: input.subarray(0, length) };
  }

  #giveUp(input: Buffer): { length: number; passed: Buffer } {
    this.#state = { in: 'unknown' };
    return { length: input.length, passed: input };
  }
}

/** What follows a head, by its headers; undefined where there could be two opinions. */
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
  // The last of several counts.
  const line = `GET ${target}${target.includes('?') ? '&' : '?'}list=true ${version}`;
  return Buffer.concat([Buffer.from(line, 'latin1'), head.subarray(end)]);
}
