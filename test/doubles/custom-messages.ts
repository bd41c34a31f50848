import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CustomMessage {
  id: string;
  /** Without slashes around it; "" for the root namespace. */
  namespace: string;
  title: string;
  message: string;
  authenticated: boolean;
  type: string;
  start_time: string;
  end_time: string | null;
  link: Record<string, string> | null;
  options: Record<string, unknown> | null;
}

export interface CustomMessagesDouble {
  address: string;
  /** All messages there are, by id. */
  messages: Map<string, CustomMessage>;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  body?: unknown;
}

/**
 * A test double, not a server: interface.md's area C (custom messages) in memory, with the errors
 * real servers answer with, and an enterprise version in `sys/seal-status`, for tests of what needs messages
 * where no enterprise server can be had. With `upstream`, the address of a real server, everything else is
 * passed on to it; without, there is just enough of the token calls to sign in.
 */
export async function startCustomMessagesDouble({
  upstream,
  version = '1.21.0+ent',
}: {
  upstream?: string;
  version?: string;
} = {}): Promise<CustomMessagesDouble> {
  const messages: CustomMessagesDouble['messages'] = new Map();
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(incoming.url ?? '/', 'http://double');
    const path = url.pathname.replace(/^\/v1\//, '').replace(/\/$/, '');
    const namespace = String(incoming.headers['x-vault-namespace'] ?? '').replace(/^\/+|\/+$/g, '');
    if (path === 'sys/seal-status') {
      answer(outgoing, { status: 200, body: { initialized: true, sealed: false, version } });
    } else if (/^sys\/config\/ui\/custom-messages(\/|$)/.test(path)) {
      answer(outgoing, handle(messages, namespace, incoming, url, path.split('/')[4], body));
    } else if (upstream !== undefined) {
      passOn(upstream, incoming, outgoing, body);
    } else {
      answer(outgoing, tokenCall(path));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function handle(
  messages: Map<string, CustomMessage>,
  namespace: string,
  incoming: IncomingMessage,
  url: URL,
  id: string | undefined,
  body: Buffer,
): Reply {
  if (incoming.headers['x-vault-token'] === undefined) return refused(403, 'permission denied');
  const isList = incoming.method === 'GET' && url.searchParams.get('list') === 'true';
  const own = [...messages.values()].filter((message) => message.namespace === namespace);
  if (id === undefined && isList) return list(own, url.searchParams);
  if (id === undefined) return create(messages, own.length, parse(body), namespace);
  const message = own.find((candidate) => candidate.id === id);
  switch (incoming.method) {
    case 'GET':
      return message === undefined ? refused(404) : { status: 200, body: { data: shown(message) } };
    case 'DELETE':
      if (message !== undefined) messages.delete(id);
      return { status: 204 };
    default: {
      if (message === undefined) return refused(404);
      const next = checked(parse(body), id, namespace);
      if (typeof next === 'string') return refused(400, next);
      messages.set(id, next);
      return { status: 200, body: { data: shown(next) } };
    }
  }
}

function create(
  messages: Map<string, CustomMessage>,
  count: number,
  given: Record<string, unknown>,
  namespace: string,
): Reply {
  const message = checked(given, randomUUID(), namespace);
  if (typeof message === 'string') return refused(400, message);
  if (count >= 100) {
    return refused(400, 'failed to create custom message: maximum number of messages already exist');
  }
  messages.set(message.id, message);
  const { title: _, message: __, link: ___, options: ____, ...told } = shown(message);
  return { status: 200, body: { data: told } };
}

function list(own: CustomMessage[], filters: URLSearchParams): Reply {
  const matching = own.map(shown).filter((message) =>
    (['active', 'authenticated', 'type'] as const).every((name) => {
      const wanted = filters.get(name);
      return wanted === null || String(message[name]) === wanted;
    }),
  );
  if (matching.length === 0) return refused(404);
  const keyInfo = matching.map(({ id, title, type, authenticated, start_time, end_time }) => [
    id,
    { title, type, authenticated, start_time, end_time },
  ]);
  return {
    status: 200,
    body: { data: { keys: matching.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } },
  };
}

/** The message, or the text it is refused with. */
function checked(given: Record<string, unknown>, id: string, namespace: string): CustomMessage | string {
  const { title, message, link = null, options = null, start_time, end_time = null } = given;
  const { authenticated = true, type = 'banner' } = given;
  if (typeof title !== 'string' || title === '') return 'missing title parameter value';
  const isBase64 =
    typeof message === 'string' && Buffer.from(message, 'base64').toString('base64') === message;
  if (!isBase64) return 'invalid message parameter value, must be base64 encoded';
  if (link !== null && Object.keys(link as object).length !== 1) {
    return 'invalid number of elements in link parameter value; only a single element can be provided';
  }
  if (end_time !== null && Date.parse(String(start_time)) >= Date.parse(String(end_time))) {
    return 'failed to create custom message: message start time must occur before end time';
  }
  if (type !== 'banner' && type !== 'modal') {
    return 'failed to create custom message: unrecognized message type';
  }
  return {
    id,
    namespace,
    title,
    message: String(message),
    authenticated: authenticated === true,
    type,
    // Real servers answer with more digits than they were given.
    start_time: withNanoseconds(String(start_time)),
    end_time: end_time === null ? null : withNanoseconds(String(end_time)),
    link: link as Record<string, string> | null,
    options: options as Record<string, unknown> | null,
  };
}

function withNanoseconds(time: string): string {
  return new Date(time).toISOString().replace(/(\d{3})Z$/, '$1000000Z');
}

function shown({
  namespace: _,
  ...message
}: CustomMessage): Omit<CustomMessage, 'namespace'> & { active: boolean } {
  const now = Date.now();
  const begun = Date.parse(message.start_time) <= now;
  const active = begun && (message.end_time === null || now < Date.parse(message.end_time));
  return { ...message, active };
}

function tokenCall(path: string): Reply {
  if (path === 'auth/token/lookup-self') return { status: 200, body: { data: { policies: ['root'] } } };
  if (path === 'auth/token/create') return { status: 200, body: { auth: { client_token: 'double-child' } } };
  return path === 'auth/token/revoke-self' ? { status: 204 } : refused(404);
}

function parse(body: Buffer): Record<string, unknown> {
  return body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>);
}

function refused(status: number, ...errors: string[]): Reply {
  return { status, body: { errors } };
}

function answer(outgoing: ServerResponse, { status, body }: Reply): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/json' });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
}

function passOn(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
  const { host: _, ...headers } = incoming.headers;
  const onward = request(
    new URL(incoming.url ?? '/', upstream),
    { method: incoming.method, headers },
    (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    },
  );
  onward.on('error', () => answer(outgoing, refused(502, 'the double cannot reach its upstream')));
  onward.end(body);
}
