import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { html, type SafeHtml } from './html.ts';
import type { PageAnswer, Site } from './site.ts';

/** Nanoseconds without a request until a session ends: eight hours. */
const longestIdle = 8n * 3600n * 1_000_000_000n;
/** Most sessions; the one that was idle longest ends. */
const limit = 10_000;

/** Who is signed in with a browser, in memory: a restart signs everybody out. Tokens stay here. */
export class Sessions<Person> {
  /** Ordered by last use. */
  readonly #sessions = new Map<string, { person: Person; lastUsed: bigint }>();

  /** Begins a session and returns its id, for the browser's cookie. */
  open(person: Person, now: bigint): string {
    const id = newBrowserId();
    this.#sessions.set(id, { person, lastUsed: now });
    for (const [other, { lastUsed }] of this.#sessions) {
      if (now - lastUsed < longestIdle && this.#sessions.size <= limit) break;
      this.#sessions.delete(other);
    }
    return id;
  }

  /** The person of a session, which counts as used; undefined if it has ended. */
  find(id: string, now: bigint): Person | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    if (now - session.lastUsed >= longestIdle) return undefined;
    this.#sessions.set(id, { ...session, lastUsed: now });
    return session.person;
  }

  close(id: string): void {
    this.#sessions.delete(id);
  }
}

function newBrowserId(): string {
  return randomBytes(32).toString('base64url');
}

interface VisitsArgs {
  site: Site;
  /** Whether browsers reach the service over TLS. */
  secure: boolean;
  /** Name of the cookie, unique per service: all ports of a host share their cookies. */
  cookie: string;
}

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
 * Sessions, their cookie, and protection of forms. The cookie is a random id, that of the session once someone signs
 * in. Form tokens are derived from it, so nothing is stored for people who are not signed in.
 */
export class Visits<Person> {
  readonly #key = randomBytes(32);
  readonly #sessions = new Sessions<Person>();
  readonly #cookie: string;
  readonly #scope: string;
  readonly #foreignForm: PageAnswer;

  constructor({ site, secure, cookie }: VisitsArgs) {
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
   * @param now Nanoseconds.
   */
  async answer(
    { cookies = '', form, now }: { cookies?: string; form?: URLSearchParams; now: bigint },
    work: (visit: Visit<Person>) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const sent = this.#browserOf(cookies);
    if (form !== undefined && !this.#isFormToken(sent, form.get('form_token') ?? ''))
      return this.#foreignForm;
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
    // Not Strict: the redirect back from the identity provider needs the cookie.
    const cookie = `${this.#cookie}=${browser}; ${this.#scope}; HttpOnly; SameSite=Lax`;
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
  }

  /** The id in a `Cookie` header. Browsers send the one with the longest path first. */
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

/** The fields of a posted form; undefined for another content type. */
export function readForm(body: Buffer | undefined, type = ''): URLSearchParams | undefined {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) return undefined;
  return new URLSearchParams(body?.toString('utf8') ?? '');
}
