import { readFile } from 'node:fs/promises';
import { GatehouseError } from '../core/model/values/errors.ts';
import { keyVariable } from './serve/endpoints.ts';

/**
 * The key of a run task: of a file, or of GATEHOUSE_RUN_TASK_KEY. Never an option, which others could read.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readRunTaskKey(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (file === undefined) return env[keyVariable] || undefined;
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '') || undefined;
  } catch (cause) {
    throw new GatehouseError({ code: 'file_unreadable', what: 'the key cannot be read', given: file, cause });
  }
}
