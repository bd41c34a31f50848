import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { started } from '../../../../test/harness/started.ts';
import { program, registerThings, type Thing } from '../random-program.ts';
import { differences } from './comparison.ts';
import { Names } from './names.ts';
import { registering } from './program-host.ts';
import { reported } from './report.ts';
import { LocalSide, RealSide, type Verb } from './two-engines.ts';

describeWithPulumi('random programs on the real engine and the local one', 'newest', (home) => {
  const report = reported('random programs');
  const local = new LocalSide();
  /** Ids of plugin resources are made up. */
  let names: Names;
  const real = started(() => RealSide.start(home()));

  /** Runs the same on both. @returns what differs */
  async function onBoth(verb: Verb, things: (Thing | undefined)[], refresh = false): Promise<string[]> {
    const registered = registering((register) => {
      // One after the other: what the real engine does with those that come together is chance.
      let last: Promise<unknown> = Promise.resolve();
      return registerThings(things, (goal) => {
        const answer = last.then(() => register(goal));
        last = answer;
        return answer;
      });
    });
    const before = await real().resources();
    const theirs = await real().run(verb, registered, refresh);
    const ours = await local.run(verb, registered, refresh);
    const found = differences(theirs, ours, before, names);
    report.ran(theirs.result.steps.length, found.length);
    return found;
  }

  test('take the same steps, with the same calls, to the same state', async () => {
    const cases = fc.sample(fc.array(program, { minLength: 1, maxLength: 4 }), { numRuns: 20, seed: 20 });
    for (const programs of cases) {
      await real().forget();
      await local.forget();
      names = new Names({});
      const found: string[] = [];
      for (const things of programs) {
        if (found.length > 0) break;
        report.programs++;
        found.push(...(await onBoth('up', things)));
      }
      if (found.length > 0) console.error(JSON.stringify(programs), found);
      report.edits += programs.length - 1;
    }
    expect(report.differences).toBe(0);
  }, 900_000);
});
