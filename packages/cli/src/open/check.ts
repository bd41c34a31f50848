import { type Subject, subjectWithin } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';

/** One thing that was tried. */
export interface Check {
  subject: Subject;
  /** What was tried, for example `a sign-in`. */
  what: string;
  /** `unverified`: it could not be tried, or what came of it tells nothing. */
  outcome: 'ok' | 'failed' | 'unverified';
  /** What came of it, in words. */
  detail: string;
}

/** A check with the namespace that its subject is in. */
export function inNamespace(check: Check, namespace: string): Check {
  return { ...check, subject: subjectWithin(namespace, check.subject) };
}

/** Tries something; what it resolves with is the detail, what it throws the reason. */
export async function attempt(subject: Subject, what: string, run: () => Promise<string>): Promise<Check> {
  try {
    return { subject, what, outcome: 'ok', detail: await run() };
  } catch (error) {
    const detail = error instanceof GatehouseError ? error.parts.what : (error as Error).message;
    return { subject, what, outcome: 'failed', detail };
  }
}
