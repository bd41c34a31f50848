/** Cuts at a whole character, never inside a surrogate pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The first of some texts, and how many more there are: `a, b, 3 more`. */
export function shortened(texts: readonly string[], most: number, separator = ', '): string {
  const first = texts.slice(0, most).join(', ');
  return texts.length > most ? `${first}${separator}${texts.length - most} more` : first;
}
