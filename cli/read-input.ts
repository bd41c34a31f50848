import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { GatehouseError } from '../core/model/values/errors.ts';
import type { Terminal } from './terminal.ts';

/**
 * The text of a file that an option names, from where the command was started; `-` is standard input.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readInput(file: string, { stdin, cwd }: Terminal): Promise<string> {
  if (file === '-') return text(stdin);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new GatehouseError({
      code: 'file_unreadable',
      what: 'The file cannot be read.',
      given: file,
      fix: 'Check the path, or give - and pipe it in.',
      cause,
    });
  }
}
