import { Help } from 'commander';

const help = new Help();

/**
 * A text with its long lines broken between words, for a terminal that would break them anywhere. What follows is indented
 * by two more; a command line (`$ …`) goes on behind a backslash, so that it can be pasted.
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
  const indent = `${/^ */.exec(line)?.[0]}  `;
  const content = line.trimStart();
  const isCommand = content.startsWith('$ ');
  const hanging = isCommand ? `${indent}  ` : indent;
  const lines = help.boxWrap(content, width - hanging.length - (isCommand ? 2 : 0)).split('\n');
  return indent.slice(2) + lines.join(`${isCommand ? ' \\' : ''}\n${hanging}`);
}
