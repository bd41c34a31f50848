import { Client, credentials, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { callUnary, channelOptions } from '../grpc-server.ts';
import type { PropertyMap } from '../property-value.ts';
import { parseUrn } from '../urn.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import type * as rpc from './plugin.ts';
import type { Plugin } from './plugin.ts';
import {
  type FieldsOf,
  fromDiffResponse,
  fromFailures,
  fromMessage,
  fromServiceError,
  toMessage,
} from './plugin-messages.ts';
import { findPlugin, startPlugin } from './plugin-process.ts';

const methods = providerGrpc.ResourceProviderService;

interface NamedMessage {
  setName(name: string): unknown;
  setType(type: string): unknown;
}

export interface PluginOptions {
  /** The package, for example `vault`. */
  name: string;
  /** For example `7.8.0`. */
  version: string;
  /** `host:port` of the engine's service, to which the plugin sends its log lines. */
  engineAddress: string;
  /** For PULUMI_HOME and PATH, and passed to the plugin. Defaults to this process's. */
  env?: NodeJS.ProcessEnv;
}

/** A plugin driven over gRPC, as in pulumi/pulumi `sdk/go/common/resource/plugin/provider_plugin.go`. */
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
    // A connection of its own: a running plugin tells the providers that attach to it apart by these (serve.ts).
    const options = { ...channelOptions, 'grpc.use_local_subchannel_pool': 1 };
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
    this.#stop = stop;
  }

  /**
   * Finds the plugin's binary and starts it; `close` stops it.
   *
   * @throws GatehouseError `plugin_not_found`, `plugin_start_failed`
   */
  static async launch({
    name,
    version,
    engineAddress,
    env = process.env,
  }: PluginOptions): Promise<GrpcPlugin> {
    const binary = findPlugin(name, version, env);
    const running = await startPlugin(binary, { args: [engineAddress], env });
    const plugin = new GrpcPlugin(name, running.port, running.stop);
    await plugin.#greet(engineAddress);
    return plugin;
  }

  /** Uses a running plugin, as `PULUMI_DEBUG_PROVIDERS=<name>:<port>` does; `close` leaves it running. */
  static async attach(name: string, port: number, engineAddress: string): Promise<GrpcPlugin> {
    const plugin = new GrpcPlugin(name, port, async () => {});
    await plugin.#greet(engineAddress);
    await plugin.#call(methods.attach, new pluginPb.PluginAttach().setAddress(engineAddress));
    return plugin;
  }

  /** Older plugins do not know the handshake; they say what they accept when they are configured. */
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
      const message = this.#message(new providerPb.DiffRequest(), request);
      return fromDiffResponse(await this.#call(methods.diffConfig, message));
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
    // Older plugins read the configuration from here.
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
    const message = this.#message(new providerPb.DiffRequest(), request);
    return fromDiffResponse(await this.#call(methods.diff, message));
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const message = this.#message(new providerPb.CreateRequest(), request);
    return fromMessage(await this.#call(methods.create, message));
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const message = this.#message(new providerPb.ReadRequest(), { ...request, timeout: 0 });
    const answer = await this.#call(methods.read, message);
    const { id, inputs, properties } = fromMessage(answer);
    // A plugin that does not report inputs leaves them as they were.
    return { id, inputs: answer.hasInputs() ? inputs : request.inputs, properties };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const message = this.#message(new providerPb.UpdateRequest(), request);
    return fromMessage(await this.#call(methods.update, message));
  }

  async delete(request: rpc.DeleteRequest): Promise<void> {
    await this.#call(methods.delete, this.#message(new providerPb.DeleteRequest(), request));
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

  #checkMessage(request: rpc.CheckRequest): InstanceType<typeof providerPb.CheckRequest> {
    const message = this.#message(new providerPb.CheckRequest(), request);
    return request.randomSeed === undefined ? message : message.setRandomseed(request.randomSeed);
  }

  #message<Message extends NamedMessage>(
    message: Message,
    request: FieldsOf<Message> & { urn: string },
  ): Message {
    const { name, type } = parseUrn(request.urn);
    message.setName(name);
    message.setType(type);
    return toMessage(message, request, (map) => this.#struct(map));
  }

  #struct(map: PropertyMap): Struct {
    const { acceptSecrets, acceptResources } = this.#capabilities;
    return toStruct(map, { keepSecrets: acceptSecrets, keepResources: acceptResources });
  }

  #call<Request, Response>(method: MethodDefinition<Request, Response>, request: Request): Promise<Response> {
    return callUnary(this.#client, method, request).catch((error: ServiceError) => {
      throw fromServiceError(error);
    });
  }
}

function checkResponse(answer: InstanceType<typeof providerPb.CheckResponse>): rpc.CheckResponse {
  return { inputs: fromStruct(answer.getInputs()), failures: fromFailures(answer.getFailuresList()) };
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && (error.cause as ServiceError | undefined)?.code === status.UNIMPLEMENTED;
}
