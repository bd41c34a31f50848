import type { Making } from './logged-request.ts';
import type { SignInDoubt } from './sign-in-doubt.ts';
import type { UsageReason } from './usage-reason.ts';

/** The policies of principals who sign in anew. */
export interface HeldPolicies {
  sure: string[];
  /** Policies that the log leaves open, each with what is missing. */
  maybe: { policy: string; missing: UsageReason }[];
  signIn?: DoubtedSignIn;
  /** How their token is made anew, where another token makes it; and whether that takes `sudo`. */
  making?: Making & { needsSudo: boolean };
}

/** Why principals cannot sign in any more, or why that is not known. `open`: nor is what they hold then. */
export interface DoubtedSignIn {
  answer: 'refused' | 'unknown' | 'open';
  doubt: SignInDoubt;
}

/** What a token has by itself, and what its making depends on. */
export interface OwnPolicies
  extends Pick<HeldPolicies, 'signIn' | 'making'>,
    Partial<Pick<HeldPolicies, 'maybe'>> {
  policies: readonly string[];
}

/** If more policies than that are open, their combinations are not tried. */
const mostOpen = 6;

/** All that principals may hold, by what is left open; what is missing where that is too much to try. */
export function possibleLists({ sure, maybe }: HeldPolicies): string[][] | UsageReason {
  if (maybe.length > mostOpen) return maybe[0]?.missing ?? { kind: 'held-policies' };
  return Array.from({ length: 2 ** maybe.length }, (_, chosen) => [
    ...sure,
    ...maybe.filter((_, at) => chosen & (1 << at)).map(({ policy }) => policy),
  ]);
}
