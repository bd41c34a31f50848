import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { fastify } from 'fastify';
import { portInUse } from '../listen.ts';
import { type Answer, answerOf, refusalAnswer } from './answer.ts';
import type { DirectoryAddresses } from './auth/directory-of.ts';
import { createListFront } from './list-front.ts';
import { readRequest } from './read-request.ts';
import { Refusal } from './refusal.ts';
import { rootTokenOf } from './root-token.ts';
import { SecretsService } from './service.ts';
import type { Storage } from './storage/storage.ts';
import { reapTokens } from './tokens/token-store.ts';

/** A running secrets service. */
export interface SecretsServer {
  /** `http://127.0.0.1:<port>`, or `https:` with TLS. */
  address: string;
  /** The root token that was given or made; absent where an earlier start made it: only its hash is kept. */
  rootToken?: string;
  /** Answers what is being asked, then stops and closes the storage. Safe to call twice. */
  close(): Promise<void>;
}

export interface StartSecretsServiceArgs {
  /** Closed when the service is, and when it cannot start. */
  storage: Storage;
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  /** The clock, in nanoseconds since 1970. Defaults to the system's. */
  now?: () => bigint;
  /** Accepted as a root token from now on. Defaults to a random one at the first start. */
  rootToken?: string;
  /** Certificate and key. Defaults to plain HTTP. */
  tls?: TlsOptions;
  /** Told what goes wrong inside and what callers are not told; never a secret. Defaults to telling nobody. */
  log?: (message: string) => void;
  /**
   * Where sign-ins with a `provider_config` look groups and attributes up. Defaults to the public addresses of each
   * directory.
   */
  directories?: DirectoryAddresses;
}

const largestBody = 1024 * 1024;
/** How long answers that are under way may take once the service stops. */
const stopTimeoutMs = 5_000;
const reapEveryMs = 60_000;

/** Starts the secrets service. Error: `port_in_use`. */
export async function startSecretsService({
  storage,
  port = 0,
  host = '127.0.0.1',
  now = () => BigInt(Date.now()) * 1_000_000n,
  rootToken: given,
  tls,
  log = () => {},
  directories,
}: StartSecretsServiceArgs): Promise<SecretsServer> {
  try {
    const rootToken = rootTokenOf(storage, now(), given);
    const service = new SecretsService({ storage, now, log, directories });
    const { server: http, close: closeHttp } = await createHttp(service, log);
    const front = createListFront((socket) => http.emit('connection', socket), tls);
    await listenOn(front.server, port, host);

    const reaper = setInterval(() => reapTokens(storage, now()), reapEveryMs);
    reaper.unref();
    let closing: Promise<void> | undefined;
    const stop = async () => {
      clearInterval(reaper);
      const closed = once(front.server, 'close');
      front.server.close();
      const patience = setTimeout(() => front.destroyConnections(), stopTimeoutMs);
      await closeHttp();
      await closed;
      clearTimeout(patience);
      storage.close();
    };
    const bound = front.server.address() as AddressInfo;
    const name = host.includes(':') ? `[${host}]` : host;
    return {
      address: `${tls === undefined ? 'http' : 'https'}://${name}:${bound.port}`,
      ...(rootToken === undefined ? {} : { rootToken }),
      close() {
        closing ??= stop();
        return closing;
      },
    };
  } catch (error) {
    storage.close();
    throw error;
  }
}

/** The HTTP server behind the front: connections are handed to it, it listens nowhere. */
async function createHttp(service: SecretsService, log: (message: string) => void) {
  let server: HttpServer | undefined;
  const app = fastify({
    bodyLimit: largestBody,
    exposeHeadRoutes: false,
    clientErrorHandler: (_error, socket) => refuseUnreadable(socket),
    serverFactory: (handler) => {
      server = createServer(
        { keepAliveTimeout: 65_000, headersTimeout: 30_000, requestTimeout: 60_000 },
        handler,
      );
      return server;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.all('/*', async (request, reply) => {
    const { method, url, headers } = request.raw;
    const body = Buffer.isBuffer(request.body) ? request.body : undefined;
    const remoteAddress = request.raw.socket.remoteAddress ?? '';
    const answer = await answerTo({ method: method ?? '', url: url ?? '', headers, body, remoteAddress });
    if (answer.location !== undefined) reply.header('location', answer.location);
    return reply
      .code(answer.status)
      .type('application/json')
      .send(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });
  app.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status >= 500) log(`a request failed: ${(error as Error).name}`);
    const text = status === 413 ? 'request body too large' : status >= 500 ? 'internal error' : 'bad request';
    reply
      .code(status === 415 ? 400 : status)
      .type('application/json')
      .send(JSON.stringify({ errors: [text] }));
  });

  async function answerTo(given: Parameters<typeof readRequest>[0]): Promise<Answer> {
    try {
      const request = readRequest(given);
      return answerOf(request, await service.handle(request));
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  }

  await app.ready();
  const http = server as unknown as HttpServer;
  // Where it listens itself, this starts the checks of its time limits.
  http.emit('listening');
  return {
    server: http,
    async close() {
      http.closeIdleConnections();
      await app.close();
    },
  };
}

async function listenOn(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw portInUse(port, cause);
  }
}

/** What is no HTTP is refused in the same form as all else. */
function refuseUnreadable(socket: Duplex): void {
  const body = '{"errors":["bad request"]}';
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`);
  else socket.destroy();
}
