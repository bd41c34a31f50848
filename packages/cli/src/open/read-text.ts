import { readFile } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/core/values';

/** A file that a person named. @param file such as `key` @throws GatehouseError `file_unreadable` */
export function readText(path: string, file: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GatehouseError('file_unreadable', { given: path, cause, values: { file } });
  });
}
