import { appendFileSync } from 'node:fs';

/** One start of something real in a run of the tests: a line of the file that `GATEHOUSE_TEST_PARTS` names. */
export interface RealPart {
  kind: string;
  seconds: number;
}

/** Says how long a start of something real took, for the table at the end of `npm test` (scripts/test-times.ts). */
export function recordPart(kind: string, startedAt: number): void {
  const file = process.env['GATEHOUSE_TEST_PARTS'];
  if (file === undefined) return;
  const part: RealPart = { kind, seconds: (performance.now() - startedAt) / 1_000 };
  // A short line is appended whole, also where several workers write.
  appendFileSync(file, `${JSON.stringify(part)}\n`);
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
