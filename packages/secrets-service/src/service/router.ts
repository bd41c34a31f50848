import { findMount } from '../mounts/mount.ts';
import type { RequestContext, SecretsPath } from '../protocol/path.ts';
import type { Space } from '../storage/storage.ts';

export interface MatchedRoute {
  path: SecretsPath;
  parameters: RequestContext['parameters'];
}

interface Compiled {
  path: SecretsPath;
  expression: RegExp;
  /** True for patterns with `{mount}`, which are matched against the rest after the mount's path. */
  isBelowMount: boolean;
}

export const noParameters = { id: '', name: '', path: '', role: '', mount: '' };

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

  find(space: Space, path: string): MatchedRoute | undefined {
    const [first = ''] = path.split('/', 1);
    const candidates = this.#compiled.get(first) ?? [];
    const match = (rest: string, belowMount: boolean, mount = ''): MatchedRoute | undefined => {
      for (const { path: candidate, expression, isBelowMount } of candidates) {
        const parts = isBelowMount === belowMount ? expression.exec(rest) : null;
        if (parts !== null)
          return { path: candidate, parameters: { ...noParameters, ...parts.groups, mount } };
      }
      return undefined;
    };
    const fixed = match(path, false);
    if (fixed !== undefined || first !== 'auth') return fixed;
    const mounted = findMount(space, path.slice('auth/'.length));
    return mounted && match(mounted.rest, true, mounted.mount.path);
  }

  /** Whether the service has anything below a path; decides how an unknown path is refused. */
  answersBelow(space: Space, path: string): boolean {
    if (path === 'auth/token' || path.startsWith('auth/token/')) return true;
    if (path.startsWith('auth/')) return findMount(space, path.slice('auth/'.length)) !== undefined;
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
