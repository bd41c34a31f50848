import { Server } from '@grpc/grpc-js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { channelOptions, type Handlers, listen, unary as unaryCall } from '../grpc-server.ts';
import type { PropertyMap } from '../property-value.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import { type CheckRequest, type CheckResponse, notSupported, type Plugin } from './plugin.ts';
import { fromMessage, toDiffResponse, toMessage, toServiceError } from './plugin-messages.ts';

/** A plugin that listens for the engine. */
export interface ServedPlugin {
  /** The loopback port it listens on, chosen by the system, for `PULUMI_DEBUG_PROVIDERS=<name>:<port>`. */
  port: number;
  /** Stops serving and closes the plugin. Calls in progress are cut off. */
  close(): Promise<void>;
}

/**
 * Serves a plugin over Pulumi's `ResourceProvider` protocol on 127.0.0.1, so that the real CLI can use it
 * (pulumi/pulumi `proto/pulumi/provider.proto`). `name` and `version` are the package's.
 *
 * A CLI that attaches starts no process for each configured provider: it connects once more, and begins with `attach`.
 * So each connection has a plugin of its own. One plugin for all would keep the last configuration alone, and write the
 * resources of one provider to the service of another. A connection can have the port of one that ended.
 *
 * @param openPlugin makes a plugin
 */
export async function servePlugin(
  openPlugin: () => Plugin,
  name: string,
  version: string,
): Promise<ServedPlugin> {
  const server = new Server(channelOptions);
  const plugins = new Map<string, Plugin>();
  const connections = {
    begin: async (peer: string) => {
      const ended = plugins.get(peer);
      plugins.delete(peer);
      await ended?.close();
    },
    pluginOf: (peer: string) => {
      const plugin = plugins.get(peer) ?? openPlugin();
      plugins.set(peer, plugin);
      return plugin;
    },
  };
  server.addService(providerGrpc.ResourceProviderService, handlers(connections, name, version));
  const port = await listen(server);
  return {
    port,
    close: async () => {
      server.forceShutdown();
      await Promise.all([...plugins.values()].map((plugin) => plugin.close()));
    },
  };
}

/** The plugin of each connection, by the address that it comes from. */
interface PeerPlugins {
  /** Gives the address a new plugin. */
  begin(peer: string): Promise<void>;
  pluginOf(peer: string): Plugin;
}

type PluginHandlers = Omit<
  Handlers<providerGrpc.IResourceProviderServer>,
  'parameterize' | 'call' | 'construct' | 'list' | 'getMapping' | 'getMappings' | 'handshake'
>;

// gRPC answers "unimplemented" to the rest: the plugin has no parameterized packages, components, lists or mappings. A
// plugin that answers the handshake must accept secrets and resource references; without it the CLI goes by
// `configure`.
function handlers({ begin, pluginOf }: PeerPlugins, name: string, version: string): PluginHandlers {
  const asking = <Request, Response>(handle: (plugin: Plugin, request: Request) => Promise<Response>) =>
    unary((request: Request, peer) => handle(pluginOf(peer), request));
  return {
    attach: unary(async (_: unknown, peer) => {
      await begin(peer);
      return new emptyPb.Empty();
    }),
    cancel: unary(async () => new emptyPb.Empty()),
    getPluginInfo: unary(async () => new pluginPb.PluginInfo().setVersion(version)),
    getSchema: unary(async () =>
      new providerPb.GetSchemaResponse().setSchema(JSON.stringify({ name, version })),
    ),

    checkConfig: asking(async (plugin, request) =>
      checkResponse(await plugin.checkConfig(checkRequest(request))),
    ),
    diffConfig: asking(async (plugin, request) =>
      toDiffResponse(await plugin.diffConfig(fromMessage(request))),
    ),
    configure: asking(async (plugin, request) => {
      await plugin.configure({ inputs: withoutSecrets(request.getArgs()) });
      return new providerPb.ConfigureResponse().setSupportspreview(true);
    }),

    check: asking(async (plugin, request) => checkResponse(await plugin.check(checkRequest(request)))),
    diff: asking(async (plugin, request) => toDiffResponse(await plugin.diff(fromMessage(request)))),
    create: asking(async (plugin, request) => {
      const created = await plugin.create(fromMessage(request));
      return toMessage(new providerPb.CreateResponse(), created, answer);
    }),
    read: asking(async (plugin, request) => {
      const { timeout: _, ...readRequest } = fromMessage(request);
      const read = await plugin.read(readRequest);
      // Engines take an answer with properties, empty ones too, for a resource.
      if (read.id === '') return new providerPb.ReadResponse();
      return toMessage(new providerPb.ReadResponse(), read, answer);
    }),
    update: asking(async (plugin, request) => {
      const updated = await plugin.update(fromMessage(request));
      return toMessage(new providerPb.UpdateResponse(), updated, answer);
    }),
    delete: asking(async (plugin, request) => {
      await plugin.delete(fromMessage(request));
      return new emptyPb.Empty();
    }),
    invoke: unary((request) => {
      throw notSupported(name, `the function ${request.getTok()}`);
    }),
  };
}

function unary<Request, Response>(handle: (request: Request, peer: string) => Response | Promise<Response>) {
  return unaryCall(handle, toServiceError);
}

function checkRequest(request: InstanceType<typeof providerPb.CheckRequest>): CheckRequest {
  const seed = request.getRandomseed_asU8();
  return { ...fromMessage(request), randomSeed: seed.length > 0 ? seed : undefined };
}

function checkResponse({ inputs, failures }: CheckResponse): InstanceType<typeof providerPb.CheckResponse> {
  const refused = failures.map(({ property, reason }) =>
    new providerPb.CheckFailure().setProperty(property).setReason(reason),
  );
  return new providerPb.CheckResponse().setInputs(answer(inputs)).setFailuresList(refused);
}

/** Secrets in the configuration are marked before the plugin could say whether it accepts them. */
function withoutSecrets(struct: Struct | undefined): PropertyMap {
  return fromStruct(toStruct(fromStruct(struct)));
}

/** Engines read secrets in every answer, whatever the plugin accepts. */
function answer(properties: PropertyMap): Struct {
  return toStruct(properties, { keepSecrets: true, keepResources: true });
}
