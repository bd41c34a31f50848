// For lists of any length: a call takes only so many arguments, and `push(...list)` crashes with one list too long.

/** Adds items at the end of a list. */
export function addAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** The largest of some numbers, and of `least`. */
export function largestOf(numbers: Iterable<number>, least = Number.NEGATIVE_INFINITY): number {
  let largest = least;
  for (const number of numbers) largest = Math.max(largest, number);
  return largest;
}

/** The smallest of some numbers, and of `most`. */
export function smallestOf(numbers: Iterable<number>, most = Number.POSITIVE_INFINITY): number {
  let smallest = most;
  for (const number of numbers) smallest = Math.min(smallest, number);
  return smallest;
}
