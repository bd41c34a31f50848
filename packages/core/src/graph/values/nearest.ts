/** The known word that a misspelled one most likely means: up to a third of its letters may differ. */
export function nearest<Word extends string>(misspelled: string, known: readonly Word[]): Word | undefined {
  const [best] = known
    .map((word) => ({ word, distance: distance(misspelled.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, word.length / 3))
    .sort((left, right) => left.distance - right.distance);
  return best?.word;
}

/** How many letters are to be added, taken out or changed to get from one word to the other (Levenshtein). */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...left.slice(0, 100)].entries()) {
    let diagonal = at;
    row = row.reduce<number[]>((next, above, index) => {
      const changed = diagonal + Number(letter !== right[index - 1]);
      next.push(index === 0 ? at + 1 : Math.min(above + 1, (next[index - 1] ?? 0) + 1, changed));
      diagonal = above;
      return next;
    }, []);
  }
  return row[right.length] ?? 0;
}
