import { randomBytes } from 'node:crypto';
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';

/** Nanoseconds that a person may take at the provider. */
const lifetime = 10n * 60n * 1_000_000_000n;
/** Logins under way that are remembered; beyond, the oldest is forgotten: anyone may begin one. */
const limit = 10_000;
/** Characters that a stranger's texts may have, since all of those logins are remembered. */
const longestText = 4_096;
/** Characters that a provider's answer may have: an ID token that names 200 groups. */
const longestPost = 16_384;

/** An OIDC login between `oidc/auth_url` and `oidc/callback`. */
export interface PendingLogin {
  state: string;
  nonce: string;
  codeVerifier: string;
  codeChallenge: string;
  /** Id of the mount: a login is finished where it was begun. */
  mountUuid: string;
  roleName: string;
  redirectUri: string;
  /** What the client must repeat at the end; empty where it gave none. */
  clientNonce: string;
  /** Page of the service's UI where the login began and its client waits; empty for clients that take the answer themselves. */
  page: string;
  /** What a provider sent by form_post, until the client comes for it. */
  posted?: { code: string; idToken: string; error: string };
  expires: bigint;
}

/** The OIDC logins under way, in memory. */
export class PendingLogins {
  readonly #logins = new Map<string, PendingLogin>();

  /** How many are remembered. */
  get size(): number {
    return this.#logins.size;
  }

  /** @throws Error where a text is too long to be remembered */
  async begin(
    login: Pick<PendingLogin, 'mountUuid' | 'roleName' | 'redirectUri' | 'clientNonce' | 'page'>,
    now: bigint,
  ): Promise<PendingLogin> {
    if (Math.max(login.redirectUri.length, login.clientNonce.length) > longestText) {
      throw new Error(`redirect_uri and client_nonce may have ${longestText} characters`);
    }
    const codeVerifier = randomPKCECodeVerifier();
    const pending = {
      ...login,
      state: `st_${randomBytes(20).toString('base64url')}`,
      nonce: `n_${randomBytes(20).toString('base64url')}`,
      codeVerifier,
      codeChallenge: await calculatePKCECodeChallenge(codeVerifier),
      expires: now + lifetime,
    };
    this.#logins.set(pending.state, pending);
    for (const [state, { expires }] of this.#logins) {
      // They stand in the order of their beginning, so the first that still counts ends the search.
      if (expires > now && this.#logins.size <= limit) break;
      this.#logins.delete(state);
    }
    return pending;
  }

  /** The login of a state at its mount, which goes on; undefined for one that ended, or never began there. */
  find(state: string, mountUuid: string, now: bigint): PendingLogin | undefined {
    const login = this.#logins.get(state);
    return login !== undefined && login.mountUuid === mountUuid && login.expires > now ? login : undefined;
  }

  /**
   * Keeps what the provider posted for a login. The first answer counts: a later one cannot put another person's code
   * in its place.
   *
   * @returns false for an answer that is too long to be remembered.
   */
  keep(login: PendingLogin, posted: NonNullable<PendingLogin['posted']>): boolean {
    if (posted.code.length + posted.idToken.length + posted.error.length > longestPost) return false;
    login.posted ??= posted;
    return true;
  }

  /** As `find`, and ends it: a state serves once. */
  take(state: string, mountUuid: string, now: bigint): PendingLogin | undefined {
    const login = this.find(state, mountUuid, now);
    if (login !== undefined) this.#logins.delete(state);
    return login;
  }
}
