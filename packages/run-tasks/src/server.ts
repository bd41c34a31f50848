import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusal } from '@gatehouse/core/run-task';
import {
  describeRoutes,
  httpAddress,
  Metrics,
  originForm,
  portInUse,
  Recent,
  recentAnswer,
} from '@gatehouse/host';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { schemaOf } from './openapi.ts';
import { jsonAnswer, jsonApiAnswer, type Route, type RouteAnswer, type RouteRequest } from './route.ts';
import { TooMany, Traffic, type TrafficLimits } from './traffic.ts';

/** Bytes of a body, unless its route says otherwise. */
const largestBody = 1024 * 1024;
/** Bytes of a body over its limit that are still read, so that its sender gets to see the answer. */
const mostDrained = 64 * 1024 * 1024;
/** Milliseconds for a request's header, and for the whole request. A slower sender is disconnected. */
const headMs = 10_000;
const requestMs = 30_000;
/** Milliseconds between checks of these limits. */
const checkedMs = 1000;
/** Milliseconds that answers in progress may take once the server closes. */
const stopMs = 10_000;

export interface RunTaskServerArgs {
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  /**
   * Addresses and ranges (CIDR) of proxies whose `X-Forwarded-For` counts. Defaults to none: the header is then ignored.
   */
  trustedProxies?: readonly string[];
  /** Whether clients reach the server only over TLS: browsers then use nothing else for a year. Defaults to false. */
  secure?: boolean;
  /** The server adds `/health`, `/ready`, `/metrics` and `/openapi.json`. */
  routes: readonly Route[];
  /** In the OpenAPI document. Defaults to none. */
  version?: string;
  /** `/ready` answers 503 if this rejects. */
  checkReady: () => Promise<unknown>;
  metrics?: Metrics;
  log?: FastifyBaseLogger;
  limits?: TrafficLimits;
  now?: () => number;
}

export interface RunTaskServer {
  /** `http://127.0.0.1:<port>` */
  address: string;
  /** All routes of the server, with its own. */
  routes: readonly Route[];
  /** Refuses new requests, answers those in progress, and ends. */
  close(): Promise<void>;
}

/** Starts the HTTP server of the run tasks. Error: `port_in_use`. */
export async function startRunTaskServer(args: RunTaskServerArgs): Promise<RunTaskServer> {
  const { port = 0, host = '127.0.0.1', routes, checkReady, metrics = new Metrics() } = args;
  const traffic = new Traffic(args.limits ?? {}, metrics, args.now ?? Date.now);
  const app = fastify({
    bodyLimit: largestBody,
    requestTimeout: requestMs,
    exposeHeadRoutes: false,
    rewriteUrl: originForm,
    trustProxy: args.trustedProxies?.length ? [...args.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    logController: new LogController({ disableRequestLogging: true }),
    http: { headersTimeout: headMs, connectionsCheckingInterval: checkedMs },
    // Such errors are paths that do not decode, or have a very long parameter.
    frameworkErrors: (_error, _request, reply) => void send(reply, notFound),
    loggerInstance: args.log,
  });
  keepBodies(app);
  endConnections(app);
  if (args.secure) requireTls(app);
  observe(app, metrics);
  limitTraffic(app, traffic);
  await describeRoutes(app, {
    info: { title: 'gatehouse serve', version: args.version ?? '' },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  });
  const all = [...routes, ...ownRoutes(readiness(checkReady, args.now), metrics), documentRoute(app)];
  addRoutes(app, all, traffic);
  answerErrors(app);
  try {
    await app.listen({ port, host });
  } catch (cause) {
    await app.close();
    throw portInUse(port, cause, host);
  }
  const bound = app.server.address() as AddressInfo;
  return {
    address: httpAddress(host, bound.port),
    routes: all,
    async close() {
      // A stream of events does not end by itself.
      const patience = setTimeout(() => app.server.closeAllConnections(), stopMs);
      await app.close();
      clearTimeout(patience);
    },
  };
}

/** Answers unknown paths, and errors of routes and of Fastify. */
function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => send(reply, notFound));
  app.setErrorHandler(async (error: { statusCode?: number }, request, reply) => {
    if (error instanceof TooMany) {
      return send(reply.header('retry-after', '1'), problem(error.statusCode, 'Too many requests.'));
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'a request failed');
    if (status !== 413)
      return send(reply, problem(status, status >= 500 ? 'Internal error.' : 'Bad request.'));
    await drain(request.raw);
    return send(reply, problem(status, 'The body is too large.'));
  });
}

/** Adds the routes. Other methods of a known path are answered 405, with the methods that it has. */
function addRoutes(app: FastifyInstance, routes: readonly Route[], traffic: Traffic): void {
  for (const route of routes) {
    const { method, path, maxBytes, answer } = route;
    app.route({
      method,
      url: path,
      schema: schemaOf(route),
      bodyLimit: maxBytes,
      handler: async (request, reply) => send(reply, await answer(routeRequest(request, traffic))),
    });
  }
  for (const [path, samePath] of Map.groupBy(routes, (route) => route.path)) {
    const allowed: string[] = samePath.map(({ method }) => method);
    const refuse = async ({ method }: FastifyRequest, reply: FastifyReply) =>
      send(reply.header('allow', allowed.join(', ')), problem(405, `${method} is not one of its methods.`));
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url: path,
      schema: { hide: true },
      // Refused before the body is read: Fastify answers a QUERY without a body with 400.
      onRequest: refuse,
      handler: refuse,
    });
  }
}

