import { createHash } from 'node:crypto';
import { runPagesCallback } from '@gatehouse/core/environment';
import { GatehouseError } from '@gatehouse/core/values';
import {
  type Content,
  html,
  leavePage,
  noticeOf,
  type PageAnswer,
  tidyMethod,
  type Visit,
  Visits,
} from '@gatehouse/host';
import type { Caller } from '../platform/callers.ts';
import type { RouteRequest } from '../route.ts';
import type { IssuerSignIn } from './issuer-sign-in.ts';
import { type Answering, formOf, idOf, runsPath, signInPath, site } from './page.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import { attemptWindowMs, SignInAttempts } from './sign-in-attempts.ts';
import { onPage, reasonFor, type SignInProblem, signInPage } from './sign-in-page.ts';

export interface SignInPagesArgs {
  /**
   * The person whose token of the secrets service this is; undefined if it is not valid. Called for every page, so it
   * should cache its answers for a moment.
   *
   * @throws GatehouseError `caller_of_other_namespace`, or others if the service cannot be asked
   */
  whoami(token: string, options: { isFresh: boolean }): Promise<Caller | undefined>;
  /** Sign-ins by the auth methods of the secrets service. */
  providers: Pick<ProviderSignIn, keyof ProviderSignIn>;
  /** Sign-ins at an issuer of the pages' own. Defaults to none. */
  issuer?: Pick<IssuerSignIn, keyof IssuerSignIn>;
  /** Whether browsers reach the pages over TLS. */
  secure: boolean;
  now?: () => number;
}

/** A browser's session: with a token of the secrets service, or of a person of the issuer. */
type Session =
  | {
      token: string;
      /** Whether these pages obtained the token, and so revoke it at the end. */
      isOwn: boolean;
    }
  | { caller: Caller; until: number };

/** Whom a session identifies: a caller, no one, or no one because the service does not answer or the namespace is another. */
type Identified = Caller | undefined | 'unreachable' | 'foreign';

/** Milliseconds that a sign-in at the issuer lasts: groups that a person leaves count that much longer. */
export const issuerSessionMs = 60 * 60 * 1000;

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
const isUnreachable = onPage(503, unreachable);
const isTooMany = onPage(429, 'Too many sign-ins like this were refused. Try again in five minutes.');
const isForeign = onPage(
  403,
  'You signed in to another namespace of the secrets service than the one in which these pages identify people.',
);
const isStranger = onPage(403, 'You signed in, but none of your groups may look at these pages.');
const isNobody = onPage(
  403,
  'You signed in, but the secrets service does not say who you are. The role has to give a policy that allows reading auth/token/lookup-self, such as default.',
);

/**
 * Signs people in at an auth method of the secrets service, with a token that they have, or at an issuer of the pages' own.
 * The session keeps the token: browsers never get it.
 */
export class SignInPages {
  readonly #args: SignInPagesArgs & { now: () => number };
  readonly #visits: Visits<Session>;
  readonly #attempts: SignInAttempts;

  constructor(args: SignInPagesArgs) {
    this.#args = { now: Date.now, ...args };
    const { now, secure } = this.#args;
    this.#attempts = new SignInAttempts(now);
    this.#visits = new Visits({ site, secure, cookie: 'gatehouse-run-tasks', now });
  }

  /** Shows a page to people who are signed in, and the sign-in page to everyone else. */
  async show(request: RouteRequest, path: string, answer: Answering): Promise<PageAnswer> {
    const query = request.query.size === 0 ? '' : `?${request.query}`;
    const to = ownPath(path.replace(':id', () => encodeURIComponent(idOf(request))) + query);
    return await this.#visit(request, (browser) => this.#admit(request, browser, { to }, answer));
  }

