import { type PageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { isTokenRefused, refusalText } from '../ask.ts';
import { root } from '../frame.ts';
import type { Page, Visit } from '../visit.ts';
import { signIn } from './sign-in-page.ts';
import { tidyNamespace } from './tidy.ts';

/** Signing in with a token that one has. */
export const tokenPage: Page<Visit> = { pattern: /^sign-in\/token$/, post };

async function post(visit: Visit): Promise<PageAnswer> {
  const { form } = visit.request;
  const token = (form.get('token') ?? '').trim();
  const namespace = tidyNamespace(form.get('namespace') ?? '');
  const tried = { way: 'token' as const };
  try {
    await visit.askAs({ token, namespace })({ operation: 'read', path: 'auth/token/lookup-self' });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isTokenRefused(error) || error.status !== 403) {
      const text = isTokenRefused(error)
        ? 'The service knows no such token, or not for this address.'
        : refusalText(error);
      return signIn(visit, namespace, { status: error.status, text, tried });
    }
    // The token is good. It may only not look itself up.
  }
  visit.signIn({ token, namespace });
  return seeOther(root);
}
