import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../harness/environment-under-test.ts';

/** A fenced block of a Markdown file. */
export interface Block {
  /** Path of the file, from the project's folder. */
  file: string;
  line: number;
  /** What stands behind the fence: the language, and what the block is. */
  info: string;
  text: string;
}

/** The project's files that git keeps or would keep, from its folder; `patterns` are git's own. */
export function projectFiles(...patterns: string[]): string[] {
  const asked = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns];
  const files = execFileSync('git', asked, { cwd: root, encoding: 'utf8' }).split('\n');
  return [...new Set(files)].filter((file) => file !== '' && existsSync(join(root, file))).sort();
}

/** Every Markdown file of the project. */
export const markdownFiles = projectFiles('*.md');

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The fenced blocks of a file, or of a part of its text. */
export function blocksOf(file: string, part = read(file)): Block[] {
  const blocks: Block[] = [];
  let openBlock: Block | undefined;
  for (const [index, text] of part.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(text);
    if (fence === null) {
      if (openBlock !== undefined) openBlock.text += `${text}\n`;
    } else if (openBlock === undefined) {
      openBlock = { file, line: index + 1, info: (fence[1] ?? '').trim(), text: '' };
    } else {
      blocks.push(openBlock);
      openBlock = undefined;
    }
  }
  if (openBlock !== undefined) throw new Error(`${file}:${openBlock.line}: this block does not end`);
  return blocks;
}

/** The blocks of all files whose info is one of these, each with its place as its name, for `test.each`. */
export function namedBlocks(...infos: string[]): [string, Block][] {
  return markdownFiles
    .flatMap((file) => blocksOf(file))
    .filter(({ info }) => infos.includes(info))
    .map((block) => [`${block.file}:${block.line}`, block]);
}

/** The rows of a file's tables whose first column is code: its text, and the other columns. */
export function codeRows(file: string, part = read(file)): [string, ...string[]][] {
  return part.split('\n').flatMap((line) => {
    const [, first, rest] = /^\| ?`([^`]+)` ?\|(.*)\|$/.exec(line) ?? [];
    if (first === undefined || rest === undefined) return [];
    return [[first, ...rest.split('|').map((column) => column.trim())] as [string, ...string[]]];
  });
}
