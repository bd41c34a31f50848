/**
 * How many times as long as recorded a test may take, and the milliseconds that it may take anyway. Of processor time: on a
 * busy machine, what is slow would count as killed.
 */
export const patience = { times: 10, ms: 8_000 };

/** What a process has on, and how long: 0 is no mutation. */
let active = 0;
let reached = new Set<number>();
let asked = 0;
let end = Number.POSITIVE_INFINITY;

/** What every mutated place asks. @throws Error where a test takes too long: a mutated loop may have no end */
export function is(mutation: number): boolean {
  reached.add(mutation);
  asked += 1;
  if (asked % 1_024 === 0 && usedMs() > end) throw new Error('it takes too long');
  return mutation === active;
}

export function activate(mutation: number): void {
  active = mutation;
}

/** Milliseconds of processor time from now in which places may be come to. */
export function allow(ms: number): void {
  end = usedMs() + ms;
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Numbers of the places come to since this was asked last. */
export function takeReached(): number[] {
  const all = [...reached];
  reached = new Set();
  return all;
}
