/** How much work a decision may take: some seconds. What people write takes a hundredth. */
const most = 8_000_000;

/** What there may be more of than can be compared. `patterns` are those of a claim, `bounds` those on claims. */
export type Compared = 'paths' | 'combinations' | 'instants' | 'fillings' | 'bounds' | 'patterns';

/** Counts the work of one decision, so that it ends whatever it is asked. */
export class Budget {
  #left = most;

  /**
   * @param of what there is too much of
   * @param claim whose patterns these are
   * @throws OutOfBudget
   */
  spend(work: number, of: Compared, claim?: string): void {
    this.#left -= work;
    if (this.#left < 0) throw new OutOfBudget(of, claim);
  }
}

/** A comparison that is too large: nothing is proved about anyone. */
export class OutOfBudget extends Error {
  readonly of: Compared;
  readonly claim: string | undefined;

  constructor(of: Compared, claim?: string) {
    super(of);
    this.of = of;
    this.claim = claim;
  }
}

/** The most requests of one reading of a service, by default. */
export const readBudget = 20_000;
