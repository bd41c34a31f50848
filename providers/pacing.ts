import { setImmediate } from 'node:timers/promises';
import type * as pulumi from '@pulumi/pulumi';

/** How many resources the SDK prepares in one turn of the event loop. */
const together = 32;

/**
 * Lets the SDK prepare resources a few at a time, so that it sends those meanwhile. Otherwise it prepares all of them as soon
 * as what they depend on is registered, and the engine waits for the first one until then (bench/README.md).
 *
 * @returns a function that makes one resource of many, at once; the others wait until the first is registered, or failed. `dependsOn`
 * holds no resource.
 */
export function pacing(): (make: (dependsOn: Promise<pulumi.Resource[]> | []) => pulumi.Resource) => void {
  let turn: Promise<pulumi.Resource[]> | undefined;
  let waiting = 0;
  return (make) => {
    if (turn === undefined) {
      const { promise } = make([]).urn as unknown as Settled;
      const others = () => [];
      // Where the first one fails, the others may still be wanted (`--continue-on-error`).
      turn = typeof promise === 'function' ? promise().then(others, others) : Promise.resolve([]);
      return;
    }
    if (waiting % together === 0) turn = turn.then(() => setImmediate([]));
    waiting += 1;
    make(turn);
  };
}

/** An output, with what its type hides: rejected if the registration fails. */
interface Settled {
  promise: (() => Promise<unknown>) | undefined;
}
