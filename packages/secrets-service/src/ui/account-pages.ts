import {
  alarm,
  type Content,
  facts,
  html,
  instantText,
  noticeOf,
  type PageAnswer,
  tags,
  timeLeft,
} from '@gatehouse/host';
import { RequestRefusal } from '../protocol/refusal.ts';
import { type Ask, allowed, isTokenRefused, refusalText } from './ask.ts';
import { type Page, root, type SignedInVisit, site } from './page.ts';
import { activeMessages, announcements } from './shown-messages.ts';

interface AccountToken {
  display_name: string;
  path: string;
  policies: string[];
  identity_policies?: string[];
  entity_id: string;
  meta: Record<string, string> | null;
  /** Seconds; 0 for a token that never expires. */
  ttl: number;
  expire_time: string | null;
  num_uses: number;
  renewable: boolean;
  type: string;
}

/** The signed-in person's page, actions on their token, and signing out. */
export const accountPages: Page<SignedInVisit>[] = [
  { pattern: /^$/, get: you },
  { pattern: /^token\/renew$/, post: renew },
  { pattern: /^token\/reveal$/, post: reveal },
  { pattern: /^sign-out$/, post: signOut },
];

const notices = { renewed: 'Your token is renewed.' };

async function you(visit: SignedInVisit): Promise<PageAnswer> {
  const { ask, request } = visit;
  const token = (await read(ask, 'auth/token/lookup-self')) as AccountToken | undefined;
  const messages = (await allowed(activeMessages(ask, true))) ?? [];
  const groups = token === undefined ? [] : visit.groupsOf(visit.namespace, token.entity_id);
  return site.answer({
    visit,
    title: token?.display_name || 'You',
    current: root,
    above: announcements(messages),
    // The script reloads the page itself.
    head: !!token?.ttl && html`<noscript><meta http-equiv="refresh" content="${token.ttl + 1}"></noscript>`,
    lead: html`<p>You are signed in.</p>`,
    body: html`${noticeOf(notices, request.query)}
${token === undefined ? html`<p>Your policies do not let you look up your own token.</p>` : tokenFacts(token, groups)}
<div class="buttons">
${
  token?.renewable === true &&
  html`<form method="post" action="/ui/token/renew">${visit.formToken}<button>Renew the token</button></form>`
}
<form method="post" action="/ui/token/reveal">${visit.formToken}<button>Show the token</button></form>
</div>`,
  });
}

async function read(ask: Ask, path: string): Promise<Record<string, unknown> | undefined> {
  return (await allowed(ask({ operation: 'read', path })))?.data;
}

function tokenFacts(token: AccountToken, groups: string[]): Content {
  const { role, ...meta } = token.meta ?? {};
  const policies = [...new Set([...token.policies, ...(token.identity_policies ?? [])])].sort();
  return facts([
    ['Signed in through', html`<span class="id">${token.path}</span>`],
    ['Role', role],
    ...Object.entries(meta),
    ['Policies', tags(policies)],
    ['Groups', groups.length === 0 ? html`<span class="quiet">none</span>` : tags(groups)],
    ['Token', life(token)],
    ['Uses left', token.num_uses > 0 && token.num_uses],
  ]);
}

function life({ ttl, expire_time: end, type, renewable }: AccountToken): Content {
  const kind = html`<span class="quiet">${type} token, ${renewable ? 'renewable' : 'not renewable'}</span>`;
  if (end === null) return html`never ends<br>${kind}`;
  return html`ends in <span class="countdown" data-seconds-left="${ttl}">${timeLeft(ttl)}</span>,
at ${instantText(end)}<br>${kind}`;
}

async function renew(visit: SignedInVisit): Promise<PageAnswer> {
  try {
    await visit.ask({ operation: 'update', path: 'auth/token/renew-self' });
    return site.seeOther(`${root}?notice=renewed`);
  } catch (error) {
    if (!(error instanceof RequestRefusal) || isTokenRefused(error)) throw error;
    const body = html`<div class="narrow work">${alarm(refusalText(error))}<p><a href="${root}">Back</a></p></div>`;
    return site.answer({ visit, title: 'Not renewed', body }, error.status);
  }
}

/** The only page that shows the token; it needs a POST. */
function reveal(visit: SignedInVisit): PageAnswer {
  return site.answer({
    visit,
    title: 'Your token',
    lead: html`<p>Anyone who has it can do all that you can, until it ends.</p>`,
    body: html`<div class="narrow work">
<div class="field"><label for="token">Token</label>
<output class="token" id="token">${visit.person.token}</output></div>
<p><a class="button" href="${root}">Done</a></p>
</div>`,
  });
}

async function signOut(visit: SignedInVisit): Promise<PageAnswer> {
  const isRevoked = await visit.ask({ operation: 'update', path: 'auth/token/revoke-self' }).then(
    () => true,
    (error: unknown) => {
      // Batch tokens cannot be revoked, and policies can forbid it.
      if (error instanceof RequestRefusal) return false;
      throw error;
    },
  );
  visit.signOut();
  return site.seeOther(`/ui/sign-in?notice=${isRevoked ? 'signed-out' : 'signed-out-only'}`);
}
