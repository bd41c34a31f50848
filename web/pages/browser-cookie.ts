import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface BrowserCookieArgs {
  /** Whether the service is reached over TLS. */
  secure: boolean;
  /**
   * Name of the cookie. Defaults to `gatehouse`. Ports of one host share their cookies: services that are not the same
   * one need names that are not the same.
   */
  name?: string;
  /** Where the pages are, for example `/ui`. */
  path: string;
}

/**
 * The one cookie: a random id of the browser, which is the id of its session once somebody signs in. What a form or
 * a sign-in under way has to repeat is worked out from it, so that nothing is kept for who is not signed in.
 */
export class BrowserCookie {
  readonly #key = randomBytes(32);
  readonly #name: string;
  readonly #scope: string;

  constructor({ secure, name = 'gatehouse', path }: BrowserCookieArgs) {
    // Browsers let nobody but the host itself set a cookie of this prefix.
    this.#name = secure ? `__Host-${name}` : name;
    this.#scope = secure ? 'Path=/; Secure' : `Path=${path}`;
  }

  /** The id that a browser sent in its `Cookie` header; undefined for none of ours. */
  read(header = ''): string | undefined {
    const value = valueIn(header, this.#name);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  /** The header that gives a browser its id, until the browser is closed. */
  header(id: string): string {
    // Not Strict: who comes back from the identity provider has to be known again.
    return `${this.#name}=${id}; ${this.#scope}; HttpOnly; SameSite=Lax`;
  }

  /** What the forms of a browser's pages repeat: others cannot make its forms. */
  formToken(id: string): string {
    return this.#derive('form', id);
  }

  isFormToken(id: string, given: string): boolean {
    const expected = Buffer.from(this.formToken(id));
    const actual = Buffer.from(given);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** What a sign-in at a provider has to repeat at its end: it ends in the browser in which it began. */
  clientNonce(id: string): string {
    return this.#derive('sign-in', id);
  }

  #derive(purpose: string, id: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${id}`).digest('base64url');
  }
}

/** The first of the name: browsers send the one of the longest path first. */
function valueIn(header: string, name: string): string | undefined {
  return header
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
