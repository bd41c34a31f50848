import type { Client, MethodDefinition } from '@grpc/grpc-js';

/** Makes a call with one request and one response. Rejects with gRPC's `ServiceError`. */
export function callUnary<Q, R>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: MethodDefinition<Q, R>,
  request: Q,
): Promise<R> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) =>
      error === null ? resolve(response as R) : reject(error),
    );
  });
}
