export interface TrafficLimits {
  /** Requests that may be at work at once. Defaults to 256; one more is answered 503. */
  concurrency: number;
  /** Requests that one address may make in a second. Defaults to 1000; one more is answered 429. */
  perSecond: number;
}

export const defaultTrafficLimits: TrafficLimits = { concurrency: 256, perSecond: 1000 };

export type TrafficRefusal = 'concurrency' | 'rate';

/** Counts requests, and says which are too many. */
export class Traffic {
  readonly #limits: TrafficLimits;
  readonly #now: () => number;
  #atWork = 0;
  #second = 0;
  #ofSecond = new Map<string, number>();

  constructor(limits: TrafficLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @returns why a request is refused; one that is not has to `leave` */
  enter(address: string): TrafficRefusal | undefined {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#ofSecond = new Map();
    }
    const count = (this.#ofSecond.get(address) ?? 0) + 1;
    this.#ofSecond.set(address, count);
    if (count > this.#limits.perSecond) return 'rate';
    if (this.#atWork >= this.#limits.concurrency) return 'concurrency';
    this.#atWork += 1;
    return undefined;
  }

  leave(): void {
    this.#atWork -= 1;
  }
}
