/** Registrations started in one turn of the event loop. */
const perTurn = 8;

/**
 * Starts a few registrations in each turn of the event loop. A program registers a thousand at once, and the service
 * would be idle while all of them are checked (packages/bench/README.md).
 */
export class Admission {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** Resolves when it is the registration's turn, in order of arrival. */
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
