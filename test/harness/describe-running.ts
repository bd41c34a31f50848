import { afterAll, beforeAll, describe } from '@jest/globals';

interface Started<Running> {
  start: () => Promise<Running>;
  /** Why it cannot be had on this machine; undefined where it can. */
  unavailable?: string | undefined;
  /** Milliseconds that starting it and stopping it may take. Defaults to jest's own. */
  patienceMs?: number;
}

/**
 * A `describe` with something that runs for its tests, started before the first and stopped after the last; `running` answers
 * it and may be called inside tests and hooks only. Where it cannot be had, the tests are skipped by their names.
 */
export function describeRunning<Running extends { close(): unknown }>(
  name: string,
  { start, unavailable, patienceMs }: Started<Running>,
  tests: (running: () => Running) => void,
): void {
  const block = unavailable === undefined ? describe : describe.skip;
  block(name, () => {
    let running: Running | undefined;
    beforeAll(async () => {
      running = await start();
    }, patienceMs);
    tests(() => {
      if (running === undefined) throw new Error('it runs only while the tests of this block do');
      return running;
    });
    // Hooks run in this order: what the tests have opened on it is closed before.
    afterAll(async () => {
      await running?.close();
    }, patienceMs);
  });
}
