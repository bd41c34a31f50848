import type { PathRule } from '../../packages/core/src/graph/policies/parse-policy.ts';

/** Random numbers that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const words = ['a', 'ab', 'a', '+', '+'];
const capabilities = [['read'], ['read', 'list'], ['update'], ['read', 'update'], ['deny'], ['list'], []];

/** Policies over a small alphabet, so that their patterns overlap. */
export function randomPolicies(seed: number, count: number, most = 4): PathRule[][] {
  const next = randomFrom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(most) }, () => ({
      path: pattern(next),
      capabilities: capabilities[next(capabilities.length)] as string[],
    })),
  );
}

function pattern(next: (limit: number) => number): string {
  const segments = Array.from({ length: 1 + next(3) }, () => words[next(words.length)] as string);
  const path = segments.join('/');
  const ending = next(6);
  if (ending === 0) return `${path}/`;
  if (ending === 1 && !path.endsWith('+')) return `${path}*`;
  return ending === 2 ? `${path}/*` : path;
}

/**
 * Every path that could tell such policies apart: the words that patterns have, one that begins like each, one that
 * no pattern names, up to a segment deeper than patterns go.
 */
export const everyPath: readonly string[] = paths(4);

function paths(depth: number): string[] {
  const segments = ['a', 'ab', 'ac', 'abc', 'c', ''];
  const all: string[] = [];
  let level = segments.filter((segment) => segment !== '');
  for (let at = 1; at <= depth; at++) {
    all.push(...level);
    level = level.flatMap((path) =>
      path.endsWith('/') ? [] : segments.map((segment) => `${path}/${segment}`),
    );
  }
  return all;
}

/** Whether a server asks the policies: a path with two slashes, as of a list of a folder's slash, is redirected before. */
export function isAsked(path: string, capability: string): boolean {
  return capability !== 'list' || !path.endsWith('/');
}
