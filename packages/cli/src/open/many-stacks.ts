import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { placeOf, sharingConnections, sharingReads } from '@gatehouse/service-client';
import pLimit from 'p-limit';
import { declaredPlace, type StackPlace } from './open-environment.ts';
import { readDeclaring } from './open-stack.ts';
import { checkTokenNames, withServiceToken } from './service-token.ts';
import type { StackReading } from './stack-reading.ts';

/** What became of one of several stacks. */
export type OfStack<Result> = { stack: string; place?: StackPlace } & (
  | { result: Result }
  | { problem: GatehouseError }
);

/** A stack, and the environment in which its service is talked to. */
export interface OpenedStack {
  stack: Stack;
  env: NodeJS.ProcessEnv;
}

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
 * Does the same for several stacks. Stacks of one service and namespace share what is read of it, so the
 * work must not write. One that cannot be opened, or whose work fails, holds up no other.
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
  const read = opened.flatMap((one) => ('result' in one ? one.result : []));
  const stacks = read.map(({ stack }) => stack);
  if (needsToken) checkTokenNames(stacks, env);
  const places = read.flatMap(({ place }) => (place ? placeOf(place.address, place.namespace) : []));
  const shared = places.filter((place, at) => places.indexOf(place) !== at);
  let done = 0;
  onDone?.(done, names.length);
  const found = await sharingReads(shared, () =>
    ofEach(opened, parallel, async (one) => {
      try {
        if ('problem' in one) throw one.problem;
        const { stack } = one.result;
        return await work({ stack, env: needsToken ? await withServiceToken(stack, env) : env });
      } finally {
        done += 1;
        onDone?.(done, names.length);
      }
    }),
  );
  return found.map((one, at) => {
    const of = opened[at];
    return of !== undefined && 'result' in of ? { ...one, place: of.result.place } : one;
  });
}

/**
 * Does the same for several stacks, some at a time, and answers in their order. One that fails holds up no other.
 *
 * @param parallel how many at a time
 */
export async function ofEach<One extends string | { stack: string }, Result>(
  stacks: readonly One[],
  parallel: number,
  work: (stack: One) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const limit = pLimit(parallel);
  const ofOne = async (one: One): Promise<OfStack<Result>> => {
    const stack = typeof one === 'string' ? one : one.stack;
    try {
      return { stack, result: await work(one) };
    } catch (error) {
      if (error instanceof GatehouseError) return { stack, problem: error };
      limit.clearQueue();
      throw error;
    }
  };
  return await sharingConnections(Math.min(parallel, stacks.length), () => limit.map(stacks, ofOne));
}
