import type { Verdict } from './decision.ts';
import type { Proof } from './prover.ts';

/** Relations that are disagreements. */
export const failures: ReadonlySet<string> = new Set([
  'we miss a witness',
  'we see what is proved not to be',
]);

/** How the project's decision and a proof go together. Unknown where a proof exists is safe, and only counted. */
export function relation(ours: Verdict, proof: Proof): string {
  if (proof === 'timeout') return 'not proved in time';
  const isThere = proof !== 'none';
  if (ours === 'unknown') return isThere ? 'unknown, and there is one' : 'unknown, and there is none';
  if (ours === (isThere ? 'some' : 'none')) return 'the same';
  // An unconfirmed witness proves nothing.
  return proof === 'some?'
    ? 'not confirmed'
    : isThere
      ? 'we miss a witness'
      : 'we see what is proved not to be';
}
