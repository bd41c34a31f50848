import { findMount } from '../mounts/mount.ts';
import type { SecretsPath } from '../protocol/path.ts';
import type { Storage } from '../storage/storage.ts';

export interface Route {
  path: SecretsPath;
  parameters: Record<string, string>;
}

interface Compiled {
  path: SecretsPath;
  expression: RegExp;
  /** True for patterns with `{mount}`: matched against what is left when the mount was taken out. */
  isBelowMount: boolean;
}

/** Finds the path of the service that a request is for. */
export class Router {
  /** By the first word of their pattern. */
  readonly #compiled = new Map<string, Compiled[]>();

  constructor(paths: SecretsPath[]) {
    for (const path of paths) {
      const [first = ''] = path.pattern.split('/');
      const compiled = this.#compiled.get(first) ?? [];
      this.#compiled.set(first, [...compiled, compile(path)]);
    }
  }

  find(storage: Storage, namespace: string, path: string): Route | undefined {
    const candidates =
      this.#compiled.get(path.slice(0, (path.indexOf('/') + 1 || path.length + 1) - 1)) ?? [];
    for (const { path: found, expression, isBelowMount } of candidates) {
      const match = isBelowMount ? null : expression.exec(path);
      if (match !== null) return { path: found, parameters: { ...match.groups } };
    }
    if (!path.startsWith('auth/')) return undefined;
    const mounted = findMount(storage, namespace, path.slice('auth/'.length));
    if (mounted === undefined) return undefined;
    for (const { path: found, expression, isBelowMount } of candidates) {
      const match = isBelowMount ? expression.exec(mounted.rest) : null;
      if (match !== null) return { path: found, parameters: { ...match.groups, mount: mounted.mount.path } };
    }
    return undefined;
  }

  /** Whether anything of the service answers below there: decides how a path that is not known is refused. */
  answersBelow(storage: Storage, namespace: string, path: string): boolean {
    if (path === 'auth/token' || path.startsWith('auth/token/')) return true;
    if (path.startsWith('auth/')) {
      return findMount(storage, namespace, path.slice('auth/'.length)) !== undefined;
    }
    return /^(sys|identity)(\/|$)/.test(path);
  }
}

function compile(path: SecretsPath): Compiled {
  const isBelowMount = path.pattern.startsWith('auth/{mount}/');
  const pattern = isBelowMount ? path.pattern.slice('auth/{mount}/'.length) : path.pattern;
  const source = pattern
    .split('/')
    .map((part) => {
      const [, name, isLong] = /^:(\w+)(\+?)$/.exec(part) ?? [];
      if (name !== undefined) return `(?<${name}>${isLong === '' ? '[^/]+' : '.+'})`;
      return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('/');
  return { path, expression: new RegExp(`^${source}$`, 's'), isBelowMount };
}
