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
  /** True for patterns with `{mount}`, which are matched against the rest after the mount's path. */
  isBelowMount: boolean;
}

export class Router {
  /** By the first segment of the pattern. */
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
    const match = (rest: string, belowMount: boolean, more: { mount?: string } = {}): Route | undefined => {
      for (const { path: found, expression, isBelowMount } of candidates) {
        const parts = isBelowMount === belowMount ? expression.exec(rest) : null;
        if (parts !== null) return { path: found, parameters: { ...parts.groups, ...more } };
      }
      return undefined;
    };
    const fixed = match(path, false);
    if (fixed !== undefined || !path.startsWith('auth/')) return fixed;
    const mounted = findMount(storage, namespace, path.slice('auth/'.length));
    return mounted && match(mounted.rest, true, { mount: mounted.mount.path });
  }

  /** Whether the service has anything below a path; decides how an unknown path is refused. */
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