/** Keeps raw bodies, which signatures cover. Fastify would refuse some content types, so it sees only one. */
function keepBodies(app: FastifyInstance): void {
  const contentTypes = new WeakMap<FastifyRequest, string>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request) => {
    const type = request.headers['content-type'];
    if (type === undefined) return;
    contentTypes.set(request, type);
    request.headers['content-type'] = 'application/octet-stream';
  });
  app.addHook('preValidation', async (request) => {
    const type = contentTypes.get(request);
    if (type !== undefined) request.headers['content-type'] = type;
  });
}

/** Reads the rest of a body: a sender whose connection is closed earlier would not see the answer. */
async function drain(request: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > mostDrained) return;
    }
  } catch {
    // The sender is gone.
  }
}

function requireTls(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('strict-transport-security', 'max-age=31536000');
  });
}

/** Once the server closes, a connection ends with its answer. */
function endConnections(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close');
  });
}

function observe(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter(
    'gatehouse_http_requests_total',
    'Requests answered, by route and status.',
    ['route', 'method', 'status'],
  );
  const secondsHelp = 'Time spent on them, by route.';
  const seconds = metrics.counter('gatehouse_http_request_seconds_total', secondsHelp, ['route']);
  app.addHook('onResponse', async ({ routeOptions, method, log }, { statusCode, elapsedTime }) => {
    // Never the path itself: callers choose it, so there is no limit to their number.
    const route = routeOptions.url ?? 'none';
    requests.inc({ route, method, status: statusCode });
    seconds.inc({ route }, elapsedTime / 1000);
    log.info({ route, method, status: statusCode, ms: Math.round(elapsedTime) }, 'answered');
  });
}

/** Paths without limits: load balancers use them to decide whether the process gets requests. */
const free = ['/health', '/ready'];

function limitTraffic(app: FastifyInstance, traffic: Traffic): void {
  const connections = traffic.watch(app.server);
  app.addHook('onRequest', async (request) => {
    if (!free.includes(request.routeOptions.url ?? '')) traffic.countAsked(addressOf(request));
  });
  // Counted once the body has arrived, so that a request that never completes uses up no share.
  app.addHook('preHandler', async (request, { raw }) => {
    const { socket } = request.raw;
    if (!free.includes(request.routeOptions.url ?? '')) traffic.begin(request, addressOf(request));
    connections.begin(socket);
    // Emitted even if the connection is lost before the answer.
    raw.once('close', () => {
      traffic.end(request);
      connections.end(socket);
    });
  });
}

/** Milliseconds that an answer of the store is kept. */
const readyKeptMs = 1000;
/** Milliseconds until the store counts as not ready. */
const readyMs = 5000;

/** Asks the store once at a time, however many requests ask whether it is ready. */
function readiness(checkReady: () => Promise<unknown>, now: () => number = Date.now) {
  const recent = new Recent<Promise<unknown>>({ keptMs: readyKeptMs, most: 1, now });
  const late = () => sleep(readyMs, undefined, { ref: false }).then(() => Promise.reject(new Error('late')));
  return () => recentAnswer(recent, 'ready', () => Promise.race([checkReady(), late()]));
}

function ownRoutes(checkReady: () => Promise<unknown>, metrics: Metrics): Route[] {
  const text = (body: string, type = 'text/plain; charset=utf-8'): RouteAnswer => ({
    status: 200,
    headers: { 'content-type': type },
    body,
  });
  const get = (path: string, summary: string, answer: () => Promise<RouteAnswer>): Route => ({
    method: 'GET',
    path,
    answer,
    description: { summary, security: 'none', answers: { 200: 'text/plain' } },
  });
  return [
    get('/health', 'Whether the process runs', async () => text('ok\n')),
    get('/ready', 'Whether something can be stored', () =>
      checkReady().then(
        () => text('ready\n'),
        () => problem(503, 'Nothing can be stored: the database cannot be reached, or refuses to write.'),
      ),
    ),
    get('/metrics', 'Metrics for Prometheus', async () =>
      text(await metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
    ),
  ];
}

function documentRoute(app: FastifyInstance): Route {
  return {
    method: 'GET',
    path: '/openapi.json',
    description: { summary: 'This document', security: 'none', answers: { 200: 'application/json' } },
    answer: async () => jsonAnswer(200, app.swagger()),
  };
}

/** The sender's address, without the port that some proxies add. If a proxy sends no address, its own counts. */
function addressOf({ ip, socket }: FastifyRequest): string {
  const [, v6, v4] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i.exec(ip) ?? [];
  const address = v6 ?? v4 ?? ip;
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address;
}

function routeRequest(request: FastifyRequest, traffic: Traffic): RouteRequest {
  const { params, url, headers, body, log } = request;
  const [, query = ''] = url.split('?', 2);
  return {
    address: addressOf(request),
    params: params as Record<string, string>,
    query: new URLSearchParams(query),
    headers,
    body: (body as Buffer | undefined) ?? Buffer.alloc(0),
    log,
    countAs: (person, kind = 'request') => traffic.countAs(request, person, kind),
  };
}

function problem(status: number, detail: string): RouteAnswer {
  return jsonApiAnswer(status, refusal(status, STATUS_CODES[status] ?? '', detail).errors);
}

const notFound = problem(404, 'There is nothing at this address.');

function send(reply: FastifyReply, { status, headers = {}, body }: RouteAnswer): FastifyReply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send(body);
}
