import { GatehouseError } from '../../core/model/values/errors.ts';
import { BrowserCookie } from '../../web/pages/browser-cookie.ts';
import { html, type SafeHtml } from '../../web/pages/html.ts';
import { newBrowserId, Sessions } from '../../web/pages/sessions.ts';
import type { RouteAnswer, RouteRequest } from '../route.ts';
import { pageAnswer, problemPage, seeOther, signInPath } from './frame.ts';
import { foreignForm, notAllowed, notHere } from './refusals.ts';
import { ownPath, signInPage } from './sign-in-page.ts';
import type { Person } from './views.ts';
import { type Answering, idOf, type Visit } from './visit.ts';

export interface DoorArgs {
  /**
   * Whose token of the secrets service this is; undefined where it is nobody's. Asked for at every page: it should
   * remember its answers for a moment.
   *
   * @throws GatehouseError where the service cannot be asked
   */
  whoami(token: string): Promise<Person | undefined>;
  /** Whether browsers reach the pages over TLS. */
  secure: boolean;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: () => number;
}

const unreachable = 'The secrets service, which knows who you are, does not answer. Try again in a moment.';

/** Who comes in: sessions, their cookie, and whether a form is our own. */
export class Door {
  readonly #args: DoorArgs & { now: () => number };
  readonly #cookie: BrowserCookie;
  readonly #sessions = new Sessions<{ token: string }>();

  constructor(args: DoorArgs) {
    this.#args = { now: Date.now, ...args };
    this.#cookie = new BrowserCookie({ secure: args.secure, name: 'gatehouse-run-tasks', path: '/ui' });
  }

  /** A page, for who is signed in; the sign-in page, for who is not. */
  async show(request: RouteRequest, path: string, answer: Answering): Promise<RouteAnswer> {
    const visit = await this.#visit(request);
    if ('problem' in visit) return visit.problem;
    if ('person' in visit) return (await answer(visit)) ?? notHere;
    const query = request.query.size === 0 ? '' : `?${request.query}`;
    const to = ownPath(path.replace(':id', idOf(request)) + query);
    return seeOther(
      `${signInPath}?${new URLSearchParams({ ...(visit.ended ? { notice: 'ended' } : {}), to })}`,
    );
  }

  /** What a form does, for who may act. */
  async act(request: RouteRequest, answer: Answering): Promise<RouteAnswer> {
    if (this.#formOf(request) === undefined) return foreignForm;
    const visit = await this.#visit(request);
    if ('problem' in visit) return visit.problem;
    if (!('person' in visit)) return seeOther(`${signInPath}?notice=ended`);
    return visit.person.mayAct ? ((await answer(visit)) ?? notHere) : notAllowed;
  }

  async signInPage({ headers, query }: RouteRequest): Promise<RouteAnswer> {
    return this.#signInForm(this.#cookie.read(headers.cookie), {
      to: ownPath(query.get('to')),
      notice: query.get('notice'),
    });
  }

  async signIn(request: RouteRequest): Promise<RouteAnswer> {
    const form = this.#formOf(request);
    if (form === undefined) return foreignForm;
    const browser = this.#cookie.read(request.headers.cookie) ?? '';
    const token = (form.get('token') ?? '').trim();
    const to = ownPath(form.get('to'));
    // Whatever else it may be, it goes into a header.
    const isToken = /^[\x21-\x7e]{1,8192}$/.test(token);
    const person = isToken ? await this.#ask(token) : undefined;
    if (person instanceof GatehouseError) return this.#signInForm(browser, { to, problem: unreachable }, 503);
    if (person === undefined) {
      return this.#signInForm(browser, { to, problem: 'The secrets service does not know this token.' }, 403);
    }
    this.#sessions.close(browser);
    const id = this.#sessions.open({ token }, this.#time());
    return withCookie(seeOther(to), this.#cookie.header(id));
  }

  async signOut(request: RouteRequest): Promise<RouteAnswer> {
    if (this.#formOf(request) === undefined) return foreignForm;
    this.#sessions.close(this.#cookie.read(request.headers.cookie) ?? '');
    return withCookie(seeOther(`${signInPath}?notice=signed-out`), this.#cookie.header(newBrowserId()));
  }

  async #visit(request: RouteRequest): Promise<Visit | { problem: RouteAnswer } | { ended: boolean }> {
    const browser = this.#cookie.read(request.headers.cookie);
    const session = browser === undefined ? undefined : this.#sessions.find(browser, this.#time());
    if (browser === undefined || session === undefined) return { ended: false };
    const person = await this.#ask(session.token);
    if (person instanceof GatehouseError) {
      return { problem: pageAnswer(problemPage('Nobody to ask', unreachable), 503) };
    }
    if (person === undefined) {
      this.#sessions.close(browser);
      return { ended: true };
    }
    return { request, person, formToken: this.#formToken(browser) };
  }

  async #ask(token: string): Promise<Person | undefined | GatehouseError> {
    try {
      return await this.#args.whoami(token);
    } catch (error) {
      if (error instanceof GatehouseError) return error;
      throw error;
    }
  }

  /** The form that a request holds; undefined where it is none, or not one of this browser's pages. */
  #formOf({ headers, body }: RouteRequest): URLSearchParams | undefined {
    const type = headers['content-type'] ?? '';
    if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) return undefined;
    const form = new URLSearchParams(body.toString('utf8'));
    const browser = this.#cookie.read(headers.cookie);
    const isOwn = browser !== undefined && this.#cookie.isFormToken(browser, form.get('form_token') ?? '');
    return isOwn ? form : undefined;
  }

  #signInForm(
    sent: string | undefined,
    view: Omit<Parameters<typeof signInPage>[0], 'formToken'>,
    status?: number,
  ): RouteAnswer {
    const browser = sent ?? newBrowserId();
    const page = pageAnswer(signInPage({ ...view, formToken: this.#formToken(browser) }), status);
    return browser === sent ? page : withCookie(page, this.#cookie.header(browser));
  }

  #formToken(browser: string): SafeHtml {
    return html`<input type="hidden" name="form_token" value="${this.#cookie.formToken(browser)}">`;
  }

  /** As sessions have it: nanoseconds. */
  #time(): bigint {
    return BigInt(this.#args.now()) * 1_000_000n;
  }
}

function withCookie(answer: RouteAnswer, cookie: string): RouteAnswer {
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}
