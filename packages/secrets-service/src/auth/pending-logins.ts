import { randomBytes } from 'node:crypto';
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';

/** Nanoseconds that a person may take at the provider. */
const lifetime = 10n * 60n * 1_000_000_000n;
/** Most logins; the oldest are dropped. Anyone can begin one. */
const limit = 10_000;
/** Characters of a caller's strings. */
const longestText = 4_096;
/** Characters of a provider's response: an ID token with 200 groups. */
const longestPost = 16_384;

/** An OIDC login between `oidc/auth_url` and `oidc/callback`. */
export interface PendingLogin {
  state: string;
  nonce: string;
  codeVerifier: string;
  codeChallenge: string;
  mountUuid: string;
  roleName: string;
  redirectUri: string;
  /** The client must repeat it at the end; empty for none. */
  clientNonce: string;
  /** Page of the service's UI that waits for a form_post response; empty for other clients. */
  page: string;
  /** A provider's form_post response, until the client fetches it. */
  posted?: { code: string; idToken: string; error: string };
  /** Nanoseconds. */
  began: bigint;
  expires: bigint;
}

/** The OIDC logins in progress, in memory. */
export class PendingLogins {
  readonly #logins = new Map<string, PendingLogin>();

  get size(): number {
    return this.#logins.size;
  }

  /** @throws Error for a string that is too long */
  async begin(
    login: Pick<PendingLogin, 'mountUuid' | 'roleName' | 'redirectUri' | 'clientNonce' | 'page'>,
    now: bigint,
  ): Promise<PendingLogin> {
    if (Math.max(login.redirectUri.length, login.clientNonce.length) > longestText) {
      throw new Error(`redirect_uri and client_nonce may have ${longestText} characters`);
    }
    const codeVerifier = generateRandomCodeVerifier();
    const pending = {
      ...login,
      state: `st_${randomBytes(20).toString('base64url')}`,
      nonce: `n_${randomBytes(20).toString('base64url')}`,
      codeVerifier,
      codeChallenge: await calculatePKCECodeChallenge(codeVerifier),
      began: now,
      expires: now + lifetime,
    };
    this.#logins.set(pending.state, pending);
    for (const [state, { expires }] of this.#logins) {
      // Oldest first.
      if (expires > now && this.#logins.size <= limit) break;
      this.#logins.delete(state);
    }
    return pending;
  }

  find(state: string, mountUuid: string, now: bigint): PendingLogin | undefined {
    const login = this.#logins.get(state);
    return login !== undefined && login.mountUuid === mountUuid && login.expires > now ? login : undefined;
  }

  /**
   * Keeps a provider's form_post response. A later one cannot replace it: it could hold another person's code.
   *
   * @returns false if the response is too long
   */
  keep(login: PendingLogin, posted: NonNullable<PendingLogin['posted']>): boolean {
    if (posted.code.length + posted.idToken.length + posted.error.length > longestPost) return false;
    login.posted ??= posted;
    return true;
  }

  /** Finds and removes a login: a state can be used once. */
  take(state: string, mountUuid: string, now: bigint): PendingLogin | undefined {
    const login = this.find(state, mountUuid, now);
    if (login !== undefined) this.#logins.delete(state);
    return login;
  }
}