  /**
   * Takes a form.
   *
   * @param needs `acting` for people who may act, `reading` for everyone if the action itself checks who may do it
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
    const search = request.query.get('search')?.trim();
    return await this.#visit(request, (browser) =>
      this.#signInPage(browser, request.query.get('to'), { notice, search }),
    );
  }

  async signIn(request: RouteRequest): Promise<PageAnswer> {
    return await this.#take(request, async (browser, form) => {
      const to = form.get('to');
      const token = (form.get('token') ?? '').trim();
      // The token becomes the value of a header.
      const isToken = /^[\x21-\x7e]{1,8192}$/.test(token);
      const counted = [
        ['account', `token ${createHash('sha256').update(token).digest('hex')}`],
        ['address', request.address],
      ] as const;
      if (counted.some(([kind, name]) => this.#attempts.isOver(kind, name))) {
        return await this.#refuse(browser, to, isTooMany);
      }
      for (const [kind, name] of counted) this.#attempts.add(kind, name);
      const person = isToken ? await this.#ask(token) : undefined;
      if (person === undefined) {
        const text = 'The secrets service does not know this token.';
        return await this.#refuse(browser, to, { status: 403, text, at: 'token' });
      }
      if (person === 'foreign') return await this.#refuse(browser, to, { ...isForeign, at: 'token' });
      for (const [kind, name] of counted) this.#attempts.forgive(kind, name);
      if (person === 'unreachable') return await this.#refuse(browser, to, isUnreachable);
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
      // Only an unknown or forbidden role is refused here, so attempts cannot lock others out of a role.
      const account = `role ${JSON.stringify([method, role])}`;
      if (this.#attempts.isOver('account', account)) return await refuse(isTooMany);
      try {
        const { clientNonce } = browser;
        const url = await providers.begin({ clientNonce, method, role, to });
        return leavePage(site, url.href);
      } catch (error) {
        const reason = reasonFor(error, providers.redirectUri, 'begin');
        if (reason.status < 500) this.#attempts.add('account', account);
        return await refuse(reason);
      }
    });
  }

  /** Ends a sign-in at an identity provider, which has sent the browser back. */
  async fromProvider(request: RouteRequest): Promise<PageAnswer> {
    const { providers } = this.#args;
    return await this.#visit(request, async (browser) => {
      if (this.#attempts.isOver('address', request.address))
        return await this.#refuse(browser, null, isTooMany);
      try {
        const { token, to } = await providers.finish(request.query, browser.clientNonce);
        const person = await this.#ask(token);
        if (typeof person !== 'object') {
          await this.#revoke(token);
          return await this.#refuse(browser, to, person === 'foreign' ? isForeign : isNobody);
        }
        await this.#begin(browser, { token, isOwn: true });
        return site.seeOther(to);
      } catch (error) {
        const reason = reasonFor(error, providers.redirectUri, 'end');
        this.#countAnswer(request, reason);
        return await this.#refuse(browser, null, reason);
      }
    });
  }

  async toIssuer(request: RouteRequest): Promise<PageAnswer> {
    const { issuer } = this.#args;
    if (issuer === undefined) return notHere;
    return await this.#take(request, async (browser, form) => {
      const to = ownPath(form.get('to'));
      try {
        const url = await issuer.begin({ clientNonce: browser.clientNonce, to });
        return leavePage(site, url.href);
      } catch (error) {
        return await this.#refuseIssuer(request, browser, to, error);
      }
    });
  }

  /** Ends a sign-in at the issuer, which has sent the browser back. */
  async fromIssuer(request: RouteRequest): Promise<PageAnswer> {
    const { issuer, now } = this.#args;
    if (issuer === undefined) return notHere;
    return await this.#visit(request, async (browser) => {
      if (this.#attempts.isOver('address', request.address))
        return await this.#refuse(browser, null, isTooMany);
      try {
        const { caller, subject, to } = await issuer.finish(request.query, browser.clientNonce);
        const account = `subject ${subject}`;
        if (this.#attempts.isOver('account', account)) return await this.#refuse(browser, to, isTooMany);
        if (caller === undefined) {
          this.#attempts.add('account', account);
          return await this.#refuse(browser, to, isStranger);
        }
        await this.#begin(browser, { caller, until: now() + issuerSessionMs });
        return site.seeOther(to);
      } catch (error) {
        return await this.#refuseIssuer(request, browser, null, error);
      }
    });
  }

  /** Counts a refused answer, because each guess makes these pages ask the provider. */
  #countAnswer({ address }: RouteRequest, { status }: SignInProblem): void {
    if (status === 403) this.#attempts.add('address', address);
  }

  async #refuseIssuer(
    request: RouteRequest,
    browser: Visit<Session>,
    to: string | null,
    error: unknown,
  ): Promise<PageAnswer> {
    const problem = reasonFor(error, this.#args.issuer?.redirectUri ?? '', 'end');
    // The page does not repeat what an issuer says.
    const { message, cause } = error as Error;
    request.log.warn(
      { why: cause instanceof Error ? cause.message : message },
      'a sign-in at the issuer was refused',
    );
    this.#countAnswer(request, problem);
    return await this.#refuse(browser, to, problem);
  }

  /** Takes an answer that a provider posts (`form_post`). The form brings no cookie, so the browser is redirected. */
  async formFromProvider(request: RouteRequest): Promise<PageAnswer> {
    const query = await this.#args.providers.takeForm(formOf(request));
    return site.seeOther(`${runPagesCallback}?${query}`);
  }

  async signOut(request: RouteRequest): Promise<PageAnswer> {
    return await this.#take(request, async (browser) => {
      const { person } = browser;
      browser.signOut();
      const notice =
        person === undefined || 'caller' in person
          ? 'left'
          : person.isOwn
            ? await this.#revoke(person.token)
            : 'signed-out';
      return site.seeOther(`${signInPath}?notice=${notice}`);
    });
  }

  /** Begins a session that replaces the browser's earlier one. */
  async #begin(browser: Visit<Session>, session: Session): Promise<void> {
    const { person: before } = browser;
    browser.signIn(session);
    if (before === undefined || 'caller' in before || !before.isOwn) return;
    if (!('token' in session) || before.token !== session.token) await this.#revoke(before.token);
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
    { formToken }: Visit<Session>,
    returnPath: string | null,
    {
      notice,
      search = '',
      problem,
    }: { notice?: Content; search?: string | undefined; problem?: SignInProblem },
  ): Promise<PageAnswer> {
    const page = { formToken, to: ownPath(returnPath), search, notice, issuer: this.#args.issuer?.host };
    try {
      return signInPage({ ...page, methods: await this.#args.providers.methods(), problem });
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      return signInPage({ ...page, methods: [], problem: problem ?? isUnreachable });
    }
  }

  async #refuse(browser: Visit<Session>, to: string | null, problem: SignInProblem): Promise<PageAnswer> {
    const answer = await this.#signInPage(browser, to, { problem });
    if (problem.status !== 429) return answer;
    return { ...answer, headers: { ...answer.headers, 'retry-after': `${attemptWindowMs / 1000}` } };
  }

  async #take(
    request: RouteRequest,
    work: (browser: Visit<Session>, form: URLSearchParams) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const form = formOf(request);
    return await this.#visit(request, (browser) => work(browser, form), form);
  }

  async #visit(
    { headers }: RouteRequest,
    work: (browser: Visit<Session>) => Promise<PageAnswer>,
    form?: URLSearchParams,
  ): Promise<PageAnswer> {
    return await this.#visits.answer({ cookies: headers.cookie, form }, work);
  }

  async #admit(
    request: RouteRequest,
    browser: Visit<Session>,
    signInQuery: Record<string, string>,
    answer: Answering,
    isFresh = false,
  ): Promise<PageAnswer> {
    const { person: session, formToken } = browser;
    const person = await this.#personOf(session, isFresh);
    if (person === 'unreachable') return site.problem('Secrets service unreachable', unreachable, 503);
    if (typeof person === 'object') {
      request.countAs(person.id);
      const who = html`<span class="quiet">${person.name}</span>`;
      return (await answer({ request, person, who, formToken })) ?? notHere;
    }
    if (session !== undefined) browser.signOut();
    const query = { ...(session !== undefined && { notice: 'ended' }), ...signInQuery };
    return site.seeOther(`${signInPath}?${new URLSearchParams(query)}`);
  }

  async #personOf(session: Session | undefined, isFresh: boolean): Promise<Identified> {
    if (session === undefined) return undefined;
    if ('token' in session) return await this.#ask(session.token, isFresh);
    return this.#args.now() < session.until ? session.caller : undefined;
  }

  /** @param isFresh whether the service must be asked now, as for a decision, which cannot be undone */
  async #ask(token: string, isFresh = false): Promise<Identified> {
    try {
      return await this.#args.whoami(token, { isFresh });
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      return error.code === 'caller_of_other_namespace' ? 'foreign' : 'unreachable';
    }
  }
}

/** Characters of the longest path of a method, and of the longest name of a role. */
const longest = 512;

function wrongField(method: string, role: string): SignInProblem | undefined {
  if (method === '' || method.length > longest) {
    return { status: 422, at: 'method', text: 'Enter the path of the auth method.' };
  }
  if (role.length <= longest) return undefined;
  return { status: 422, at: 'role', text: 'There is no role of such a name.' };
}

/** A path of these pages, to go to after the sign-in; for anything else the first page. */
function ownPath(path: string | null): string {
  return path !== null &&
    path.length <= 1024 &&
    /^\/ui\/(?:(?:runs|deliveries)(?:\/[\w-]+)?|watch(?:\/[\w.-]+%2F[\w.-]+)?)(?:\?[\w=&%.+-]*)?$/.test(path)
    ? path
    : runsPath;
}

const notices = {
  revoked: 'You are signed out, and your token is revoked.',
  'signed-out': 'You are signed out here. Your token is still valid until it expires.',
  left: 'You are signed out here. You may still be signed in at your provider.',
  ended: 'Your session has ended: your sign-in is no longer valid. Sign in again.',
};
