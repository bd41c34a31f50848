import { createHash } from 'node:crypto';
import Sequencer from '@jest/test-sequencer';

/**
 * For a clean checkout: what takes long, the longest first, of `npm run test:long` and of `npm test`. One that is begun last has a
 * worker for itself, and the others stand still.
 */
const longest = [
  'packages/bench/test/benches.long.weekly.test.ts',
  'test/package/install.long.weekly.test.ts',
  'packages/engine/test/local/killed-up.long.weekly.test.ts',
  'packages/core/test/prover/faults.weekly.test.ts',
  'packages/core/test/review/large-plans.long.test.ts',
  'packages/engine/test/differential/random-programs.long.test.ts',
  'test/package/new.long.weekly.test.ts',
  'packages/run-tasks/test/integrator/killed-integrator.long.weekly.test.ts',
  'packages/cli/test/dev/dev-command.long.test.ts',
  'packages/cli/test/statement/signed-review.both.test.ts',
  'packages/cli/test/serve/platform-work.both.test.ts',
  'packages/cli/test/serve/deploying-token.both.test.ts',
  'packages/cli/test/serve/unreviewed-plan.both.test.ts',
  'packages/cli/test/terminal/each-stack.both.test.ts',
  'packages/cli/test/deployment/check-plan.both.test.ts',
  'packages/cli/test/drift/drift-changes.openbao.both.test.ts',
  'packages/engine/test/local/local-engine.test.ts',
  'packages/run-tasks/test/integrator/integrator.both.test.ts',
  'packages/engine/test/plugins/vault/made-anew.openbao.both.test.ts',
  'packages/run-tasks/test/platform/killed-platform.both.test.ts',
  'packages/run-tasks/test/platform/platform.both.test.ts',
  'packages/core/test/review/reports/reports.test.ts',
  'packages/cli/test/serve/planning.both.test.ts',
  'test/security/gate.both.test.ts',
  'test/docs/deploying-token.both.test.ts',
  'packages/ci/test/github.test.ts',
  'test/stacks/declarations.openbao.both.test.ts',
  'test/security/exceptions.test.ts',
  'packages/core/test/access/questions/change.both.test.ts',
  'packages/cli/test/serve/serve-watch.long.weekly.test.ts',
  'packages/pulumi-package/test/plugin.test.ts',
  'packages/ci/test/drift.test.ts',
  'packages/cli/test/serve/review-run-task.test.ts',
];

/** Of `npm test -- --shuffle`. */
const seed = process.env['GATEHOUSE_SHUFFLE'];

/** Jest's own order is that of the last run's times, and where it has none, that of the files' sizes. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    if (seed !== undefined) return tests.toSorted((a, b) => (shuffled(a) < shuffled(b) ? -1 : 1));
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const placeOf = ({ path }) => {
      const place = longest.findIndex((file) => path.endsWith(file));
      return place < 0 ? longest.length : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function shuffled({ path, context }) {
  const file = path.slice(context.config.rootDir.length);
  return createHash('sha256').update(`${seed} ${file}`).digest('hex');
}
