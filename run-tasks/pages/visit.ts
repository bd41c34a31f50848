import type { SafeHtml } from '../../web/pages/html.ts';
import type { RouteAnswer, RouteRequest } from '../route.ts';
import type { Person } from './views.ts';

/** A request of somebody who is signed in, and what its page has to work with. */
export interface Visit {
  request: RouteRequest;
  person: Person;
  /** The hidden field that every form has. */
  formToken: SafeHtml;
}

/** What a page answers; undefined where what it is about is not there. */
export type Answering = (visit: Visit) => Promise<RouteAnswer | undefined>;

/** Of what the page is about, as its path says. */
export function idOf({ params }: RouteRequest): string {
  return params['id'] ?? '';
}
