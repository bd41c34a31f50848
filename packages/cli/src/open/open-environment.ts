import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  byNamespace,
  type ConfigSource,
  declare,
  type Environment,
  givenInConfig,
  resolveEnvironment,
  whereIn,
} from '@gatehouse/core/environment';
import { didYouMean, type Graph, trimmed } from '@gatehouse/core/graph';
import { readEnvironment } from '@gatehouse/core/review';
import { GatehouseError, isObject } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readClusterKeys, readIssuer } from '@gatehouse/service-client';

/**
 * The environment that a stack declares, as its program will see it.
 *
 * @returns undefined for a stack of another program, which has no `gatehouse:` keys
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`
 */
export function openEnvironment(stack: Stack, env: NodeJS.ProcessEnv): Environment | undefined {
  if (isOfProgram(stack)) return undefined;
  const environment = readEnvironment(sourceOf(stack, env));
  return stack.namespace === undefined ? environment : environmentIn(environment, stack.namespace);
}

/** Whether a stack has no `gatehouse:` keys: what it makes stands in its program alone. */
export function isOfProgram({ config }: Stack): boolean {
  return ![...config.keys()].some((key) => key.startsWith('gatehouse:'));
}

/** @throws GatehouseError `namespace_unknown` */
function environmentIn(environment: Environment, path: string): Environment {
  const all = byNamespace(environment);
  const declared = all.find((namespace) => namespace.path === trimmed(path));
  if (declared !== undefined) return { ...declared.environment, namespaces: [] };
  const paths = all.map((namespace) => namespace.path).filter(Boolean);
  throw new GatehouseError('namespace_unknown', {
    given: path,
    allowed: paths.join(', ') || 'it has none but its own',
    values: { suggestion: didYouMean(path, paths) },
  });
}

/** The configuration of a stack as core reads it. @param env its variables override the addresses of the configuration */
export function sourceOf(stack: Stack, env: NodeJS.ProcessEnv): ConfigSource {
  return {
    config: Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value])),
    variables: env,
    stack: stack.name,
    isSealed: stack.isSealed,
    inClear: stack.isPast ? undefined : (key) => inClearOf(stack, key),
    readFile: (path) => readFileSync(join(stack.directory, path), 'utf8'),
  };
}

/** Secrets below a key that are not encrypted in the stack's file. */
export function inClearOf({ config }: Stack, key: string): 'all' | readonly string[] {
  const { secret = false, clear = [] } = config.get(key) ?? {};
  return secret ? clear : 'all';
}

/** Where a stack's service is. */
export interface StackPlace {
  address: URL;
  /** Defaults to the root namespace. */
  namespace?: string;
}

/**
 * Where a stack's service is, even if the rest of its configuration is not valid; undefined where it does not say.
 *
 * @throws GatehouseError what `givenInConfig` throws
 */
export function declaredPlace(stack: Stack, env: NodeJS.ProcessEnv): StackPlace | undefined {
  const { service } = givenInConfig(sourceOf(stack, env)).keys;
  const { address: declaredAddress, namespace } = isObject(service) ? service : {};
  const address = URL.parse(env['GATEHOUSE_SERVICE_ADDRESS'] || String(declaredAddress));
  return address === null
    ? undefined
    : { address, ...(typeof namespace === 'string' && { namespace: trimmed(namespace) }) };
}

/** @throws GatehouseError `environment_missing`, and what `openEnvironment` throws */
export function requireEnvironment(stack: Stack, env: NodeJS.ProcessEnv): Environment {
  const environment = openEnvironment(stack, env);
  if (environment !== undefined) return environment;
  throw new GatehouseError('environment_missing', { given: stack.name });
}

/** An environment and its declared graph. */
export interface Declared {
  environment: Environment;
  graph: Graph;
}

/**
 * What a stack declares for its own namespace, worked out as its program does, without running it.
 *
 * @throws GatehouseError what `resolveEnvironment`, the readers of clusters and `requireEnvironment` throw
 */
export async function openDeclared(stack: Stack, env: NodeJS.ProcessEnv): Promise<Declared> {
  const [own] = await openNamespaces(stack, env);
  return own;
}

/** What a stack declares for one namespace. */
export type DeclaredNamespace = Declared & ReturnType<typeof byNamespace>[number];

/**
 * What a stack declares for each namespace that it makes or uses, its own first. It is worked out as its program does, without
 * running it.
 *
 * @throws GatehouseError what `openDeclared` throws
 */
export async function openNamespaces(
  stack: Stack,
  env: NodeJS.ProcessEnv,
): Promise<[DeclaredNamespace, ...DeclaredNamespace[]]> {
  const resolved = await resolveEnvironment(requireEnvironment(stack, env), {
    readFile: (path) => readFile(join(stack.directory, path), 'utf8'),
    readIssuer,
    readClusterKeys,
    where: (path) => whereIn(sourceOf(stack, env))(path),
  });
  const all = byNamespace(resolved).map((namespace) => ({
    ...namespace,
    graph: declare(namespace.environment),
  }));
  return all as [DeclaredNamespace, ...DeclaredNamespace[]];
}

/** The secrets of a stack under one of its keys, by provider or run task; ciphertexts of a sealed stack. */
export function stackSecrets(stack: Stack, key: 'clientSecrets' | 'runTaskKeys'): Record<string, string> {
  return JSON.parse(stack.config.get(`gatehouse:${key}`)?.value ?? '{}');
}
