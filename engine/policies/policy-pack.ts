import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, credentials, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import analyzerGrpc from '@pulumi/pulumi/proto/analyzer_grpc_pb.js';
import analyzerPb from '@pulumi/pulumi/proto/analyzer_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { PolicyPackRequest } from '../engine.ts';
import { callUnary, channelOptions } from '../grpc-server.ts';
import { startPlugin } from '../plugins/plugin-process.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import type { Stack } from '../stack.ts';
import { parseUrn } from '../urn.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import {
  type Level,
  type PolicyConfig,
  type PolicyDescription,
  readPolicyConfig,
  reconciled,
} from './policy-config.ts';

/** A resource as a policy sees it. */
export interface PolicyResource
  extends Pick<ResourceState, 'urn' | 'type' | 'parent' | 'protect' | 'ignoreChanges'>,
    Pick<ResourceState, 'additionalSecretOutputs' | 'dependencies' | 'propertyDependencies'> {
  /** The inputs before its step; the outputs at the end. */
  properties: PropertyMap;
  provider?: { urn: string; inputs: PropertyMap } | undefined;
  aliases: string[];
  deleteBeforeReplace?: boolean | undefined;
}

export interface Violation {
  policy: string;
  level: 'advisory' | 'mandatory';
  message: string;
  urn?: string | undefined;
}

/** What a policy makes of the inputs of a resource, or why it could not. */
export interface Remediation {
  policy: string;
  properties?: PropertyMap | undefined;
  problem?: string | undefined;
}

const { AnalyzerService: methods } = analyzerGrpc;
const levels: Level[] = [];
levels[analyzerPb.EnforcementLevel.ADVISORY] = 'advisory';
levels[analyzerPb.EnforcementLevel.MANDATORY] = 'mandatory';
levels[analyzerPb.EnforcementLevel.DISABLED] = 'disabled';
levels[analyzerPb.EnforcementLevel.REMEDIATE] = 'remediate';

const projectFile = z.looseObject({
  runtime: z.union([
    z.string(),
    z.looseObject({ name: z.string(), options: z.record(z.string(), z.unknown()).optional() }),
  ]),
});

/**
 * A policy pack in the SDK's host, which speaks Pulumi's `Analyzer` protocol (pulumi/pulumi
 * `proto/pulumi/analyzer.proto`).
 */
export class PolicyPack {
  /** As the pack calls itself. */
  #name: string;
  readonly #client: Client;
  readonly #stop: () => Promise<void>;

