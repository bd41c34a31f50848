import type { Graph } from '../../model/graph.ts';
import type { PlannedAt, Referred } from '../../model/resources/resource.ts';
import { resourceNamed } from '../../model/resources/resources.ts';
import { textOf, trimmed } from '../../model/values/loose-values.ts';
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
export interface Led {
  on: Partial<Record<Referred, Reference>>;
  members: PlannedAt['members'];
  /** Lists that the plan does not tell. */
  untold: string[];
  /** Whether all that is no list is told. */
  isWhole: boolean;
}

/**
 * Finds what the resources of a plan refer to, by name: a mount by its path, a group and an entity by their names. Plans
 * tie them by accessors and ids, which are not known before they are made; then by what refers to what.
 */
export class Identities {
  readonly #byAddress = new Map<string, PlannedResource>();
  /** Name by id, each as it is before and after. */
  readonly #names = { before: new Map<string, string>(), after: new Map<string, string>() };
  /** Kind of auth method by the path of its mount; `method` for one that a graph has. */
  readonly #kinds = new Map<string, string>();
  /** Accessors of mounts that are deleted, or deleted and made again: nothing has them any more. */
  readonly #lost = new Set<string>();
  readonly #declared: Graph | undefined;

  constructor(resources: PlannedResource[], outside: PlannedResource[], declared: Graph | undefined) {
    this.#declared = declared;
    for (const resource of [...outside, ...resources]) {
      const { address, type, before, after, replaced } = resource;
      this.#byAddress.set(address, resource);
      const kind = typeInPlan(type).referredAs;
      if (kind === undefined) continue;
      const isOwn = resourceNamed(type) !== undefined;
      this.#add('before', kind, before ?? after);
      this.#add('after', kind, after ?? before);
      for (const side of kind === 'mount' ? [before, after] : []) {
        const path = side && nameOf(kind, side);
        const other = textOf(side?.fields['type']) ?? (isOwn ? '' : resource.of);
        if (path !== undefined && side !== undefined)
          this.#kinds.set(keyOf(side.server, path), isOwn ? 'method' : other);
      }
      const accessor = textOf(before?.fields['accessor']);
      const isLost = after === undefined || replaced !== undefined;
      if (before !== undefined && kind === 'mount' && accessor !== undefined && isLost) {
        this.#lost.add(keyOf(before.server, kind, accessor));
      }
    }
  }

  #add(when: When, kind: Referred, side: PlannedSide | undefined): void {
    const id = textOf(side?.fields[kind === 'mount' ? 'accessor' : 'id']);
    const name = side && nameOf(kind, side);
    if (id !== undefined && name !== undefined && side !== undefined)
      this.#names[when].set(keyOf(side.server, kind, id), name);
  }

  /** What a field refers to; undefined where the plan does not tell. */
  #referred(side: PlannedSide, field: string, kind: Referred, when: When): Reference | undefined {
    const id = textOf(side.fields[field]);
    if (id !== undefined) return this.#byId(side, kind, id, when);
    const names = this.#named(side, field, kind);
    return names?.length === 1 ? { name: names[0] as string, isKnown: true } : undefined;
  }

  #byId(side: PlannedSide, kind: Referred, id: string, when: When): Reference {
    const name = this.#names[when].get(keyOf(side.server, kind, id));
    return name === undefined ? { name: id, isKnown: false } : { name, isKnown: true };
  }

  /** Everything that a list refers to; undefined where the plan does not tell. */
  #allReferred(side: PlannedSide, field: string, kind: Referred, when: When): Reference[] | undefined {
    const ids = side.fields[field];
    if (Array.isArray(ids)) return ids.map((id) => this.#byId(side, kind, String(id), when));
    if (!side.unknown.includes(field)) return [];
    return this.#named(side, field, kind)?.map((name) => ({ name, isKnown: true }));
  }

  #named(side: PlannedSide, field: string, kind: Referred): string[] | undefined {
    const targets = (side.references[field] ?? [])
      .map((address) => this.#byAddress.get(address))
      .filter((resource) => resource !== undefined && typeInPlan(resource.type).referredAs === kind);
    const names = targets.map((target) => {
      const of = target?.after ?? target?.before;
      return of && nameOf(kind, of);
    });
    return names.length === 0 || names.includes(undefined) ? undefined : (names as string[]);
  }

  /** The kind of auth method at a path; `method` for one that a graph has, undefined where the plan does not tell. */
  kindOf(side: PlannedSide, path: string): string | undefined {
    const kind = this.#kinds.get(keyOf(side.server, path));
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

  /** What something of a type refers to. */
  ledTo(type: PlannedType, side: PlannedSide, when: When): Led {
    const led: Led = { on: {}, members: [], untold: [], isWhole: true };
    for (const [field, { to, by, byDefault, isList }] of Object.entries(typeInPlan(type).references ?? {})) {
      if (isList && to !== 'mount') {
        const found = this.#allReferred(side, field, to, when);
        if (found === undefined) led.untold.push(field);
        else led.members.push(...found.map(({ name }) => ({ kind: to, name })));
        continue;
      }
      const isGiven = field in side.fields || side.unknown.includes(field);
      const name = by !== 'name' ? undefined : isGiven ? this.pathIn(side, field) : byDefault;
      const found = by === 'name' ? name && { name, isKnown: true } : this.#referred(side, field, to, when);
      if (found) led.on[to] = found;
      else led.isWhole = false;
    }
    return led;
  }

  /** The alias that the program of the plan declares, where the plan does not say whose it is. */
  declaredAlias(
    name: string,
    address: string,
    known: { method?: string | undefined; group?: string | undefined },
  ) {
    const found = (this.#declared?.aliases ?? []).filter(
      (alias) =>
        alias.name === name &&
        (known.method ?? alias.method) === alias.method &&
        (known.group ?? alias.group) === alias.group,
    );
    if (found.length === 1) return found[0];
    // Of several, the program names the resource by the method and the alias; formerly by the group.
    const [longest] = found
      .filter(
        ({ method, group }) =>
          address.endsWith(`::${method}-${name.toLowerCase()}-groupalias`) ||
          address.endsWith(`-${group}-alias`),
      )
      .sort((a, b) => b.group.length - a.group.length);
    return longest;
  }
}

function nameOf(kind: Referred, side: PlannedSide): string | undefined {
  if (kind !== 'mount') return textOf(side.fields['name']);
  return pathOf(side, textOf(side.fields['type']));
}

/** A mount's path; by default it is named as its type is, and `jwt` for OIDC and JWT. */
export function pathOf({ fields, unknown }: PlannedSide, byDefault: string | undefined): string | undefined {
  const path = textOf(fields['path']);
  if (path === undefined && unknown.includes('path')) return undefined;
  const given = path ?? (byDefault === 'oidc' || byDefault === undefined ? 'jwt' : byDefault);
  return trimmed(given);
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}
