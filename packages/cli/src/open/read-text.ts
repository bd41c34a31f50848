import { readFile } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/core/values';

/** A file that a person named. @param what such as `The key cannot be read.` @throws GatehouseError `file_unreadable` */
export function readText(path: string, what: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GatehouseError({ code: 'file_unreadable', what, given: path, fix: 'Check the path.', cause });
  });
}
