import { type PropertyDiff, replacing } from '../../property-diff.ts';
import { parsePropertyPath, resetPath } from '../../property-path.ts';
import { holdsUnknown, isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';
import type { DiffResponse } from '../plugin.ts';
import { joinPath } from './check.ts';
import { canonicalText, entries, isEmpty, type Property, type Schema, sameValue } from './schema.ts';

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
    const found = propertyDiffs(property, name, olds[name], news[name], news);
    if (found.length === 0) continue;
    const replace =
      typeof property.replaces === 'function' ? property.replaces(olds, news) : property.replaces === true;
    diffs.push(name);
    if (replace) replaces.push(name);
    for (const [path, kind] of found) {
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

type Kind = 'add' | 'delete' | 'update';

function propertyDiffs(
  property: Property,
  path: string,
  old: PropertyValue | undefined,
  now: PropertyValue | undefined,
  resource: PropertyMap,
): [string, Kind][] {
  if (now === undefined && property.computed) return [];
  if (property.fields !== undefined && isPropertyMap(now) && !isEmpty(old) && isPropertyMap(old)) {
    return Object.entries(property.fields).flatMap(([name, field]) =>
      propertyDiffs(field, `${path}.${name}`, old[name], now[name], resource),
    );
  }
  if (holdsUnknown(now)) return [[path, isEmpty(old) ? 'add' : 'update']];
  if (sameValue(property, old, now, resource)) return [];
  if (isEmpty(old)) return [[path, 'add']];
  if (now === undefined || now === null) return [[path, 'delete']];
  if (Array.isArray(old) && Array.isArray(now)) {
    if (property.type === 'set') return setDiffs(property, path, old, now, resource);
    const element: Property = { ...property, type: property.type === 'maps' ? 'map' : 'string' };
    return Array.from({ length: Math.max(old.length, now.length) }).flatMap((_, index) =>
      elementDiff(element, `${path}[${index}]`, old[index], now[index], resource),
    );
  }
  if (property.type === 'map' && isPropertyMap(old) && isPropertyMap(now)) {
    const [before, after] = [new Map(entries(old)), new Map(entries(now))];
    const element: Property = { ...property, type: 'string' };
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
      elementDiff(element, joinPath(path, key), before.get(key), after.get(key), resource),
    );
  }
  return [[path, 'update']];
}

/** The difference of an element of a list or map. */
function elementDiff(
  element: Property,
  path: string,
  old: PropertyValue | undefined,
  now: PropertyValue | undefined,
  resource: PropertyMap,
): [string, Kind][] {
  if (old === undefined) return [[path, 'add']];
  if (now === undefined) return [[path, 'delete']];
  return sameValue(element, old, now, resource) ? [] : [[path, 'update']];
}

function setDiffs(
  property: Property,
  path: string,
  old: PropertyValue[],
  now: PropertyValue[],
  resource: PropertyMap,
): [string, Kind][] {
  const text = (element: PropertyValue) => canonicalText({ ...property, type: 'string' }, element, resource);
  const before = new Set(old.map(text));
  const after = new Set(now.map(text));
  const kinds = new Map<string, Kind>();
  old.forEach((element, index) => {
    if (!after.has(text(element))) kinds.set(`${path}[${index}]`, 'delete');
  });
  now.forEach((element, index) => {
    const at = `${path}[${index}]`;
    if (!before.has(text(element))) kinds.set(at, kinds.has(at) ? 'update' : 'add');
  });
  return [...kinds];
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
