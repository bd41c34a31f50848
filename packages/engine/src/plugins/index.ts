export { channelOptions, type Handlers, listen, unary } from '../grpc-server.ts';
export { fromStruct } from '../wire-value.ts';
export { servePlugin } from './serve.ts';
