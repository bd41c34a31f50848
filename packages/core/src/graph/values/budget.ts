/** How much work a decision may take: some seconds. What people write takes a hundredth. */
const most = 8_000_000;

/** Counts the work of one decision, so that it ends whatever it is asked. */
export class Budget {
  #left = most;

  /**
   * @param of what there is too much of, in words
   * @throws OutOfBudget
   */
  spend(work: number, of: string): void {
    this.#left -= work;
    if (this.#left < 0) throw new OutOfBudget(of);
  }
}

/** A question that would take too long to decide. Its message says what about, in words. */
export class Undecided extends Error {}

/** A comparison that is too large: nothing is proved about anyone. */
export class OutOfBudget extends Undecided {
  constructor(of: string) {
    super(`there are more ${of} than can be compared`);
  }
}

/** The most requests of one reading of a service, by default. */
export const readBudget = 20_000;
