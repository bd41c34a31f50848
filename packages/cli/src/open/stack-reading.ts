import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { didYouMean } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { listStacks, readSealedStacks } from '@gatehouse/engine/stack-files';

/** The number of stacks from which on a second thread is worth its start. */
const many = 24;
/** Stacks that a thread takes at a time. */
const turn = 4;

/** The stacks that two threads read, in turns. */
interface Turns {
  directory: string;
  names: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Index of the stack at which the next turn begins, in shared memory. */
  next: Int32Array;
}

/** Takes turns until all stacks are read. */
export async function readTurns(
  { directory, names, env, next }: Turns,
  onRead: (stacks: Stack[]) => void,
): Promise<void> {
  for (let at = Atomics.add(next, 0, turn); at < names.length; at = Atomics.add(next, 0, turn)) {
    onRead(await readSealedStacks(directory, names.slice(at, at + turn), env));
  }
}

/**
 * Reads stacks without decrypting anything. With many, a second thread begins at once, while this one still loads what works on
 * them: no service is asked before all are read, and the YAML parser takes 4 ms for a stack of 50 roles.
 */
export class StackReading {
  readonly directory: string;
  readonly names: readonly string[];
  readonly #turns: Turns;
  readonly #found = new Map<string, Stack>();
  readonly #thread: Promise<unknown> | undefined;

  constructor(directory: string, names: readonly string[], env: NodeJS.ProcessEnv) {
    this.directory = directory;
    this.names = names;
    this.#turns = { directory, names, env: { ...env }, next: new Int32Array(new SharedArrayBuffer(4)) };
    if (names.length >= many) this.#thread = this.#startThread();
  }

  /** By name. Those that cannot be read are left out: `readDeclaring` says why. */
  async all(): Promise<ReadonlyMap<string, Stack>> {
    await Promise.all([readTurns(this.#turns, (stacks) => this.#add(stacks)), this.#thread]);
    return this.#found;
  }

  #startThread(): Promise<unknown> {
    const program = new URL(`../stack-thread${extname(import.meta.url)}`, import.meta.url);
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const thread = new Worker(program, { workerData: this.#turns, env: {}, execArgv });
    thread.on('message', (stacks: Stack[]) => this.#add(stacks));
    // Stacks that a failed thread had taken are left out, too.
    return once(thread, 'exit').catch(() => {});
  }

  #add(stacks: readonly Stack[]): void {
    for (const stack of stacks) this.#found.set(stack.name, stack);
  }
}

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
  const matching = all.filter((name) => isMatch.test(name));
  if (matching.length > 0) return matching;
  throw new GatehouseError('stack_unknown.pattern', {
    given: pattern,
    allowed: all.join(', ') || 'there are no stacks here',
    values: { suggestion: didYouMean(pattern.replaceAll('*', ''), all) },
  });
}
