import { runPagesCallback } from '../../core/model/redirect-uris.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { noticeOf } from '../../web/pages/content.ts';
import { type Content, html } from '../../web/pages/html.ts';
import { leavePage, tidyMethod } from '../../web/pages/sign-in-forms.ts';
import type { PageAnswer } from '../../web/pages/site.ts';
import { Visits, type Visit as WebVisit } from '../../web/pages/visits.ts';
import type { Caller } from '../platform/callers.ts';
import type { RouteRequest } from '../route.ts';
import { type Answering, formOf, idOf, runsPath, signInPath, site } from './page.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import { reasonFor, type SignInProblem, signInPage } from './sign-in-page.ts';

export interface DoorArgs {
  /**
   * The person whose token of the secrets service this is; undefined if it is not valid. Called for every page, so it
   * should cache its answers for a moment.
   *
   * @throws GatehouseError if the service cannot be asked
   */
  whoami(token: string, options: { isFresh: boolean }): Promise<Caller | undefined>;
  /** Sign-ins by the auth methods of the secrets service. */
  providers: Pick<ProviderSignIn, keyof ProviderSignIn>;
  /** Whether browsers reach the pages over TLS. */
  secure: boolean;
  now?: () => number;
}

/** Who is signed in with a browser. */
interface Session {
  token: string;
  /** Whether it was got here: it is then revoked at the end. */
  isOwn: boolean;
}

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
const isUnreachable: SignInProblem = { status: 503, text: unreachable, at: 'page' };
const isNobody: SignInProblem = {
  ...{ status: 403, at: 'page' },
  text: 'You signed in, but the secrets service does not say who you are. The role has to give a policy that allows reading auth/token/lookup-self, such as default.',
};

/**
 * Signs people in at an auth method of the secrets service, or with a token that they have. The session keeps the token:
 * browsers never get it.
 */
