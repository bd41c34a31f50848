/** The number of the mutation that is on; 0 for none. */
let active = 0;
/** For each number, whether its place was come to. */
let reached = new Uint8Array(1);

/** What every mutated place asks, in each process that runs tests. */
export function is(mutation: number): boolean {
  reached[mutation] = 1;
  return mutation === active;
}

export function activate(mutation: number): void {
  active = mutation;
}

export function forget(count: number): void {
  if (reached.length === count) reached.fill(0);
  else reached = new Uint8Array(count);
}

export function wasReached(mutation: number): boolean {
  return reached[mutation] === 1;
}

/** Numbers of all places come to since `forget`. */
export function allReached(): number[] {
  return [...reached.keys()].filter((mutation) => reached[mutation] === 1);
}
