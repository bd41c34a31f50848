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
  const [olds, nows] = [partsOf(path, old, property.type), partsOf(path, now, property.type)];
  if (olds === undefined || nows === undefined) return [[path, 'update']];
  const element: Property = { ...property, type: property.type === 'maps' ? 'map' : 'string' };
  /** Without what a set has on both sides, wherever it stands. */
  const own = (parts: typeof olds, against: typeof olds) => {
    if (property.type !== 'set') return new Map(parts);
    const text = (part: PropertyValue) => canonicalText(element, part, resource);
    const there = new Set(against.map(([, part]) => text(part)));
    return new Map(parts.filter(([, part]) => !there.has(text(part))));
  };
  const [before, after] = [own(olds, nows), own(nows, olds)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((at): [string, Kind][] => {
    const [was, is] = [before.get(at), after.get(at)];
    if (was === undefined) return [[at, 'add']];
    if (is === undefined) return [[at, 'delete']];
    return sameValue(element, was, is, resource) ? [] : [[at, 'update']];
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
