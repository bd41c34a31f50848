import { type Content, html, type SafeHtml } from '../../../web/pages/html.ts';
import { layout, type PageArgs } from '../../../web/pages/layout.ts';
import type { SignedInVisit } from './visit.ts';

export const root = '/ui/';
export const assets = '/ui/assets';

const site = { home: root, assets, name: 'Secrets service' };

type Framed = Pick<PageArgs, 'title' | 'lead' | 'body' | 'above' | 'current' | 'head'>;

/** A page for anyone. */
export function openPage(page: Framed): SafeHtml {
  return layout({ ...page, site });
}

/** A page for who is signed in. */
export function signedInPage({ session, formToken }: SignedInVisit, page: Framed): SafeHtml {
  return layout({
    ...page,
    site,
    navigation: [
      { href: root, text: 'You' },
      { href: '/ui/messages', text: 'Messages' },
    ],
    account: html`${session.namespace !== '' && html`<span class="quiet">Namespace <span class="id">${session.namespace}</span></span>`}
<form method="post" action="/ui/sign-out">${formToken}<button class="plain">Sign out</button></form>`,
  });
}

/** A page that says why there is no other. */
export function problemPage(title: string, explanation: Content): SafeHtml {
  return openPage({
    title,
    body: html`<div class="narrow"><p role="alert">${explanation}</p><p><a href="${root}">To the first page</a></p></div>`,
  });
}

const notices = {
  'signed-out': 'You are signed out, and your token is revoked.',
  'signed-out-only':
    'You are signed out here. Your token could not be revoked: it stays good until it ends by itself.',
  ended: 'Your session is over, because your token is no longer good. Sign in again.',
  renewed: 'Your token is renewed.',
  created: 'The message is created.',
  saved: 'The message is saved.',
  deleted: 'The message is deleted.',
} as const;

export type Notice = keyof typeof notices;

/** What was just done, as the page before said in the query (`?notice=saved`). */
export function noticeOf(query: URLSearchParams): Content {
  const given = query.get('notice') ?? '';
  if (!Object.hasOwn(notices, given)) return undefined;
  return html`<div class="notice" role="status"><p>${notices[given as Notice]}</p></div>`;
}

/** A whole alert, for what concerns more than one field. */
export function alarm(content: Content): SafeHtml {
  return html`<div class="notice alarm" role="alert"><p>${content}</p></div>`;
}
