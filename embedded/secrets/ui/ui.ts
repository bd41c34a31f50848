import { findAsset } from '../../../web/pages/asset.ts';
import { BrowserCookie } from '../../../web/pages/browser-cookie.ts';
import { html } from '../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer, seeOther } from '../../../web/pages/page-answer.ts';
import { newBrowserId, Sessions } from '../../../web/pages/sessions.ts';
import type { HttpRequest } from '../protocol/read-request.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SecretsService } from '../service/service.ts';
import { signOutPage } from './account/sign-out-page.ts';
import { tokenPages } from './account/token-pages.ts';
import { youPage } from './account/you-page.ts';
import { type Caller, createAsk, isTokenRefused, refusalText } from './ask.ts';
import { problemPage } from './frame.ts';
import { deleteMessagePage } from './messages/delete-message-page.ts';
import { messagePages } from './messages/message-pages.ts';
import { messagesPage } from './messages/messages-page.ts';
import { type PageRequest, readPageRequest } from './page-request.ts';
import { jwtPage } from './sign-in/jwt-page.ts';
import { oidcPages } from './sign-in/oidc-pages.ts';
import { signInPage } from './sign-in/sign-in-page.ts';
import { tokenPage } from './sign-in/token-page.ts';
import type { Page, SignedInVisit, Visit } from './visit.ts';

const openPages: Page<Visit>[] = [signInPage, ...oidcPages, jwtPage, tokenPage];
const signedInPages: Page<SignedInVisit>[] = [
  youPage,
  signOutPage,
  ...tokenPages,
  messagesPage,
  deleteMessagePage,
  ...messagePages,
];

export interface UiArgs {
  service: SecretsService;
  /** The clock, in nanoseconds since 1970. */
  now: () => bigint;
  /** Whether the service is reached over TLS. */
  secure: boolean;
}

/** The service's pages, below `/ui/`. */
export class Ui {
  readonly #service: SecretsService;
  readonly #now: () => bigint;
  readonly #secure: boolean;
  readonly #sessions = new Sessions<Required<Caller>>();
  readonly #cookie: BrowserCookie;

  constructor({ service, now, secure }: UiArgs) {
    this.#service = service;
    this.#now = now;
    this.#secure = secure;
    this.#cookie = new BrowserCookie({ secure, path: '/ui' });
  }

  async answer(given: HttpRequest): Promise<PageAnswer> {
    try {
      const request = readPageRequest(given, this.#secure);
      const asset = findAsset(/^assets\/([^/]+)$/.exec(request.path)?.[1] ?? '');
      if (asset !== undefined) return { status: 200, headers: asset.headers, body: asset.body };
      return await this.#page(request);
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  async #page(request: PageRequest): Promise<PageAnswer> {
    const now = this.#now();
    const sent = this.#cookie.read(request.cookies);
    let browser = sent ?? newBrowserId();
    const session = this.#sessions.find(browser, now);
    if (request.method === 'POST' && !this.#isOwnForm(sent, request)) return foreignForm;

    const visit: Visit = {
      request,
      now,
      formToken: html`<input type="hidden" name="form_token" value="${this.#cookie.formToken(browser)}">`,
      clientNonce: this.#cookie.clientNonce(browser),
      askAs: (caller) => createAsk(this.#service, caller, request.remoteAddress),
      signIn: (caller) => {
        this.#sessions.close(browser);
        browser = this.#sessions.open(caller, now);
      },
      signOut: () => {
        this.#sessions.close(browser);
        browser = newBrowserId();
      },
    };
    const answer = await this.#answerOf(
      visit,
      session === undefined ? undefined : { ...visit, session, ask: visit.askAs(session) },
    );
    if (browser === sent) return answer;
    return { ...answer, headers: { ...answer.headers, 'set-cookie': this.#cookie.header(browser) } };
  }

  #isOwnForm(browser: string | undefined, { form }: PageRequest): boolean {
    return browser !== undefined && this.#cookie.isFormToken(browser, form.get('form_token') ?? '');
  }

  async #answerOf(visit: Visit, signedIn: SignedInVisit | undefined): Promise<PageAnswer> {
    const found = answerFrom(openPages, visit);
    if (found !== undefined) return found();
    if (signedIn === undefined) {
      // Whether the page exists is for who is signed in.
      return seeOther('/ui/sign-in');
    }
    try {
      const answer = answerFrom(signedInPages, signedIn);
      if (answer === undefined) throw new Refusal(404);
      return await answer();
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      visit.signOut();
      return seeOther('/ui/sign-in?notice=ended');
    }
  }
}

/** The answer of the page that a request is for. */
function answerFrom<Of extends Visit>(
  pages: Page<Of>[],
  visit: Of,
): (() => Promise<PageAnswer> | PageAnswer) | undefined {
  for (const { pattern, get, post } of pages) {
    const match = pattern.exec(visit.request.path);
    const answer = visit.request.method === 'POST' ? post : get;
    if (match === null) continue;
    if (answer === undefined) throw new Refusal(405);
    return () => answer(visit, { ...match.groups });
  }
  return undefined;
}

const titles: Record<number, [title: string, explanation: string]> = {
  403: ['Not allowed', 'Your policies do not allow this.'],
  404: ['Not here', 'There is no such page, or what it was about is gone.'],
  405: ['Not here', 'This page does not do that.'],
  413: ['Too large', 'The form holds more than the service takes.'],
  415: ['Not a form', 'The service takes forms from its own pages only.'],
};

function refused(refusal: Refusal): PageAnswer {
  const [title, explanation] = titles[refusal.status] ?? ['Not done', refusalText(refusal)];
  return pageAnswer(problemPage(title, explanation), refusal.status);
}

const foreignForm = pageAnswer(
  problemPage(
    'This form is out of date',
    'It is from before you signed in or out, or not from this site at all. Nothing was done. Open the page again.',
  ),
  403,
);
