import { readFile } from 'node:fs/promises';
import {
  alias,
  endpointToken,
  type Graph,
  partsIn,
  resourceOfPulumi,
  resources,
} from '@gatehouse/core/graph';
import { GatehouseError, isObject, toCamelCase } from '@gatehouse/core/values';
import { createUrn, type PropertyMap, parseUrn, type Stack, type Step } from '@gatehouse/engine';
import type { ServiceClient } from '@gatehouse/service-client';
import { z } from 'zod';

/** What `pulumi import --file` takes (pulumi/pulumi `pkg/cmd/pulumi/import.go`, `importFile`). */
export interface ImportFile {
  /** Names with which resources of the file refer to those that are not in it. Empty: all are. */
  nameTable: Record<string, string>;
  resources: ImportedResource[];
  /** Roles with typed bound claims, which `pulumi import` cannot take over and ignores here. The local engine takes them over. */
  gatehouse?: { resources: ImportedResource[] };
}

export interface ImportedResource {
  type: string;
  /** Unique in the file: other resources refer to it. */
  name: string;
  /** The resource's own name, where others have it too. */
  logicalName?: string;
  /** Absent for a component. */
  id?: string;
  component?: true;
  /** Name of the parent in the file; absent for the stack. */
  parent?: string;
}

/** The import file for what a program would create and a service already has, parents first. */
export function importFile(planned: Step[], ids: ServiceIds): ImportFile {
  const created = planned.filter(({ op, type }) => op === 'create' && !isEngines(type));
  const inputs: PlannedInputs = new Map(
    created.flatMap(({ urn, type, newState }) =>
      newState ? [[urn, { type, inputs: newState.inputs }]] : [],
    ),
  );
  const names = importNames(created.map(({ urn }) => urn));
  const resources = created.flatMap(({ urn, type, newState }): ImportedResource[] => {
    if (newState === undefined) return [];
    const parent = names.get(newState.parent ?? '');
    const named = { type, ...(names.get(urn) as ImportName), ...(parent && { parent: parent.name }) };
    if (!newState.custom) return [{ ...named, component: true }];
    const id = importIdOf(type, newState, inputs, ids);
    return id === undefined ? [] : [{ ...named, id }];
  });
  const isOurs = ({ type }: ImportedResource) => type === endpointToken;
  const ours = resources.filter(isOurs);
  return {
    nameTable: {},
    resources: resources.filter((resource) => !isOurs(resource)),
    ...(ours.length > 0 && { gatehouse: { resources: ours } }),
  };
}

type ImportName = Pick<ImportedResource, 'name' | 'logicalName'>;

/** Names for the file, by URN. A name that several resources have (a provider and its auth method) gets the type: `cluster-authMethod`. */
function importNames(urns: readonly string[]): Map<string, ImportName> {
  const all = urns.map((urn) => ({ urn, ...parseUrn(urn) }));
  const own = Map.groupBy(all, ({ name }) => name);
  const taken = new Set(own.keys());
  const unique = (suggested: string, count = 1): string => {
    const name = count === 1 ? suggested : `${suggested}-${count}`;
    if (taken.has(name)) return unique(suggested, count + 1);
    taken.add(name);
    return name;
  };
  return new Map(
    all.map(({ urn, name, type }) => {
      if (own.get(name)?.length === 1) return [urn, { name }];
      const last = type.slice(type.lastIndexOf(':') + 1);
      return [
        urn,
        { name: unique(`${name}-${last.charAt(0).toLowerCase()}${last.slice(1)}`), logicalName: name },
      ];
    }),
  );
}

type PlannedInputs = ReadonlyMap<string, { type: string; inputs: PropertyMap }>;

function importIdOf(
  type: string,
  state: NonNullable<Step['newState']>,
  planned: PlannedInputs,
  ids: ServiceIds,
): string | undefined {
  const { inputs, propertyDependencies } = state;
  if (type === endpointToken) return String(inputs['path']);
  const resource = resourceOfPulumi(type);
  const name = plannedNameOf({ type, inputs });
  if (resource?.official === undefined || name === undefined) return undefined;
  const { official, references = {}, wire } = resource;
  const referred = Object.entries(references).map(([property, { to, by }]) => {
    const value = inputs[toCamelCase(property)];
    const [urn = ''] = propertyDependencies[toCamelCase(property)] ?? [];
    return [
      to,
      by === 'name' && typeof value === 'string' ? value : plannedNameOf(planned.get(urn)),
    ] as const;
  });
  const names: ReadonlyMap<string, string | undefined> = new Map(referred);
  if (official.importId !== undefined) return official.importId(name, names.get('mount') ?? '');
  // An alias is listed with its group.
  return ids.get(resource.type)?.get((wire === undefined ? names.get('group') : name) ?? '');
}

