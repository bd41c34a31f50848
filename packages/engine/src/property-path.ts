import { jsonIn } from '@gatehouse/core/values';
import { isPropertyMap, type PropertyMap, type PropertyValue, Secret } from './property-value.ts';

/** A path to a property: keys and indexes; `*` is any of them. */
export type PropertyPath = (string | number)[];

/**
 * Reads a path: `a.b[0]["c.d"].*` (pulumi/pulumi `sdk/go/common/resource/property_path.go`).
 *
 * @returns undefined if it is not valid
 */
export function parsePropertyPath(text: string): PropertyPath | undefined {
  const whole = text.startsWith('[') ? text : `.${text}`;
  const parts = [...whole.matchAll(/\.([^.[\]]+)|\[(\*)\]|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy)];
  if (parts.map(([part]) => part).join('') !== whole) return undefined;
  const path = parts.map(([, name, any, index, quoted]) => {
    if (quoted !== undefined) return jsonIn(quoted) as string | undefined;
    return index === undefined ? (name ?? any) : Number(index);
  });
  return path.every((key) => key !== undefined) ? path : undefined;
}

/** Whether `outer` is `inner` or a prefix of it. */
export function pathContains(outer: PropertyPath, inner: PropertyPath): boolean {
  return outer.length <= inner.length && outer.every((key, index) => key === '*' || key === inner[index]);
}

/** Part of the path is missing on one side only. */
const missing = Symbol('missing');

/**
 * Copies `after` with the value at the path taken from `before` (`PropertyPath.Reset`).
 *
 * @returns undefined if part of the path is missing
 */
export function resetPath(
  before: PropertyMap,
  after: PropertyMap,
  path: PropertyPath,
): PropertyMap | undefined {
  const result = reset(before, after, path);
  return result === missing ? undefined : (result as PropertyMap);
}

function reset(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  path: PropertyPath,
): PropertyValue | undefined | typeof missing {
  const [key, ...rest] = path;
  if (key === undefined) return before;
  if (before === undefined && after === undefined) return undefined;
  if (after instanceof Secret) {
    const inner = reset(before instanceof Secret ? before.value : before, after.value, path);
    return inner === missing || inner === undefined ? inner : new Secret(inner);
  }
  const source = before instanceof Secret ? before.value : before;
  if (Array.isArray(after)) return resetList(Array.isArray(source) ? source : undefined, after, key, rest);
  if (!isPropertyMap(after) || typeof key !== 'string') return missing;
  return resetMap(isPropertyMap(source) ? source : undefined, after, key, rest);
}

function resetMap(
  before: PropertyMap | undefined,
  after: PropertyMap,
  key: string,
  rest: PropertyPath,
): PropertyMap | typeof missing {
  if (before === undefined) return missing;
  const copy: PropertyMap = { ...after };
  const keys = key === '*' ? new Set([...Object.keys(before), ...Object.keys(after)]) : [key];
  for (const name of keys) {
    const value = reset(before[name], after[name], rest);
    if (value === missing) return missing;
    if (value === undefined) delete copy[name];
    else copy[name] = value;
  }
  return copy;
}

function resetList(
  before: PropertyValue[] | undefined,
  after: PropertyValue[],
  key: string | number,
  rest: PropertyPath,
): PropertyValue[] | typeof missing {
  if (before === undefined) return missing;
  if (key === '*' && rest.length === 0) return before;
  const copy = [...after];
  const indexes = key === '*' ? after.keys() : [key];
  for (const index of indexes) {
    if (typeof index !== 'number') return missing;
    const value = reset(before[index], after[index], rest);
    if (value === missing || (value === undefined && index < after.length)) return missing;
    if (value !== undefined && index <= copy.length) copy[index] = value;
  }
  return copy;
}
