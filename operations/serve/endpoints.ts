import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Endpoint } from '../../run-tasks/integrator/review.ts';

/** Where the key of the one endpoint is that there is without a file. */
export const keyVariable = 'GATEHOUSE_RUN_TASK_KEY';

const endpointsFile = z.strictObject({
  endpoints: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'is made of letters, digits, - and _, at most 64'),
        keys: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')),
        failOn: z.enum(['info', 'warning', 'error']).optional(),
        stack: z.string().min(1).optional(),
      }),
    )
    .min(1)
    .refine(
      (endpoints) => new Set(endpoints.map(({ name }) => name)).size === endpoints.length,
      'each endpoint has a name of its own',
    ),
});

/**
 * The endpoints to serve. Keys stand in the environment, never in the file.
 *
 * @param path YAML: `endpoints: [{ name, keys: [VARIABLE …], failOn?, stack? }]`; without it there is one, `review`
 * @throws GatehouseError `endpoints_invalid`, `run_task_key_missing`, `file_unreadable`
 */
export async function readEndpoints(
  path: string | undefined,
  stack: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Endpoint[]> {
  if (path === undefined) {
    const base = stack === undefined ? {} : { stack };
    return [{ name: 'review', keys: [keyOf(keyVariable, env)], ...base }];
  }
  const parsed = endpointsFile.safeParse(await readYaml(path));
  if (!parsed.success) {
    throw invalid(
      path,
      parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('\n  '),
    );
  }
  return parsed.data.endpoints.map(({ keys, failOn, stack: own, name }) => ({
    name,
    keys: keys.map((variable) => keyOf(variable, env)),
    failOn,
    stack: own,
  }));
}

async function readYaml(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new GatehouseError({
      code: 'file_unreadable',
      what: 'the file with endpoints cannot be read',
      given: path,
      cause,
    });
  }
  try {
    return parse(text);
  } catch (cause) {
    throw invalid(path, (cause as Error).message);
  }
}

function keyOf(variable: string, env: NodeJS.ProcessEnv): string {
  const key = env[variable];
  if (key !== undefined && key !== '') return key;
  throw new GatehouseError({
    code: 'run_task_key_missing',
    what: 'the key that run tasks are signed with is not given',
    given: variable,
    fix: 'Set the variable to the HMAC key of the run task. An endpoint without one has `keys: []` in its file.',
  });
}

function invalid(where: string, what: string): GatehouseError {
  return new GatehouseError({
    code: 'endpoints_invalid',
    what,
    where,
    allowed: 'endpoints: [{ name: review, keys: [GATEHOUSE_RUN_TASK_KEY], failOn: error, stack: prod }]',
  });
}
