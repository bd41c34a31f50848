import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { GatehouseError } from '../core/model/values/errors.ts';

/**
 * Makes a server listen, on 127.0.0.1 where nothing else is said, and resolves with its port. Port 0 lets the system
 * choose. Error: `port_in_use`.
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw portInUse(port, cause, host);
  }
  return (server.address() as AddressInfo).port;
}

export function portInUse(port: number, cause?: unknown, host = '127.0.0.1'): GatehouseError {
  return new GatehouseError({
    code: 'port_in_use',
    what: `port ${port} on ${host} cannot be had`,
    fix: 'Stop what listens there, or choose another port.',
    cause,
  });
}

/** Where a server is that listens there. */
export function httpAddress(host: string, port: number, protocol: 'http' | 'https' = 'http'): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
