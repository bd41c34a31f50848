import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PageRequest } from './page-request.ts';

/**
 * The one cookie: a random id of the browser, which is the id of its session once somebody signs in. What a form or
 * a sign-in under way has to repeat is worked out from it, so that nothing is kept for who is not signed in.
 */
export class BrowserCookie {
  readonly #key = randomBytes(32);
  readonly #secure: boolean;
  readonly #name: string;

  /** @param secure whether the service is reached over TLS. */
  constructor(secure: boolean) {
    this.#secure = secure;
    // Browsers let nobody but the host itself set a cookie of this prefix.
    this.#name = secure ? '__Host-gatehouse' : 'gatehouse';
  }

  /** The id that a browser sent; undefined for none of ours. */
  read(request: PageRequest): string | undefined {
    const value = request.cookie(this.#name);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  /** The header that gives a browser its id, until the browser is closed. */
  header(id: string): string {
    const scope = this.#secure ? 'Path=/; Secure' : 'Path=/ui';
    // Not Strict: who comes back from the identity provider has to be known again.
    return `${this.#name}=${id}; ${scope}; HttpOnly; SameSite=Lax`;
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
