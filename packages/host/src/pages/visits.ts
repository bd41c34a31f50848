import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Recent } from '../recent.ts';
import { html, type SafeHtml } from './html.ts';
import type { PageAnswer, Site } from './site.ts';

/** Milliseconds without a request until a session ends. */
const longestIdleMs = 8 * 3600 * 1000;

interface VisitsArgs {
  site: Site;
  /** Whether browsers reach the service over TLS. */
  secure: boolean;
  /** Name of the cookie, unique per service: all ports of a host share their cookies. */
  cookie: string;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** A request of a browser, with its session. */
export interface Visit<Person> {
  person: Person | undefined;
  /** The hidden field of every form. */
  formToken: SafeHtml;
  /** Proves that a sign-in at a provider ends in the browser in which it began. */
  clientNonce: string;
  /** Begins a session under a new id. */
  signIn(person: Person): void;
  signOut(): void;
}

/**
 * Sessions, their cookie, and protection of forms. The cookie is a random id, and becomes the session's id at the sign-in.
 * Form tokens are derived from it, so nothing is stored for people who are not signed in. Sessions are kept in memory: a
 * restart signs everyone out.
 */
export class Visits<Person> {
  readonly #key = randomBytes(32);
  readonly #sessions: Recent<Person>;
  readonly #cookie: string;
  readonly #scope: string;
  readonly #foreignForm: PageAnswer;

  constructor({ site, secure, cookie, now }: VisitsArgs) {
    this.#sessions = new Recent({ keptMs: longestIdleMs, now });
    // With this prefix, only the host itself can set the cookie.
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
   * @param form Fields of a POST, which is refused without this browser's form token.
   */
  async answer(
    { cookies = '', form }: { cookies?: string; form?: URLSearchParams },
    work: (visit: Visit<Person>) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const sent = this.#browserOf(cookies);
    if (form !== undefined && !this.#isFormToken(sent, form.get('form_token') ?? ''))
      return this.#foreignForm;
    let browser = sent ?? newBrowserId();
    const person = this.#sessions.get(browser);
    // Each request extends the session.
    if (person !== undefined) this.#sessions.set(browser, person);
    const answer = await work({
      person,
      formToken: html`<input type="hidden" name="form_token" value="${this.#derive('form', browser)}">`,
      clientNonce: this.#derive('sign-in', browser),
      signIn: (signedIn) => {
        this.#sessions.delete(browser);
        browser = newBrowserId();
        this.#sessions.set(browser, signedIn);
      },
      signOut: () => {
        this.#sessions.delete(browser);
        browser = newBrowserId();
      },
    });
    if (browser === sent) return answer;
    // Not Strict: the redirect back from the identity provider needs the cookie.
    const cookie = `${this.#cookie}=${browser}; ${this.#scope}; HttpOnly; SameSite=Lax`;
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
  }

  /** The id in a `Cookie` header. Browsers send the one with the longest path first. */
  #browserOf(header: string): string | undefined {
    const cookies = header.split(';').map((pair) => pair.trim());
    const value = cookies.find((pair) => pair.startsWith(`${this.#cookie}=`))?.slice(this.#cookie.length + 1);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  #isFormToken(browser: string | undefined, token: string): boolean {
    if (browser === undefined) return false;
    const expected = Buffer.from(this.#derive('form', browser));
    const actual = Buffer.from(token);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  #derive(purpose: string, browser: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${browser}`).digest('base64url');
  }
}

function newBrowserId(): string {
  return randomBytes(32).toString('base64url');
}

/** The fields of a posted form; undefined for another content type. */
export function readForm(body: Buffer | undefined, type = ''): URLSearchParams | undefined {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) return undefined;
  return new URLSearchParams(body?.toString('utf8') ?? '');
}
