import { type Subject, subjectWithin } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';

/** Something that was tried, and its result. */
export interface CheckOutcome {
  subject: Subject;
  /** What was tried, for example `a sign-in`. */
  what: string;
  /** `unverified`: it could not be tried, or its result proves nothing. */
  outcome: 'ok' | 'failed' | 'unverified';
  /** The result, in words. */
  detail: string;
}

/** A check with the namespace that its subject is in. */
export function inNamespace(check: CheckOutcome, namespace: string): CheckOutcome {
  return { ...check, subject: subjectWithin(namespace, check.subject) };
}

/** Tries something. The detail is what `run` resolves with, or the message of its error. */
export async function attempt(
  subject: Subject,
  what: string,
  run: () => Promise<string>,
): Promise<CheckOutcome> {
  try {
    return { subject, what, outcome: 'ok', detail: await run() };
  } catch (error) {
    const detail = error instanceof GatehouseError ? error.parts.what : (error as Error).message;
    return { subject, what, outcome: 'failed', detail };
  }
}
