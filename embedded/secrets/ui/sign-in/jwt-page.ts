import { type PageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { root } from '../frame.ts';
import type { Page, Visit } from '../visit.ts';
import { refusalOfMethod } from './refusal-of-method.ts';
import { signIn } from './sign-in-page.ts';
import { tidyMethod, tidyNamespace } from './tidy.ts';

/** Signing in with a JWT (interface.md B-1). */
export const jwtPage: Page<Visit> = { pattern: /^sign-in\/jwt$/, post };

async function post(visit: Visit): Promise<PageAnswer> {
  const { form } = visit.request;
  const value = (name: string) => (form.get(name) ?? '').trim();
  const namespace = tidyNamespace(value('namespace'));
  const [method, role] = [tidyMethod(value('method')), value('role')];
  try {
    const { auth } = await visit.askAs({ namespace })({
      operation: 'update',
      path: `auth/${method}/login`,
      body: { jwt: value('jwt'), ...(role === '' ? {} : { role }) },
    });
    // Other methods that one could name here have a login of another kind.
    if (typeof auth?.['client_token'] !== 'string') throw new Refusal(400, 'the method takes no JWT');
    visit.signIn({ token: auth['client_token'], namespace });
    return seeOther(root);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const tried = { way: 'jwt' as const, method, role };
    return signIn(visit, namespace, { status: error.status, text: refusalOfMethod(error, method), tried });
  }
}
