import { afterAll } from '@jest/globals';

/** What ran on both engines. */
export class Report {
  programs = 0;
  edits = 0;
  runs = 0;
  steps = 0;
  differences = 0;

  /** Notes a run on both engines. */
  ran(steps: number, differences: number): void {
    this.runs++;
    this.steps += steps;
    this.differences += differences;
  }
}

/** A report that is printed once the tests of a file ended. */
export function reported(name: string): Report {
  const report = new Report();
  afterAll(() => {
    const { programs, edits, runs, steps, differences } = report;
    process.stderr.write(
      `Real and local engine, ${name}: ${programs} programs, ${edits} edits, ${runs} runs, ${steps} steps, ${differences} differences\n`,
    );
  });
  return report;
}
