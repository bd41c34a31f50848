import { GatehouseError } from '../../core/model/values/errors.ts';
import { alarm, noticeOf } from '../../web/pages/content.ts';
import { field } from '../../web/pages/field.ts';
import { type Content, html } from '../../web/pages/html.ts';
import type { PageAnswer } from '../../web/pages/site.ts';
import { readForm, Visits, type Visit as WebVisit } from '../../web/pages/visits.ts';
import type { Caller } from '../platform/callers.ts';
import type { RouteRequest } from '../route.ts';
import { type Answering, idOf, runsPath, site } from './page.ts';

export interface DoorArgs {
  /**
   * The person whose token of the secrets service this is; undefined if it is not valid. Called for every page, so it
   * should cache its answers for a moment.
   *
   * @throws GatehouseError if the service cannot be asked
   */
  whoami(token: string, options: { isFresh: boolean }): Promise<Caller | undefined>;
  /** Whether browsers reach the pages over TLS. */
  secure: boolean;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: () => number;
}

export const signInPath = '/ui/sign-in';

export const notHere = site.problem(
  'Page not found',
  'There is no such page, or what it showed no longer exists.',
  404,
);
const notAllowed = site.problem(
  'Not allowed',
  'Your policies let you look at runs, but not change them.',
  403,
);
const unreachable = 'The secrets service, which knows who you are, does not answer. Try again in a moment.';

/** Signs people in with a token of the secrets service, which the session keeps. */
export class Door {
  readonly #args: DoorArgs & { now: () => number };
  readonly #visits: Visits<string>;

  constructor(args: DoorArgs) {
    this.#args = { now: Date.now, ...args };
    this.#visits = new Visits({ site, secure: args.secure, cookie: 'gatehouse-run-tasks' });
  }

  /** Shows a page to people who are signed in, and the sign-in page to everyone else. */
  async show(request: RouteRequest, path: string, answer: Answering): Promise<PageAnswer> {
    const query = request.query.size === 0 ? '' : `?${request.query}`;
    const to = ownPath(path.replace(':id', idOf(request)) + query);
    return await this.#visit(request, (browser) => this.#admit(request, browser, { to }, answer));
  }

  /**
   * Takes a form.
   *
   * @param needs who may: people who may act, or everyone, where the action itself checks who may do it
   */
  async act(
    request: RouteRequest,
    answer: Answering,
    needs: 'acting' | 'reading' = 'acting',
  ): Promise<PageAnswer> {
    const acting: Answering = async (visit) =>
      visit.person.mayAct || needs === 'reading' ? await answer(visit) : notAllowed;
    return await this.#visit(
      request,
      (browser) => this.#admit(request, browser, { notice: 'ended' }, acting, true),
      formOf(request),
    );
  }

  async signInPage(request: RouteRequest): Promise<PageAnswer> {
    const notice = noticeOf(notices, request.query);
    return await this.#visit(request, async (browser) =>
      signInForm(browser, request.query.get('to'), notice),
    );
  }

  async signIn(request: RouteRequest): Promise<PageAnswer> {
    const form = formOf(request);
    const signIn = async (browser: WebVisit<string>) => {
      const token = (form.get('token') ?? '').trim();
      const to = form.get('to');
      // It becomes the value of a header.
      const isToken = /^[\x21-\x7e]{1,8192}$/.test(token);
      const person = isToken ? await this.#ask(token) : undefined;
      if (person === 'unreachable') return signInForm(browser, to, alarm(unreachable), 503);
      if (person === undefined) {
        return signInForm(browser, to, alarm('The secrets service does not know this token.'), 403);
      }
      browser.signIn(token);
      return site.seeOther(ownPath(to));
    };
    return await this.#visit(request, signIn, form);
  }

  async signOut(request: RouteRequest): Promise<PageAnswer> {
    const signOut = async (browser: WebVisit<string>) => {
      browser.signOut();
      return site.seeOther(`${signInPath}?notice=signed-out`);
    };
    return await this.#visit(request, signOut, formOf(request));
  }

  async #visit(
    { headers }: RouteRequest,
    work: (browser: WebVisit<string>) => Promise<PageAnswer>,
    form?: URLSearchParams,
  ): Promise<PageAnswer> {
    const now = BigInt(this.#args.now()) * 1_000_000n;
    return await this.#visits.answer({ cookies: headers.cookie, now, ...(form && { form }) }, work);
  }

  async #admit(
    request: RouteRequest,
    browser: WebVisit<string>,
    signInQuery: Record<string, string>,
    answer: Answering,
    isFresh = false,
  ): Promise<PageAnswer> {
    const { person: token, formToken } = browser;
    const person = token === undefined ? undefined : await this.#ask(token, isFresh);
    if (person === 'unreachable') return site.problem('Secrets service unreachable', unreachable, 503);
    if (person !== undefined) {
      const who = html`<span class="quiet">${person.name}</span>`;
      return (await answer({ request, person, who, formToken })) ?? notHere;
    }
    if (token !== undefined) browser.signOut();
    const query = { ...(token !== undefined && { notice: 'ended' }), ...signInQuery };
    return site.seeOther(`${signInPath}?${new URLSearchParams(query)}`);
  }

  /** @param isFresh whether the service must be asked now: what a person decides stays decided */
  async #ask(token: string, isFresh = false): Promise<Caller | undefined | 'unreachable'> {
    try {
      return await this.#args.whoami(token, { isFresh });
    } catch (error) {
      if (error instanceof GatehouseError) return 'unreachable';
      throw error;
    }
  }
}

/** The fields of a form. Any other body has none, and so no form token. */
function formOf({ headers, body }: RouteRequest): URLSearchParams {
  return readForm(body, headers['content-type']) ?? new URLSearchParams();
}

/** A path of these pages, to go to after the sign-in; for anything else the first page. */
function ownPath(given: string | null): string {
  return given !== null && /^\/ui\/(?:runs|deliveries)(?:\/[\w-]+)?(?:\?[\w=&%.+-]*)?$/.test(given)
    ? given
    : runsPath;
}

const notices = {
  'signed-out': 'You are signed out here. Your token is still valid until it expires.',
  ended: 'Your session has ended because your token is no longer valid. Sign in again.',
};

function signInForm(
  { formToken }: WebVisit<string>,
  to: string | null,
  notice: Content,
  status = 200,
): PageAnswer {
  const body = html`<div class="narrow work">
${notice}
<form method="post" action="${signInPath}" class="fields">
${formToken}<input type="hidden" name="to" value="${ownPath(to)}">
${field({
  name: 'token',
  label: 'Token',
  hint: html`A token of the secrets service. <code>gatehouse login --role …</code> prints one.`,
  control: { type: 'password', required: true, autocomplete: 'off', spellcheck: 'false' },
})}
<div class="buttons"><button class="primary">Sign in</button></div>
</form>
</div>`;
  const lead = html`<p>To the runs and deliveries of this platform.</p>`;
  return site.answer({ title: 'Sign in', lead, body }, status);
}