  private constructor(folder: string, port: number, stop: () => Promise<void>) {
    this.#name = folder;
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), channelOptions);
    this.#stop = stop;
  }

  /**
   * Starts a pack as Pulumi does (pulumi/pulumi `sdk/go/common/resource/plugin/analyzer_plugin.go`) and configures it.
   *
   * @throws GatehouseError `policy_pack_unsupported`, `policy_pack_missing`, `plugin_start_failed`,
   * `policy_config_invalid`, `policy_pack_failed`
   */
  static async start(
    { folder, config }: PolicyPackRequest,
    options: { stack: Stack; engineAddress: string; env: NodeJS.ProcessEnv },
  ): Promise<PolicyPack> {
    const given = config === undefined ? undefined : await readPolicyConfig(config);
    const runtime = await readRuntime(folder);
    const args = [hostOf(folder), options.engineAddress, '.', ...runtime];
    const { port, stop } = await startPlugin(process.execPath, { args, env: options.env, cwd: folder });
    const pack = new PolicyPack(folder, port, stop);
    try {
      await pack.#greet(folder, options.engineAddress);
      await pack.#tellStack(options.stack);
      await pack.#configure(config ?? folder, given);
      return pack;
    } catch (error) {
      await pack.close();
      throw error;
    }
  }

  /** What the policies make of the inputs of a resource, in order. */
  async remediate(resource: PolicyResource): Promise<Remediation[]> {
    const response = await this.#call(methods.remediate, analyzeRequest(resource, false), true);
    return (response?.getRemediationsList() ?? []).map((one) => ({
      policy: one.getPolicyname(),
      ...(one.getDiagnostic() !== '' && { problem: one.getDiagnostic() }),
      ...(one.hasProperties() && { properties: fromStruct(one.getProperties()) }),
    }));
  }

  /** What is wrong with the inputs of a resource. */
  async analyze(resource: PolicyResource): Promise<Violation[]> {
    const response = await this.#call(methods.analyze, analyzeRequest(resource, true));
    return violations(response.getDiagnosticsList());
  }

  /** What is wrong with the stack as it is at the end. */
  async analyzeStack(resources: PolicyResource[]): Promise<Violation[]> {
    const request = new analyzerPb.AnalyzeStackRequest().setResourcesList(resources.map(stackResource));
    const response = await this.#call(methods.analyzeStack, request, true);
    return violations(response?.getDiagnosticsList() ?? []);
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.#stop();
  }

  async #greet(folder: string, engineAddress: string): Promise<void> {
    const request = new analyzerPb.AnalyzerHandshakeRequest()
      .setEngineAddress(engineAddress)
      .setRootDirectory(folder)
      .setProgramDirectory(folder);
    await this.#call(methods.handshake, request, true);
  }

  async #tellStack({ name, project, config }: Stack): Promise<void> {
    const request = new analyzerPb.AnalyzerStackConfigureRequest()
      .setStack(name)
      .setProject(project)
      .setOrganization('organization')
      .setConfigSecretKeysList([...config].filter(([, { secret }]) => secret).map(([key]) => key));
    for (const [key, { value }] of config) request.getConfigMap().set(key, value);
    await this.#call(methods.configureStack, request, true);
  }

  async #configure(from: string, given: Map<string, PolicyConfig> | undefined): Promise<void> {
    const info = await this.#call(methods.getAnalyzerInfo, new emptyPb.Empty());
    this.#name = info.getName();
    if (!info.getSupportsconfig()) return;
    const initial = new Map<string, PolicyConfig>();
    info.getInitialconfigMap().forEach((config, name) => {
      const properties = config.getProperties()?.toJavaScript() ?? {};
      initial.set(name, { level: levels[config.getEnforcementlevel()], properties });
    });
    const policies = info.getPoliciesList().map((policy): PolicyDescription => {
      const schema = policy.getConfigschema();
      return {
        name: policy.getName(),
        level: levels[policy.getEnforcementlevel()] ?? 'mandatory',
        ...(schema && {
          schema: {
            properties: schema.getProperties()?.toJavaScript() ?? {},
            required: schema.getRequiredList(),
          },
        }),
      };
    });
    const request = new analyzerPb.ConfigureAnalyzerRequest();
    const settings = [
      { from: this.#name, config: initial },
      { from, config: given ?? new Map<string, PolicyConfig>() },
    ];
    for (const [name, { level, properties }] of reconciled(policies, settings)) {
      const config = new analyzerPb.PolicyConfig()
        .setEnforcementlevel(levels.indexOf(level ?? 'mandatory') as 0)
        .setProperties(
          structPb.Struct.fromJavaScript(properties as Record<string, structPb.JavaScriptValue>),
        );
      request.getPolicyconfigMap().set(name, config);
    }
    await this.#call(methods.configure, request);
  }

  #call<Q, R>(method: MethodDefinition<Q, R>, request: Q): Promise<R>;
  #call<Q, R>(method: MethodDefinition<Q, R>, request: Q, isOptional: true): Promise<R | undefined>;
  #call<Q, R>(method: MethodDefinition<Q, R>, request: Q, isOptional = false): Promise<R | undefined> {
    return callUnary(this.#client, method, request).catch((error: ServiceError) => {
      // Packs of older SDKs do not have all methods.
      if (isOptional && error.code === status.UNIMPLEMENTED) return undefined;
      throw this.#failed(error);
    });
  }

  #failed({ details, message }: ServiceError): GatehouseError {
    // The SDK of policy packs sends a stack trace.
    const said = (details || message).split('\n').filter((line) => !/^\s+at /.test(line));
    return new GatehouseError({
      code: 'policy_pack_failed',
      what: `the policy pack ${this.#name} failed: ${said.join(' ').trim()}`,
      fix: 'Correct the pack or its configuration. Resources that it did not judge do not pass.',
    });
  }
}

/**
 * The options of a pack's host, as arguments. @throws GatehouseError `policy_pack_missing`, `policy_pack_unsupported`
 */
