import { z } from 'zod';

/** Names that services keep for themselves (measured: OpenBao 2.7.2). */
export const reservedNames = ['sys', 'audit', 'auth', 'cubbyhole', 'identity', 'root'];

/** Path of a namespace below the environment's own: `shop`, `shop/web`. */
export const namespacePath = z
  .string()
  .regex(
    /^(?!\.{1,2}(?:\/|$))[^/\s*+"\\{}$]+(?:\/(?!\.{1,2}(?:\/|$))[^/\s*+"\\{}$]+)*$/,
    'a namespace has no blanks, none of `*+"\\{}$`, and no slash at its ends',
  )
  .refine((path) => !path.split('/').some((name) => reservedNames.includes(name)), {
    error: `a service keeps the names ${reservedNames.join(', ')} for itself`,
  });

/** The schema of a namespace's own name. */
export const namespaceName = namespacePath.refine((name) => !name.includes('/'), 'a name has no slash');

/** What a part of an environment says of its namespace. */
export const ownNamespace = namespacePath
  .optional()
  .describe('One of `namespaces`. Defaults to the environment’s own.');

/** What is in a namespace, by its path from outside of that: another namespace, or anything with a name. */
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
  const segments = pattern.split('/');
  const names = namespace.split('/');
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

/** The name of a namespace, without those above it. */
export function nameOfNamespace(path: string): string {
  return namespaceWithin(namespaceAbove(path), path);
}

/** A namespace and those that it lies in, the outermost first. */
export function lineage(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
