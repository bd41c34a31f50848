import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { RpcError, unary } from '../grpc-server.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import { type Deployment, DeploymentCancelled } from './deployment.ts';
import type { Registered } from './goal.ts';
import { goalFromMessage, readGoalFromMessage, unsupported } from './goal.ts';

const Feature = resourcePb.ResourceMonitorFeature;

/** What the program is told that it may rely on. What is not here the SDK refuses by itself. */
const features = {
  secrets: Feature.RESOURCE_MONITOR_FEATURE_SECRETS,
  resourceReferences: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  aliasSpecs: Feature.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
  // Not done, but refused of the resource that asks for them, which the SDK would not name (goal-message.ts).
  deletedWith: Feature.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
  replaceWith: Feature.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
  transforms: Feature.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
  resourceHooks: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS,
  errorHooks: Feature.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS,
};

type Implementation = Partial<Record<keyof resourceGrpc.IResourceMonitorServer, unknown>> &
  UntypedServiceImplementation;

export interface MonitorOptions {
  project: string;
  stack: string;
  /** The project's folder. */
  directory: string;
  dryRun: boolean;
  parallel: number;
}

/** The service's definition, for the server that is to offer it. */
export const monitorService = resourceGrpc.ResourceMonitorService;

/**
 * Pulumi's `ResourceMonitor` service, by which the program registers its resources: it translates and hands on
 * to the deployment (pulumi/pulumi `proto/pulumi/resource.proto`, `pkg/resource/deploy/source_eval.go`).
 */
export function monitor(deployment: Deployment, options: MonitorOptions): UntypedServiceImplementation {
  const implementation: Implementation = {
    getDeploymentInfo: unary(() =>
      new resourcePb.DeploymentInfo()
        .setProject(options.project)
        .setStack(options.stack)
        .setOrganization('organization')
        .setDryrun(options.dryRun)
        .setParallel(options.parallel)
        .setSupportedfeaturesList(Object.values(features)),
    ),
    supportsFeature: unary((request: InstanceType<typeof resourcePb.SupportsFeatureRequest>) =>
      new resourcePb.SupportsFeatureResponse().setHassupport(request.getId() in features),
    ),
    registerResource: unary((request: InstanceType<typeof resourcePb.RegisterResourceRequest>) =>
      registerResource(deployment, options, request),
    ),
    registerResourceOutputs: unary(
      async (request: InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>) => {
        await deployment.registerOutputs(request.getUrn(), fromStruct(request.getOutputs()));
        return new emptyPb.Empty();
      },
    ),
    readResource: unary((request: InstanceType<typeof resourcePb.ReadResourceRequest>) =>
      readResource(deployment, options, request),
    ),
    invoke: unary((request: InstanceType<typeof resourcePb.ResourceInvokeRequest>) =>
      invoke(deployment, request),
    ),
    call: unary((request: InstanceType<typeof resourcePb.ResourceCallRequest>) => {
      throw refused(deployment, `the call of ${request.getTok()}`);
    }),
    registerStackTransform: unary(() => {
      throw refused(deployment, 'stack transforms');
    }),
    registerStackInvokeTransform: unary(() => {
      throw refused(deployment, 'invoke transforms');
    }),
    // Whoever uses one is refused.
    registerResourceHook: unary(() => new emptyPb.Empty()),
    registerErrorHook: unary(() => new emptyPb.Empty()),
    registerPackage: unary((request: InstanceType<typeof resourcePb.RegisterPackageRequest>) => {
      throw refused(deployment, `the parameterised package ${request.getName()}`);
    }),
    signalAndWaitForShutdown: unary(() => new emptyPb.Empty()),
  };
  return implementation;
}

async function registerResource(
  deployment: Deployment,
  { directory }: MonitorOptions,
  request: InstanceType<typeof resourcePb.RegisterResourceRequest>,
): Promise<InstanceType<typeof resourcePb.RegisterResourceResponse>> {
  const registered = await attempted(deployment, request, () =>
    deployment.register(goalFromMessage(request, directory)),
  );
  return new resourcePb.RegisterResourceResponse()
    .setUrn(registered.urn)
    .setId(registered.id ?? '')
    .setObject(
      toStruct(registered.outputs, {
        keepSecrets: request.getAcceptsecrets(),
        keepResources: request.getAcceptresources(),
      }),
    )
    .setResult(registered.result === 'done' ? resourcePb.Result.SUCCESS : resourcePb.Result.FAIL);
}

async function readResource(
  deployment: Deployment,
  { directory }: MonitorOptions,
  request: InstanceType<typeof resourcePb.ReadResourceRequest>,
): Promise<InstanceType<typeof resourcePb.ReadResourceResponse>> {
  const { urn, outputs, result } = await attempted(deployment, request, () =>
    deployment.read(readGoalFromMessage(request, directory)),
  );
  // The answer to a read has no place for a failure.
  if (result !== 'done') throw new RpcError(status.INTERNAL, 'the resource could not be read');
  return new resourcePb.ReadResourceResponse().setUrn(urn).setProperties(
    toStruct(outputs, {
      keepSecrets: request.getAcceptsecrets(),
      keepResources: request.getAcceptresources(),
    }),
  );
}

/** What cannot be understood or done is told of the resource; once stopped, the SDK is told to wind down. */
async function attempted(
  deployment: Deployment,
  request: { getParent(): string; getType(): string; getName(): string },
  work: () => Promise<Registered>,
): Promise<Registered> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeploymentCancelled) throw new RpcError(status.UNAVAILABLE, 'stopped');
    const parent = request.getParent();
    const urn = deployment.urnOf({
      type: request.getType(),
      name: request.getName(),
      ...(parent === '' ? {} : { parent }),
    });
    return deployment.refuse(urn, error);
  }
}

/** Functions are refused by name, but for the one by which the SDK follows a reference to a resource. */
function invoke(
  deployment: Deployment,
  request: InstanceType<typeof resourcePb.ResourceInvokeRequest>,
): InstanceType<typeof providerPb.InvokeResponse> {
  if (request.getTok() !== 'pulumi:pulumi:getResource') {
    throw refused(deployment, `functions, and the program calls ${request.getTok()}`);
  }
  const urn = fromStruct(request.getArgs())['urn'];
  const row = typeof urn === 'string' ? deployment.find(urn) : undefined;
  if (row === undefined) throw new Error(`no resource of this deployment has the URN ${String(urn)}`);
  const found = { urn: row.urn, id: row.id ?? '', state: row.outputs };
  return new providerPb.InvokeResponse().setReturn(
    toStruct(found, { keepSecrets: true, keepResources: request.getAcceptresources() }),
  );
}

function refused(deployment: Deployment, what: string): Error {
  const error = unsupported(what);
  deployment.report.error(error);
  return error;
}
