import { createHash } from 'node:crypto';
import Sequencer from '@jest/test-sequencer';

/** What takes minutes, the longest first. One that is begun last has a worker for itself, and the others stand still. */
const longest = [
  'packages/bench/test/benches.long.test.ts',
  'test/package/install.long.test.ts',
  'packages/engine/test/local/killed-up.long.test.ts',
  'packages/core/test/prover/faults.long.test.ts',
  'packages/core/test/review/large-plans.long.test.ts',
  'packages/engine/test/differential/random-programs.long.test.ts',
  'test/package/new.long.test.ts',
  'packages/run-tasks/test/integrator/killed-integrator.both.test.ts',
  'packages/cli/test/dev/dev-command.long.test.ts',
];

/** Of `npm test -- --shuffle`. */
const seed = process.env['GATEHOUSE_SHUFFLE'];

/** Jest's own order is that of the last run, and on a clean checkout that of the files' sizes. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => {
      const place = longest.findIndex((file) => path.endsWith(file));
      return place < 0 ? longest.length : place;
    };
    if (seed !== undefined) return tests.toSorted((a, b) => (shuffled(a) < shuffled(b) ? -1 : 1));
    return super.sort(tests).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function shuffled({ path, context }) {
  const file = path.slice(context.config.rootDir.length);
  return createHash('sha256').update(`${seed} ${file}`).digest('hex');
}
