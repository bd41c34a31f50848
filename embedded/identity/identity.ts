import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { identityPath } from '../../core/model/environment.ts';
import { ProviderKind } from '../../core/model/kinds/kind.ts';
import { listen } from '../../web/listen.ts';
import { type Client, developmentClient } from './client.ts';
import { createSigningKey, type Issuer } from './issuer.ts';
import { type IssuerNames, issuerPath } from './issuer-path.ts';
import { developmentPeople, type Person } from './people.ts';
import { createSignInIssuer } from './sign-in-issuer.ts';
import { createWorkloadIssuer, signWorkloadToken, type WorkloadTokenArgs } from './workload-issuer.ts';

/** Milliseconds that requests under way may take once `close` was called. */
const closeTimeoutMs = 2_000;

export interface IdentityArgs extends IssuerNames {
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** Who can sign in. Defaults to `developmentPeople`. */
  people?: readonly Person[];
  /** Registered applications by provider kind. Defaults to `developmentClient` for a kind that is left out. */
  clients?: Partial<Record<ProviderKind, readonly Client[]>>;
}

/** The embedded identity provider: one issuer per provider kind, on one port of the loopback address. */
export interface Identity {
  /** `http://127.0.0.1:<port>` */
  address: string;
  /** Base URL of each kind, as its administrator has it in hand (`authority` in an environment's config). */
  authorities: Record<ProviderKind, string>;
  /** Issuer of each kind: its discovery URL, and the `iss` of its tokens. */
  issuers: Record<ProviderKind, string>;
  /** Signs a token for a workload. */
  signWorkloadToken(args: WorkloadTokenArgs): Promise<string>;
  /** Stops listening, lets requests under way end, and resolves. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the embedded identity provider. Everything is in memory; each issuer makes its key when it is first asked
 * for anything. Error: `port_in_use`.
 */
export async function startIdentity(args: IdentityArgs = {}): Promise<Identity> {
  const { port = 0, people = developmentPeople, clients = {} } = args;
  const server = createServer();
  const host = `127.0.0.1:${await listen(server, port)}`;
  const address = `http://${host}`;

  const kinds = Object.values(ProviderKind);
  const paths = new Map(kinds.map((kind) => [kind, issuerPath(kind, args)]));
  const issuers = byKind((kind) => `${address}${paths.get(kind)}`);
  const made = new Map<ProviderKind, Promise<Issuer>>();

  function issuer(kind: ProviderKind): Promise<Issuer> {
    const there = made.get(kind) ?? create(kind);
    made.set(kind, there);
    return there;
  }
  async function create(kind: ProviderKind): Promise<Issuer> {
    const url = issuers[kind];
    const key = await createSigningKey();
    return kind === ProviderKind.containerOrchestrator
      ? createWorkloadIssuer(url, key)
      : createSignInIssuer({ url, kind, key, people, clients: clients[kind] ?? [developmentClient] });
  }

  async function route(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) {
    const url = request.url ?? '';
    const kind = kinds.find((one) => url.startsWith(`${paths.get(one)}/`));
    if (kind === undefined) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not_found"}');
      return;
    }
    // Issuers build their addresses from these two: always our own, never what a caller wrote.
    request.headers.host = host;
    request.originalUrl = url;
    request.url = url.slice(paths.get(kind)?.length);
    await (await issuer(kind)).handle(request, response);
  }
  server.on('request', (request, response) => {
    route(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  return {
    address,
    authorities: byKind((kind) => `${address}${identityPath(kind)}`),
    issuers,
    async signWorkloadToken(token) {
      return signWorkloadToken(await issuer(token.kind ?? ProviderKind.containerOrchestrator), token);
    },
    close: () => close(server),
  };
}

function byKind(of: (kind: ProviderKind) => string): Record<ProviderKind, string> {
  return Object.fromEntries(Object.values(ProviderKind).map((kind) => [kind, of(kind)])) as Record<
    ProviderKind,
    string
  >;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const patience = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
  await closed;
  clearTimeout(patience);
}
