import { createRequire } from 'node:module';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { Server } from '@grpc/grpc-js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { channelOptions, listen, unary } from '../engine/grpc-server.ts';
import { engine, engineService } from '../engine/local/deployment-services.ts';
import type { Stack } from '../engine/stack.ts';
import { createUrn } from '../engine/urn.ts';
import { type MeasuredRun, measureProcess } from './processes.ts';

export type Registration = InstanceType<typeof resourcePb.RegisterResourceRequest>;
export type OutputsRegistration = InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>;

export interface InstantMonitorOptions {
  onRegistration?: (urn: string, request: Registration) => void;
  onOutputs?: (request: OutputsRegistration) => void;
}

/** A monitor and engine that answer every call at once: what is left is what a program and its SDK take. */
export interface InstantMonitor {
  /** `host:port` of both services. */
  address: string;
  /** How often each method was called. */
  calls: ReadonlyMap<string, number>;
  close(): void;
}

const mountType = 'vault:jwt/authBackend:AuthBackend';
const Feature = resourcePb.ResourceMonitorFeature;
const features = {
  secrets: Feature.RESOURCE_MONITOR_FEATURE_SECRETS,
  resourceReferences: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  aliasSpecs: Feature.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
};

/** Stands in the monitor's answers for what the service would choose. */
export function standIn(what: 'id' | 'accessor', urn: string): string {
  // Ids have no `::`, at which references of plugin resources are split.
  return `${what} of ${urn.replaceAll('::', ' ')}`;
}

export async function startInstantMonitor(options: InstantMonitorOptions = {}): Promise<InstantMonitor> {
  const calls = new Map<string, number>();
  const counted = <Q, R>(name: string, answer: (request: Q) => R) =>
    unary((request: Q) => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return answer(request);
    });
  const implementation: Partial<Record<keyof resourceGrpc.IResourceMonitorServer, unknown>> = {
    getDeploymentInfo: counted('getDeploymentInfo', () =>
      new resourcePb.DeploymentInfo()
        .setProject('gatehouse')
        .setStack('bench')
        .setOrganization('organization')
        .setDryrun(true)
        .setParallel(16)
        .setSupportedfeaturesList(Object.values(features)),
    ),
    supportsFeature: counted(
      'supportsFeature',
      (request: InstanceType<typeof resourcePb.SupportsFeatureRequest>) =>
        new resourcePb.SupportsFeatureResponse().setHassupport(request.getId() in features),
    ),
    registerResource: counted('registerResource', (request: Registration) => {
      const urn = createUrn('bench', 'gatehouse', request.getParent(), request.getType(), request.getName());
      options.onRegistration?.(urn, request);
      const response = new resourcePb.RegisterResourceResponse().setUrn(urn);
      if (request.getCustom()) response.setId(standIn('id', urn));
      const object = request.getObject();
      if (request.getType() === mountType) {
        const accessor = new structPb.Value().setStringValue(standIn('accessor', urn));
        object?.getFieldsMap().set('accessor', accessor);
      }
      return response.setObject(object);
    }),
    registerResourceOutputs: counted('registerResourceOutputs', (request: OutputsRegistration) => {
      options.onOutputs?.(request);
      return new emptyPb.Empty();
    }),
    registerPackage: counted('registerPackage', () => new resourcePb.RegisterPackageResponse()),
    signalAndWaitForShutdown: counted('signalAndWaitForShutdown', () => new emptyPb.Empty()),
  };
  const server = new Server(channelOptions);
  server.addService(resourceGrpc.ResourceMonitorService, implementation as UntypedServiceImplementation);
  server.addService(
    engineService,
    engine(() => calls.set('log', (calls.get('log') ?? 0) + 1)),
  );
  const address = `127.0.0.1:${await listen(server)}`;
  return { address, calls, close: () => server.forceShutdown() };
}

const executor = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run/index.js');

/** Runs a stack's program by the SDK's executor alone, on a plain Node, against a monitor at `address`. */
export function runExecutor(
  stack: Stack,
  address: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MeasuredRun> {
  const config = Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...stack.config].filter(([, { secret }]) => secret).map(([key]) => key);
  return measureProcess({
    args: [
      executor,
      ...['--monitor', address, '--engine', address],
      ...['--project', stack.project, '--stack', stack.name, '--organization', 'organization'],
      ...['--root-directory', stack.directory, '--pwd', stack.directory],
      ...['--dry-run', '--parallel', '16', stack.main],
    ],
    cwd: stack.directory,
    env: {
      ...env,
      PULUMI_CONFIG: JSON.stringify(config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
      // Without it the executor would load ts-node, and what is compared with would be slower.
      PULUMI_NODEJS_TYPESCRIPT: 'false',
    },
  });
}
