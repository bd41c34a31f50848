import { type PropertyDiff, replacing } from '../../property-diff.ts';
import { parsePropertyPath, resetPath } from '../../property-path.ts';
import { holdsUnknown, isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';
import type { DiffResponse } from '../plugin.ts';
import { partsOf } from './check.ts';
import { canonicalText, isEmpty, type Property, type Schema, sameValue } from './schema.ts';

/**
 * The difference between a resource's state and its new inputs by path, as the bridge derives it from a Terraform plan
 * (pulumi/pulumi-terraform-bridge `pkg/tfbridge/diff.go`): empty and absent are equal, sets have no order, and a
 * computed property that is not given does not differ.
 */
export function diffProperties(schema: Schema, olds: PropertyMap, news: PropertyMap): DiffResponse {
  const detailedDiff: Record<string, PropertyDiff> = {};
  const replaces: string[] = [];
  const diffs: string[] = [];
  for (const [name, property] of Object.entries(schema)) {
    if (property.outputOnly || property.ignored?.(news)) continue;
    const differences = propertyDiffs(property, name, olds[name], news[name], news);
    if (differences.length === 0) continue;
    const replace =
      typeof property.replaces === 'function' ? property.replaces(olds, news) : property.replaces === true;
    diffs.push(name);
    if (replace) replaces.push(name);
    for (const [path, kind] of differences) {
      detailedDiff[path] = { kind: replace ? replacing(kind) : kind, inputDiff: false };
    }
  }
  return {
    changes: diffs.length === 0 ? 'none' : 'some',
    replaces,
    diffs,
    deleteBeforeReplace: false,
    detailedDiff,
  };
}

type ValueChange = 'add' | 'delete' | 'update';

function propertyDiffs(
  property: Property,
  path: string,
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  resource: PropertyMap,
): [string, ValueChange][] {
  if (after === undefined && property.computed) return [];
  if (property.fields !== undefined && isPropertyMap(after) && !isEmpty(before) && isPropertyMap(before)) {
    return Object.entries(property.fields).flatMap(([name, field]) =>
      propertyDiffs(field, `${path}.${name}`, before[name], after[name], resource),
    );
  }
  if (holdsUnknown(after)) return [[path, isEmpty(before) ? 'add' : 'update']];
  if (sameValue(property, before, after, resource)) return [];
  if (isEmpty(before)) return [[path, 'add']];
  if (after === undefined || after === null) return [[path, 'delete']];
  const partsBefore = partsOf(path, before, property.type);
  const partsAfter = partsOf(path, after, property.type);
  if (partsBefore === undefined || partsAfter === undefined) return [[path, 'update']];
  return partDiffs(property, partsBefore, partsAfter, resource);
}

type ValuePart = [path: string, value: PropertyValue];

/** The differences of a collection, one per part that differs. The parts of a set have no order. */
function partDiffs(
  property: Property,
  partsBefore: ValuePart[],
  partsAfter: ValuePart[],
  resource: PropertyMap,
): [string, ValueChange][] {
  const element: Property = { ...property, type: property.type === 'maps' ? 'map' : 'string' };
  /** For a set, only the parts that the other side lacks. */
  const withoutCommon = (parts: ValuePart[], otherParts: ValuePart[]) => {
    if (property.type !== 'set') return new Map(parts);
    const text = (part: PropertyValue) => canonicalText(element, part, resource);
    const common = new Set(otherParts.map(([, part]) => text(part)));
    return new Map(parts.filter(([, part]) => !common.has(text(part))));
  };
  const before = withoutCommon(partsBefore, partsAfter);
  const after = withoutCommon(partsAfter, partsBefore);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((at): [string, ValueChange][] => {
    const partBefore = before.get(at);
    const partAfter = after.get(at);
    if (partBefore === undefined) return [[at, 'add']];
    if (partAfter === undefined) return [[at, 'delete']];
    return sameValue(element, partBefore, partAfter, resource) ? [] : [[at, 'update']];
  });
}

/**
 * The new inputs with an empty object for each that the service completes (`tune`) and that the program gave and no longer
 * gives: what it had set is reset. The official plugin leaves it on the service.
 */
export function withEmptied(schema: Schema, oldInputs: PropertyMap, news: PropertyMap): PropertyMap {
  const emptied = Object.entries(schema).filter(
    ([name, { computed, fields }]) =>
      computed && fields !== undefined && news[name] === undefined && isPropertyMap(oldInputs[name]),
  );
  return { ...news, ...Object.fromEntries(emptied.map(([name]) => [name, {}])) };
}

/**
 * The new inputs with ignored paths reset to the state (`doIgnoreChanges` of the same file). `*` ignores everything.
 */
export function withoutIgnored(
  schema: Schema,
  olds: PropertyMap,
  news: PropertyMap,
  ignoreChanges: string[],
): PropertyMap {
  const names = ignoreChanges.includes('*') ? Object.keys(schema) : ignoreChanges;
  return names
    .map(parsePropertyPath)
    .reduce<PropertyMap>(
      (inputs, path) => (path === undefined ? inputs : (resetPath(olds, inputs, path) ?? inputs)),
      news,
    );
}
