/** A number with its word: `1 role`, `2 roles`. */
export function count(number: number, what: string, several = `${what}s`): string {
  return `${number} ${number === 1 ? what : several}`;
}
