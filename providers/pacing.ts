import { setImmediate } from 'node:timers/promises';
import type * as pulumi from '@pulumi/pulumi';

/** How many resources the SDK prepares in one turn of the event loop. */
const together = 32;

/**
 * Lets the SDK prepare resources a few at a time, so that it sends those meanwhile. Otherwise it prepares all of them as soon
 * as what they depend on is registered, and the engine waits for the first one until then (bench/README.md).
 *
 * @returns a function that makes one resource of many, at once; the others wait for the first to be registered. `dependsOn`
 * holds no resource.
 */
export function pacing(): (make: (dependsOn: Promise<pulumi.Resource[]> | []) => pulumi.Resource) => void {
  let turn: Promise<pulumi.Resource[]> | undefined;
  let waiting = 0;
  return (make) => {
    if (turn === undefined) {
      const first = make([]);
      turn = new Promise((resolve) => {
        first.urn.apply(() => resolve([]));
      });
      return;
    }
    if (waiting % together === 0) turn = turn.then(() => setImmediate([]));
    waiting += 1;
    make(turn);
  };
}
