/**
 * Whether two values are the same data: numbers, texts, lists and objects, whatever the order of their keys. Answers as
 * `isDeepStrictEqual` of Node.js: a key with undefined is not a missing one, -0 is not 0, and objects without a prototype equal
 * only their like. Of any other kind (dates, maps), a value is equal to itself alone.
 *
 * Written here, as keys of a plan may have any name: of the common libraries, one passes over `_owner` where `$$typeof` is there,
 * one calls what is named `valueOf`, and all compare `constructor` by its identity.
 */
export function isEqualData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  const prototype = Object.getPrototypeOf(left);
  if (prototype !== Object.getPrototypeOf(right)) return false;
  if (Array.isArray(left)) return Array.isArray(right) && areEqualLists(left, right);
  return (prototype === Object.prototype || prototype === null) && areEqualObjects(left, right);
}

function areEqualLists(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (!isEqualData(left[at], right[at])) return false;
  return true;
}

function areEqualObjects(left: object, right: object): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  const [before, after] = [left as Record<string, unknown>, right as Record<string, unknown>];
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !isEqualData(before[key], after[key])) return false;
  }
  return true;
}
