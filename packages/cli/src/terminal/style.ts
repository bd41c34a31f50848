import { styleText } from 'node:util';
import { visible } from '@gatehouse/core/values';

/** Colors are never the only difference. */
export interface Style {
  added(text: string): string;
  changed(text: string): string;
  removed(text: string): string;
  replaced(text: string): string;
  faint(text: string): string;
  strong(text: string): string;
}

type TextFormat = Parameters<typeof styleText>[0];

/** Colors for a terminal; none for a file or pipe, or with NO_COLOR (no-color.org). */
export function styleFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Style {
  const colored = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const format = (name: TextFormat) => (text: string) =>
    colored ? styleText(name, text, { validateStream: false }) : text;
  return {
    added: format('green'),
    changed: format('yellow'),
    removed: format('red'),
    replaced: format('magenta'),
    faint: format('dim'),
    strong: format('bold'),
  };
}

/**
 * Text from outside (a service, a program, a file) without control characters, which could write anywhere on a terminal,
 * and with bidirectional ones in sight. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
  return visible(text.replace(/\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''));
}

/** Printable text in one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Lines of a text; a condition that is not met leaves its lines out. */
export function given(...all: (string | false | undefined | readonly string[])[]): string[] {
  return all.flat().filter((line) => typeof line === 'string');
}

/** A text of sections with an empty line between them, without those that are empty. */
export function inSections(sections: readonly (readonly string[])[]): string {
  return sections.flatMap((lines) => (lines.length > 0 ? `${lines.join('\n')}\n` : [])).join('\n');
}
