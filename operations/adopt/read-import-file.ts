import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { importIds } from './prove.ts';

const file = z.looseObject({
  resources: z.array(z.looseObject({ type: z.string(), name: z.string(), id: z.string().optional() })),
});

/**
 * Reads what `pulumi import --file` takes: `<type>::<name>` → id.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readImportFile(path: string): Promise<Record<string, string>> {
  try {
    const { resources } = file.parse(JSON.parse(await readFile(path, 'utf8')));
    return importIds({
      nameTable: {},
      resources: resources.map(({ type, name, id }) => ({ type, name, ...(id === undefined ? {} : { id }) })),
    });
  } catch (cause) {
    throw new GatehouseError({
      code: 'file_unreadable',
      what: 'the import file cannot be read',
      given: path,
      allowed: 'what gatehouse adopt writes, and pulumi import --file takes',
      cause,
    });
  }
}
