import { Server } from '@grpc/grpc-js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { channelOptions, listen, unary as unaryCall } from '../grpc-server.ts';
import type { PropertyMap } from '../property-value.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import type { CheckRequest, CheckResponse, DiffRequest, Plugin } from './plugin.ts';
import { toDiffResponse, toFailures, toServiceError } from './plugin-messages.ts';

export interface ServedPlugin {
  /** The loopback port it listens on, given by the system: what `PULUMI_DEBUG_PROVIDERS=<name>:<port>` takes. */
  port: number;
  /** Stops serving and closes the plugin. Calls under way are cut off. */
  close(): Promise<void>;
}

/**
 * Serves a plugin over Pulumi's `ResourceProvider` protocol on 127.0.0.1, so that the real CLI can use it
 * (pulumi/pulumi `proto/pulumi/provider.proto`). `name` and `version` are the package's.
 */
export async function servePlugin(plugin: Plugin, name: string, version: string): Promise<ServedPlugin> {
  const server = new Server(channelOptions);
  server.addService(providerGrpc.ResourceProviderService, handlers(plugin, name, version));
  const port = await listen(server);
  return {
    port,
    close: async () => {
      server.forceShutdown();
      await plugin.close();
    },
  };
}

type Handlers = Omit<
  // Without its index signature, so that a handler left out or misspelt is an error.
  {
    [Name in keyof providerGrpc.IResourceProviderServer as string extends Name
      ? never
      : Name]: providerGrpc.IResourceProviderServer[Name];
  },
  'parameterize' | 'call' | 'construct' | 'list' | 'getMapping' | 'getMappings' | 'handshake'
>;

// Left out, so that gRPC answers "unimplemented": parameterized packages, components, lists and mappings,
// which the plugin has not; and the handshake, because a plugin that answers it must accept secrets and
// resource references. Without it the CLI goes by what `configure` answers.
function handlers(plugin: Plugin, name: string, version: string): Handlers {
  return {
    attach: unary(async () => new emptyPb.Empty()),
    cancel: unary(async () => new emptyPb.Empty()),
    getPluginInfo: unary(async () => new pluginPb.PluginInfo().setVersion(version)),
    getSchema: unary(async () =>
      new providerPb.GetSchemaResponse().setSchema(JSON.stringify({ name, version })),
    ),

    checkConfig: unary(async (request) => checkResponse(await plugin.checkConfig(checkRequest(request)))),
    diffConfig: unary(async (request) => toDiffResponse(await plugin.diffConfig(diffRequest(request)))),
    configure: unary(async (request) => {
      const capabilities = await plugin.configure({ inputs: withoutSecrets(request.getArgs()) });
      return new providerPb.ConfigureResponse()
        .setAcceptsecrets(capabilities.acceptSecrets)
        .setAcceptresources(capabilities.acceptResources)
        .setAcceptoutputs(capabilities.acceptOutputs)
        .setSupportspreview(capabilities.supportsPreview);
    }),

    check: unary(async (request) => checkResponse(await plugin.check(checkRequest(request)))),
    diff: unary(async (request) => toDiffResponse(await plugin.diff(diffRequest(request)))),
    create: unary(async (request) => {
      const created = await plugin.create({
        urn: request.getUrn(),
        properties: fromStruct(request.getProperties()),
        preview: request.getPreview(),
        timeout: request.getTimeout(),
      });
      return new providerPb.CreateResponse().setId(created.id).setProperties(answer(created.properties));
    }),
    read: unary(async (request) => {
      const read = await plugin.read({
        urn: request.getUrn(),
        id: request.getId(),
        inputs: fromStruct(request.getInputs()),
        properties: fromStruct(request.getProperties()),
      });
      return new providerPb.ReadResponse()
        .setId(read.id)
        .setInputs(answer(read.inputs))
        .setProperties(answer(read.properties));
    }),
    update: unary(async (request) => {
      const updated = await plugin.update({
        urn: request.getUrn(),
        id: request.getId(),
        olds: fromStruct(request.getOlds()),
        oldInputs: fromStruct(request.getOldInputs()),
        news: fromStruct(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
        preview: request.getPreview(),
        timeout: request.getTimeout(),
      });
      return new providerPb.UpdateResponse().setProperties(answer(updated.properties));
    }),
    delete: unary(async (request) => {
      await plugin.delete({
        urn: request.getUrn(),
        id: request.getId(),
        properties: fromStruct(request.getProperties()),
        oldInputs: fromStruct(request.getOldInputs()),
        timeout: request.getTimeout(),
      });
      return new emptyPb.Empty();
    }),
    invoke: unary(async (request) => {
      const invoked = await plugin.invoke({ token: request.getTok(), args: fromStruct(request.getArgs()) });
      return new providerPb.InvokeResponse()
        .setReturn(answer(invoked.result))
        .setFailuresList(toFailures(invoked.failures));
    }),
  };
}

function unary<Request, Response>(handle: (request: Request) => Promise<Response>) {
  return unaryCall(handle, toServiceError);
}

function checkRequest(request: InstanceType<typeof providerPb.CheckRequest>): CheckRequest {
  const seed = request.getRandomseed_asU8();
  return {
    urn: request.getUrn(),
    olds: fromStruct(request.getOlds()),
    news: fromStruct(request.getNews()),
    ...(seed.length > 0 ? { randomSeed: seed } : {}),
  };
}

function checkResponse({ inputs, failures }: CheckResponse): InstanceType<typeof providerPb.CheckResponse> {
  return new providerPb.CheckResponse().setInputs(answer(inputs)).setFailuresList(toFailures(failures));
}

function diffRequest(request: InstanceType<typeof providerPb.DiffRequest>): DiffRequest {
  return {
    urn: request.getUrn(),
    id: request.getId(),
    olds: fromStruct(request.getOlds()),
    oldInputs: fromStruct(request.getOldInputs()),
    news: fromStruct(request.getNews()),
    ignoreChanges: request.getIgnorechangesList(),
  };
}

/** Configuration comes with its secrets marked before the plugin could say whether it takes them. */
function withoutSecrets(struct: Struct | undefined): PropertyMap {
  return fromStruct(toStruct(fromStruct(struct)));
}

/** Whatever the plugin marks as secret stays so: engines read it in every answer. */
function answer(properties: PropertyMap): Struct {
  return toStruct(properties, { keepSecrets: true, keepResources: true });
}
