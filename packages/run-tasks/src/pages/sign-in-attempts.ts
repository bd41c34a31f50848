import { Recent } from '@gatehouse/host';

/** Milliseconds from the first refused attempt until all of them are forgotten. */
export const attemptWindowMs = 5 * 60 * 1000;
/** Refused attempts in that time: of one account, wherever they come from, and of one address. */
const most = { account: 10, address: 100 } as const;
/** Accounts and addresses that are counted; the oldest are forgotten. */
const mostCounted = 20_000;

/**
 * Refused sign-ins, by account and by address. An account is what an attempt names or shows: a token, a role of an auth
 * method, a person of the issuer. It is counted whether it exists or not, so a refusal for too many does not tell.
 */
export class SignInAttempts {
  readonly #counted: Recent<{ count: number }>;

  constructor(now: () => number) {
    this.#counted = new Recent({ keptMs: attemptWindowMs, most: mostCounted, now });
  }

  isOver(kind: keyof typeof most, name: string): boolean {
    return (this.#counted.get(`${kind} ${name}`)?.count ?? 0) >= most[kind];
  }

  /** Counts an attempt before its answer is known: otherwise attempts at the same time would all be let through. */
  add(kind: keyof typeof most, name: string): void {
    const key = `${kind} ${name}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined) counted.count += 1;
    else this.#counted.set(key, { count: 1 });
  }

  /** Uncounts an attempt that was not refused. */
  forgive(kind: keyof typeof most, name: string): void {
    const counted = this.#counted.get(`${kind} ${name}`);
    if (counted !== undefined) counted.count -= 1;
  }
}
