import { isObject } from '../../graph/values/json.ts';

/**
 * A value of JSON made anew. Null and unset values stay.
 *
 * @param part what stands for a part of it; undefined to look into the part, and to keep it if it is a leaf
 * @param rename the name of an entry of a map; undefined to leave the entry out. Defaults to its own.
 */
export function rewritten(
  value: unknown,
  part: (value: unknown, path: readonly (string | number)[]) => unknown,
  rename: (name: string) => string | undefined = (name) => name,
  path: readonly (string | number)[] = [],
): unknown {
  if (value === null || value === undefined) return value;
  const replacement = part(value, path);
  if (replacement !== undefined) return replacement;
  if (Array.isArray(value)) return value.map((one, index) => rewritten(one, part, rename, [...path, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const renamed = rename(name);
      return renamed === undefined ? [] : [[renamed, rewritten(one, part, rename, [...path, name])]];
    }),
  );
}

/** Whether a value of JSON is something, or a part of it is. */
export function holds(value: unknown, is: (part: unknown) => boolean): boolean {
  if (is(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, is));
}
