import type { SafeHtml } from './html.ts';
import { pageHeaders } from './page-headers.ts';

/** What a browser is answered. */
export interface PageAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

export function pageAnswer(page: SafeHtml, status = 200): PageAnswer {
  return { status, headers: pageHeaders, body: page.markup };
}

/** Leads on to another page of the service, which is then asked for by GET. */
export function seeOther(path: string): PageAnswer {
  return { status: 303, headers: { ...pageHeaders, location: path }, body: '' };
}
