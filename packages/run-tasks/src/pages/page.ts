import {
  type Content,
  html,
  type PageAnswer,
  type PageArgs,
  readForm,
  type SafeHtml,
  Site,
} from '@gatehouse/host';
import type { Caller } from '../platform/callers.ts';
import type { RouteRequest } from '../route.ts';

export const signInPath = '/ui/sign-in';
/** Where a sign-in at the pages' own issuer begins, by POST. */
export const issuerSignInPath = '/ui/sign-in/issuer';
export const runsPath = '/ui/runs';
/** Where the deliveries are listed. */
export const deliveriesPath = '/ui/deliveries';
export const watchPath = '/ui/watch';
/** Runs or deliveries in a list. */
export const mostListed = 100;

/** The page of a watched stack. @param id `project/stack` */
export function watchedPath(id: string): string {
  return `${watchPath}/${encodeURIComponent(id)}`;
}

export const site = new Site({
  name: 'Run tasks',
  home: runsPath,
  navigation: [
    { href: runsPath, text: 'Runs' },
    { href: deliveriesPath, text: 'Deliveries' },
    { href: watchPath, text: 'Watch' },
  ],
  isLive: true,
});

/** A request of a person who is signed in. */
export interface PageVisit extends NonNullable<PageArgs['visit']> {
  request: RouteRequest;
  person: Caller;
}

/** Answers with a page; undefined if what it shows does not exist. */
export type Answering = (visit: PageVisit) => Promise<PageAnswer | undefined>;

export function idOf({ params }: RouteRequest): string {
  return params['id'] ?? '';
}

/** The fields of a form. Any other body has none, and so no form token. */
export function formOf({ headers, body }: RouteRequest): URLSearchParams {
  return readForm(body, headers['content-type']) ?? new URLSearchParams();
}

/** A button that acts by POST. */
export function action({ formToken }: PageVisit, path: string, button: Content, fields?: Content): SafeHtml {
  return html`<form method="post" action="${path}">${formToken}${fields}${button}</form>`;
}

/** Reloads a page that shows work in progress where scripts are off. */
export const reloading = html`<noscript><meta http-equiv="refresh" content="5"></noscript>`;
