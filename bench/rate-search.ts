/** How near to each other the highest rate that was held and the lowest that was not come. */
const precision = 1.08;

/** Finds the highest rate that is held: doubled until one is not, then halved between the two. */
export class RateSearch {
  readonly #first: number;
  #held = 0;
  #missed = Number.POSITIVE_INFINITY;

  constructor(first: number) {
    this.#first = first;
  }

  /** The rate to try now; undefined when it is found. */
  next(): number | undefined {
    if (this.#missed === Number.POSITIVE_INFINITY) return this.#held === 0 ? this.#first : this.#held * 2;
    if (this.#held === 0) return this.#missed <= 1 ? undefined : Math.floor(this.#missed / 2);
    const middle = Math.round(Math.sqrt(this.#held * this.#missed));
    return this.#missed / this.#held <= precision || middle === this.#held || middle === this.#missed
      ? undefined
      : middle;
  }

  tell(rate: number, isHeld: boolean): void {
    if (isHeld) this.#held = Math.max(this.#held, rate);
    else this.#missed = Math.min(this.#missed, rate);
  }

  /** The highest rate that was held; 0 where none was. */
  get held(): number {
    return this.#held;
  }
}