function plannedNameOf(
  { type, inputs }: { type: string; inputs: PropertyMap } = { type: '', inputs: {} },
): string | undefined {
  const { official } = resourceOfPulumi(type) ?? {};
  return official && String(inputs[toCamelCase(official.name)]);
}

function isEngines(type: string): boolean {
  return type.startsWith('pulumi:');
}

const imported = z.array(
  z.looseObject({
    type: z.string(),
    name: z.string(),
    logicalName: z.string().optional(),
    id: z.string().optional(),
    parent: z.string().optional(),
  }),
);
const file = z.looseObject({
  nameTable: z.record(z.string(), z.string()).optional(),
  resources: imported,
  gatehouse: z.looseObject({ resources: imported }).optional(),
});

/**
 * Reads what `pulumi import --file` takes: URN → id. As there, a parent is named by a URN of the name table, or by the name of
 * one resource of the file.
 *
 * @throws GatehouseError `file_unreadable`, `import_ambiguous`
 */
export async function readImportFile(
  path: string,
  { name: stack, project }: Pick<Stack, 'name' | 'project'>,
): Promise<Record<string, string>> {
  const { nameTable = {}, resources, gatehouse } = await parsedFile(path);
  const all = [...resources, ...(gatehouse?.resources ?? [])];
  const urnOf = ({ type, name, logicalName = name, parent }: FileResource, below: string[] = []): string =>
    createUrn(stack, project, parent && parentUrn(parent, [...below, name]), type, logicalName);
  const parentUrn = (name: string, below: string[]): string => {
    if (Object.hasOwn(nameTable, name)) return nameTable[name] ?? '';
    const [parent, ...rest] = all.filter((resource) => resource.name === name);
    if (parent !== undefined && rest.length === 0 && !below.includes(name)) return urnOf(parent, below);
    const count = below.includes(name)
      ? 'it is its own parent'
      : `${rest.length + Number(!!parent)} of that name`;
    throw new GatehouseError('import_ambiguous.parent', { given: `${name}: ${count}` });
  };
  const ids: Record<string, string> = {};
  for (const resource of all) {
    const { id } = resource;
    if (id === undefined) continue;
    const urn = urnOf(resource);
    if (Object.hasOwn(ids, urn)) throw new GatehouseError('import_ambiguous', { given: urn });
    ids[urn] = id;
  }
  return ids;
}

type FileResource = z.output<typeof imported>[number];

async function parsedFile(path: string): Promise<z.output<typeof file>> {
  try {
    return file.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new GatehouseError('file_unreadable', {
      given: path,
      allowed: 'what gatehouse adopt writes, and pulumi import --file takes',
      cause,
      values: { file: 'import file' },
    });
  }
}

/** Ids that a service has made up itself: type → name → id. An alias has the name of its group, which has one. */
export type ServiceIds = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the ids that a login set-up is imported with; everything else is imported by its own name. */
export async function readIds(client: ServiceClient, graph: Graph): Promise<ServiceIds> {
  const byId = resources.flatMap(({ type, yaml, official, wire }) => {
    const isThere = resources.some(
      (resource) => resource.type === type && partsIn(graph, resource).length > 0,
    );
    const { nameInList } = wire ?? {};
    return isThere && yaml && official && wire && nameInList ? [{ type, wire, nameInList }] : [];
  });
  const ids = new Map<string, Map<string, string>>([[alias.type, new Map()]]);
  await Promise.all(
    byId.map(async ({ type, wire, nameInList }) => {
      const entries = infos((await client.list(wire.list('')))?.data);
      ids.set(type, new Map(entries.map(([id, info]) => [String(info[nameInList]), id])));
      for (const [, { name, alias: listed }] of entries) {
        if (isObject(listed) && typeof listed['id'] === 'string')
          ids.get(alias.type)?.set(String(name), listed['id']);
      }
    }),
  );
  return ids;
}

function infos(data: Record<string, unknown> | undefined): [id: string, info: Record<string, unknown>][] {
  const all = data?.['key_info'];
  if (!isObject(all)) return [];
  return Object.entries(all).flatMap(([id, info]) => (isObject(info) ? [[id, info]] : []));
}
