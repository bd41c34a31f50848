import type { SafeHtml } from '../../../web/pages/html.ts';
import type { PageAnswer } from '../../../web/pages/page-answer.ts';
import type { Ask, Caller } from './ask.ts';
import type { PageRequest } from './page-request.ts';

/** One request of a browser, and what its page has to work with. */
export interface Visit {
  request: PageRequest;
  /** The clock, in nanoseconds since 1970. */
  now: bigint;
  /** The hidden field that every form has. */
  formToken: SafeHtml;
  /** What a sign-in at a provider repeats at its end. */
  clientNonce: string;
  askAs(caller: Caller): Ask;
  /** Begins a session, under a new id. */
  signIn(caller: Required<Caller>): void;
  /** Ends the session, if there is one. */
  signOut(): void;
}

/** A request of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  session: Required<Caller>;
  /** With the session's token, in its namespace. */
  ask: Ask;
}

type Answering<Of extends Visit> = (
  visit: Of,
  parameters: Readonly<Record<string, string>>,
) => Promise<PageAnswer> | PageAnswer;

/** A page: what it answers to GET, and to its form. */
export interface Page<Of extends Visit> {
  /** Matches the path below `/ui/`; its named groups are the parameters. */
  pattern: RegExp;
  get?: Answering<Of>;
  post?: Answering<Of>;
}
