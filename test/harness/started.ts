import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

interface Closable {
  close(): unknown;
}

/** What runs now, the latest last: it is closed before what it was started on. */
const running: (Closable | undefined)[] = [];

/**
 * What the tests of a block work with: started before the first, closed after the last. The function that it answers
 * gives it, and may be called inside tests and hooks only.
 *
 * @param patienceMs how long it may take to start, and to close. Defaults to jest's own.
 */
export function started<Running extends Closable>(
  start: () => Running | Promise<Running>,
  patienceMs?: number,
): () => Running {
  return startedBy(beforeAll, afterAll, start, patienceMs);
}

/** The same, for each test anew. */
export function startedForEach<Running extends Closable>(
  start: () => Running | Promise<Running>,
  patienceMs?: number,
): () => Running {
  return startedBy(beforeEach, afterEach, start, patienceMs);
}

function startedBy<Running extends Closable>(
  before: typeof beforeAll,
  after: typeof afterAll,
  start: () => Running | Promise<Running>,
  patienceMs?: number,
): () => Running {
  let current: Running | undefined;
  let hasStarted = false;
  before(async () => {
    current = undefined;
    hasStarted = true;
    const place = running.push(undefined) - 1;
    running[place] = current = await start();
  }, patienceMs);
  // Hooks of a block run in the order in which they were made, so each closes the latest instead of its own.
  after(async () => {
    // Jest leaves out the hooks that come after one that failed, and runs those that close all the same.
    if (!hasStarted) return;
    hasStarted = false;
    await running.pop()?.close();
  }, patienceMs);
  return () => {
    if (current === undefined) throw new Error('it runs only while the tests of this block do');
    return current;
  };
}
