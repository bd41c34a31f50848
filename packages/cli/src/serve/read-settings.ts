import type { GatehouseError } from '@gatehouse/core/values';
import { parse } from 'yaml';
import { z } from 'zod';
import { readText } from '../open/read-text.ts';

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable');

/**
 * Reads a file of YAML.
 *
 * @param file such as `file with endpoints`
 * @param invalid makes the error for all that is wrong with its content
 * @throws GatehouseError `file_unreadable`, and what `invalid` makes
 */
export async function readSettings<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  file: string,
  invalid: (problems: string) => GatehouseError,
): Promise<z.output<Schema>> {
  const text = await readText(path, file);
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw invalid((cause as Error).message);
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
  throw invalid(problems.join('\n  '));
}
