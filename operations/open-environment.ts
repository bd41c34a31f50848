import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readClusterKeys, readIssuer } from '../client/discovery.ts';
import { declare } from '../core/model/declared.ts';
import type { Environment } from '../core/model/environment.ts';
import { type ConfigSource, givenInConfig, locateIn } from '../core/model/environment-config.ts';
import type { Graph } from '../core/model/graph.ts';
import { resolveEnvironment } from '../core/model/resolve.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { readEnvironment } from '../core/rules/rules.ts';
import type { Stack } from '../engine/stack.ts';

/**
 * The environment that a stack declares, as its program will see it.
 *
 * @returns undefined for a stack of another program, which has no `gatehouse:` keys
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`
 */
export function openEnvironment(stack: Stack, env: NodeJS.ProcessEnv): Environment | undefined {
  if (![...stack.config.keys()].some((key) => key.startsWith('gatehouse:'))) return undefined;
  return readEnvironment(sourceOf(stack, env));
}

function sourceOf(stack: Stack, env: NodeJS.ProcessEnv): ConfigSource {
  return {
    config: Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value])),
    variables: env,
    stack: stack.name,
    isSealed: stack.isSealed,
    readFile: (path) => readFileSync(join(stack.directory, path), 'utf8'),
  };
}

/**
 * Address of a stack's service, even where the rest of its configuration is not valid; undefined where it names none.
 *
 * @throws GatehouseError what `givenInConfig` throws
 */
export function declaredAddress(stack: Stack, env: NodeJS.ProcessEnv): URL | undefined {
  const service = givenInConfig(sourceOf(stack, env)).keys['service'] as { address?: unknown } | null;
  return URL.parse(env['GATEHOUSE_SERVICE_ADDRESS'] || String(service?.address)) ?? undefined;
}

/** @throws GatehouseError `environment_missing`, and what `openEnvironment` throws */
export function requireEnvironment(stack: Stack, env: NodeJS.ProcessEnv): Environment {
  const environment = openEnvironment(stack, env);
  if (environment !== undefined) return environment;
  throw new GatehouseError({
    code: 'environment_missing',
    what: 'The stack declares no environment: it has no key that begins with gatehouse:.',
    given: stack.name,
  });
}

/** An environment and its declared graph. */
export interface Declared {
  environment: Environment;
  graph: Graph;
}

/**
 * What a stack declares, worked out as its program does, without running it.
 *
 * @throws GatehouseError what `resolveEnvironment`, the readers of clusters and `requireEnvironment` throw
 */
export async function openDeclared(stack: Stack, env: NodeJS.ProcessEnv): Promise<Declared> {
  const environment = await resolveEnvironment(requireEnvironment(stack, env), {
    readFile: (path) => readFile(join(stack.directory, path), 'utf8'),
    readIssuer,
    readClusterKeys,
    locate: (path) => locateIn(sourceOf(stack, env))(path),
  });
  return { environment, graph: declare(environment) };
}

/** The secrets of a stack under one of its keys, by provider or run task; ciphertexts of a sealed stack. */
export function stackSecrets(stack: Stack, key: 'clientSecrets' | 'runTaskKeys'): Record<string, string> {
  return JSON.parse(stack.config.get(`gatehouse:${key}`)?.value ?? '{}');
}
