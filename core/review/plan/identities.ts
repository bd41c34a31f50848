import type { Subject } from '../../rules/finding.ts';
import { textOf } from './model-of.ts';
import type { PlannedResource, PlannedSide, PlanResources, ReviewedType } from './planned-resource.ts';

type When = 'before' | 'after';

/** A subject, and for an alias the group it leads to. */
export interface IdentifiedSubject extends Subject {
  group?: string;
}

/**
 * Names the resources of a plan as the model does: a role and an alias by the path of their method, a group by its
 * name. Plans tie them by accessors and ids, which are not known before they are made; then by what refers to what.
 */
export class Identities {
  readonly #byAddress = new Map<string, PlannedResource>();
  readonly #methodOfAccessor: Map<string, string>;
  readonly #groupOfId: Map<string, string>;
  /** Accessors of mounts that are deleted and made again: nothing has them any more. */
  readonly #lost = new Set<string>();

  constructor(resources: PlannedResource[], known: PlanResources['known']) {
    this.#methodOfAccessor = new Map(
      Object.entries(known.accessors).map(([id, path]) => [id, trimmed(path)]),
    );
    this.#groupOfId = new Map(Object.entries(known.groups));
    for (const resource of resources) {
      const { address, type, before, after, replaced } = resource;
      this.#byAddress.set(address, resource);
      for (const side of [before, after]) {
        if (side === undefined) continue;
        const accessor = textOf(side.fields['accessor']);
        if (type === 'method' && accessor !== undefined) this.#methodOfAccessor.set(accessor, pathOf(side));
        const [id, name] = [textOf(side.fields['id']), textOf(side.fields['name'])];
        if (type === 'group' && id !== undefined && name !== undefined) this.#groupOfId.set(id, name);
      }
      const old = textOf(before?.fields['accessor']);
      if (type === 'method' && old !== undefined && (replaced || after === undefined)) this.#lost.add(old);
    }
  }

  /**
   * @returns undefined where the plan does not tell what it is; `orphaned` for an alias of a mount that will not be
   * there any more: it stays on the service, and nobody comes by it
   */
  subject(type: ReviewedType, side: PlannedSide, when: When): IdentifiedSubject | 'orphaned' | undefined {
    const { fields, unknown } = side;
    switch (type) {
      case 'method':
        return unknown.includes('path') ? undefined : { type, name: pathOf(side) };
      case 'role': {
        const name = textOf(fields['role_name']);
        const method = unknown.includes('backend')
          ? this.#referred(side, 'backend', 'method', pathOf)
          : trimmed(textOf(fields['backend']) ?? 'jwt');
        return name === undefined || method === undefined
          ? undefined
          : { type, name: name.toLowerCase(), method };
      }
      case 'alias': {
        const accessor = textOf(fields['mount_accessor']);
        if (when === 'after' && accessor !== undefined && this.#lost.has(accessor)) return 'orphaned';
        const name = textOf(fields['name']);
        const method =
          accessor === undefined
            ? this.#referred(side, 'mount_accessor', 'method', pathOf)
            : (this.#methodOfAccessor.get(accessor) ?? accessor);
        const id = textOf(fields['canonical_id']);
        const group =
          id === undefined
            ? this.#referred(side, 'canonical_id', 'group', ({ fields: of }) => textOf(of['name']))
            : (this.#groupOfId.get(id) ?? id);
        if (name === undefined || method === undefined || group === undefined) return undefined;
        return { type, name, method, group };
      }
      case 'message': {
        const title = textOf(fields['title']);
        return title === undefined ? undefined : { type, name: title };
      }
      default: {
        const name = textOf(fields['name']);
        return name === undefined ? undefined : { type, name: type === 'policy' ? name.toLowerCase() : name };
      }
    }
  }

  /** The name of the one resource of a type that a field refers to. */
  #referred(
    side: PlannedSide,
    field: string,
    type: ReviewedType,
    nameOf: (side: PlannedSide) => string | undefined,
  ): string | undefined {
    const targets = (side.references[field] ?? [])
      .map((address) => this.#byAddress.get(address))
      .filter((resource) => resource?.type === type);
    const [only] = targets;
    const target = only?.after ?? only?.before;
    return targets.length === 1 && target !== undefined ? nameOf(target) : undefined;
  }
}

/** A mount's path; the official plugin's default is `jwt`. */
function pathOf({ fields }: PlannedSide): string {
  return trimmed(textOf(fields['path']) ?? 'jwt');
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
