import { type Content, html } from '../../../../web/pages/html.ts';
import { instantText } from '../../../../web/pages/instant-text.ts';
import { type PageAnswer, pageAnswer } from '../../../../web/pages/page-answer.ts';
import { timeLeft } from '../../../../web/pages/time-left.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { isTokenRefused } from '../ask.ts';
import { noticeOf, root, signedInPage } from '../frame.ts';
import { activeMessages, announcements } from '../shown-messages.ts';
import type { Page, SignedInVisit } from '../visit.ts';
import { groupsOf } from './groups.ts';

/** What a look-up of one's own token says, as far as it is shown. */
interface OwnToken {
  display_name: string;
  path: string;
  policies: string[];
  identity_policies?: string[];
  entity_id: string;
  meta: Record<string, string> | null;
  /** Seconds; 0 for a token that never ends. */
  ttl: number;
  expire_time: string | null;
  num_uses: number;
  renewable: boolean;
  type: string;
}

/** Who one is: policies, groups, how long the token lives; and what is announced to who is signed in. */
export const youPage: Page<SignedInVisit> = { pattern: /^$/, get };

async function get(visit: SignedInVisit): Promise<PageAnswer> {
  const { ask, request } = visit;
  const look = await allowed(ask({ operation: 'read', path: 'auth/token/lookup-self' }));
  const messages = (await allowed(activeMessages(ask, true))) ?? [];
  const token = look?.data as OwnToken | undefined;
  const groups = token === undefined ? [] : await groupsOf(ask, token.entity_id);
  const page = signedInPage(visit, {
    title: token?.display_name || 'You',
    current: root,
    above: announcements(messages),
    // Where a script runs, it does this itself.
    head: token?.ttl
      ? html`<noscript><meta http-equiv="refresh" content="${token.ttl + 1}"></noscript>`
      : undefined,
    lead: html`<p>You are signed in.</p>`,
    body: html`${noticeOf(request.query)}
${token === undefined ? html`<p>Your policies do not let you look up your own token.</p>` : facts(token, groups)}
<div class="buttons">
${
  token?.renewable === true &&
  html`<form method="post" action="/ui/token/renew">${visit.formToken}<button>Renew the token</button></form>`
}
<form method="post" action="/ui/token/reveal">${visit.formToken}<button>Show the token</button></form>
</div>`,
  });
  return pageAnswer(page);
}

/** What one may know; undefined where one's policies do not allow it. */
async function allowed<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && !isTokenRefused(error)) return undefined;
    throw error;
  }
}

function facts(token: OwnToken, groups: string[]): Content {
  const { role, ...meta } = token.meta ?? {};
  const policies = [...new Set([...token.policies, ...(token.identity_policies ?? [])])].sort();
  const rows: [string, Content][] = [
    ['Signed in through', html`<span class="id">${token.path}</span>`],
    ['Role', role],
    ...Object.entries(meta),
    ['Policies', tags(policies)],
    ['Groups', groups.length === 0 ? html`<span class="quiet">none</span>` : tags(groups)],
    ['Token', life(token)],
    ['Uses left', token.num_uses > 0 && token.num_uses],
  ];
  return html`<dl class="facts">${rows
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

function life({ ttl, expire_time: end, type, renewable }: OwnToken): Content {
  const kind = html`<span class="quiet">${type} token, ${renewable ? 'renewable' : 'not renewable'}</span>`;
  if (end === null) return html`never ends<br>${kind}`;
  return html`ends in <span class="countdown" data-seconds-left="${ttl}">${timeLeft(ttl)}</span>,
at ${instantText(end)}<br>${kind}`;
}

function tags(names: readonly string[]): Content {
  return html`<ul class="tags">${names.map((name) => html`<li>${name}</li>`)}</ul>`;
}
