import { AsyncLocalStorage } from 'node:async_hooks';
import { type ConnectionOptions, Connections } from './exchange.ts';

/** Connections of clients that work at the same time, by what they connect to and how. */
interface ConnectionPool {
  clients: number;
  opened: Map<string, Connections> | undefined;
}

const sharing = new AsyncLocalStorage<ConnectionPool>();

/**
 * Does some work in which clients of one service use the same connections, whichever of them closes first: to open and close
 * 64 for each of 200 namespaces takes longer than to read them.
 *
 * @param clients how many work at a time: together, they have as many connections as they would have by themselves
 */
export async function sharingConnections<Result>(
  clients: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const scope: ConnectionPool = { clients, opened: new Map() };
  try {
    return await sharing.run(scope, work);
  } finally {
    const { opened } = scope;
    scope.opened = undefined;
    for (const connections of opened?.values() ?? []) connections.close();
  }
}

/** Connections to an origin, which the caller closes; shared ones stay open until the work is over. */
export function connectionsTo(
  origin: URL,
  { maxConnections = 16, ...options }: ConnectionOptions,
): Pick<Connections, 'send' | 'close'> {
  const { clients = 1, opened } = sharing.getStore() ?? {};
  if (opened === undefined) return new Connections(origin, { maxConnections, ...options });
  const { caPem, serverName, verifyCertificate, clientCertificate, pinned } = options;
  const trust = [caPem, serverName, verifyCertificate, clientCertificate, pinned];
  const key = JSON.stringify([origin.origin, maxConnections, ...trust]);
  const shared =
    opened.get(key) ?? new Connections(origin, { maxConnections: maxConnections * clients, ...options });
  opened.set(key, shared);
  return { send: (path, request) => shared.send(path, request), close: () => undefined };
}
