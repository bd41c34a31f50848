import { isHiddenText } from './hidden-text.ts';

/**
 * A text with its bidirectional controls as `U+202E`: they would change the order in which the characters around them are
 * shown, so that a name reads like another (Unicode Standard Annex 9; U+202A–202E, U+2066–2069).
 */
export function visible(text: string): string {
  return text.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (control) => `U+${control.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A name as people write it; in quotes where it is not one word. The placeholder of a hidden name stays as it is. */
export function plainName(name: string): string {
  return /^[\w./@:*+-]+$/.test(name) || isHiddenText(name) ? name : JSON.stringify(name);
}

/** A part by its type and its path, as all texts write it: `role cluster/web`, `group "on call"`. */
export function partName(type: string, ...path: readonly (string | undefined)[]): string {
  return `${type} ${plainName(path.filter((segment) => segment !== undefined).join('/'))}`;
}
