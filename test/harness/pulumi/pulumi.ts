import { describeRunning } from '../describe-running.ts';
import { type CliAge, cli, whyNot } from './programs.ts';
import { type PulumiHome, startPulumiHome } from './pulumi-home.ts';

const unavailable = { newest: await whyNot(cli('newest')), oldest: await whyNot(cli('oldest')) };

/** A `describe` with a real Pulumi CLI for its tests; where it was not built, they are skipped by their names. */
export function describeWithPulumi(name: string, age: CliAge, tests: (home: () => PulumiHome) => void): void {
  const why = unavailable[age];
  if (why !== undefined) console.warn(`Tests with the real Pulumi CLI are skipped. ${why}`);
  describeRunning(name, { start: () => startPulumiHome(age), unavailable: why }, tests);
}
