import { randomBytes } from 'node:crypto';

/** Nanoseconds without a request after which a session is over: eight hours. */
const longestIdle = 8n * 3600n * 1_000_000_000n;
/** Sessions that are remembered; beyond, the one that was idle longest ends. */
const limit = 10_000;

/** Somebody who is signed in with a browser. The token stays here. */
export interface Session {
  token: string;
  namespace: string;
  lastUsed: bigint;
}

/** Who is signed in, in memory: a restart of the service signs everybody out of its pages. */
export class Sessions {
  /** In the order of their last use. */
  readonly #sessions = new Map<string, Session>();

  /** Begins a session; resolves with its id, which only the browser's cookie knows. */
  open(given: Pick<Session, 'token' | 'namespace'>, now: bigint): string {
    const id = newBrowserId();
    this.#sessions.set(id, { ...given, lastUsed: now });
    for (const [other, { lastUsed }] of this.#sessions) {
      if (now - lastUsed < longestIdle && this.#sessions.size <= limit) break;
      this.#sessions.delete(other);
    }
    return id;
  }

  /** The session of an id, which is used herewith; undefined where it is over, or never was. */
  find(id: string, now: bigint): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    if (now - session.lastUsed >= longestIdle) return undefined;
    const used = { ...session, lastUsed: now };
    this.#sessions.set(id, used);
    return used;
  }

  close(id: string): void {
    this.#sessions.delete(id);
  }
}

/** 256 random bits. */
export function newBrowserId(): string {
  return randomBytes(32).toString('base64url');
}
