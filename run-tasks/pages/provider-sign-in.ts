import {
  beginSignIn,
  finishSignIn,
  formPosted,
  NotSignedIn,
  passFormOn,
} from '../../client/provider-sign-in.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type Method, methodsIn } from '../../web/pages/sign-in-forms.ts';

/** Milliseconds that a person may take at the provider, as the service gives them. */
const lifetimeMs = 10 * 60 * 1000;
/** Milliseconds that the list of auth methods is kept. */
const listedMs = 5000;

/** A sign-in between the provider's address and the provider's answer. */
interface Pending {
  /** Of the browser in which it began: its secret, which the service compares, too. */
  clientNonce: string;
  method: string;
  /** Path of the page to go to afterwards. */
  to: string;
  until: number;
}

export interface ProviderSignInArgs {
  /** Without a token and without retries. */
  client: ServiceClient;
  /** Where a provider sends browsers back to. */
  redirectUri: () => string;
  now?: () => number;
  /** Most sign-ins in progress; the oldest are dropped, as anyone can begin one. Defaults to 10 000. */
  mostPending?: number;
}

/** Sign-ins by the secrets service's auth methods of type oidc. Tokens stay here. */
export class ProviderSignIn {
  readonly #args: Required<ProviderSignInArgs>;
  /** By state, the oldest first. */
  readonly #pending = new Map<string, Pending>();
  #listed: { until: number; methods: Promise<Method[]> } | undefined;

  constructor(args: ProviderSignInArgs) {
    this.#args = { now: Date.now, mostPending: 10_000, ...args };
  }

  get redirectUri(): string {
    return this.#args.redirectUri();
  }

  /** The methods that the service lists for everyone. @throws GatehouseError if it cannot be asked */
  async methods(): Promise<Method[]> {
    const now = this.#args.now();
    if (this.#listed === undefined || now >= this.#listed.until) {
      const methods = this.#list();
      this.#listed = { until: now + listedMs, methods };
      // A failure to ask is not kept.
      methods.catch(() => {
        this.#listed = undefined;
      });
    }
    return await this.#listed.methods;
  }

  async #list(): Promise<Method[]> {
    try {
      const answer = await this.#args.client.read('sys/internal/ui/mounts');
      return methodsIn(answer?.data).filter(({ type }) => type === 'oidc');
    } catch (error) {
      // A gateway may hide the list: nothing is listed then.
      if (error instanceof GatehouseError && error.code === 'permission_denied') return [];
      throw error;
    }
  }

  /**
   * Where a person signs in.
   *
   * @throws NotSignedIn `auth_url_invalid`, `login_refused`
   * @throws GatehouseError `path_invalid`, and what `ServiceClient` throws
   */
  async begin(given: Pick<Pending, 'clientNonce' | 'method' | 'to'> & { role: string }): Promise<URL> {
    const { role, ...login } = given;
    const { client, now, mostPending } = this.#args;
    const { method, clientNonce } = login;
    const url = await beginSignIn({ client, method, clientNonce, role, redirectUri: this.redirectUri });
    this.#pending.set(url.searchParams.get('state') ?? '', { ...login, until: now() + lifetimeMs });
    for (const [state, { until }] of this.#pending) {
      if (until > now() && this.#pending.size <= mostPending) break;
      this.#pending.delete(state);
    }
    return url;
  }

  /**
   * Takes an answer that a provider posted as a form, from another site and so without this browser's cookie.
   *
   * @returns the query with which the browser asks again, now with its cookie
   */
  async takeForm(form: URLSearchParams): Promise<URLSearchParams> {
    const answer = Object.fromEntries(form);
    const { state = '', error } = answer;
    const login = this.#pending.get(state);
    // Anyone can send a form here: nothing of it comes back, and the service hears nothing of it.
    if (login === undefined) return new URLSearchParams();
    if (error !== undefined) {
      return new URLSearchParams({ state, error: /^\w{1,60}$/.test(error) ? error : 'unknown' });
    }
    await passFormOn(this.#args.client, login.method, answer);
    return new URLSearchParams({ state, code: formPosted });
  }

  /**
   * Finishes a sign-in with the provider's answer. It works once, and only in the browser in which it began.
   *
   * @throws NotSignedIn `login_state_wrong`, `sign_in_refused`, `login_refused`
   * @throws GatehouseError what `ServiceClient` throws
   */
  async finish(
    query: URLSearchParams,
    clientNonce: string,
  ): Promise<Pick<Pending, 'method' | 'to'> & { token: string }> {
    const state = query.get('state') ?? '';
    const login = this.#pending.get(state);
    if (login === undefined || login.clientNonce !== clientNonce || login.until <= this.#args.now()) {
      throw new NotSignedIn({
        code: 'login_state_wrong',
        what: 'This sign-in began in another browser or at another address of these pages, took more than ten minutes, or has been used.',
        fix: 'Sign in again.',
      });
    }
    this.#pending.delete(state);
    const { method, to } = login;
    const { client } = this.#args;
    const answer = { ...Object.fromEntries(query), state };
    const { token } = await finishSignIn({ client, method, clientNonce, answer });
    return { method, to, token };
  }

  /** Revokes a token that was got here. @throws GatehouseError if that fails */
  async revoke(token: string): Promise<void> {
    await this.#args.client.with({ token }).post('auth/token/revoke-self', {});
  }
}
