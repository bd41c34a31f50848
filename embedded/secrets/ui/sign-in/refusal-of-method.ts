import type { Refusal } from '../../protocol/refusal.ts';
import { isTokenRefused, refusalText } from '../ask.ts';

/** Why an auth method lets nobody in. The service says no more of one that is not there than that it is denied. */
export function refusalOfMethod(refusal: Refusal, method: string): string {
  if (refusal.errors[0] === 'missing role') return 'The method has no default role: name one.';
  if (!isTokenRefused(refusal)) return refusalText(refusal);
  return `Denied: there is no auth method at auth/${method}, or it is not for your address.`;
}
