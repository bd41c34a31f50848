import type { Graph, ServiceGraph } from '../../graph/graph.ts';
import { ofKind } from '../../graph/nodes/other-node.ts';
import type { GroupAlias } from '../../graph/resources/group-alias.ts';
import type { PlannedAt, Referred, Reference as WireReference } from '../../graph/resources/resource.ts';
import { resourceNamed } from '../../graph/resources/resources.ts';
import { textOf, trimmed } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import { namespaceBelow } from '../../graph/values/namespace-path.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { shown } from './hidden-values.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { type PlannedType, typeInPlan } from './resource-types.ts';

export type When = 'before' | 'after';

/** A name that a reference leads to. */
export interface Reference {
  name: string;
  /** False where the plan has nothing by this id: the name is the id then. */
  isKnown: boolean;
}

/** What a resource's references lead to. */
interface Led {
  targets: Partial<Record<Referred, Reference>>;
  members: PlannedAt['members'];
  /** Paths of mounts, of a list of these. */
  mounts: string[];
  /** Lists that the plan does not tell. */
  untold: string[];
  /** Whether everything but lists is known. */
  isWhole: boolean;
}

/** One side of a resource, and what its references lead to. */
export interface LedSide {
  resource: Pick<PlannedResource, 'type' | 'of' | 'address'>;
  side: PlannedSide;
  led: Led;
  identities: Identities;
}

/** What one namespace of a service has. */
type NamespaceGraph = ServiceGraph & { namespace: string };

/**
 * Finds what the resources of a plan refer to, by name: a mount by its path, a group and an entity by their names. Plans
 * tie them by accessors and ids, which are not known before they are made; then by what refers to what.
 */
export class Identities {
  readonly #byAddress = new Map<string, PlannedResource>();
  /** Name by id, each as it is before and after. */
  readonly #names = { before: new Map<string, string>(), after: new Map<string, string>() };
  /** Ids that a plan gives to two names: it tells neither. */
  readonly #shared = new Set<string>();
  /** Kind of auth method by namespace and the path of its mount; `method` for one that a graph has. */
  readonly #kinds = new Map<string, string>();
  /** Accessors of mounts that are deleted, or deleted and made again: nothing has them any more. */
  readonly #lost = new Set<string>();
  readonly #declared: ReadonlyMap<string, Graph>;

  constructor(
    resources: PlannedResource[],
    outside: PlannedResource[],
    declared: ReadonlyMap<string, Graph>,
    lives: readonly NamespaceGraph[],
  ) {
    this.#declared = declared;
    for (const live of lives) this.#addLive(live, resources);
    const ofPlan = { before: new Map<string, string>(), after: new Map<string, string>() };
    for (const resource of [...outside, ...resources]) {
      this.#byAddress.set(resource.address, resource);
      const kind = typeInPlan(resource.type).referredAs;
      if (kind === undefined) continue;
      const { before, after } = resource;
      this.#add(ofPlan.before, kind, before ?? after);
      this.#add(ofPlan.after, kind, after ?? before);
      if (kind === 'mount') this.#addMount(resource);
    }
    for (const when of ['before', 'after'] as const)
      for (const [key, name] of ofPlan[when]) this.#names[when].set(key, name);
  }

  /** Names that the service knows; what the plan itself tells comes before. */
  #addLive({ ids, graph, namespace }: NamespaceGraph, resources: PlannedResource[]): void {
    const servers = new Set(
      resources.flatMap(({ before, after }) => [before, after].flatMap((side) => side?.server ?? [])),
    );
    for (const server of servers) {
      for (const kind of ['mount', 'group', 'entity'] as const) {
        for (const [id, name] of Object.entries(ids[kind])) {
          for (const names of Object.values(this.#names)) names.set(keyOf(server, kind, id), name);
        }
      }
      for (const { path } of graph.methods) this.#kinds.set(keyOf(server, namespace, path), 'method');
      for (const { path, type } of ofKind(graph.others, 'otherMethod'))
        this.#kinds.set(keyOf(server, namespace, path), type);
    }
  }

  #add(names: Map<string, string>, kind: Referred, side: PlannedSide | undefined): void {
    const id = textOf(side?.fields[kind === 'mount' ? 'accessor' : 'id']);
    const name = side && nameOf(kind, side);
    if (side === undefined || id === undefined || name === undefined) return;
    const key = keyOf(side.server, kind, id);
    if (nameKey(names.get(key) ?? name) !== nameKey(name)) this.#shared.add(key);
    names.set(key, name);
  }

