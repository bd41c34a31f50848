/**
 * What stands for a value that a plan hides. It is a text, since the name of a claim can be hidden as well; a plan is read so
 * that no text of its own is one.
 */
export type HiddenText = `(hidden ${number})`;

export function isHiddenText(value: unknown): value is HiddenText {
  return typeof value === 'string' && /^\(hidden \d+\)$/.test(value);
}
