import type { ProviderKind } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { type Method, methodsIn, Recent, recentAnswer } from '@gatehouse/host';
import {
  beginSignIn,
  finishSignIn,
  formPosted,
  passFormOn,
  type ServiceClient,
} from '@gatehouse/service-client';
import { type PendingSignIn, PendingSignIns } from './pending-sign-ins.ts';

/** Milliseconds that the list of auth methods is kept. */
const listedMs = 5000;

/** A sign-in at the provider of an auth method. The service compares its nonce, too. */
interface PendingAtProvider extends PendingSignIn {
  method: string;
}

export interface ProviderSignInArgs {
  /** A client without a token and without retries. */
  client: ServiceClient;
  /** Where a provider sends browsers back to. */
  redirectUri: () => string;
  /** Known kinds of providers, by the path of their method. Defaults to none. */
  kinds?: () => Promise<ReadonlyMap<string, ProviderKind>>;
  now?: () => number;
  /** Most sign-ins in progress. */
  mostPending?: number;
}

/** Sign-ins by the secrets service's auth methods of type oidc. Tokens never reach the browser. */
export class ProviderSignIn {
  readonly #args: ProviderSignInArgs & { now: () => number };
  readonly #pending: PendingSignIns<PendingAtProvider>;
  readonly #listed: Recent<Promise<Method[]>>;

  constructor(args: ProviderSignInArgs) {
    this.#args = { now: Date.now, ...args };
    const { now, mostPending } = this.#args;
    this.#pending = new PendingSignIns(now, mostPending);
    this.#listed = new Recent({ keptMs: listedMs, now });
  }

  get redirectUri(): string {
    return this.#args.redirectUri();
  }

  /** The methods that the service lists for everyone. @throws GatehouseError if it cannot be asked */
  methods(): Promise<Method[]> {
    return recentAnswer(this.#listed, 'methods', () => this.#list());
  }

  async #list(): Promise<Method[]> {
    try {
      const [answer, kinds] = await Promise.all([
        this.#args.client.read('sys/internal/ui/mounts'),
        this.#args.kinds?.(),
      ]);
      const methods = methodsIn(answer?.data).filter(({ type }) => type === 'oidc');
      return methods.map((method) => ({ ...method, kind: kinds?.get(method.path) }));
    } catch (error) {
      // A gateway may hide the list, and the page then lists no method.
      if (error instanceof GatehouseError && error.code === 'permission_denied') return [];
      throw error;
    }
  }

  /**
   * The address where a person signs in.
   *
   * @throws NotSignedIn `auth_url_invalid`, `login_refused`
   * @throws GatehouseError `path_invalid`, and what `ServiceClient` throws
   */
  async begin({ role, ...login }: PendingAtProvider & { role: string }): Promise<URL> {
    const { client } = this.#args;
    const { method, clientNonce } = login;
    const url = await beginSignIn({ client, method, clientNonce, role, redirectUri: this.redirectUri });
    this.#pending.add(url.searchParams.get('state') ?? '', login);
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
    const login = this.#pending.find(state);
    // Anyone can post a form here, so an unknown one is neither returned nor passed to the service.
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
  ): Promise<Pick<PendingAtProvider, 'method' | 'to'> & { token: string }> {
    const state = query.get('state') ?? '';
    const { method, to } = this.#pending.take(state, clientNonce);
    const { client } = this.#args;
    const answer = { ...Object.fromEntries(query), state };
    const { token } = await finishSignIn({ client, method, clientNonce, answer });
    return { method, to, token };
  }

  /** Revokes a token of a sign-in. @throws GatehouseError if that fails */
  async revoke(token: string): Promise<void> {
    await this.#args.client.with({ token }).post('auth/token/revoke-self', {});
  }
}
