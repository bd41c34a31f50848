import { type Dispatcher, Pool } from 'undici';

export interface ConnectionOptions {
  /**
   * Certificates to trust, in PEM, whether of a root, an intermediate or the server itself, as Go does. If absent or
   * empty, the system's.
   */
  caPem?: string;
  /** Name in the server's certificate. Defaults to the host of the URL. */
  serverName?: string;
  /** False accepts any certificate, for development. Defaults to true. */
  verifyCertificate?: boolean;
  /** What the client shows of itself, in PEM. Defaults to nothing. */
  clientCertificate?: { certificate: string; key: string };
  /** The address to connect to instead of resolving the host name. */
  pinned?: { address: string; family: number };
  /** Concurrent connections. Defaults to 16. */
  maxConnections?: number;
}

/** A request, and its limits. */
export interface ExchangeRequest {
  /** Defaults to GET. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Milliseconds without a byte after which the exchange fails. Defaults to 10 000. */
  idleMs?: number;
  /** Ends the exchange, for example `AbortSignal.timeout`. Defaults to none. */
  signal?: AbortSignal;
  /** Most bytes of the response body. Defaults to 1 MiB. */
  maxBytes?: number;
  /** Takes the body of a successful response as it arrives, of any length; `body` is then empty. */
  onData?: (chunk: Buffer) => void;
}

/** A response with any status. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer<ArrayBuffer>;
}

/**
 * Keep-alive connections to one origin. Redirects are not followed. Errors have the codes of Node.js (`ECONNREFUSED`,
 * `ECONNRESET`, `ETIMEDOUT`) and show nothing that was sent.
 */
export class Connections {
  readonly #pool: Pool;

  constructor(
    origin: URL,
    {
      caPem,
      serverName,
      verifyCertificate = true,
      clientCertificate,
      pinned,
      maxConnections = 16,
    }: ConnectionOptions = {},
  ) {
    this.#pool = new Pool(origin.origin, {
      connections: maxConnections,
      allowH2: false,
      // Gateways often close idle connections after a minute. A POST on a closed one would fail without a retry.
      keepAliveTimeout: 15_000,
      connect: {
        ...(caPem && { ca: caPem, allowPartialTrustChain: true }),
        ...(serverName && { servername: serverName }),
        rejectUnauthorized: verifyCertificate,
        ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
        ...(pinned && {
          lookup: (_host, options, done) =>
            options.all ? done(null, [pinned]) : done(null, pinned.address, pinned.family),
        }),
      },
    });
  }

  /** @param path with its query */
  async send(
    path: string,
    {
      method = 'GET',
      headers,
      body,
      idleMs = 10_000,
      signal,
      maxBytes = 1024 * 1024,
      onData,
    }: ExchangeRequest,
  ): Promise<Answer> {
    const limits = { headersTimeout: idleMs, bodyTimeout: idleMs };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const handler = new AnswerHandler({ maxBytes, onData, resolve, reject });
    const abort = () => handler.fail(outOfTime());
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abort);
      this.#pool.dispatch(
        { method: method as Dispatcher.HttpMethod, path, headers, body, ...limits },
        handler,
      );
      return await promise;
    } catch (error) {
      throw signal?.aborted ? outOfTime() : inWordsOfNode(error as NodeJS.ErrnoException);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Closes the connections; requests under way fail. */
  close(): void {
    void this.#pool.destroy();
  }
}

interface AnswerArgs {
  maxBytes: number;
  onData: ExchangeRequest['onData'];
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Takes a response as it arrives. `Pool.request` would make a stream of each, which takes as long as all the rest of a small
 * exchange until the code is warm.
 */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #args: AnswerArgs;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: Answer['headers'] = {};
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;

  constructor(args: AnswerArgs) {
    this.#args = args;
  }

  /** Ends the exchange, whether it waits for a connection or is under way. */
  fail(error: Error): void {
    this.#failure = error;
    this.#args.reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  /** Is called for each interim response (1xx), too; the last one counts. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { onData, maxBytes } = this.#args;
    if (onData !== undefined && this.#status < 300) {
      try {
        onData(chunk);
      } catch (error) {
        this.fail(error as Error);
      }
      return;
    }
    this.#size += chunk.length;
    if (this.#size > maxBytes) this.fail(failure('EMSGSIZE', `the answer is longer than ${maxBytes} bytes`));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#args.resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#args.reject(error);
  }
}

/** One exchange on its own connection. @throws Error with a code of Node.js, without the URL */
export async function exchange(
  url: string,
  { caPem, pinned, ...request }: ExchangeRequest & Pick<ConnectionOptions, 'caPem' | 'pinned'> = {},
): Promise<Answer> {
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw failure('ERR_INVALID_URL', 'not an http or https URL');
  }
  const connections = new Connections(target, { caPem, pinned, maxConnections: 1 });
  try {
    return await connections.send(`${target.pathname}${target.search}`, request);
  } finally {
    connections.close();
  }
}

function failure(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}

function outOfTime(): NodeJS.ErrnoException {
  return failure('ETIMEDOUT', 'no answer in time');
}

function inWordsOfNode(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  const { code = '' } = error;
  if (/^UND_ERR_\w+_TIMEOUT$/.test(code)) return outOfTime();
  if (code === 'UND_ERR_SOCKET' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return failure('ECONNRESET', 'the connection was closed before the answer was complete');
  }
  return error;
}
