import { appendFileSync } from 'node:fs';

/** A line of the file that `GATEHOUSE_TEST_PARTS` names: one start of something real in a run of the tests. */
export interface RealPart {
  kind: string;
  seconds: number;
}

/** A line of the same file: what a file of tests took of the processor, its processes included. */
export interface FileProcessor {
  file: string;
  processor: number;
}

/** Says how long a start of something real took, for the table at the end of `npm test` (scripts/test-times.ts). */
export function recordPart(kind: string, startedAt: number): void {
  record({ kind, seconds: (performance.now() - startedAt) / 1_000 });
}

export function record(line: RealPart | FileProcessor): void {
  const file = process.env['GATEHOUSE_TEST_PARTS'];
  if (file === undefined) return;
  // A short line is appended whole, also where several workers write.
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Starts something real, and says how long that took. */
export async function timedStart<Running>(
  kind: string,
  start: () => Running | Promise<Running>,
): Promise<Running> {
  const startedAt = performance.now();
  try {
    return await start();
  } finally {
    recordPart(kind, startedAt);
  }
}
