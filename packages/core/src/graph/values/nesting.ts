import { GatehouseError } from './errors.ts';

/** How deep lists and maps may lie in each other. What people write takes ten. */
export const deepestNesting = 200;

/**
 * Requires that a value can be walked: readers call themselves for each level, and JSON allows any number of these.
 *
 * @param what what holds the value, in words
 * @throws GatehouseError `nested_too_deep`; it holds nothing of the value
 */
export function requireShallow(value: unknown, what: string): void {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepestNesting) {
      throw new GatehouseError('nested_too_deep', {
        given: `more than ${deepestNesting} levels`,
        allowed: `at most ${deepestNesting} levels`,
        values: { document: what },
      });
    }
    level = level.flatMap((container) => Object.values(container).filter(isNested));
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
