import { Client, credentials, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { channelOptions } from '../grpc-server.ts';
import type { PropertyMap } from '../property-value.ts';
import { parseUrn } from '../urn.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import type * as rpc from './plugin.ts';
import type { Plugin } from './plugin.ts';
import { fromDiffResponse, fromFailures, fromServiceError } from './plugin-messages.ts';
import { findPlugin, startPlugin } from './plugin-process.ts';

const methods = providerGrpc.ResourceProviderService;

export interface PluginOptions {
  /** The package, for example `vault`. */
  name: string;
  /** For example `7.8.0`. */
  version: string;
  /** `host:port` of the engine's own service, to which the plugin sends its log lines. */
  engineAddress: string;
  /** Where PULUMI_HOME and PATH are looked up, and what the plugin sees. Defaults to this process's. */
  env?: NodeJS.ProcessEnv;
}

/**
 * A plugin driven over gRPC, whatever it is written in. Calls and their meaning follow pulumi/pulumi
 * `sdk/go/common/resource/plugin/provider_plugin.go`.
 */
export class GrpcPlugin implements Plugin {
  readonly #name: string;
  readonly #client: Client;
  readonly #stop: () => Promise<void>;
  #handshake: rpc.PluginCapabilities | undefined;
  #capabilities: rpc.PluginCapabilities = {
    acceptSecrets: false,
    acceptResources: false,
    acceptOutputs: false,
    supportsPreview: false,
  };

  private constructor(name: string, port: number, stop: () => Promise<void>) {
    this.#name = name;
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), channelOptions);
    this.#stop = stop;
  }

  /**
   * Finds the plugin's binary and starts it; `close` ends it.
   *
   * @throws GatehouseError `plugin_not_found`, `plugin_start_failed`
   */
  static async launch({
    name,
    version,
    engineAddress,
    env = process.env,
  }: PluginOptions): Promise<GrpcPlugin> {
    const running = await startPlugin(findPlugin(name, version, env), engineAddress, env);
    const plugin = new GrpcPlugin(name, running.port, running.stop);
    await plugin.#greet(engineAddress);
    return plugin;
  }

  /** Uses a plugin that already runs, as `PULUMI_DEBUG_PROVIDERS=<name>:<port>` does; `close` leaves it running. */
  static async attach(name: string, port: number, engineAddress: string): Promise<GrpcPlugin> {
    const plugin = new GrpcPlugin(name, port, async () => {});
    await plugin.#greet(engineAddress);
    await plugin.#call(methods.attach, new pluginPb.PluginAttach().setAddress(engineAddress));
    return plugin;
  }

  /** The handshake, which older plugins do not know: those say what they accept when they are configured. */
  async #greet(engineAddress: string): Promise<void> {
    const request = new providerPb.ProviderHandshakeRequest()
      .setEngineAddress(engineAddress)
      .setConfigureWithUrn(true);
    try {
      const answer = await this.#call(methods.handshake, request);
      this.#handshake = {
        acceptSecrets: answer.getAcceptSecrets(),
        acceptResources: answer.getAcceptResources(),
        acceptOutputs: answer.getAcceptOutputs(),
        supportsPreview: true,
      };
    } catch (error) {
      if (isUnimplemented(error)) return;
      await this.close();
      throw error;
    }
  }

  async checkConfig(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    try {
      return checkResponse(await this.#call(methods.checkConfig, this.#checkMessage(request)));
    } catch (error) {
      if (isUnimplemented(error)) return { inputs: request.news, failures: [] };
      throw error;
    }
  }

  async diffConfig(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    try {
      return fromDiffResponse(await this.#call(methods.diffConfig, this.#diffMessage(request)));
    } catch (error) {
      if (!isUnimplemented(error)) throw error;
      return { changes: 'unknown', replaces: [], stables: [], diffs: [], deleteBeforeReplace: false };
    }
  }

  async configure({ inputs }: { inputs: PropertyMap }): Promise<rpc.PluginCapabilities> {
    const request = new providerPb.ConfigureRequest()
      .setArgs(toStruct(inputs, { keepSecrets: true, keepResources: true }))
      .setAcceptsecrets(true)
      .setAcceptresources(true)
      .setSendsOldInputs(true)
      .setSendsOldInputsToDelete(true);
    // The older spelling of the configuration, which older plugins still read.
    for (const [key, value] of Object.entries(toStruct(inputs).toJavaScript())) {
      if (key === 'version') continue;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      request.getVariablesMap().set(`${this.#name}:config:${key}`, text);
    }
    const answer = await this.#call(methods.configure, request);
    this.#capabilities = this.#handshake ?? {
      acceptSecrets: answer.getAcceptsecrets(),
      acceptResources: answer.getAcceptresources(),
      acceptOutputs: answer.getAcceptoutputs(),
      supportsPreview: answer.getSupportspreview(),
    };
    return this.#capabilities;
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    return checkResponse(await this.#call(methods.check, this.#checkMessage(request)));
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    return fromDiffResponse(await this.#call(methods.diff, this.#diffMessage(request)));
  }

  async create({ urn, properties, preview, timeout }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const request = named(new providerPb.CreateRequest(), urn)
      .setProperties(this.#struct(properties))
      .setPreview(preview)
      .setTimeout(timeout);
    const answer = await this.#call(methods.create, request);
    return { id: answer.getId(), properties: fromStruct(answer.getProperties()) };
  }

  async read({ urn, id, inputs, properties }: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const request = named(new providerPb.ReadRequest(), urn)
      .setId(id)
      .setInputs(this.#struct(inputs))
      .setProperties(this.#struct(properties));
    const answer = await this.#call(methods.read, request);
    return {
      id: answer.getId(),
      // A plugin that does not report inputs leaves those that are known.
      inputs: answer.hasInputs() ? fromStruct(answer.getInputs()) : inputs,
      properties: fromStruct(answer.getProperties()),
    };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const message = named(new providerPb.UpdateRequest(), request.urn)
      .setId(request.id)
      .setOlds(this.#struct(request.olds))
      .setOldInputs(this.#struct(request.oldInputs))
      .setNews(this.#struct(request.news))
      .setIgnorechangesList(request.ignoreChanges)
      .setPreview(request.preview)
      .setTimeout(request.timeout);
    const answer = await this.#call(methods.update, message);
    return { properties: fromStruct(answer.getProperties()) };
  }

  async delete({ urn, id, properties, oldInputs, timeout }: rpc.DeleteRequest): Promise<void> {
    const request = named(new providerPb.DeleteRequest(), urn)
      .setId(id)
      .setProperties(this.#struct(properties))
      .setOldInputs(this.#struct(oldInputs))
      .setTimeout(timeout);
    await this.#call(methods.delete, request);
  }

  async invoke({ token, args }: { token: string; args: PropertyMap }): Promise<rpc.InvokeResponse> {
    const request = new providerPb.InvokeRequest().setTok(token).setArgs(this.#struct(args));
    const answer = await this.#call(methods.invoke, request);
    return { result: fromStruct(answer.getReturn()), failures: fromFailures(answer.getFailuresList()) };
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.#stop();
  }

  #checkMessage({
    urn,
    olds,
    news,
    randomSeed,
  }: rpc.CheckRequest): InstanceType<typeof providerPb.CheckRequest> {
    const request = named(new providerPb.CheckRequest(), urn)
      .setOlds(this.#struct(olds))
      .setNews(this.#struct(news));
    return randomSeed === undefined ? request : request.setRandomseed(randomSeed);
  }

  #diffMessage(request: rpc.DiffRequest): InstanceType<typeof providerPb.DiffRequest> {
    return named(new providerPb.DiffRequest(), request.urn)
      .setId(request.id)
      .setOlds(this.#struct(request.olds))
      .setOldInputs(this.#struct(request.oldInputs))
      .setNews(this.#struct(request.news))
      .setIgnorechangesList(request.ignoreChanges);
  }

  #struct(map: PropertyMap): Struct {
    const { acceptSecrets, acceptResources } = this.#capabilities;
    return toStruct(map, { keepSecrets: acceptSecrets, keepResources: acceptResources });
  }

  #call<Request, Response>(method: MethodDefinition<Request, Response>, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        (error, response) => {
          if (error !== null) reject(fromServiceError(error));
          else resolve(response as Response);
        },
      );
    });
  }
}

interface NamedRequest {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/** Names the resource in a request, as a whole and in parts. */
function named<Request extends NamedRequest>(request: Request, urn: string): Request {
  const { name, type } = parseUrn(urn);
  request.setUrn(urn);
  request.setName(name);
  request.setType(type);
  return request;
}

function checkResponse(answer: InstanceType<typeof providerPb.CheckResponse>): rpc.CheckResponse {
  return { inputs: fromStruct(answer.getInputs()), failures: fromFailures(answer.getFailuresList()) };
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && (error.cause as ServiceError | undefined)?.code === status.UNIMPLEMENTED;
}
