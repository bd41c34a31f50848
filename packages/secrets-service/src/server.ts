import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { httpAddress, listen, originForm } from '@gatehouse/host';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AuditLog } from './audit/audit-log.ts';
import type { DirectoryAddresses } from './auth/workspace-suite.ts';
import { createListFront, methodOf, readOn } from './list-front.ts';
import { answerOf, type HttpAnswer, refusalAnswer } from './protocol/answer.ts';
import { type HttpRequest, readRequest } from './protocol/read-request.ts';
import { RequestRefusal } from './protocol/refusal.ts';
import { SecretsService } from './service/service.ts';
import type { Storage } from './storage/storage.ts';
import { rootTokenOf } from './tokens/create-token.ts';
import { reapTokens } from './tokens/token-store.ts';
import { Ui } from './ui/ui.ts';

/** An embedded secrets service that listens. */
export interface SecretsServer {
  /** `http://127.0.0.1:<port>`, or `https:` with TLS. */
  address: string;
  /** Absent if an earlier start generated it: only its hash is stored. */
  rootToken?: string;
  /** Finishes requests in progress, then closes the storage. Safe to call twice. */
  close(): Promise<void>;
}

export interface StartSecretsServiceArgs {
  /** Closed with the service, or if it cannot start. */
  storage: Storage;
  /** Defaults to a free port. */
  port?: number;
  /** Nanoseconds since 1970. Defaults to the system's clock. */
  now?: () => bigint;
  /** A root token to accept. Defaults to a random one, generated at the first start. */
  rootToken?: string;
  /** Certificate and key. Defaults to plain HTTP. */
  tls?: TlsOptions;
  /** Receives internal errors and what callers are not told; never a secret. Defaults to nothing. */
  log?: (message: string) => void;
  /** Where sign-ins look up groups and attributes. Defaults to the public addresses of each directory. */
  directories?: DirectoryAddresses;
  /** File to which requests and responses are appended. Defaults to none. */
  auditFile?: string;
  /** Each defaults to that of `serverLimits`. */
  limits?: Partial<ServerLimits>;
}

const json = 'application/json';
const largestBody = 1024 * 1024;
const reapEveryMs = 60_000;

/** Starts the secrets service. Errors: `port_in_use`, `audit_unwritable`. */
export async function startSecretsService({
  storage,
  port = 0,
  now = () => BigInt(Date.now()) * 1_000_000n,
  rootToken: givenToken,
  tls,
  log = () => {},
  directories,
  auditFile,
  limits: givenLimits,
}: StartSecretsServiceArgs): Promise<SecretsServer> {
  const limits = { ...serverLimits, ...givenLimits };
  let audit: AuditLog | undefined;
  try {
    if (auditFile !== undefined) audit = await AuditLog.start(auditFile, storage);
    const rootToken = rootTokenOf(storage, now(), givenToken);
    const service = new SecretsService({ storage, now, log, directories, audit });
    const ui = new Ui({ service, storage, now, secure: tls !== undefined });
    const { server: http, close: closeHttp } = await createHttp(service, ui, log, limits);
    const front = createListFront(http, limits.headMs, tls);
    front.maxConnections = limits.connections;
    const bound = await listen(front, port);

    const reaper = setInterval(() => reapTokens(storage, now()), reapEveryMs);
    reaper.unref();
    let closing: Promise<void> | undefined;
    const stop = async () => {
      clearInterval(reaper);
      const closed = once(front, 'close');
      front.close();
      const patience = setTimeout(() => http.closeAllConnections(), limits.stopMs);
      await closeHttp();
      await closed;
      clearTimeout(patience);
      await audit?.close();
      storage.close();
    };
    return {
      address: httpAddress('127.0.0.1', bound, tls && 'https'),
      rootToken,
      close() {
        closing ??= stop();
        return closing;
      },
    };
  } catch (error) {
    await audit?.close();
    storage.close();
    throw error;
  }
}

