import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const mostAtOnce = 64;

interface WaitingItem<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Groups items for work where a call costs more than an item, such as a statement of the database: an item that comes
 * alone is done at once, and items that come meanwhile share the next call.
 *
 * @param work does all items or none; its results are in their order
 * @param pauseMs milliseconds from the start of one call to the start of the next, for items that no one waits for
 * @returns a function that does one item, and throws what the work throws for this item alone
 */
export function grouped<Item, Result = void>(
  work: (items: Item[]) => Promise<Result[]>,
  pauseMs = 0,
): (item: Item) => Promise<Result> {
  const waiting: WaitingItem<Item, Result>[] = [];
  let isWorking = false;
  let last = Number.NEGATIVE_INFINITY;

  const doTogether = async (group: WaitingItem<Item, Result>[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      // Each item is tried alone, so that only the item at fault fails.
      await Promise.all(group.map((entry) => doTogether([entry])));
    }
  };
  const workOff = async () => {
    isWorking = true;
    while (waiting.length > 0) {
      const pause = last + pauseMs - performance.now();
      if (pause > 0) await sleep(pause);
      // PGlite blocks this thread for a whole statement: first read what has arrived on the sockets.
      else await setImmediate();
      last = performance.now();
      await doTogether(waiting.splice(0, mostAtOnce));
    }
    isWorking = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWorking) void workOff();
    });
}

/** `($1::uuid, $2), ($3::uuid, $4)`; a type that is undefined is not stated. */
export function placeholders(
  rows: readonly unknown[][],
  types: readonly (string | undefined)[] = [],
): string {
  const places = (row: readonly unknown[], index: number) =>
    row.map((_, column) => {
      const type = types[column];
      return `$${index * row.length + column + 1}${type === undefined ? '' : `::${type}`}`;
    });
  return rows.map((row, index) => `(${places(row, index).join(', ')})`).join(', ');
}
