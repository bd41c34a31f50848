import type resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { parseGoDuration } from '../go-duration.ts';
import type { PropertyMap } from '../property-value.ts';
import { isPluginType, pluginType } from '../urn.ts';
import { fromStruct } from '../wire-value.ts';

/**
 * What the program asks of one resource: a registration, free of gRPC. The fields and their meaning are
 * those of Pulumi's goal state (pulumi/pulumi `sdk/go/common/resource/resource_goal.go`).
 */
export interface Goal {
  type: string;
  name: string;
  /** False for a component. */
  custom: boolean;
  inputs: PropertyMap;
  /** URN; absent for the root stack and for plugin resources the engine makes itself. */
  parent?: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of an explicit plugin resource, `<urn>::<id>`; absent means the package's default one. */
  provider?: string;
  /** Version of the package, for example `7.8.0`; absent when the SDK does not say. */
  version?: string;
  /** Inherited from the parent when absent. */
  protect?: boolean;
  /** Absent leaves it to the plugin. */
  deleteBeforeReplace?: boolean;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  aliases: Alias[];
  /** Id of an existing resource to take over. */
  importId?: string;
  /** Seconds. */
  customTimeouts?: { create?: number; update?: number; delete?: number };
  sourcePosition?: string;
}

/** A name under which a resource may be known in state: a whole URN, or the parts that differ. */
export type Alias =
  | { urn: string }
  | { name?: string; type?: string; project?: string; stack?: string; parent?: string; noParent?: boolean };

/** A resource that is only read (`Resource.get`). */
export interface ReadGoal {
  type: string;
  name: string;
  id: string;
  inputs: PropertyMap;
  parent?: string;
  dependencies: string[];
  provider?: string;
  version?: string;
  additionalSecretOutputs: string[];
  sourcePosition?: string;
}

/** What the program is told of a resource it asked for. */
export interface Registered {
  urn: string;
  /** Absent for a component, and while it is not known (previews). */
  id?: string;
  outputs: PropertyMap;
  /** `skipped`: not attempted, because something it depends on failed. */
  result: 'done' | 'failed' | 'skipped';
}

/** What the SDK writes for an id that will only be known later (its value for any unknown). */
export const unknownId = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

type RegisterRequest = InstanceType<typeof resourcePb.RegisterResourceRequest>;
type ReadRequest = InstanceType<typeof resourcePb.ReadResourceRequest>;
type AliasMessage = ReturnType<RegisterRequest['getAliasesList']>[number];
type PositionMessage = NonNullable<ReturnType<RegisterRequest['getSourceposition']>>;

/**
 * Reads a registration off the wire (pulumi/pulumi `pkg/resource/deploy/source_eval.go`, `RegisterResource`).
 *
 * @param directory the project's folder, from which source positions are counted
 * @throws GatehouseError `engine_unsupported` for an option the engine does not do
 */
export function goalFromMessage(request: RegisterRequest, directory: string): Goal {
  refuseUnsupported(request);
  const type = request.getType();
  const version = request.getVersion();
  const inputs = fromStruct(request.getObject());
  const timeouts = customTimeouts(request);
  const position = sourcePosition(request.getSourceposition(), directory);
  const dependencies = request.getDependenciesList();
  return {
    type,
    name: request.getName(),
    custom: request.getCustom(),
    inputs: isPluginType(type) && version !== '' ? pluginInputs(inputs, version) : inputs,
    ...present('parent', request.getParent()),
    dependencies,
    propertyDependencies: propertyDependencies(request, Object.keys(inputs), dependencies),
    ...present('provider', request.getProvider()),
    ...present('version', version),
    ...(request.hasProtect() ? { protect: request.getProtect() === true } : {}),
    ...(request.getDeletebeforereplacedefined()
      ? { deleteBeforeReplace: request.getDeletebeforereplace() }
      : {}),
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: [
      ...request.getAliasurnsList().map((urn): Alias => ({ urn })),
      ...request.getAliasesList().map(aliasFromMessage),
    ],
    ...present('importId', request.getImportid()),
    ...(timeouts === undefined ? {} : { customTimeouts: timeouts }),
    ...(position === undefined ? {} : { sourcePosition: position }),
  };
}

