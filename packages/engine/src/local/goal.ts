import { GatehouseError } from '@gatehouse/core/values';
import type resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import type { PropertyMap, PropertyValue } from '../property-value.ts';
import { isPluginType, pluginType } from '../urn.ts';
import { fromStruct, fromValue } from '../wire-value.ts';

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
  replaceOnChanges: string[];
  /** A change of it replaces the resource, whatever its plugin finds. */
  replacementTrigger?: PropertyValue;
  additionalSecretOutputs: string[];
  aliases: ResourceAlias[];
  /** Id of an existing resource to import. */
  importId?: string;
  sourcePosition?: string;
}

/** Another name that a resource may have in state: a URN, or the parts that differ. */
export type ResourceAlias =
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

type RegisterRequest = InstanceType<typeof resourcePb.RegisterResourceRequest>;
type AliasMessage = ReturnType<RegisterRequest['getAliasesList']>[number];
type PositionMessage = NonNullable<ReturnType<RegisterRequest['getSourceposition']>>;

/**
 * Converts a registration (pulumi/pulumi `pkg/resource/deploy/source_eval.go`, `RegisterResource`).
 *
 * @param directory the project's folder, which source positions are relative to
 * @throws GatehouseError `engine_unsupported` for an option that the engine does not support
 */
export function goalFromMessage(request: RegisterRequest, directory: string): Goal {
  refuseUnsupported(request);
  const type = request.getType();
  const version = request.getVersion();
  const inputs = fromStruct(request.getObject());
  // A set to the engine.
  const dependencies = [...new Set(request.getDependenciesList())];
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
    replaceOnChanges: request.getReplaceonchangesList(),
    replacementTrigger: fromValue(request.getReplacementTrigger()),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: request.getAliasesList().map(aliasFromMessage),
    importId: request.getImportid() || undefined,
    sourcePosition: sourcePosition(request.getSourceposition(), directory),
  };
}

/** Refuses a feature by name, so that nothing is ignored silently. */
export function unsupported(what: string): GatehouseError {
  return new GatehouseError('engine_unsupported', { values: { feature: what } });
}

function refuseUnsupported(request: RegisterRequest): void {
  const hooks = request.getHooks()?.toObject();
  const timeouts = request.getCustomtimeouts()?.toObject() ?? {};
  const used: [string, boolean][] = [
    ['the option ignoreChanges', request.getIgnorechangesList().length > 0],
    ['the option customTimeouts', Object.values(timeouts).some((text) => text !== '')],
    ['the option retainOnDelete', request.getRetainondelete() === true],
    ['the option deletedWith', request.getDeletedwith() !== ''],
    ['the option replaceWith', request.getReplaceWithList().length > 0],
    ['transforms', request.getTransformsList().length > 0],
    ['resource hooks', hooks !== undefined && Object.values(hooks).some((list) => list.length > 0)],
    ['state migrations', request.getStateMigrationsList().length > 0],
    ['remote components', request.getRemote()],
    ['a parameterised package', request.getPackageref() !== ''],
    ['the option pluginDownloadURL', request.getPlugindownloadurl() !== ''],
    ['the option envVarMappings', request.getEnvvarmappingsMap().getLength() > 0],
  ];
  const refused = used.filter(([, isUsed]) => isUsed).map(([name]) => name);
  if (refused.length > 0) throw unsupported(refused.join(', '));
}

function propertyDependencies(
  request: RegisterRequest,
  properties: string[],
  dependencies: string[],
): Record<string, string[]> {
  const message = request.getPropertydependenciesMap();
  // Some SDKs do not say which property has which dependency; then each has all.
  const rest = message.getLength() === 0 ? dependencies : [];
  const result = Object.fromEntries(properties.map((key) => [key, rest]));
  message.forEach((entry, key) => {
    result[key] = [...new Set(entry.getUrnsList())];
  });
  return result;
}

function aliasFromMessage(message: AliasMessage): ResourceAlias {
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

/** `project:///index.ts#12,3`; undefined outside the project. */
function sourcePosition(message: PositionMessage | undefined, directory: string): string | undefined {
  // The SDK treats an ES module's URL as a path below the working folder: file:///p/file:/p/index.ts.
  const uri = (message?.getUri() ?? '').replace(/^file:\/\/.*\/file:\/+/, 'file:///');
  const root = `file://${directory}/`;
  if (message === undefined || message.getLine() <= 0 || !uri.startsWith(root)) return undefined;
  const column = message.getColumn() > 0 ? `,${message.getColumn()}` : '';
  return `project:///${uri.slice(root.length)}#${message.getLine()}${column}`;
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
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    aliases: [],
  };
}

/** Adds what the engine stores with a plugin's settings (`providers/registry.go`, `SetProviderVersion`). */
function pluginInputs(inputs: PropertyMap, version: string): PropertyMap {
  return { ...inputs, __internal: {}, version };
}
