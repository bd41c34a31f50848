import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import analyzerGrpc from '@pulumi/pulumi/proto/analyzer_grpc_pb.js';
import analyzerPb from '@pulumi/pulumi/proto/analyzer_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { callUnary } from '../../../test/harness/call-unary.ts';
import { root } from '../../../test/harness/environment-under-test.ts';
import { channelOptions } from '../../engine/src/grpc-server.ts';

type Json = Record<string, unknown>;

/** A resource as an engine sends it. */
export interface SentResource {
  urn: string;
  type: string;
  /** Sent before its step; absent for what is only read. */
  inputs?: Json | undefined;
  /** Sent at the end. */
  outputs: Json;
  provider?: { urn: string; inputs: Json } | undefined;
  propertyDependencies?: Record<string, string[]>;
  aliases?: string[];
  deleteBeforeReplace?: boolean;
}

export interface Diagnostic {
  policy: string;
  level: number;
  severity: number;
  message: string;
  urn: string;
}

const { AnalyzerService: methods } = analyzerGrpc;
const host = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run-policy-pack');
export const { EnforcementLevel } = analyzerPb;

/** A policy pack in the SDK's own host, started and asked as a real engine does it. */
export class HostedPack {
  readonly #client: Client;
  readonly #stop: () => Promise<void>;

  /** @param port that the host printed */
  private constructor(port: number, stop: () => Promise<void>) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), channelOptions);
    this.#stop = stop;
  }

  static async start(
    folder = `${root}/packages/policy-pack`,
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<HostedPack> {
    const args = [host, '127.0.0.1:1', '.', '-typescript=false'];
    const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const [port] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
    return new HostedPack(Number(port), async () => {
      child.kill();
      await ended;
    });
  }

  call<Q, R>(method: MethodDefinition<Q, R>, request: Q): Promise<R> {
    return callUnary(this.#client, method, request);
  }

  info() {
    return this.call(methods.getAnalyzerInfo, new emptyPb.Empty());
  }

  /** What the CLI makes of a file of `--policy-pack-config`: each policy has a level. */
  async configure(settings: Record<string, { level?: number; properties?: Json }>): Promise<void> {
    const request = new analyzerPb.ConfigureAnalyzerRequest();
    for (const policy of (await this.info()).getPoliciesList()) {
      const { level = policy.getEnforcementlevel(), properties = {} } = settings[policy.getName()] ?? {};
      const config = new analyzerPb.PolicyConfig()
        .setEnforcementlevel(level as 0)
        .setProperties(
          structPb.Struct.fromJavaScript(properties as Record<string, structPb.JavaScriptValue>),
        );
      request.getPolicyconfigMap().set(policy.getName(), config);
    }
    await this.call(methods.configure, request);
  }

  async configureStack(stack: string, config: Record<string, string>): Promise<void> {
    const request = new analyzerPb.AnalyzerStackConfigureRequest().setStack(stack).setProject('login');
    for (const [key, value] of Object.entries(config)) request.getConfigMap().set(key, value);
    await this.call(methods.configureStack, request);
  }

  /** Shows a stack as an engine does: each resource before its step, all of them at the end, and has the end's. */
  async judge(resources: SentResource[]): Promise<Diagnostic[]> {
    await this.analyze(resources);
    const request = new analyzerPb.AnalyzeStackRequest().setResourcesList(resources.map(sent));
    return diagnostics(await this.call(methods.analyzeStack, request));
  }

  /** Shows each resource before its step. */
  async analyze(resources: SentResource[]): Promise<Diagnostic[]> {
    const found: Diagnostic[] = [];
    for (const { urn, type, inputs } of resources) {
      if (inputs === undefined) continue;
      const request = new analyzerPb.AnalyzeRequest()
        .setUrn(urn)
        .setType(type)
        .setName(urn.split('::').at(-1) ?? '')
        .setProperties(structOf(inputs))
        .setOptions(new analyzerPb.AnalyzerResourceOptions());
      await this.call(methods.remediate, request);
      found.push(...diagnostics(await this.call(methods.analyze, request)));
    }
    return found;
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.#stop();
  }
}

function diagnostics(response: InstanceType<typeof analyzerPb.AnalyzeResponse>): Diagnostic[] {
  return response.getDiagnosticsList().map((one) => ({
    policy: one.getPolicyname(),
    level: one.getEnforcementlevel(),
    severity: one.getSeverity(),
    message: one.getMessage(),
    urn: one.getUrn(),
  }));
}

function sent(resource: SentResource): InstanceType<typeof analyzerPb.AnalyzerResource> {
  const { urn, type, outputs, provider, propertyDependencies = {}, aliases = [] } = resource;
  const options = new analyzerPb.AnalyzerResourceOptions().setAliasesList(aliases);
  if (resource.deleteBeforeReplace !== undefined) {
    options.setDeletebeforereplace(resource.deleteBeforeReplace).setDeletebeforereplacedefined(true);
  }
  const message = new analyzerPb.AnalyzerResource()
    .setUrn(urn)
    .setType(type)
    .setName(urn.split('::').at(-1) ?? '')
    .setProperties(structOf(outputs))
    .setOptions(options);
  for (const [property, urns] of Object.entries(propertyDependencies)) {
    const dependencies = new analyzerPb.AnalyzerPropertyDependencies().setUrnsList(urns);
    message.getPropertydependenciesMap().set(property, dependencies);
  }
  return provider === undefined
    ? message
    : message.setProvider(
        new analyzerPb.AnalyzerProviderResource()
          .setUrn(provider.urn)
          .setType(provider.urn.split('::')[2] ?? '')
          .setProperties(structOf(provider.inputs)),
      );
}

function structOf(json: Json) {
  return structPb.Struct.fromJavaScript(json as Record<string, structPb.JavaScriptValue>);
}
