import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../environment-under-test.ts';

/** A fenced block of a Markdown file. */
export interface Block {
  /** Path of the file, from the project's folder. */
  file: string;
  line: number;
  /** What stands behind the fence: the language, and what the block is. */
  info: string;
  text: string;
}

/** Every Markdown file of the project. */
export const markdownFiles = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('.gatehouse'))
  .sort();

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The fenced blocks of a file whose info begins with `info`. */
export function blocksOf(file: string, info = ''): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  read(file)
    .split('\n')
    .forEach((text, index) => {
      const fence = /^\s*```(.*)$/.exec(text);
      if (fence === null) {
        if (open !== undefined) open.text += `${text}\n`;
      } else if (open === undefined) {
        open = { file, line: index + 1, info: (fence[1] ?? '').trim(), text: '' };
      } else {
        blocks.push(open);
        open = undefined;
      }
    });
  if (open !== undefined) throw new Error(`${file}:${open.line}: this block does not end`);
  return blocks.filter((block) => block.info === info || block.info.startsWith(`${info} `) || info === '');
}

/** All of it, for `test.each`: each with its place as a name. */
export function allBlocks(info: string): [string, Block][] {
  return markdownFiles
    .flatMap((file) => blocksOf(file, info))
    .map((block) => [`${block.file}:${block.line}`, block]);
}

/** The first column of every table of a file below a heading that has it, without its backquotes. */
export function firstColumn(file: string): string[] {
  return read(file)
    .split('\n')
    .flatMap((line) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? []);
}
