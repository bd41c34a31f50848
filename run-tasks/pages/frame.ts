import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { layout, type PageArgs } from '../../web/pages/layout.ts';
import { livePageHeaders } from '../../web/pages/page-headers.ts';
import type { RouteAnswer } from '../route.ts';
import type { Visit } from './visit.ts';

export const runsPath = '/ui/runs';
export const deliveriesPath = '/ui/deliveries';
export const signInPath = '/ui/sign-in';
export const assetsPath = '/ui/assets';

const site = { home: runsPath, assets: assetsPath, name: 'Run tasks' };

type Framed = Pick<PageArgs, 'title' | 'lead' | 'body' | 'current' | 'head'>;

/** A page for anyone. */
export function openPage(page: Framed): SafeHtml {
  return layout({ ...page, site });
}

/** A page for who is signed in. */
export function signedInPage(
  { person, formToken }: Pick<Visit, 'person' | 'formToken'>,
  page: Framed,
): SafeHtml {
  return layout({
    ...page,
    site,
    navigation: [
      { href: runsPath, text: 'Runs' },
      { href: deliveriesPath, text: 'Deliveries' },
    ],
    account: html`<span class="quiet">${person.name}</span>
<form method="post" action="/ui/sign-out">${formToken}<button class="plain">Sign out</button></form>`,
  });
}

/** A page that says why there is no other. */
export function problemPage(title: string, explanation: Content): SafeHtml {
  return openPage({
    title,
    body: html`<div class="narrow"><p role="alert">${explanation}</p><p><a href="${runsPath}">To the runs</a></p></div>`,
  });
}

export function pageAnswer(page: SafeHtml, status = 200): RouteAnswer {
  return { status, headers: { ...livePageHeaders }, body: page.markup };
}

/** Leads on to another page, which is then asked for by GET. */
export function seeOther(path: string): RouteAnswer {
  return { status: 303, headers: { ...livePageHeaders, location: path }, body: '' };
}

/** A whole alert. */
export function alarm(content: Content): SafeHtml {
  return html`<div class="notice alarm" role="alert"><p>${content}</p></div>`;
}

/** Without a script, a page that shows work in progress loads itself again. */
export const reloading = html`<noscript><meta http-equiv="refresh" content="5"></noscript>`;
