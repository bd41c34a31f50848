import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { identityPath } from '@gatehouse/core/environment';
import { baseSetting, fillIssuer, kindById, type ProviderKind, providerKinds } from '@gatehouse/core/graph';
import { listen } from '@gatehouse/host';
import { type Client, developmentClient, developmentPeople, type Person } from './development.ts';
import { baseOf, createSigningKey, type Issuer } from './issuer.ts';
import { createSignInIssuer } from './sign-in-issuer.ts';
import { createWorkloadIssuer, signWorkloadToken, type WorkloadTokenArgs } from './workload-issuer.ts';

/** Milliseconds that requests in progress may take after `close` was called. */
const closeTimeoutMs = 2_000;

export interface IdentityArgs {
  /** Defaults to a free port. */
  port?: number;
  /** Who can sign in. Defaults to `developmentPeople`. */
  people?: readonly Person[];
  /** Registered applications by provider kind. Each kind defaults to `developmentClient`. */
  clients?: Partial<Record<ProviderKind, readonly Client[]>>;
}

/** The embedded identity provider: one issuer per provider kind, on one port of the loopback address. */
export interface EmbeddedIdentityProvider {
  /** `http://127.0.0.1:<port>` */
  address: string;
  /** Base URL of each kind, as its administrator knows it (`authority` in an environment's config). */
  authorities: Record<ProviderKind, string>;
  /** Issuer of each kind: its discovery URL, and the `iss` of its tokens. */
  issuers: Record<ProviderKind, string>;
  signWorkloadToken(args: WorkloadTokenArgs): Promise<string>;
  /** Stops listening and waits for requests in progress. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the embedded identity provider. Everything is in memory; each issuer creates its key at its first request.
 * Error: `port_in_use`.
 */
export async function startIdentity(args: IdentityArgs = {}): Promise<EmbeddedIdentityProvider> {
  const { port = 0, people = developmentPeople, clients = {} } = args;
  const server = createServer();
  const host = `127.0.0.1:${await listen(server, port)}`;
  const address = `http://${host}`;

  const authorities = byKind((kind) => `${address}${identityPath(kind)}`);
  const issuers = byKind((kind) => issuerUrl(kind, authorities[kind]));
  const created = new Map<ProviderKind, Promise<Issuer>>();

  function issuer(kind: ProviderKind): Promise<Issuer> {
    const promise = created.get(kind) ?? create(kind);
    created.set(kind, promise);
    return promise;
  }
  async function create(kind: ProviderKind): Promise<Issuer> {
    const url = issuers[kind];
    const key = await createSigningKey();
    return kindById(kind).methodType === 'jwt'
      ? createWorkloadIssuer(url, key)
      : createSignInIssuer({ url, kind, key, people, clients: clients[kind] ?? [developmentClient] });
  }

  async function route(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) {
    const url = request.url ?? '';
    const kind = providerKinds.find((candidate) =>
      `${address}${url}`.startsWith(`${baseOf(issuers[candidate])}/`),
    );
    if (kind === undefined) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not_found"}');
      return;
    }
    // Issuers build their addresses from these two: always ours, never the caller's.
    request.headers.host = host;
    request.originalUrl = url;
    request.url = `${address}${url}`.slice(baseOf(issuers[kind]).length);
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
    authorities,
    issuers,
    async signWorkloadToken(token) {
      const kind = token.kind ?? providerKinds.find((candidate) => kindById(candidate).methodType === 'jwt');
      if (kind === undefined) throw new Error('no provider kind is for workloads');
      return signWorkloadToken(kind, await issuer(kind), token);
    },
    close: () => close(server),
  };
}

/** The discovery URL of a kind below its base URL. */
function issuerUrl(kind: ProviderKind, authority: string): string {
  const { issuer, embedded } = kindById(kind);
  return fillIssuer(issuer, { ...embedded?.issuer, [baseSetting(issuer)]: authority });
}

function byKind(of: (kind: ProviderKind) => string) {
  return Object.fromEntries(providerKinds.map((kind) => [kind, of(kind)])) as Record<ProviderKind, string>;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const patience = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
  await closed;
  clearTimeout(patience);
}
