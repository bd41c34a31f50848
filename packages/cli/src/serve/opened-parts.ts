/** What a server has opened so far, to be closed in the reverse order: at its end, or where its start fails. */
export class OpenedParts {
  readonly #closing: (() => unknown)[] = [];

  /** @param close closes a part that was opened; what it returns is awaited */
  add(close: () => unknown): void {
    this.#closing.push(close);
  }

  /** Closes everything once, also what comes after a part that fails to close. @throws what the first one of these threw */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closing.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
