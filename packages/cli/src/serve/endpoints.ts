import { GatehouseError } from '@gatehouse/core/values';
import type { Endpoint } from '@gatehouse/run-tasks';
import { z } from 'zod';
import { readSettings, variableName } from './read-settings.ts';

/** The environment variable with the key of the endpoint `review`, which is served without a file. */
export const keyVariable = 'GATEHOUSE_RUN_TASK_KEY';

const endpointsFile = z.strictObject({
  endpoints: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'is made of letters, digits, - and _, at most 64'),
        keys: z.array(variableName),
        failOn: z.enum(['info', 'warning', 'error']).optional(),
        stack: z.string().min(1).optional(),
      }),
    )
    .min(1)
    .refine(
      (endpoints) => new Set(endpoints.map(({ name }) => name)).size === endpoints.length,
      'no two endpoints may have the same name',
    ),
});

/**
 * The endpoints to serve. Keys are in environment variables, never in the file.
 *
 * @param path YAML: `endpoints: [{ name, keys: [VARIABLE …], failOn?, stack? }]`; without it there is one, `review`
 * @throws GatehouseError `endpoints_invalid`, `run_task_key_missing`, `file_unreadable`
 */
export async function readEndpoints(
  path: string | undefined,
  stack: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Endpoint[]> {
  if (path === undefined) return [{ name: 'review', keys: [keyOf(keyVariable, env)], stack }];
  const invalid = (problems: string) =>
    new GatehouseError('endpoints_invalid', {
      where: path,
      allowed: 'endpoints: [{ name: review, keys: [GATEHOUSE_RUN_TASK_KEY], failOn: error, stack: prod }]',
      values: { problems },
    });
  const { endpoints } = await readSettings(path, endpointsFile, 'file with endpoints', invalid);
  return endpoints.map(({ keys, ...endpoint }) => ({
    ...endpoint,
    keys: keys.map((variable) => keyOf(variable, env)),
  }));
}

function keyOf(variable: string, env: NodeJS.ProcessEnv): string {
  const key = env[variable];
  if (key !== undefined && key !== '') return key;
  throw new GatehouseError('run_task_key_missing', { given: variable });
}