/** Reads a `Resource.get` off the wire. @throws GatehouseError `engine_unsupported` */
export function readGoalFromMessage(request: ReadRequest, directory: string): ReadGoal {
  if (request.getPackageref() !== '') throw unsupported('a parameterised package');
  const position = sourcePosition(request.getSourceposition(), directory);
  return {
    type: request.getType(),
    name: request.getName(),
    id: request.getId(),
    inputs: fromStruct(request.getProperties()),
    ...present('parent', request.getParent()),
    dependencies: request.getDependenciesList(),
    ...present('provider', request.getProvider()),
    ...present('version', request.getVersion()),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    ...(position === undefined ? {} : { sourcePosition: position }),
  };
}

/** What the engine does not do is refused by name, never left out in silence. */
export function unsupported(what: string): GatehouseError {
  return new GatehouseError({
    code: 'engine_unsupported',
    what: `the local engine does not support ${what}`,
    fix: 'Use --engine pulumi, or remove it.',
  });
}

function refuseUnsupported(request: RegisterRequest): void {
  const hooks = request.getHooks()?.toObject();
  const used: [string, boolean][] = [
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
  // An SDK that does not say which property: each depends on all.
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
    ...present('name', spec.getName()),
    ...present('type', spec.getType()),
    ...present('project', spec.getProject()),
    ...present('stack', spec.getStack()),
    ...present('parent', spec.getParenturn()),
    ...(spec.getNoparent() ? { noParent: true } : {}),
  };
}

function customTimeouts(request: RegisterRequest): Goal['customTimeouts'] {
  const message = request.getCustomtimeouts();
  const timeouts: NonNullable<Goal['customTimeouts']> = {};
  for (const [key, text] of [
    ['create', message?.getCreate()],
    ['update', message?.getUpdate()],
    ['delete', message?.getDelete()],
  ] as const) {
    if (text !== undefined && text !== '') timeouts[key] = seconds(text);
  }
  return Object.keys(timeouts).length === 0 ? undefined : timeouts;
}

function seconds(text: string): number {
  const parsed = parseGoDuration(text);
  if (parsed !== undefined) return parsed;
  throw new GatehouseError({
    code: 'duration_invalid',
    what: 'a custom timeout is not a duration',
    given: text,
    allowed: 'for example 30s, 5m or 1h30m',
  });
}

/** `project:///index.ts#12,3`; positions outside the project are not kept. */
function sourcePosition(message: PositionMessage | undefined, directory: string): string | undefined {
  // Of an ES module the SDK takes the URL for a path below the working folder: file:///p/file:/p/index.ts.
  const uri = (message?.getUri() ?? '').replace(/^file:\/\/.*\/file:\/+/, 'file:///');
  const root = `file://${directory}/`;
  if (message === undefined || message.getLine() <= 0 || !uri.startsWith(root)) return undefined;
  const column = message.getColumn() > 0 ? `,${message.getColumn()}` : '';
  return `project:///${uri.slice(root.length)}#${message.getLine()}${column}`;
}

/** The wire has empty strings for what is left out. */
function present<K extends string>(key: K, text: string): { [name in K]?: string } {
  return (text === '' ? {} : { [key]: text }) as { [name in K]?: string };
}

/**
 * The plugin resource that works a package's resources where the program names none: `default_7_8_0`, with
 * the stack's configuration of the package (pulumi/pulumi `pkg/resource/deploy/source_eval.go`,
 * `newRegisterDefaultProviderEvent`).
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

/** The engine's own notes beside a plugin's settings (`providers/registry.go`, `SetProviderVersion`). */
function pluginInputs(inputs: PropertyMap, version: string): PropertyMap {
  return { ...inputs, __internal: {}, version };
}
