import { type PageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { Page, SignedInVisit } from '../visit.ts';

/** Ends the session, and the token with it. */
export const signOutPage: Page<SignedInVisit> = { pattern: /^sign-out$/, post };

async function post(visit: SignedInVisit): Promise<PageAnswer> {
  const isRevoked = await visit
    .ask({ operation: 'update', path: 'auth/token/revoke-self' })
    .then(() => true)
    .catch((error: unknown) => {
      // A batch token cannot be revoked; a policy may forbid it.
      if (error instanceof Refusal) return false;
      throw error;
    });
  visit.signOut();
  return seeOther(`/ui/sign-in?notice=${isRevoked ? 'signed-out' : 'signed-out-only'}`);
}
