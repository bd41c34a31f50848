import { type handleUnaryCall, Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';

/** A request so large would be a mistake; Pulumi's own limit (pulumi/pulumi `sdk/go/common/util/rpcutil/rpc.go`). */
const maxMessageBytes = 400 * 1024 * 1024;

/** A gRPC server for the program, on a loopback port given by the system. */
export function loopbackServer(): Server {
  return new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  });
}

/** Starts to listen; resolves to `127.0.0.1:<port>`. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
    );
  });
}

/** A call with one request and one response; what it throws goes to the program as an error. */
export function unary<Q, R>(work: (request: Q) => R | Promise<R>): handleUnaryCall<Q, R> {
  return (call, respond) => {
    Promise.resolve(call.request)
      .then(work)
      .then(
        (response) => respond(null, response),
        (error: unknown) => respond(asServiceError(error)),
      );
  };
}

/** An answer that carries a gRPC status of its own. */
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
