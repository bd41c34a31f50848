import { Client, credentials, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import statusPb from '@pulumi/pulumi/proto/status_pb.js';
import { channelOptions } from '../../packages/engine/src/grpc-server.ts';
import {
  type CheckFailure,
  type CheckRequest,
  type CheckResponse,
  type CreateRequest,
  type CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  type DiffResponse,
  type PartialFailure,
  type Plugin,
  PluginError,
  type ReadRequest,
  type ReadResponse,
  type UpdateRequest,
  type UpdateResponse,
} from '../../packages/engine/src/plugins/plugin.ts';
import { type FieldsOf, fromMessage, toMessage } from '../../packages/engine/src/plugins/plugin-messages.ts';
import { diffKinds, type PropertyDiff } from '../../packages/engine/src/property-diff.ts';
import type { PropertyMap } from '../../packages/engine/src/property-value.ts';
import { parseUrn } from '../../packages/engine/src/urn.ts';
import { fromStruct, toStruct } from '../../packages/engine/src/wire-value.ts';

import { callUnary } from './call-unary.ts';

const methods = providerGrpc.ResourceProviderService;
const { DiffChanges } = providerPb.DiffResponse;
type DiffResponseMessage = InstanceType<typeof providerPb.DiffResponse>;

interface NamedMessage {
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/**
 * A served plugin, called as the CLI calls it (pulumi/pulumi `sdk/go/common/resource/plugin/provider_plugin.go`), so that
 * tests compare it with the plugin itself.
 */
export class GrpcPlugin implements Plugin {
  readonly #client: Client;

  private constructor(port: number) {
    // A connection of its own: a running plugin tells the providers that attach to it apart by these (serve.ts).
    const options = { ...channelOptions, 'grpc.use_local_subchannel_pool': 1 };
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  }

  /** Attaches to a running plugin, as `PULUMI_DEBUG_PROVIDERS=<name>:<port>` does; `close` leaves it running. */
  static async attach(port: number): Promise<GrpcPlugin> {
    const plugin = new GrpcPlugin(port);
    await plugin.#call(methods.attach, new pluginPb.PluginAttach().setAddress('127.0.0.1:1'));
    return plugin;
  }

  async checkConfig(request: CheckRequest): Promise<CheckResponse> {
    return checkResponse(await this.#call(methods.checkConfig, checkMessage(request)));
  }

  async diffConfig(request: DiffRequest): Promise<DiffResponse> {
    return diffResponse(
      await this.#call(methods.diffConfig, messageOf(new providerPb.DiffRequest(), request)),
    );
  }

  async configure({ inputs }: { inputs: PropertyMap }): Promise<void> {
    const request = new providerPb.ConfigureRequest()
      .setArgs(toStruct(inputs, { keepSecrets: true, keepResources: true }))
      .setAcceptsecrets(true)
      .setAcceptresources(true);
    await this.#call(methods.configure, request);
  }

  async check(request: CheckRequest): Promise<CheckResponse> {
    return checkResponse(await this.#call(methods.check, checkMessage(request)));
  }

  async diff(request: DiffRequest): Promise<DiffResponse> {
    return diffResponse(await this.#call(methods.diff, messageOf(new providerPb.DiffRequest(), request)));
  }

  async create(request: CreateRequest): Promise<CreateResponse> {
    return fromMessage(await this.#call(methods.create, messageOf(new providerPb.CreateRequest(), request)));
  }

  async read(request: ReadRequest): Promise<ReadResponse> {
    const message = messageOf(new providerPb.ReadRequest(), { ...request, timeout: 0 });
    const answer = await this.#call(methods.read, message);
    const { id, inputs, properties } = fromMessage(answer);
    // Inputs that are not answered stay as they were.
    return { id, inputs: answer.hasInputs() ? inputs : request.inputs, properties };
  }

  async update(request: UpdateRequest): Promise<UpdateResponse> {
    return fromMessage(await this.#call(methods.update, messageOf(new providerPb.UpdateRequest(), request)));
  }

  async delete(request: DeleteRequest): Promise<void> {
    await this.#call(methods.delete, messageOf(new providerPb.DeleteRequest(), request));
  }

  /** The protocol has no such call. */
  async findCreated(): Promise<string[]> {
    throw new PluginError('a served plugin is not asked what it created');
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  #call<Request, Response>(method: MethodDefinition<Request, Response>, request: Request): Promise<Response> {
    return callUnary(this.#client, method, request).catch((error: ServiceError) => {
      throw new PluginError(error.details || error.message, partialIn(error), { cause: error });
    });
  }
}

function checkMessage(request: CheckRequest): InstanceType<typeof providerPb.CheckRequest> {
  const message = messageOf(new providerPb.CheckRequest(), request);
  return request.randomSeed === undefined ? message : message.setRandomseed(request.randomSeed);
}

function messageOf<Message extends NamedMessage>(
  message: Message,
  request: FieldsOf<Message> & { urn: string },
): Message {
  const { name, type } = parseUrn(request.urn);
  message.setName(name);
  message.setType(type);
  return toMessage(message, request, (map) => toStruct(map));
}

function checkResponse(answer: InstanceType<typeof providerPb.CheckResponse>): CheckResponse {
  return { inputs: fromStruct(answer.getInputs()), failures: answer.getFailuresList().map(checkFailure) };
}

function checkFailure(failure: InstanceType<typeof providerPb.CheckFailure>): CheckFailure {
  return { property: failure.getProperty(), reason: failure.getReason() };
}

function diffResponse(message: DiffResponseMessage): DiffResponse {
  const diff: DiffResponse = {
    changes: message.getChanges() === DiffChanges.DIFF_NONE ? 'none' : 'some',
    replaces: message.getReplacesList(),
    diffs: message.getDiffsList(),
    deleteBeforeReplace: message.getDeletebeforereplace(),
  };
  if (!message.getHasdetaileddiff()) return diff;
  const detailedDiff: Record<string, PropertyDiff> = {};
  message.getDetaileddiffMap().forEach((entry, path) => {
    detailedDiff[path] = { kind: diffKinds[entry.getKind()] ?? 'update', inputDiff: entry.getInputdiff() };
  });
  return { ...diff, detailedDiff };
}

/** The resource that exists though its creation failed. */
function partialIn({ metadata }: ServiceError): PartialFailure | undefined {
  for (const bytes of metadata?.get('grpc-status-details-bin') ?? []) {
    if (typeof bytes === 'string') continue;
    for (const detail of statusPb.Status.deserializeBinary(bytes).getDetailsList()) {
      const failed = detail.unpack(
        providerPb.ErrorResourceInitFailed.deserializeBinary,
        'pulumirpc.ErrorResourceInitFailed',
      );
      if (failed === null) continue;
      return {
        id: failed.getId(),
        properties: fromStruct(failed.getProperties()),
        inputs: fromStruct(failed.getInputs()),
        reasons: failed.getReasonsList(),
      };
    }
  }
  return undefined;
}