  #addMount({ type, of, before, after, replaced }: PlannedResource): void {
    const isOwn = resourceNamed(type) !== undefined;
    for (const side of [before, after]) {
      const path = side && nameOf('mount', side);
      if (side === undefined || path === undefined) continue;
      this.#kinds.set(
        keyOf(side.server, namespaceOf(side), path),
        isOwn ? 'method' : (textOf(side.fields['type']) ?? of),
      );
    }
    const accessor = textOf(before?.fields['accessor']);
    if (before === undefined || accessor === undefined) return;
    if (after === undefined || replaced !== undefined)
      this.#lost.add(keyOf(before.server, 'mount', accessor));
  }

  #byId(side: PlannedSide, kind: Referred, id: string, when: When): Reference {
    const key = keyOf(side.server, kind, id);
    const name = this.#shared.has(key) ? undefined : this.#names[when].get(key);
    return { name: name ?? id, isKnown: name !== undefined };
  }

  /** Names of the resources that a field's value comes from; undefined where the plan does not tell. */
  #named(side: PlannedSide, field: string, kind: Referred): string[] | undefined {
    const targets = (side.references[field] ?? [])
      .flatMap((address) => this.#byAddress.get(address) ?? [])
      .filter(({ type }) => typeInPlan(type).referredAs === kind);
    const names = targets.flatMap(({ before, after }) => {
      const side = after ?? before;
      return (side && nameOf(kind, side)) ?? [];
    });
    return targets.length === 0 || names.length < targets.length ? undefined : names;
  }

  /** The kind of auth method at a path; `method` for one that a graph has, undefined where the plan does not tell. */
  kindOf(side: PlannedSide, path: string): string | undefined {
    const kind = this.#kinds.get(keyOf(side.server, namespaceOf(side), path));
    return kind === 'data source' || kind === 'auth backend' ? undefined : kind;
  }

  /** Whether the mount that something of a type refers to by its accessor will not be there any more. */
  isLost(type: PlannedType, side: PlannedSide): boolean {
    return Object.entries(typeInPlan(type).references ?? {}).some(([field, { to, by }]) => {
      const accessor = by === 'accessor' ? textOf(side.fields[field]) : undefined;
      return accessor !== undefined && this.#lost.has(keyOf(side.server, to, accessor));
    });
  }

  /** The path in a field, or of the mount that it refers to as such, and not by its accessor. */
  pathIn(side: PlannedSide, field: string): string | undefined {
    const path = textOf(side.fields[field]);
    if (path !== undefined) return trimmed(path);
    const paths = this.#named(side, field, 'mount');
    return paths?.length === 1 ? paths[0] : undefined;
  }

  /** The path of the mount that a field's value is made from, if that is one alone and the plan makes it. */
  madeMountIn(side: PlannedSide, field: string): string | undefined {
    const targets = side.unknown.includes(field) ? (side.references[field] ?? []) : [];
    const isMade = targets.every((address) => this.#byAddress.get(address)?.before === undefined);
    const paths = isMade ? this.#named(side, field, 'mount') : undefined;
    return targets.length === 1 ? paths?.[0] : undefined;
  }

  ledTo(type: PlannedType, side: PlannedSide, when: When): Led {
    const led: Led = { targets: {}, members: [], mounts: [], untold: [], isWhole: true };
    for (const [field, reference] of Object.entries(typeInPlan(type).references ?? {})) {
      const { to, isList } = reference;
      const targets = this.#referred(side, field, reference, when);
      if (isList) {
        if (targets === undefined) led.untold.push(field);
        else if (to === 'mount')
          addAll(
            led.mounts,
            targets.map(({ name }) => name),
          );
        else
          addAll(
            led.members,
            targets.map(({ name }) => ({ kind: to, name })),
          );
      } else if (targets?.[0] === undefined) led.isWhole = false;
      else led.targets[to] = targets[0];
    }
    return led;
  }

  /** What a field refers to, one or a list; undefined where the plan does not tell. */
  #referred(
    side: PlannedSide,
    field: string,
    { to, by, byDefault, isList }: WireReference,
    when: When,
  ): Reference[] | undefined {
    const value = side.fields[field];
    const isUnknown = side.unknown.includes(field);
    if (by === 'name') {
      const path = field in side.fields || isUnknown ? this.pathIn(side, field) : byDefault;
      return path ? [{ name: path, isKnown: true }] : undefined;
    }
    const ids = isList ? value : typeof value === 'string' && [value];
    if (Array.isArray(ids)) return ids.map((id) => this.#byId(side, to, String(id), when));
    if (isList && !isUnknown) return [];
    const names = this.#named(side, field, to);
    return isList || names?.length === 1 ? names?.map((name) => ({ name, isKnown: true })) : undefined;
  }

  /** The alias that the program of the plan declares, where the plan does not say whose it is. */
  declaredAlias(
    side: PlannedSide,
    name: string,
    address: string,
    known: { method?: string | undefined; group?: string | undefined },
  ) {
    const aliases = (this.#declared.get(namespaceOf(side))?.aliases ?? []).filter(
      (alias) =>
        alias.name === name &&
        (known.method ?? alias.method) === alias.method &&
        (known.group ?? alias.group) === alias.group,
    );
    if (aliases.length === 1) return aliases[0];
    // If there are several, the program names the resource by the method and the alias, or by the group.
    const isNamed = ({ method, group }: GroupAlias) =>
      ['::', '/'].some((start) => address.endsWith(`${start}${method}-${name.toLowerCase()}-groupalias`)) ||
      address.endsWith(`-${group}-alias`);
    const [longest] = aliases.filter(isNamed).sort((a, b) => b.group.length - a.group.length);
    return longest;
  }
}

