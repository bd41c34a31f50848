import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { GatehouseError } from '@gatehouse/core/values';

/** Listens and resolves with the port. Port 0 is a free one; the host defaults to 127.0.0.1. Error: `port_in_use`. */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw portInUse(port, cause, host);
  }
  return (server.address() as AddressInfo).port;
}

/** The option is `--port` unless the caller says otherwise. */
export function portInUse(port: number, cause?: unknown, host = '127.0.0.1'): GatehouseError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined || code === 'EADDRINUSE' ? 'something listens there already' : code;
  return new GatehouseError('port_in_use', { cause, values: { port, host, reason } });
}

/** An address that a browser can open. */
export function httpAddress(host: string, port: number, protocol: 'http' | 'https' = 'http'): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Path and query of a request. A client may also send the whole URL, as it would to a proxy: its host then replaces that
 * of the `Host` header (RFC 9112, 3.2.2). For Fastify's `rewriteUrl`.
 */
export function originForm({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [, host, target = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return url;
  headers.host = host;
  return target.startsWith('/') ? target : `/${target}`;
}
