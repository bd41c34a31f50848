import { z } from 'zod';
import type { Environment } from './environment.ts';

/** First parts that services keep for themselves (measured: OpenBao 2.7.2). */
const reserved = ['sys', 'audit', 'auth', 'cubbyhole', 'identity', 'root'];

/** Path of a namespace below the environment's own: `shop`, `shop/web`. */
export const namespacePath = z
  .string()
  .regex(
    /^(?!\.{1,2}(?:\/|$))[^/\s*+"\\{}$]+(?:\/(?!\.{1,2}(?:\/|$))[^/\s*+"\\{}$]+)*$/,
    'a namespace has no blanks, none of `*+"\\{}$`, and no slash at its ends',
  )
  .refine((path) => !path.split('/').some((name) => reserved.includes(name)), {
    error: `a service keeps the names ${reserved.join(', ')} for itself`,
  });

/** Name of a namespace in the one that holds it. */
export const namespaceName = namespacePath.refine((name) => !name.includes('/'), 'a name has no slash');

/** A namespace that an environment makes or uses. */
export const namespaceSettings = z.strictObject({
  path: namespacePath.describe('Path below the environment’s own namespace, such as `shop` or `shop/web`.'),
  exists: z
    .boolean()
    .default(false)
    .describe(
      'It is made elsewhere: what is declared for it goes there, and it is left alone. Defaults to false.',
    ),
});

/** What a part of an environment says of its namespace. */
export const ownNamespace = namespacePath
  .optional()
  .describe('One of `namespaces`. Defaults to the environment’s own.');

/** A namespace's path from the root of the service. */
export function namespaceBelow(outer: string | undefined, inner: string): string {
  return [outer, inner].filter(Boolean).join('/');
}

/** What is left of a namespace's path below an outer one; all of it where it is not below that. */
export function namespaceWithin(outer: string, path: string): string {
  if (outer === path) return '';
  return outer !== '' && path.startsWith(`${outer}/`) ? path.slice(outer.length + 1) : path;
}

/** What a pattern of paths means inside a namespace; undefined where it does not reach there. */
export function patternWithin(pattern: string, namespace: string): string | undefined {
  const [segments, names] = [pattern.split('/'), namespace.split('/')];
  for (const [index, name] of names.entries()) {
    const segment = segments[index];
    const isLast = index === segments.length - 1;
    if (isLast && segment?.endsWith('*') && name.startsWith(segment.slice(0, -1))) return '*';
    if (isLast || (segment !== '+' && segment !== name)) return undefined;
  }
  return segments.slice(names.length).join('/');
}

/** The namespace that holds another; empty for the environment's own. */
export function namespaceAbove(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** What an environment declares for one namespace. */
export interface NamespaceEnvironment {
  /** Path below the environment's own namespace; empty for that itself. */
  path: string;
  environment: Environment;
}

/**
 * The environment of each namespace: the environment's own first, then one for each that it makes or uses, and for
 * those that they lie in. To a service each is a service of its own: nothing in one refers to anything in another.
 * There a provider is called `shop/staff`, and the path of its auth method stays `staff`. Promises, messages, run tasks
 * and what is known are those of the environment's own namespace.
 */
export function byNamespace(environment: Environment): NamespaceEnvironment[] {
  const { namespaces, service } = environment;
  const paths = new Set(namespaces.flatMap(({ path }) => lineage(path)));
  const none = { messages: [], promises: [], known: [], runTasks: [], namespaces: [] };
  return [
    { path: '', environment: { ...environment, ...partsIn(environment, undefined) } },
    ...[...paths].sort().map((path) => {
      const parts = partsIn(environment, path);
      return {
        path,
        environment: {
          ...{ ...environment, ...none, ...parts },
          service: { ...service, namespace: namespaceBelow(service.namespace, path) },
          providers: parts.providers.map((one) => ({
            ...one,
            ...{ name: `${path}/${one.name}`, path: one.path ?? one.name },
          })),
        },
      };
    }),
  ];
}

/** The parts that name a namespace, or none, which they are told no more. */
export function partsIn(environment: Environment, path: string | undefined): Parts {
  const within = <Part extends { namespace?: string | undefined }>(parts: readonly Part[]): Part[] =>
    parts.flatMap(({ namespace, ...part }) => (namespace === path ? [part as Part] : []));
  return {
    providers: within(environment.providers),
    groups: within(environment.groups),
    policies: within(environment.policies),
    exceptions: within(environment.exceptions),
  };
}

type Parts = Pick<Environment, 'providers' | 'groups' | 'policies' | 'exceptions'>;

/** A namespace and those that it lies in, the outermost first. */
function lineage(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