export class Door {
  readonly #args: DoorArgs & { now: () => number };
  readonly #visits: Visits<Session>;

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
    return await this.#take(request, (browser) =>
      this.#admit(request, browser, { notice: 'ended' }, acting, true),
    );
  }

  async signInPage(request: RouteRequest): Promise<PageAnswer> {
    const notice = noticeOf(notices, request.query);
    return await this.#visit(request, (browser) =>
      this.#signInPage(browser, request.query.get('to'), { notice }),
    );
  }

  async signIn(request: RouteRequest): Promise<PageAnswer> {
    return await this.#take(request, async (browser, form) => {
      const to = form.get('to');
      const token = (form.get('token') ?? '').trim();
      // It becomes the value of a header.
      const isToken = /^[\x21-\x7e]{1,8192}$/.test(token);
      const person = isToken ? await this.#ask(token) : undefined;
      if (person === 'unreachable') return await this.#refuse(browser, to, isUnreachable);
      if (person === undefined) {
        const text = 'The secrets service does not know this token.';
        return await this.#refuse(browser, to, { status: 403, text, at: 'token' });
      }
      await this.#begin(browser, { token, isOwn: false });
      return site.seeOther(ownPath(to));
    });
  }

  async toProvider(request: RouteRequest): Promise<PageAnswer> {
    const { providers } = this.#args;
    return await this.#take(request, async (browser, form) => {
      const method = tidyMethod(form.get('method') ?? '');
      const role = (form.get('role') ?? '').trim();
      const to = ownPath(form.get('to'));
      const refuse = (problem: SignInProblem) => this.#refuse(browser, to, { ...problem, method, role });
      const wrong = wrongField(method, role);
      if (wrong !== undefined) return await refuse(wrong);
      try {
        const { clientNonce } = browser;
        const url = await providers.begin({ clientNonce, method, role, to });
        return leavePage(site, url.href);
      } catch (error) {
        return await refuse(reasonFor(error, method, providers.redirectUri));
      }
    });
  }

  /** Ends a sign-in at an identity provider, which has sent the browser back. */
  async fromProvider(request: RouteRequest): Promise<PageAnswer> {
    const { providers } = this.#args;
    return await this.#visit(request, async (browser) => {
      try {
        const { token, to } = await providers.finish(request.query, browser.clientNonce);
        const person = await this.#ask(token);
        if (person === 'unreachable' || person === undefined) {
          await this.#revoke(token);
          return await this.#refuse(browser, to, isNobody);
        }
        await this.#begin(browser, { token, isOwn: true });
        return site.seeOther(to);
      } catch (error) {
        return await this.#refuse(browser, null, reasonFor(error, '', providers.redirectUri));
      }
    });
  }

  /** Takes an answer that a provider posts (`form_post`): its form brings no cookie, so the browser comes again. */
  async formFromProvider(request: RouteRequest): Promise<PageAnswer> {
    const query = await this.#args.providers.takeForm(formOf(request));
    return site.seeOther(`${runPagesCallback}?${query}`);
  }

  async signOut(request: RouteRequest): Promise<PageAnswer> {
    return await this.#take(request, async (browser) => {
      const { person } = browser;
      browser.signOut();
      const notice = person?.isOwn ? await this.#revoke(person.token) : 'signed-out';
      return site.seeOther(`${signInPath}?notice=${notice}`);
    });
  }

  /** Begins a session in the place of the browser's earlier one. */
  async #begin(browser: WebVisit<Session>, session: Session): Promise<void> {
    const { person: before } = browser;
    browser.signIn(session);
    if (before?.isOwn && before.token !== session.token) await this.#revoke(before.token);
  }

  async #revoke(token: string): Promise<keyof typeof notices> {
    try {
      await this.#args.providers.revoke(token);
      return 'revoked';
    } catch {
      return 'signed-out';
    }
  }

  async #signInPage(
    { formToken }: WebVisit<Session>,
    given: string | null,
    { notice, problem }: { notice?: Content; problem?: SignInProblem },
  ): Promise<PageAnswer> {
    const page = { formToken, to: ownPath(given), notice };
    try {
      return signInPage({ ...page, methods: await this.#args.providers.methods(), problem });
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      return signInPage({ ...page, methods: [], problem: problem ?? isUnreachable });
    }
  }

  async #refuse(browser: WebVisit<Session>, to: string | null, problem: SignInProblem): Promise<PageAnswer> {
    return await this.#signInPage(browser, to, { problem });
  }

  async #take(
    request: RouteRequest,
    work: (browser: WebVisit<Session>, form: URLSearchParams) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const form = formOf(request);
    return await this.#visit(request, (browser) => work(browser, form), form);
  }

  async #visit(
    { headers }: RouteRequest,
    work: (browser: WebVisit<Session>) => Promise<PageAnswer>,
    form?: URLSearchParams,
  ): Promise<PageAnswer> {
    const now = BigInt(this.#args.now()) * 1_000_000n;
    return await this.#visits.answer({ cookies: headers.cookie, now, form }, work);
  }

  async #admit(
    request: RouteRequest,
    browser: WebVisit<Session>,
    signInQuery: Record<string, string>,
    answer: Answering,
    isFresh = false,
  ): Promise<PageAnswer> {
    const { person: session, formToken } = browser;
    const token = session?.token;
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

/** No path of a method and no name of a role is longer. */
const longest = 512;

function wrongField(method: string, role: string): SignInProblem | undefined {
  if (method === '' || method.length > longest) {
    return { status: 422, at: 'method', text: 'Enter the path of the auth method.' };
  }
  if (role.length <= longest) return undefined;
  return { status: 422, at: 'role', text: 'There is no role of such a name.' };
}

/** A path of these pages, to go to after the sign-in; for anything else the first page. */
function ownPath(given: string | null): string {
  return given !== null &&
    given.length <= 1024 &&
    /^\/ui\/(?:runs|deliveries)(?:\/[\w-]+)?(?:\?[\w=&%.+-]*)?$/.test(given)
    ? given
    : runsPath;
}

const notices = {
  revoked: 'You are signed out, and your token is revoked.',
  'signed-out': 'You are signed out here. Your token is still valid until it expires.',
  ended: 'Your session has ended because your token is no longer valid. Sign in again.',
};
