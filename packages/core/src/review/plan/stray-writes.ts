import { cleaned, isOfService, makesEngine, strayWrite, templatesOf } from '../../graph/resources/writes.ts';
import { isObject, isUnset } from '../../graph/values/json.ts';
import { textOf } from '../../graph/values/loose-values.ts';
import { holdsHidden } from './hidden-values.ts';
import { namespaceOf } from './identities.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { type Fields, nameOfType, typeInPlan } from './resource-types.ts';

/** What stands for the path of an engine, or for what the service draws in it. No path has it. */
const drawn = '\0';

/**
 * The resources of a plan, with the writes of each type that would be overlooked: those that lead elsewhere than such a
 * type is meant to write are writes to that path. The rest of a write to any path is overlooked.
 */
export function withStrayWrites(resources: readonly PlannedResource[]): PlannedResource[] {
  const engines = new Engines(resources);
  return resources.flatMap((resource): PlannedResource[] => {
    const { type, before, after } = resource;
    const { isInert, isWrite } = typeInPlan(type);
    if (!isInert && !isWrite) return [resource];
    const templates = new Set(
      [before, after].flatMap((side) => (side === undefined ? [] : templatesOn(resource, side))),
    );
    const strays = [...templates].flatMap((template): PlannedResource[] => {
      const at = (side: PlannedSide | undefined) => {
        const stray = side && engines.strayWrite(template, side);
        return side && stray && writeTo(side, stray.path, isWrite);
      };
      const writeBefore = at(before);
      const writeAfter = after === before ? writeBefore : at(after);
      if (writeBefore === undefined && writeAfter === undefined) return [];
      return [{ ...resource, type: 'endpoint', before: writeBefore, after: writeAfter }];
    });
    return strays.length > 0 ? strays : [{ ...resource, type: 'inert' }];
  });
}

/** The templates of a resource's writes, each block that may have a name in its place. */
function templatesOn({ of }: PlannedResource, { fields, unknown, references }: PlannedSide): string[] {
  const named = Object.entries({ ...references, ...fields }).flatMap(([field, value]) =>
    [value]
      .flat()
      .flatMap((block, at) =>
        unknown.includes(field) || (isObject(block) && 'name' in block) ? `${field}.${at}` : [],
      ),
  );
  return templatesOf(nameOfType(of)).flatMap((template) =>
    template.includes('*.name') ? named.map((name) => template.replace('*.name', () => name)) : template,
  );
}

/** A write to a path, or to one that is not known. Writes of another type are judged by their attributes. */
function writeTo(side: PlannedSide, path: string | undefined, isWrite = false): PlannedSide {
  const { path: _, namespace, ...rest } = side.fields;
  const { id: __, data, data_json: ___, ...attributes } = rest;
  const content: Fields = isWrite ? rest : { data: isObject(data) ? data : attributes };
  const at = { ...(namespace !== undefined && { namespace }), ...(path !== undefined && { path }) };
  return { ...side, fields: { ...content, ...at } };
}

/** The secrets engines of a plan, and what comes from them. */
class Engines {
  readonly #byAddress: ReadonlyMap<string, PlannedResource>;
  readonly #paths = new Set<string>();

  constructor(resources: readonly PlannedResource[]) {
    this.#byAddress = new Map(resources.map((resource) => [resource.address, resource]));
    for (const { type, of, before, after } of resources) {
      // One that is to be made may fail, where a namespace has the name.
      if (!before || !after || !typeInPlan(type).isInert || !makesEngine(nameOfType(of))) continue;
      const path = cleaned(textOf(after.fields['path'] ?? after.fields['backend']) ?? '');
      if (path && !isOfService(`${path}/x`)) this.#paths.add(keyOf(after, path));
    }
  }

  strayWrite(template: string, side: PlannedSide): { path?: string } | undefined {
    const isOfEngine = (path: string) => {
      const segments = path.split('/');
      const isPath = (_: string, at: number) => this.#paths.has(keyOf(side, segments.slice(0, at).join('/')));
      return segments[0] === drawn || segments.some(isPath);
    };
    return strayWrite(template, (attribute) => this.#textOf(side, attribute), isOfEngine);
  }

  #textOf(side: PlannedSide, attribute: string): string | null | undefined {
    const [field = '', at] = attribute.split('.');
    const block = at === undefined ? side.fields : [side.fields[field]].flat()[Number(at)];
    const value = isObject(block) ? block[at === undefined ? field : 'name'] : undefined;
    if (isUnset(value) && !side.unknown.includes(field)) return null;
    if (!isUnset(value)) return typeof value === 'string' && !holdsHidden(value) ? value : undefined;
    // A reference to an engine is taken for its path, or for what the service draws there.
    const targets = side.references[field] ?? [];
    return targets.length > 0 && targets.every((address) => this.#isOfEngine(address)) ? drawn : undefined;
  }

  /** Whether it makes a secrets engine, or is something in one that has a name. */
  #isOfEngine(address: string): boolean {
    const { type, of } = this.#byAddress.get(address) ?? {};
    if (type === undefined || of === undefined || !typeInPlan(type).isInert) return false;
    return templatesOf(nameOfType(of)).every((template) =>
      /^(?:sys\/mounts\/|identity\/oidc\/\w+\/)?\{\w[^+]*$/.test(template),
    );
  }
}

function keyOf(side: PlannedSide, path: string): string {
  return JSON.stringify([side.server, namespaceOf(side), path]);
}
