import type resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { unknownText } from '../../core/model/values/unknown-text.ts';
import type { PropertyMap } from '../property-value.ts';
import { isPluginType, pluginType } from '../urn.ts';
import { fromStruct } from '../wire-value.ts';

/**
 * A registration by the program, without gRPC. The fields are those of Pulumi's goal state (pulumi/pulumi
 * `sdk/go/common/resource/resource_goal.go`).
 */
export interface Goal {
  type: string;
  name: string;
  /** False for a component. */
  custom: boolean;
  inputs: PropertyMap;
  /** URN; absent for the root stack and default plugin resources. */
  parent?: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of an explicit plugin resource, `<urn>::<id>`; absent means the package's default one. */
  provider?: string;
  /** Version of the package, for example `7.8.0`, if the SDK gives it. */
  version?: string;
  /** Inherited from the parent when absent. */
  protect?: boolean;
  /** Absent leaves it to the plugin. */
  deleteBeforeReplace?: boolean;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  aliases: Alias[];
  /** Id of an existing resource to import. */
  importId?: string;
}

/** Another name that a resource may have in state: a URN, or the parts that differ. */
export type Alias =
  | { urn: string }
  | { name?: string; type?: string; project?: string; stack?: string; parent?: string; noParent?: boolean };

/** The answer to a registration. */
export interface Registered {
  urn: string;
  /** Absent for a component, and in a preview of its creation. */
  id?: string;
  outputs: PropertyMap;
  /** `skipped`: not attempted because a dependency failed. */
  result: 'done' | 'failed' | 'skipped';
}

/** What the SDK sends for an id that is not known yet. */
export const unknownId = unknownText;

type RegisterRequest = InstanceType<typeof resourcePb.RegisterResourceRequest>;
type AliasMessage = ReturnType<RegisterRequest['getAliasesList']>[number];

/**
 * Converts a registration (pulumi/pulumi `pkg/resource/deploy/source_eval.go`, `RegisterResource`).
 *
 * @throws GatehouseError `engine_unsupported` for an option that the engine does not support
 */
export function goalFromMessage(request: RegisterRequest): Goal {
  refuseUnsupported(request);
  const type = request.getType();
  const version = request.getVersion();
  const inputs = fromStruct(request.getObject());
  const dependencies = request.getDependenciesList();
  return {
    type,
    name: request.getName(),
    custom: request.getCustom(),
    inputs: isPluginType(type) && version !== '' ? pluginInputs(inputs, version) : inputs,
    parent: request.getParent() || undefined,
    dependencies,
    propertyDependencies: propertyDependencies(request, Object.keys(inputs), dependencies),
    provider: request.getProvider() || undefined,
    version: version || undefined,
    protect: request.hasProtect() ? request.getProtect() : undefined,
    deleteBeforeReplace: request.getDeletebeforereplacedefined()
      ? request.getDeletebeforereplace()
      : undefined,
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: request.getAliasesList().map(aliasFromMessage),
    importId: request.getImportid() || undefined,
  };
}

/** Refuses a feature by name, so that nothing is ignored silently. */
export function unsupported(what: string): GatehouseError {
  return new GatehouseError({
    code: 'engine_unsupported',
    what: `the local engine does not support ${what}`,
    fix: 'Use --engine pulumi, or remove it.',
  });
}

function refuseUnsupported(request: RegisterRequest): void {
  const hooks = request.getHooks()?.toObject();
  const timeouts = request.getCustomtimeouts()?.toObject() ?? {};
  const used: [string, boolean][] = [
    ['the option customTimeouts', Object.values(timeouts).some((timeout) => timeout !== '')],
    ['the option retainOnDelete', request.getRetainondelete() === true],
    ['the option deletedWith', request.getDeletedwith() !== ''],
    ['the option replaceWith', request.getReplaceWithList().length > 0],
    ['the option replacementTrigger', request.hasReplacementTrigger()],
    ['transforms', request.getTransformsList().length > 0],
    ['resource hooks', hooks !== undefined && Object.values(hooks).some((list) => list.length > 0)],
    ['state migrations', request.getStateMigrationsList().length > 0],
    ['remote components', request.getRemote()],
    ['a parameterised package', request.getPackageref() !== ''],
    ['the option pluginDownloadURL', request.getPlugindownloadurl() !== ''],
    ['the option envVarMappings', request.getEnvvarmappingsMap().getLength() > 0],
  ];
  const refused = used.filter(([, is]) => is).map(([name]) => name);
  if (refused.length > 0) throw unsupported(refused.join(', '));
}

function propertyDependencies(
  request: RegisterRequest,
  properties: string[],
  dependencies: string[],
): Record<string, string[]> {
  const message = request.getPropertydependenciesMap();
  // Some SDKs do not say which property has which dependency; then each has all.
  if (message.getLength() === 0) {
    return dependencies.length === 0 ? {} : Object.fromEntries(properties.map((key) => [key, dependencies]));
  }
  const result: Record<string, string[]> = {};
  message.forEach((entry, key) => {
    result[key] = entry.getUrnsList();
  });
  return result;
}

function aliasFromMessage(message: AliasMessage): Alias {
  const spec = message.getSpec();
  if (spec === undefined) return { urn: message.getUrn() };
  return {
    name: spec.getName() || undefined,
    type: spec.getType() || undefined,
    project: spec.getProject() || undefined,
    stack: spec.getStack() || undefined,
    parent: spec.getParenturn() || undefined,
    noParent: spec.getNoparent() || undefined,
  };
}

/**
 * The plugin resource for a package's resources that name none: `default_7_8_0`, with the stack's configuration of the
 * package (pulumi/pulumi `pkg/resource/deploy/source_eval.go`, `newRegisterDefaultProviderEvent`).
 */
export function defaultPluginGoal(
  packageName: string,
  version: string | undefined,
  config: PropertyMap,
): Goal {
  return {
    type: pluginType(packageName),
    name: version === undefined ? 'default' : `default_${version.replace(/[^A-Za-z0-9]/g, '_')}`,
    custom: true,
    inputs: version === undefined ? { ...config } : pluginInputs(config, version),
    dependencies: [],
    propertyDependencies: {},
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    aliases: [],
  };
}

/** Adds what the engine stores with a plugin's settings (`providers/registry.go`, `SetProviderVersion`). */
function pluginInputs(inputs: PropertyMap, version: string): PropertyMap {
  return { ...inputs, __internal: {}, version };
}
