import { Recent } from '@gatehouse/host';
import { NotSignedIn } from '@gatehouse/service-client';

/** Milliseconds that a person may take at the provider, as the secrets service gives them. */
const keptMs = 10 * 60 * 1000;

/** A sign-in between the provider's address and the provider's answer. */
export interface PendingSignIn {
  /** Nonce of the browser in which the sign-in began. */
  clientNonce: string;
  /** Path of the page to go to afterwards. */
  to: string;
}

/** Sign-ins in progress, by state. Each can end once, in time, and only in the browser in which it began. */
export class PendingSignIns<Login extends PendingSignIn> {
  readonly #pending: Recent<Login>;

  constructor(now: () => number, most?: number) {
    this.#pending = new Recent({ keptMs, most, now });
  }

  add(state: string, login: Login): void {
    this.#pending.set(state, login);
  }

  find(state: string): Login | undefined {
    return this.#pending.get(state);
  }

  /** Ends a sign-in. @throws NotSignedIn `login_state_wrong` */
  take(state: string, clientNonce: string): Login {
    const login = this.#pending.get(state);
    if (login === undefined || login.clientNonce !== clientNonce) {
      throw new NotSignedIn('login_state_wrong.pages');
    }
    this.#pending.delete(state);
    return login;
  }
}
