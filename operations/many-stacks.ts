import { sharingConnections } from '../client/shared-connections.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { didYouMean } from '../core/model/values/problem.ts';
import { listStacks } from '../engine/stack-files/read-stack.ts';

/** What became of one of several stacks. */
export type OfStack<Result> = { stack: string; result: Result } | { stack: string; problem: GatehouseError };

/**
 * The stacks of a folder whose names a pattern matches, in order.
 *
 * @param pattern `*` stands for any letters: `prod-*`
 * @throws GatehouseError `stack_unknown` where none does, `project_missing`
 */
export async function stacksMatching(directory: string, pattern: string): Promise<string[]> {
  const all = await listStacks(directory);
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const isMatch = new RegExp(`^${parts.join('.*')}$`);
  const found = all.filter((name) => isMatch.test(name));
  if (found.length > 0) return found;
  throw new GatehouseError({
    code: 'stack_unknown',
    what: `No stack matches.${didYouMean(pattern.replaceAll('*', ''), all)}`,
    given: pattern,
    allowed: all.join(', ') || 'there are no stacks here',
    fix: 'Give a pattern that matches a stack, or create one with `gatehouse init`.',
  });
}

/**
 * Does the same for several stacks, some at a time, and answers in their order. One that fails holds up no other.
 *
 * @param parallel how many at a time
 */
export async function ofEach<Result>(
  stacks: readonly string[],
  parallel: number,
  work: (stack: string) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const done: OfStack<Result>[] = new Array(stacks.length);
  const waiting = [...stacks.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, stack] = next;
      try {
        done[at] = { stack, result: await work(stack) };
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        done[at] = { stack, problem: error };
      }
    }
  };
  const workers = Math.min(parallel, stacks.length);
  await sharingConnections(workers, () => Promise.all(Array.from({ length: workers }, worker)));
  return done;
}
