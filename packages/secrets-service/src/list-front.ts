import { once } from 'node:events';
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A client that has ended its side still gets its responses. */
const halfOpen = { allowHalfOpen: true };
const list = Buffer.from('LIST ');
const asGet = Buffer.from('GET ');
/** Bytes of LIST that Node's parser accepts, as for LINK, before it refuses the method. */
const accepted = 'LI'.length;

/** An error in a request, with the chunk that it is in, and the number of bytes before it. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number };

const lists = new WeakSet<IncomingMessage>();

/** The method of a request; LIST for one that was read as a GET. */
export function methodOf(request: IncomingMessage): string {
  return lists.has(request) ? 'LIST' : (request.method ?? '');
}

/**
 * A server in front of an HTTP server, whose parser rejects the method LIST: `readOn` begins there anew, as with a
 * GET that `methodOf` knows.
 *
 * @param headMs Milliseconds until a TLS handshake must be complete.
 */
export function createListFront(http: HttpServer, headMs: number, tls?: TlsOptions): Server {
  const note = (request: IncomingMessage, response: ServerResponse) => {
    if (request.socket instanceof ConnectionPart) request.socket.note(request, response);
  };
  for (const event of ['request', 'checkExpectation']) http.prependListener(event, note);
  const accept = (raw: Socket) => void http.emit('connection', new ConnectionPart(raw, http));
  const server =
    tls === undefined
      ? createServer(halfOpen, accept)
      : createTlsServer({ handshakeTimeout: headMs, ...tls, ...halfOpen }, accept);
  // A failed handshake is the client's problem.
  server.on('tlsClientError', () => {});
  return server;
}

/** Reads on behind an error if that is a LIST. Returns false for any other error. */
export function readOn(error: ClientError, part: Duplex): boolean {
  return part instanceof ConnectionPart && part.readOn(error);
}

/** A connection as far as one parser reads it: from its beginning or a LIST to the next LIST. */
class ConnectionPart extends Duplex {
  readonly #raw: Socket;
  readonly #http: HttpServer;
  /** Whether the next request is a LIST, which the parser takes for a GET. */
  #isList: boolean;
  /** The response to the latest request; responses are in order. */
  #latest: ServerResponse | undefined;
  /** The last bytes before the chunk that the parser reads. */
  #before = Buffer.alloc(0);
  #seen = Buffer.alloc(0);
  #isOver = false;
  readonly #listeners = {
    data: (bytes: Buffer) => {
      if (!this.push(bytes)) this.#raw.pause();
      this.emit('more');
    },
    end: () => {
      this.push(null);
      this.emit('more');
    },
    timeout: () => void this.emit('timeout'),
    error: (error: Error) => void this.destroy(error),
    close: () => void this.destroy(),
  };

  constructor(raw: Socket, http: HttpServer, isList = false) {
    super(halfOpen);
    this.#raw = raw;
    this.#http = http;
    this.#isList = isList;
    for (const [event, listener] of Object.entries(this.#listeners)) raw.on(event, listener);
    this.on('data', (chunk: Buffer) => {
      this.#before = this.#seen;
      this.#seen = Buffer.concat([this.#before, chunk]).subarray(-accepted);
    });
  }

  note(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isList) lists.add(request);
    this.#isList = false;
    this.#latest = response;
  }

  readOn({ code, rawPacket, bytesParsed = 0 }: ClientError): boolean {
    if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
    const bytes = Buffer.concat([this.#before, rawPacket]);
    const rest = bytes.subarray(Math.max(0, this.#before.length + bytesParsed - accepted));
    const isWhole = rest.length >= list.length;
    const isList = rest.subarray(0, list.length).equals(list.subarray(0, rest.length));
    if (!isList || (!isWhole && this.#raw.readableEnded)) return false;
    this.pause();
    for (const event of ['data', 'end']) this.removeAllListeners(event);
    this.#continue(rest, isWhole).catch(() => this.destroy());
    return true;
  }

  /** Continues with a new parser, once it is whole and all responses before are sent. */
  async #continue(rest: Buffer, isWhole: boolean): Promise<void> {
    if (this.#latest !== undefined && !this.#latest.closed) await once(this.#latest, 'close');
    if (!isWhole && this.readableLength === 0) await once(this, 'more');
    if (this.destroyed || this.writableEnded) return;
    const chunks = [rest];
    for (let chunk = this.read(); chunk !== null; chunk = this.read()) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isList = bytes.subarray(0, list.length).equals(list);
    const next = new ConnectionPart(this.#raw, this.#http, isList);
    next.push(isList ? Buffer.concat([asGet, bytes.subarray(list.length)]) : bytes);
    if (this.#raw.readableEnded) next.push(null);
    for (const [event, listener] of Object.entries(this.#listeners)) this.#raw.off(event, listener);
    this.#isOver = true;
    this.destroy();
    this.#http.emit('connection', next);
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
    if (!this.#isOver) this.#raw.destroy();
    done(error);
  }
}
