import { Server, type UntypedServiceImplementation } from '@grpc/grpc-js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { channelOptions, listen, unary } from '../engine/src/grpc-server.ts';
import { engine, engineService } from '../engine/src/local/deployment-services.ts';
import { executor, executorArguments, programVariables } from '../engine/src/local/program.ts';
import type { Stack } from '../engine/src/stack.ts';
import { createUrn } from '../engine/src/urn.ts';
import { type MeasuredRun, measureProcess } from './processes.ts';

type Registration = InstanceType<typeof resourcePb.RegisterResourceRequest>;
type OutputsRegistration = InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>;

interface InstantMonitorOptions {
  /** Take what a program knows of each output, as the real monitor does. Defaults to false. */
  outputValues?: boolean;
  onRegistration?: (urn: string, request: Registration) => void;
  onOutputs?: (request: OutputsRegistration) => void;
}

const mountType = 'vault:jwt/authBackend:AuthBackend';
const Feature = resourcePb.ResourceMonitorFeature;

/** The monitor's placeholder for a value that the service would choose. */
export function standIn(what: 'id' | 'accessor', urn: string): string {
  // An id must not contain `::`, which separates the parts of a plugin reference.
  return `${what} of ${urn.replaceAll('::', ' ')}`;
}

/** A monitor and engine that answer at once, to measure a program and its SDK alone. */
export async function startInstantMonitor(options: InstantMonitorOptions = {}) {
  const features = {
    secrets: Feature.RESOURCE_MONITOR_FEATURE_SECRETS,
    resourceReferences: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
    aliasSpecs: Feature.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
    ...(options.outputValues && { outputValues: Feature.RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES }),
  };
  const info = new resourcePb.DeploymentInfo()
    .setProject('gatehouse')
    .setStack('bench')
    .setOrganization('organization')
    .setDryrun(true)
    .setParallel(16)
    .setSupportedfeaturesList(Object.values(features));
  const answers: Record<string, (request: never) => unknown> = {
    getDeploymentInfo: () => info,
    supportsFeature: (request: InstanceType<typeof resourcePb.SupportsFeatureRequest>) =>
      new resourcePb.SupportsFeatureResponse().setHassupport(request.getId() in features),
    registerResource: (request: Registration) => {
      const urn = createUrn('bench', 'gatehouse', request.getParent(), request.getType(), request.getName());
      options.onRegistration?.(urn, request);
      const response = new resourcePb.RegisterResourceResponse().setUrn(urn);
      if (request.getCustom()) response.setId(standIn('id', urn));
      const accessor = new structPb.Value().setStringValue(standIn('accessor', urn));
      if (request.getType() === mountType) request.getObject()?.getFieldsMap().set('accessor', accessor);
      return response.setObject(request.getObject());
    },
    registerResourceOutputs: (request: OutputsRegistration) => {
      options.onOutputs?.(request);
      return new emptyPb.Empty();
    },
    // Only `pulumi:pulumi:getResource`: a provider that a component is given is read from state.
    invoke: (request: InstanceType<typeof resourcePb.ResourceInvokeRequest>) => {
      const urn = request.getArgs()?.getFieldsMap().get('urn')?.getStringValue() ?? '';
      const resource = structPb.Struct.fromJavaScript({ urn, id: urn.slice(-4), state: {} });
      return new resourcePb.ResourceInvokeResponse().setReturn(resource);
    },
    registerPackage: () => new resourcePb.RegisterPackageResponse(),
    signalAndWaitForShutdown: () => new emptyPb.Empty(),
  };
  const server = new Server(channelOptions);
  const handlers = Object.entries(answers).map(([name, answer]) => [name, unary(answer)]);
  const implementation: UntypedServiceImplementation = Object.fromEntries(handlers);
  server.addService(resourceGrpc.ResourceMonitorService, implementation);
  server.addService(
    engineService,
    engine(() => {}),
  );
  const address = `127.0.0.1:${await listen(server)}`;
  return { address, close: () => server.forceShutdown() };
}

/** Runs a stack's program by the SDK's executor alone, without Node flags, against a monitor at `address`. */
export function runExecutor(stack: Stack, address: string, env = process.env): Promise<MeasuredRun> {
  return measureProcess(
    [executor(stack.directory), ...executorArguments({ stack, dryRun: true, parallel: 16 }, address)],
    { cwd: stack.directory, env: { ...env, ...programVariables(stack) } },
  );
}
