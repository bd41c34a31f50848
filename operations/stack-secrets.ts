import type { Stack } from '../engine/stack.ts';

/** The secrets of a stack under one of its keys for them, by whose they are. */
export function stackSecrets(stack: Stack, key: 'clientSecrets' | 'runTaskKeys'): Record<string, string> {
  return JSON.parse(stack.config.get(`gatehouse:${key}`)?.value ?? '{}');
}
