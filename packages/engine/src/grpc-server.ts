import {
  type handleUnaryCall,
  type Server,
  ServerCredentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js';

/** Pulumi's limits, for large states (pulumi/pulumi `sdk/go/common/util/rpcutil/rpc.go`). */
export const channelOptions = {
  'grpc.max_receive_message_length': 400 * 1024 * 1024,
  'grpc.max_send_message_length': 400 * 1024 * 1024,
};

/** Listens on a socket that is a file, which a program without a network reaches, too; resolves to its address. */
export async function listenAtFile(server: Server, file: string): Promise<string> {
  const address = `unix:${file}`;
  await bind(server, address);
  return address;
}

/** Listens on a loopback port that the system chooses; resolves to it. */
export function listen(server: Server): Promise<number> {
  return bind(server, '127.0.0.1:0');
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

/** The handlers of a service. Without its index signature, a misspelt name is an error. */
export type Handlers<Service> = {
  [Name in keyof Service as string extends Name ? never : Name]: Service[Name];
};

/**
 * A handler with one request and one response. Errors go to the caller.
 *
 * @param work gets the request, and the address of the caller's end of its connection
 */
export function unary<Q, R>(
  work: (request: Q, peer: string) => R | Promise<R>,
  toError: (error: unknown) => Partial<ServiceError> = asServiceError,
): handleUnaryCall<Q, R> {
  return (call, respond) => {
    Promise.resolve(call.request)
      .then((request) => work(request, call.getPeer()))
      .then(
        (response) => respond(null, response),
        (error: unknown) => respond(toError(error)),
      );
  };
}

/** An error with a specific gRPC status. */
export class RpcError extends Error {
  readonly code: status;
  constructor(code: status, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

function asServiceError(error: unknown): Partial<ServiceError> {
  const details = error instanceof Error ? error.message : String(error);
  return { code: error instanceof RpcError ? error.code : status.UNKNOWN, details };
}
