/** Work that is done again and again. A failure is reported, and the next time tries again. */
export class Chore {
  readonly #work: () => Promise<void>;
  readonly #everyMs: number;
  readonly #onError: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(work: () => Promise<void>, everyMs: number, onError: (error: Error) => void) {
    this.#work = work;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Begins now. */
  start(): void {
    const work = () => {
      this.#working = this.#work().catch(this.#onError);
    };
    work();
    this.#timer = setInterval(work, this.#everyMs).unref();
  }

  /** Settles once what is being done is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }
}
