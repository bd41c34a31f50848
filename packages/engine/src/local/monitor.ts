import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Handlers, RpcError, unary } from '../grpc-server.ts';
import { fromStruct, type ToStructOptions, toStruct } from '../wire-value.ts';
import { type Deployment, DeploymentCanceled } from './deployment.ts';
import { goalFromMessage, type Registered, unsupported } from './goal.ts';
import type { ProgramOptions } from './program.ts';

const Feature = resourcePb.ResourceMonitorFeature;

/** The features that the program may rely on. The SDK refuses others itself. */
const features = {
  secrets: Feature.RESOURCE_MONITOR_FEATURE_SECRETS,
  resourceReferences: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  aliasSpecs: Feature.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
  // These are not supported. `goal.ts` refuses them with the name of the resource, which the SDK would leave out.
  deletedWith: Feature.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
  replaceWith: Feature.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
  transforms: Feature.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
  resourceHooks: Feature.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS,
  errorHooks: Feature.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS,
};

export const monitorService = resourceGrpc.ResourceMonitorService;

/**
 * Pulumi's `ResourceMonitor` service, where the program registers its resources with the deployment (pulumi/pulumi
 * `proto/pulumi/resource.proto`, `pkg/resource/deploy/source_eval.go`).
 */
export function monitor(
  deployment: Deployment,
  { stack, dryRun, parallel }: ProgramOptions,
): UntypedServiceImplementation {
  const refusing = <Request, Response>(what: (request: Request) => string) =>
    unary<Request, Response>((request) => {
      const error = unsupported(what(request));
      deployment.report.error(error);
      throw error;
    });
  return {
    getDeploymentInfo: unary(() =>
      new resourcePb.DeploymentInfo()
        .setProject(stack.project)
        .setStack(stack.name)
        .setOrganization('organization')
        .setDryrun(dryRun)
        .setParallel(parallel)
        .setSupportedfeaturesList(Object.values(features)),
    ),
    supportsFeature: unary((request) =>
      new resourcePb.SupportsFeatureResponse().setHassupport(request.getId() in features),
    ),
    registerResource: unary((request) => registerResource(deployment, stack.directory, request)),
    registerResourceOutputs: unary(async (request) => {
      await deployment.registerOutputs(request.getUrn(), fromStruct(request.getOutputs()));
      return new emptyPb.Empty();
    }),
    readResource: refusing((request) => `${request.getType()}.get, which only reads "${request.getName()}"`),
    invoke: unary((request) => invoke(deployment, request)),
    call: refusing((request) => `the call of ${request.getTok()}`),
    registerStackTransform: refusing(() => 'stack transforms'),
    registerStackInvokeTransform: refusing(() => 'invoke transforms'),
    registerPackage: refusing((request) => `the parameterised package ${request.getName()}`),
    // Resources that use a hook are refused.
    registerResourceHook: unary(() => new emptyPb.Empty()),
    registerErrorHook: unary(() => new emptyPb.Empty()),
    signalAndWaitForShutdown: unary(() => new emptyPb.Empty()),
  } satisfies Partial<Handlers<resourceGrpc.IResourceMonitorServer>>;
}

async function registerResource(
  deployment: Deployment,
  directory: string,
  request: InstanceType<typeof resourcePb.RegisterResourceRequest>,
): Promise<InstanceType<typeof resourcePb.RegisterResourceResponse>> {
  const registered = await attempted(deployment, request, () =>
    deployment.register(goalFromMessage(request, directory)),
  );
  return new resourcePb.RegisterResourceResponse()
    .setUrn(registered.urn)
    .setId(registered.id ?? '')
    .setObject(toStruct(registered.outputs, accepted(request)))
    .setResult(registered.result === 'done' ? resourcePb.Result.SUCCESS : resourcePb.Result.FAIL);
}

function accepted(request: { getAcceptsecrets(): boolean; getAcceptresources(): boolean }): ToStructOptions {
  return { keepSecrets: request.getAcceptsecrets(), keepResources: request.getAcceptresources() };
}

/** Reports an error as the resource's; once the deployment is stopped, tells the SDK to shut down. */
async function attempted(
  deployment: Deployment,
  request: { getParent(): string; getType(): string; getName(): string },
  work: () => Promise<Registered>,
): Promise<Registered> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeploymentCanceled) throw new RpcError(status.UNAVAILABLE, 'stopped');
    const urn = deployment.urnOf({
      parent: request.getParent(),
      type: request.getType(),
      name: request.getName(),
    });
    return deployment.refuse(urn, error);
  }
}

/** The only supported function: the SDK resolves a resource reference with it. */
function invoke(
  deployment: Deployment,
  request: InstanceType<typeof resourcePb.ResourceInvokeRequest>,
): InstanceType<typeof resourcePb.ResourceInvokeResponse> {
  if (request.getTok() !== 'pulumi:pulumi:getResource') {
    const error = unsupported(`functions, and the program calls ${request.getTok()}`);
    deployment.report.error(error);
    throw error;
  }
  const urn = fromStruct(request.getArgs())['urn'];
  const row = typeof urn === 'string' ? deployment.find(urn) : undefined;
  if (row === undefined) throw new Error(`no resource of this deployment has the URN ${String(urn)}`);
  const answer = { urn: row.urn, id: row.id ?? '', state: row.outputs };
  return new resourcePb.ResourceInvokeResponse().setReturn(
    toStruct(answer, { keepSecrets: true, keepResources: request.getAcceptresources() }),
  );
}
