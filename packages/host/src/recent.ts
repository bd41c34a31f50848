interface RecentArgs {
  /** Milliseconds that an entry is kept. */
  keptMs: number;
  /** Most entries; the oldest make room. Defaults to 10,000, because callers choose most keys freely. */
  most?: number;
  now: () => number;
}

/** Entries that were set recently, in memory. */
export class Recent<Value> {
  readonly #args: Required<RecentArgs>;
  /** The oldest first. */
  readonly #entries = new Map<string, { value: Value; until: number }>();

  constructor({ most = 10_000, ...args }: RecentArgs) {
    this.#args = { most, ...args };
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#args.now() < entry.until ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    const { keptMs, most, now } = this.#args;
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: now() + keptMs });
    for (const [oldest, { until }] of this.#entries) {
      if (now() < until && this.#entries.size <= most) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** A recent answer, or a new one. Callers at the same time share an answer; a failure is not kept. */
export async function recentAnswer<Answer>(
  recent: Recent<Promise<Answer>>,
  key: string,
  ask: () => Promise<Answer>,
  isFresh = false,
): Promise<Answer> {
  const known = isFresh ? undefined : recent.get(key);
  if (known !== undefined) return await known;
  const answer = ask();
  recent.set(key, answer);
  answer.catch(() => recent.delete(key));
  return await answer;
}
