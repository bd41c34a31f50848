import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { GatehouseError } from '../core/model/errors.ts';

/**
 * Makes a server listen on 127.0.0.1 and resolves with its port. Port 0 lets the system choose.
 * Error: `port_in_use`.
 */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw portInUse(port, cause);
  }
  return (server.address() as AddressInfo).port;
}

export function portInUse(port: number, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'port_in_use',
    what: `port ${port} on 127.0.0.1 cannot be had`,
    mend: 'Stop what listens there, or choose another port.',
    cause,
  });
}