/** Paths of the mounts that stay where they are, by the accessors that the service gave them. */
export function accessorsOf(
  resources: readonly PlannedResource[],
  live: Pick<ServiceGraph, 'ids'> | undefined,
): Record<string, string> {
  const paths = new Map(Object.entries(live?.ids.mount ?? {}));
  for (const { type, before, after, replaced } of resources) {
    const accessor = textOf(before?.fields['accessor']);
    if (typeInPlan(type).referredAs !== 'mount' || before === undefined || accessor === undefined) continue;
    const path = nameOf('mount', before);
    const isKept = after !== undefined && replaced === undefined && nameOf('mount', after) === path;
    if (isKept && path !== undefined) paths.set(accessor, path);
    else paths.delete(accessor);
  }
  return Object.fromEntries(paths);
}

/** Names of what references lead to, one of each. */
export function targetNames({ targets: { mount, group, entity } }: Led) {
  return { mount: mount?.name, group: group?.name, entity: entity?.name };
}

/** The namespace that something of a plan is in, from the root of its server; empty for that. */
export function namespaceOf(side: PlannedSide): string {
  const own = textOf(side.fields['namespace']) ?? '';
  return namespaceBelow(trimmed(shown(side.namespace)), trimmed(own));
}

function nameOf(kind: Referred, side: PlannedSide): string | undefined {
  if (kind !== 'mount') return textOf(side.fields['name']);
  return pathOf(side, textOf(side.fields['type']));
}

/** A mount's path; by default it is named as its type is, and `jwt` for OIDC and JWT. */
export function pathOf({ fields, unknown }: PlannedSide, byDefault: string | undefined): string | undefined {
  const path = textOf(fields['path']);
  if (path === undefined && unknown.includes('path')) return undefined;
  return trimmed(path ?? (byDefault === 'oidc' || byDefault === undefined ? 'jwt' : byDefault));
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}
