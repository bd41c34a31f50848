import { GatehouseError } from '@gatehouse/core/values';
import type { OfStack, OpenedStack } from '../open/many-stacks.ts';
import { print, type SeveralOptions, usualParallel, withProgress } from './command.ts';
import type { Told } from './many-stacks-text.ts';
import { ExitCode, type Terminal } from './terminal.ts';

export function areSeveral({ allStacks, stack }: SeveralOptions): boolean {
  return allStacks === true || stack?.includes('*') === true;
}

/**
 * Refuses options that are about one stack.
 *
 * @param flags as they are written: `--take-over`
 * @throws GatehouseError `option_conflict`
 */
export function refuseForSeveral(options: object, flags: readonly string[]): void {
  const conflicting = flags.filter((flag) => {
    const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = (options as Record<string, unknown>)[name];
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  });
  if (conflicting.length === 0) return;
  throw new GatehouseError(
    conflicting.length === 1 ? 'option_conflict.one_stack' : 'option_conflict.one_stack_each',
    { values: { options: conflicting.join(' and ') } },
  );
}

/**
 * Does a piece of work for each stack of a command, with a line of progress.
 *
 * @param how `needsToken`: each is opened with the token of its service
 * @throws GatehouseError `option_conflict`, and what `withStacks` throws
 */
export async function ofSeveral<Result>(
  options: SeveralOptions,
  terminal: Terminal,
  { doing, needsToken }: { doing: string; needsToken: boolean },
  work: (opened: OpenedStack) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const { cwd, stack, allStacks, parallel = usualParallel } = options;
  if (allStacks && stack !== undefined) throw new GatehouseError('option_conflict.all_stacks');
  const { StackReading, stacksMatching } = await import('../open/stack-reading.ts');
  const { env } = terminal;
  // Begins before what works on them is loaded.
  const reading = new StackReading(cwd, await stacksMatching(cwd, stack ?? '*'), env);
  const { withStacks } = await import('../open/many-stacks.ts');
  return await withProgress(terminal, (progress) => {
    const onDone = (done: number, of: number) => progress.say(`${doing} ${of} stacks: ${done} done …`);
    return withStacks({ reading, env, parallel, needsToken, onDone }, work);
  });
}

/** Prints what was found of several stacks, and sets the exit code: 1 goes before 2, and 2 before 0. */
export async function tellSeveral<Result>(
  outcomes: readonly OfStack<Result>[],
  forms: Told<Result>,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { manyStacksText } = await import('./many-stacks-text.ts');
  print(terminal, options, ofStacks(outcomes, forms.json), (...layout) =>
    manyStacksText(outcomes, forms, ...layout),
  );
  const codes = outcomes.map((outcome) =>
    'result' in outcome ? forms.exitCode(outcome.result) : ExitCode.error,
  );
  terminal.exitCode = [ExitCode.error, ExitCode.no].find((code) => codes.includes(code)) ?? ExitCode.ok;
}

/** For `--json`: each with its name, and what was found or its problem. */
export function ofStacks<Result>(
  outcomes: readonly OfStack<Result>[],
  json: (result: Result) => object,
): { stacks: object[] } {
  const stacks = outcomes.map((outcome) =>
    'result' in outcome
      ? { stack: outcome.stack, ...json(outcome.result) }
      : { stack: outcome.stack, problem: { code: outcome.problem.code, message: outcome.problem.message } },
  );
  return { stacks };
}
