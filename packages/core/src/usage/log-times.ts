/** Times without entries are gaps from this on, in milliseconds; and a time that is further away is a jump. */
const gap = 3_600_000;
/** Gaps that are kept. */
const mostGaps = 10;
/** Entries of several processes are not written in order. */
const disorder = 60_000;

/** Entries without a jump between them. */
interface Stretch {
  from: number;
  to: number;
  entries: number;
}

/** The time that a log covers. A clock that jumps and comes back does not stretch it. */
export class LogTimes {
  from: number | undefined;
  to: number | undefined;
  gaps: { from: number; to: number }[] = [];
  /** Entries that are older than one before by more than a minute. */
  backwards = 0;
  /** Entries that a clock dated far away, within one file. */
  jumped = 0;
  /** The stretch before the one that is read: the log may come back to it. */
  #before: Stretch | undefined;
  #current: Stretch | undefined;
  #latest = Number.NEGATIVE_INFINITY;

  note(at: number): void {
    if (this.#latest - at > disorder) this.backwards += 1;
    this.#latest = Math.max(this.#latest, at);
    const current = this.#current;
    if (current !== undefined && at <= current.to + gap && at >= current.from - gap) {
      extend(current, at);
      return;
    }
    const before = this.#before;
    if (current !== undefined && before !== undefined && Math.abs(at - before.to) <= gap) {
      this.jumped += current.entries;
      extend(before, at);
      this.#current = before;
      this.#before = undefined;
      this.#latest = before.to;
      return;
    }
    this.#keep(before);
    this.#before = current;
    this.#current = { from: at, to: at, entries: 1 };
  }

  /** Another file may be of another time. */
  endFile(): void {
    this.#keep(this.#before);
    this.#before = undefined;
    this.#keep(this.#current);
    this.#current = undefined;
  }

  #keep(stretch: Stretch | undefined): void {
    if (stretch === undefined) return;
    const { from: start, to: end } = stretch;
    if (this.to !== undefined && start - this.to > gap)
      this.gaps = [...this.gaps, { from: this.to, to: start }]
        .sort((left, right) => right.to - right.from - (left.to - left.from))
        .slice(0, mostGaps);
    this.from = Math.min(start, this.from ?? start);
    this.to = Math.max(end, this.to ?? end);
  }
}

function extend(stretch: Stretch, at: number): void {
  stretch.entries += 1;
  stretch.from = Math.min(stretch.from, at);
  stretch.to = Math.max(stretch.to, at);
}