async function readRuntime(folder: string): Promise<string[]> {
  const path = join(folder, 'PulumiPolicy.yaml');
  const text = await readFile(path, 'utf8').catch(() => {
    throw new GatehouseError({
      code: 'policy_pack_missing',
      what: 'there is no policy pack in this folder',
      given: folder,
      allowed: 'a folder with PulumiPolicy.yaml',
    });
  });
  // What is not YAML names no runtime.
  const document = parseDocument(text);
  const { data } = projectFile.safeParse(document.errors.length === 0 ? document.toJS() : undefined);
  const runtime = typeof data?.runtime === 'string' ? { name: data.runtime } : data?.runtime;
  if (runtime?.name !== 'nodejs') {
    throw new GatehouseError({
      code: 'policy_pack_unsupported',
      what: 'the local engine runs only policy packs of the runtime nodejs',
      given: runtime?.name ?? 'no runtime',
      where: path,
      fix: 'Use --engine pulumi.',
    });
  }
  return Object.entries(runtime.options ?? {}).map(([name, value]) => `-${name}=${String(value)}`);
}

/** The SDK's host, that of the pack. @throws GatehouseError `policy_pack_unsupported` */
function hostOf(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve('@pulumi/pulumi/cmd/run-policy-pack');
  } catch {
    throw new GatehouseError({
      code: 'policy_pack_unsupported',
      what: 'the policy pack has no Pulumi SDK',
      where: folder,
      fix: 'Run npm install in its folder.',
    });
  }
}

type AnalyzeMessage = InstanceType<typeof analyzerPb.AnalyzeRequest>;
type StackMessage = InstanceType<typeof analyzerPb.AnalyzerResource>;

function analyzeRequest(resource: PolicyResource, isPublic: boolean): AnalyzeMessage {
  const properties = isPublic ? withoutInternal(resource.properties) : resource.properties;
  const options = optionsOf(resource).setParent(resource.parent ?? '');
  return filled(new analyzerPb.AnalyzeRequest(), resource, properties).setOptions(options);
}

function stackResource(resource: PolicyResource): StackMessage {
  const { properties, parent = '', dependencies, propertyDependencies } = resource;
  const message = filled(new analyzerPb.AnalyzerResource(), resource, withoutInternal(properties))
    .setOptions(optionsOf(resource))
    .setParent(parent)
    .setDependenciesList(dependencies);
  for (const [property, urns] of Object.entries(propertyDependencies)) {
    if (urns.length === 0) continue;
    const entry = new analyzerPb.AnalyzerPropertyDependencies().setUrnsList(urns);
    message.getPropertydependenciesMap().set(property, entry);
  }
  return message;
}

function filled<Message extends AnalyzeMessage | StackMessage>(
  message: Message,
  resource: PolicyResource,
  properties: PropertyMap,
): Message {
  message.setUrn(resource.urn);
  message.setType(resource.type);
  message.setName(parseUrn(resource.urn).name);
  message.setProperties(toStruct(properties, { keepSecrets: true }));
  message.setProvider(providerOf(resource));
  return message;
}

function optionsOf(resource: PolicyResource): InstanceType<typeof analyzerPb.AnalyzerResourceOptions> {
  const options = new analyzerPb.AnalyzerResourceOptions()
    .setProtect(resource.protect)
    .setIgnorechangesList(resource.ignoreChanges)
    .setAdditionalsecretoutputsList(resource.additionalSecretOutputs)
    .setAliasesList(resource.aliases);
  if (resource.deleteBeforeReplace === undefined) return options;
  return options.setDeletebeforereplace(resource.deleteBeforeReplace).setDeletebeforereplacedefined(true);
}

function providerOf({
  provider,
}: PolicyResource): InstanceType<typeof analyzerPb.AnalyzerProviderResource> | undefined {
  if (provider === undefined) return undefined;
  const { type, name } = parseUrn(provider.urn);
  return new analyzerPb.AnalyzerProviderResource()
    .setUrn(provider.urn)
    .setType(type)
    .setName(name)
    .setProperties(toStruct(withoutInternal(provider.inputs), { keepSecrets: true }));
}

/** Without what engines and plugins note for themselves. */
function withoutInternal(properties: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith('__')));
}

function violations(diagnostics: InstanceType<typeof analyzerPb.AnalyzeDiagnostic>[]): Violation[] {
  return diagnostics.map((one) => ({
    policy: one.getPolicyname(),
    // What was to be corrected, and still is wrong, is mandatory; so is a level that no one knows.
    level: levels[one.getEnforcementlevel()] === 'advisory' ? 'advisory' : 'mandatory',
    message: one.getMessage(),
    urn: one.getUrn() || undefined,
  }));
}
