import { GatehouseError } from '@gatehouse/core/values';
import { placeOf, sharingConnections, sharingReads } from '@gatehouse/service-client';
import pLimit from 'p-limit';
import { declaredPlace } from './open-environment.ts';
import { readDeclaring } from './open-stack.ts';
import { checkTokenNames, withServiceToken } from './service-token.ts';
import type { OfStack, OpenedStack } from './stack-outcomes.ts';
import type { StackReading } from './stack-reading.ts';

/** Which stacks, and how. */
export interface StacksRequest {
  reading: StackReading;
  env: NodeJS.ProcessEnv;
  /** How many at a time. */
  parallel: number;
  /** Whether each is opened with the token of its service. */
  needsToken: boolean;
  /** Called with the number of stacks, and how many of them are done. */
  onDone?: (done: number, of: number) => void;
}

/**
 * Does some work for each of several stacks. Stacks of one service and namespace share what is read of it, so the work must not
 * write. A stack that cannot be opened, or whose work fails, does not keep the others from theirs.
 *
 * @throws GatehouseError what `checkTokenNames` throws
 */
export async function withStacks<Result>(
  { reading, env, parallel, needsToken, onDone }: StacksRequest,
  work: (opened: OpenedStack) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const { directory, names } = reading;
  const sealed = await reading.all();
  const opened = await ofEach(names, parallel, async (name) => {
    const stack = await readDeclaring(directory, name, env, sealed.get(name));
    return { stack, place: declaredPlace(stack, env) };
  });
  const read = opened.flatMap((outcome) => ('result' in outcome ? outcome.result : []));
  const stacks = read.map(({ stack }) => stack);
  if (needsToken) checkTokenNames(stacks, env);
  const places = read.flatMap(({ place }) => (place ? placeOf(place.address, place.namespace) : []));
  const shared = places.filter((place, at) => places.indexOf(place) !== at);
  let done = 0;
  onDone?.(done, names.length);
  const outcomes = await sharingReads(shared, () =>
    ofEach(opened, parallel, async (outcome) => {
      try {
        if ('problem' in outcome) throw outcome.problem;
        const { stack } = outcome.result;
        return await work({ stack, env: needsToken ? await withServiceToken(stack, env) : env });
      } finally {
        done += 1;
        onDone?.(done, names.length);
      }
    }),
  );
  return outcomes.map((outcome, index) => {
    const opening = opened[index];
    return opening !== undefined && 'result' in opening
      ? { ...outcome, place: opening.result.place }
      : outcome;
  });
}

/**
 * Does some work for each of several stacks, a few at a time, and answers in their order. A stack whose work fails does not keep
 * the others from theirs.
 *
 * @param parallel how many at a time
 */
export async function ofEach<Item extends string | { stack: string }, Result>(
  stacks: readonly Item[],
  parallel: number,
  work: (stack: Item) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const limit = pLimit(parallel);
  const outcomeOf = async (item: Item): Promise<OfStack<Result>> => {
    const stack = typeof item === 'string' ? item : item.stack;
    try {
      return { stack, result: await work(item) };
    } catch (error) {
      if (error instanceof GatehouseError) return { stack, problem: error };
      limit.clearQueue();
      throw error;
    }
  };
  return await sharingConnections(Math.min(parallel, stacks.length), () => limit.map(stacks, outcomeOf));
}
