import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const mostAtOnce = 64;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * For work where a call costs more than an item, such as a statement of the database: an item that comes alone is done
 * at once, and those that come meanwhile share the next call.
 *
 * @param work does all items or none; its results are in their order
 * @param pauseMs milliseconds from the start of one call to the start of the next, for items that no one waits for
 * @returns does one item, and throws what the work throws for this item alone
 */
export function grouped<Item, Result = void>(
  work: (items: Item[]) => Promise<Result[]>,
  pauseMs = 0,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isWorking = false;
  let last = Number.NEGATIVE_INFINITY;

  const doTogether = async (group: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      // Find out which one it was, and do the others.
      await Promise.all(group.map((one) => doTogether([one])));
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
  const places = (row: readonly unknown[], at: number) =>
    row.map((_, column) => {
      const type = types[column];
      return `$${at * row.length + column + 1}${type === undefined ? '' : `::${type}`}`;
    });
  return rows.map((row, at) => `(${places(row, at).join(', ')})`).join(', ');
}
