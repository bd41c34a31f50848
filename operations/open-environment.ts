import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../core/model/environment.ts';
import { environmentFromConfig } from '../core/model/environment-config.ts';
import type { Stack } from '../engine/stack.ts';

/**
 * The environment that a stack declares, as its program will see it.
 *
 * @returns undefined for a stack that has no configuration of Gatehouse's: another program's.
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`
 */
export function openEnvironment(stack: Stack, env: NodeJS.ProcessEnv): Environment | undefined {
  if (![...stack.config.keys()].some((key) => key.startsWith('gatehouse:'))) return undefined;
  return environmentFromConfig({
    config: Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value])),
    variables: env,
    readFile: (path) => readFileSync(join(stack.directory, path), 'utf8'),
  });
}
