import { randomBytes } from 'node:crypto';

/** Nanoseconds without a request after which a session is over: eight hours. */
const longestIdle = 8n * 3600n * 1_000_000_000n;
/** Sessions that are remembered; beyond, the one that was idle longest ends. */
const limit = 10_000;

/**
 * Who is signed in with a browser, in memory: a restart of the service signs everybody out of its pages. Tokens stay
 * here.
 */
export class Sessions<Person> {
  /** In the order of their last use. */
  readonly #sessions = new Map<string, { person: Person; lastUsed: bigint }>();

  /** Begins a session; resolves with its id, which only the browser's cookie knows. */
  open(person: Person, now: bigint): string {
    const id = newBrowserId();
    this.#sessions.set(id, { person, lastUsed: now });
    for (const [other, { lastUsed }] of this.#sessions) {
      if (now - lastUsed < longestIdle && this.#sessions.size <= limit) break;
      this.#sessions.delete(other);
    }
    return id;
  }

  /** Who has the session of an id, which is used herewith; undefined where it is over, or never was. */
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

/** 256 random bits. */
export function newBrowserId(): string {
  return randomBytes(32).toString('base64url');
}
