/** Registrations that begin in one turn of the event loop. */
const perTurn = 8;

/**
 * Lets a few registrations begin in each turn of the event loop. A program registers a thousand at once; to check all
 * of them before anything else would leave the service without work meanwhile (bench/README.md).
 */
export class Admission {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** Resolves when it is the registration's turn; first come, first served. */
  turn(): Promise<void> {
    if (this.#begun === 0) setImmediate(() => this.#nextTurn());
    if (this.#begun < perTurn) {
      this.#begun++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #nextTurn(): void {
    const next = this.#waiting.splice(0, perTurn);
    this.#begun = next.length;
    if (next.length > 0) setImmediate(() => this.#nextTurn());
    for (const begin of next) begin();
  }
}

/** Lets at most `size` calls run at once; the others wait their turn, first come first served. */
export class CallLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
