import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { html, type SafeHtml } from './html.ts';
import { newBrowserId, Sessions } from './sessions.ts';
import type { PageAnswer, Site } from './site.ts';

export interface VisitsArgs {
  site: Site;
  /** Whether browsers reach the service over TLS. */
  secure: boolean;
  /** Name of the cookie. The ports of a host share their cookies, so each service needs a name of its own. */
  cookie: string;
}

/** One request of a browser, and what its page has to work with. */
export interface Visit<Person> {
  /** Who is signed in; undefined for nobody. */
  person: Person | undefined;
  /** The hidden field that every form has. */
  formToken: SafeHtml;
  /** What a sign-in at a provider repeats at its end, so that it ends in the browser in which it began. */
  clientNonce: string;
  /** Begins a session, under a new id. */
  signIn(person: Person): void;
  /** Ends the session, if there is one. */
  signOut(): void;
}

/**
 * Sessions, their cookie, and whether a form is the site's own. The one cookie is a random id of the browser, which
 * is the id of its session once somebody signs in. Form tokens are derived from it, so nothing is stored for people
 * who are not signed in.
 */
export class Visits<Person> {
  readonly #key = randomBytes(32);
  readonly #sessions = new Sessions<Person>();
  readonly #cookie: string;
  readonly #scope: string;
  readonly #foreignForm: PageAnswer;

  constructor({ site, secure, cookie }: VisitsArgs) {
    // Browsers let nobody but the host itself set a cookie with this prefix.
    this.#cookie = secure ? `__Host-${cookie}` : cookie;
    this.#scope = secure ? 'Path=/; Secure' : 'Path=/ui';
    this.#foreignForm = site.problem(
      'This form is out of date',
      'It is from before you signed in or out, or from another site. Nothing was done. Open the page again.',
      403,
    );
  }

  /**
   * Answers a request.
   *
   * @param form what a POST holds: nothing is done unless it has the token of this browser's forms
   * @param now nanoseconds
   */
  async answer(
    { cookies = '', form, now }: { cookies?: string; form?: URLSearchParams; now: bigint },
    work: (visit: Visit<Person>) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const sent = this.#browserOf(cookies);
    const isForeign = form !== undefined && !this.#isFormToken(sent, form.get('form_token') ?? '');
    if (isForeign) return this.#foreignForm;
    let browser = sent ?? newBrowserId();
    const answer = await work({
      person: this.#sessions.find(browser, now),
      formToken: html`<input type="hidden" name="form_token" value="${this.#derive('form', browser)}">`,
      clientNonce: this.#derive('sign-in', browser),
      signIn: (person) => {
        this.#sessions.close(browser);
        browser = this.#sessions.open(person, now);
      },
      signOut: () => {
        this.#sessions.close(browser);
        browser = newBrowserId();
      },
    });
    if (browser === sent) return answer;
    // Not Strict: whoever comes back from the identity provider has to be known again.
    const cookie = `${this.#cookie}=${browser}; ${this.#scope}; HttpOnly; SameSite=Lax`;
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
  }

  /** The id in a `Cookie` header. Of several, browsers send the one with the longest path first. */
  #browserOf(header: string): string | undefined {
    const cookies = header.split(';').map((one) => one.trim());
    const value = cookies.find((one) => one.startsWith(`${this.#cookie}=`))?.slice(this.#cookie.length + 1);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  #isFormToken(browser: string | undefined, given: string): boolean {
    if (browser === undefined) return false;
    const [expected, actual] = [Buffer.from(this.#derive('form', browser)), Buffer.from(given)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  #derive(purpose: string, browser: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${browser}`).digest('base64url');
  }
}

/** The fields of a posted form; undefined for a body of another type. */
export function readForm(body: Buffer | undefined, type = ''): URLSearchParams | undefined {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) return undefined;
  return new URLSearchParams(body?.toString('utf8') ?? '');
}