/** The HTTP server behind the front, which hands it connections. It does not listen itself. */
async function createHttp(
  service: SecretsService,
  ui: Ui,
  log: (message: string) => void,
  limits: ServerLimits,
) {
  let server: HttpServer | undefined;
  let isStopping = false;
  const app = fastify({
    bodyLimit: largestBody,
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      reply.code(400).type(json).send('{"errors":["path is not validly encoded"]}');
    },
    exposeHeadRoutes: false,
    rewriteUrl: originForm,
    clientErrorHandler: (error, socket) => {
      if (!readOn(error, socket)) refuseUnreadable(socket, error.code);
    },
    serverFactory: (handler) => {
      server = createLimitedServer(handler, limits);
      return server;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onSend', (request, reply, payload, done) => {
    setHeaders(request, reply);
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  addPages(app, ui);
  addApi(app, service);
  app.setErrorHandler((error, _request, reply) => sendError(error, reply, log));
  await app.ready();
  const http = server as HttpServer;
  // Starts the checks of its time limits.
  http.emit('listening');
  return {
    server: http,
    async close() {
      isStopping = true;
      http.closeIdleConnections();
      await app.close();
    },
  };
}

function createLimitedServer(
  handler: RequestListener,
  { headMs, requestMs, idleMs }: ServerLimits,
): HttpServer {
  const server = createServer(
    {
      keepAliveTimeout: Math.min(65_000, idleMs),
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(5_000, headMs),
      // With true, Node itself would answer, without our JSON. `checkExpectation` is handled for the same reason.
      requireHostHeader: false,
    },
    handler,
  );
  server.setTimeout(idleMs);
  server.on('checkExpectation', handler);
  server.on('connect', (_request, socket) => refuseUnreadable(socket));
  return server;
}

/** The headers of every response. */
function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const methods = request.url.startsWith('/v1/') ? ofPaths : ofPages;
  if (reply.statusCode === 405 && !methods.includes(methodOf(request.raw))) {
    reply.header('allow', methods.join(', '));
  }
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  // Without the charset that Fastify adds: hvac would not parse the JSON.
  if (reply.getHeader('content-type') === `${json}; charset=utf-8`) reply.header('content-type', json);
}

function addPages(app: FastifyInstance, ui: Ui): void {
  for (const path of ['/ui', '/ui/*']) {
    app.all(path, async (request, reply) => {
      const { status, headers, body } = await ui.answer(httpRequest(request));
      return reply.code(status).headers(headers).send(body);
    });
  }
}

function addApi(app: FastifyInstance, service: SecretsService): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, body, text, location } = await apiAnswer(service, request);
    if (location !== undefined) reply.header('location', location);
    return reply
      .code(status)
      .type(text === undefined ? json : 'text/plain; version=0.0.4; charset=utf-8')
      .send(text ?? (body && JSON.stringify(body)));
  };
  app.all('/*', answer);
  // For methods that Fastify does not know.
  app.setNotFoundHandler(answer);
}

async function apiAnswer(service: SecretsService, fastifyRequest: FastifyRequest): Promise<HttpAnswer> {
  try {
    const { headers, httpVersion } = fastifyRequest.raw;
    if (headers.host === undefined && httpVersion === '1.1') {
      throw new RequestRefusal(400, 'missing required Host header');
    }
    const request = readRequest(httpRequest(fastifyRequest));
    return answerOf(request, await service.handle(request));
  } catch (error) {
    if (error instanceof RequestRefusal) return refusalAnswer(error);
    throw error;
  }
}

/** Of an error within the service, the response and the log say only that there was one. */
function sendError(error: unknown, reply: FastifyReply, log: (message: string) => void): void {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 500) log(`a request failed: ${(error as Error).name}`);
  const text = status === 413 ? 'request body too large' : status >= 500 ? 'internal error' : 'bad request';
  reply
    .code(status === 415 ? 400 : status)
    .type(json)
    .send(JSON.stringify({ errors: [text] }));
}

/** The methods that some path of the API, or some page, accepts. */
const ofPaths = ['GET', 'HEAD', 'LIST', 'POST', 'PUT', 'DELETE'];
const ofPages = ['GET', 'HEAD', 'POST'];

function httpRequest({ raw, body }: FastifyRequest): HttpRequest {
  return {
    method: methodOf(raw),
    url: raw.url ?? '',
    headers: raw.headers,
    body: Buffer.isBuffer(body) ? body : undefined,
    remoteAddress: raw.socket.remoteAddress ?? '',
  };
}

const serverLimits = {
  /** Milliseconds from the first byte of a request until its head is complete. */
  headMs: 30_000,
  /** Milliseconds until the body is complete. */
  requestMs: 60_000,
  /** Milliseconds without a byte in either direction. */
  idleMs: 120_000,
  /** Concurrent connections; more are closed. */
  connections: 10_000,
  /** Milliseconds that responses in progress may take when the service stops. */
  stopMs: 5_000,
};
type ServerLimits = typeof serverLimits;

/** Refuses what is not HTTP, or too slow, with our JSON. `code` is Node's. */
function refuseUnreadable(socket: Duplex, code?: string): void {
  const [status, text] = unreadable[code ?? ''] ?? ['400 Bad Request', 'bad request'];
  const body = JSON.stringify({ errors: [text] });
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`);
  else socket.destroy();
}

const unreadable: Record<string, [status: string, text: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request timed out'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'request header fields too large'],
};
