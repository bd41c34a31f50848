import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { FrontedSocket } from './fronted-socket.ts';

/** As HTTP servers have it: who has no more to ask still gets the answers. */
const halfOpen = { allowHalfOpen: true };

export interface ListFront {
  server: Server;
  /** Closes every connection that is open. */
  destroyConnections(): void;
}

/**
 * A server in front of an HTTP server that makes the method LIST arrive there as `GET …?list=true`, its equal: Node's
 * HTTP parser refuses the method itself. Everything else passes as it is.
 *
 * @param onConnection is given each connection, for example the `connection` event of an HTTP server.
 * @param headMs is how many milliseconds what is held back here of a request may take to become whole.
 */
export function createListFront(
  onConnection: (socket: FrontedSocket) => void,
  headMs: number,
  tls?: TlsOptions,
): ListFront {
  const open = new Set<FrontedSocket>();
  const accept = (raw: Socket) => {
    const socket = new FrontedSocket(raw, headMs);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    onConnection(socket);
  };
  const server =
    tls === undefined
      ? createServer(halfOpen, accept)
      : createTlsServer({ handshakeTimeout: headMs, ...tls, ...halfOpen }, accept);
  // A handshake that fails is the client's concern.
  server.on('tlsClientError', () => {});
  return { server, destroyConnections: () => open.forEach((socket) => void socket.destroy()) };
}
