import { createRequire } from 'node:module';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';

const require = createRequire(import.meta.url);
const grpc = require('@grpc/grpc-js') as typeof import('@grpc/grpc-js');
const services = require('@pulumi/pulumi/proto/resource_grpc_pb.js');
const resource = require('@pulumi/pulumi/proto/resource_pb.js');
const engineServices = require('@pulumi/pulumi/proto/engine_grpc_pb.js');
const engine = require('@pulumi/pulumi/proto/engine_pb.js');
const { Empty } = require('google-protobuf/google/protobuf/empty_pb.js');

/** A monitor and engine that answer every call at once: what is left is what a program and its SDK take. */
export async function startInstantMonitor(): Promise<{
  address: string;
  registered(): number;
  close(): void;
}> {
  let registered = 0;
  let root = '';
  const answer =
    (respond: (request: any) => unknown) =>
    (call: ServerUnaryCall<any, unknown>, callback: sendUnaryData<unknown>) =>
      callback(null, respond(call.request));
  const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(services.ResourceMonitorService, {
    supportsFeature: answer((request) => {
      const response = new resource.SupportsFeatureResponse();
      response.setHassupport(['secrets', 'resourceReferences', 'aliasSpecs'].includes(request.getId()));
      return response;
    }),
    registerResource: answer((request) => {
      registered += 1;
      const response = new resource.RegisterResourceResponse();
      response.setUrn(`urn:pulumi:bench::gatehouse::${request.getType()}::${request.getName()}`);
      if (request.getCustom()) response.setId(`${request.getName()}-id`);
      response.setObject(request.getObject());
      return response;
    }),
    registerResourceOutputs: answer(() => new Empty()),
    registerPackage: answer(() => new resource.RegisterPackageResponse()),
    signalAndWaitForShutdown: answer(() => new Empty()),
  });
  server.addService(engineServices.EngineService, {
    log: answer(() => new Empty()),
    getRootResource: answer(() => {
      const response = new engine.GetRootResourceResponse();
      response.setUrn(root);
      return response;
    }),
    setRootResource: answer((request) => {
      root = request.getUrn();
      return new engine.SetRootResourceResponse();
    }),
    requirePulumiVersion: answer(() => new engine.RequirePulumiVersionResponse()),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { address: `127.0.0.1:${port}`, registered: () => registered, close: () => server.forceShutdown() };
}
