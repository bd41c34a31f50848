/**
 * Measures sides in turn, round after round, so that whatever else the machine does falls on all of them. The
 * order is turned round every second time.
 *
 * @returns what each side answered, in the order of the rounds
 */
export async function inTurn<Side extends string, Result>(
  rounds: number,
  sides: Record<Side, (round: number) => Promise<Result>>,
): Promise<Record<Side, Result[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await sides[name](round));
    }
  }
  return results;
}

/** Seconds that the work takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
