import { visible } from '@gatehouse/core/values';
import { Help } from 'commander';
import { type Terminal, widthOf } from './terminal.ts';

const help = new Help();
help.minWidthToWrap = 20;

/** Writes a text for people, as wide as the terminal, also one that holds text from outside as it came. */
export function writeText(stream: Terminal['stdout'], env: NodeJS.ProcessEnv, text: string): void {
  stream.write(wrapped(visible(text), widthOf(stream, env)));
}

/**
 * A text with its long lines broken between words, for a terminal that would break them anywhere. Further lines are indented
 * by two more. A command line (`$ …`) continues after a backslash, so that it can be pasted; one without a prompt stays
 * whole.
 *
 * @param width of the terminal; undefined leaves the text as it is
 */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => (help.displayWidth(line) <= width ? line : wrappedLine(line, width)))
    .join('\n');
}

function wrappedLine(line: string, width: number): string {
  // A color may begin before the indentation.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a color
  const [, color = '', spaces = ''] = /^((?:\u001b\[\d+m)*)( *)/.exec(line) ?? [];
  const content = line.slice(color.length + spaces.length);
  if (/^(?:export|npx) /.test(content)) return line;
  const isCommand = content.startsWith('$ ');
  const hanging = `${spaces}${isCommand ? '    ' : '  '}`;
  const lines = help.boxWrap(content, width - hanging.length - (isCommand ? 2 : 0)).split('\n');
  return color + spaces + lines.join(`${isCommand ? ' \\' : ''}\n${hanging}`);
}
