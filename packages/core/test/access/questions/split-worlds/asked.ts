import { keptAt } from './credentials.ts';
import type { World } from './world.ts';

/** A request that everyone is asked to make. */
export interface Asked {
  method: 'GET' | 'POST' | 'LIST' | 'DELETE';
  /** A list of a folder, and some others, have a slash at the end. */
  path: string;
  body?: Record<string, string>;
  /** What a policy has to allow for it. */
  capability: 'read' | 'create' | 'update' | 'list' | 'delete';
}

/** Paths that the rules of a world tell apart, by what is at them. */
export function namesIn({ words, prefix }: World): string[] {
  const all = [...words, 'abc', 'c'];
  const deep = words.flatMap((one) => all.map((other) => `${one}/${other}`));
  return [...all, ...deep, 'c/a', 'c/c', 'a/a/c'].map((path) => `${prefix}k/${path}`);
}

/** Where a token reads what signs in elsewhere. */
function credentialsIn({ prefix }: World): string[] {
  return [...keptAt.map((at) => `${prefix}k/${at}`), `identity/oidc/token/${prefix}i`];
}

/** What creates is asked for paths without a value. */
export function isFilled(path: string): boolean {
  return !path.endsWith('/c');
}

/** What tokens are asked to do: what changes nothing first, then writes, then what deletes. */
export function askedIn(world: World): Asked[][] {
  const names = namesIn(world);
  const folders = [`${world.prefix}k/`, ...names.map((path) => `${path}/`)];
  const writes = (path: string) => (isFilled(path) ? 'update' : 'create');
  // A write without a field is refused after it was allowed, and changes nothing.
  const bodies: Record<string, string>[] = world.hasLimits
    ? [{ v: 'x' }, { v: 'y' }, { w: 'x' }, { v: 'x', w: 'x' }]
    : [];
  const credentials = world.hasCredentials ? credentialsIn(world) : [];
  return [
    [
      ...[...names, ...credentials].map((path): Asked => ({ method: 'GET', path, capability: 'read' })),
      ...names.map((path): Asked => ({ method: 'POST', path, body: {}, capability: writes(path) })),
      ...folders.map((path): Asked => ({ method: 'LIST', path, capability: 'list' })),
    ],
    ...bodies.map((body) =>
      names.filter(isFilled).map((path): Asked => ({ method: 'POST', path, body, capability: 'update' })),
    ),
    [...names, ...folders.slice(1)].map((path): Asked => ({ method: 'DELETE', path, capability: 'delete' })),
  ];
}

/** How it is called among answers. */
export function nameOf({ method, path, body }: Asked): string {
  return `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
}
