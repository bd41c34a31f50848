import { type Command, InvalidArgumentError, Option } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { OfStack, OpenedStack } from '../../operations/many-stacks.ts';
import type { Told } from '../rendering/many-stacks-text.ts';
import { ExitCode, type Terminal } from '../rendering/terminal.ts';
import type { StackOptions } from './command.ts';

export interface SeveralOptions extends StackOptions {
  allStacks?: boolean;
  parallel?: number;
}

/** Stacks at a time, where `--parallel` does not say. */
const usualParallel = 4;

/** Lets a command take several stacks. */
export function withSeveral(command: Command): Command {
  return withAllStacks(command).option(
    '--parallel <number>',
    `how many stacks at a time (default: ${usualParallel})`,
    (text) => {
      if (/^[1-9]\d?$/.test(text)) return Number(text);
      throw new InvalidArgumentError('must be a whole number from 1 to 99');
    },
  );
}

/**
 * The same for a command that has `--parallel` for more.
 *
 * @param isRefused the command knows the option only to say so
 */
export function withAllStacks(command: Command, isRefused = false): Command {
  const option = new Option('--all-stacks', 'all stacks of the project; -s takes a pattern as well: prod-*');
  return command.addOption(option.hideHelp(isRefused));
}

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
  const given = flags.filter((flag) => {
    const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = (options as Record<string, unknown>)[name];
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  });
  if (given.length === 0) return;
  throw new GatehouseError({
    code: 'option_conflict',
    what: `${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} for one stack`,
    fix: 'Name the stack with --stack.',
  });
}

/**
 * Does the same for the stacks of a command, with a line of progress.
 *
 * @param how `needsToken`: each is opened with the token of its service
 * @throws GatehouseError `option_conflict`, and what `withStacks` throws
 */
export async function ofSeveral<Result>(
  options: SeveralOptions,
  terminal: Terminal,
  how: { doing: string; needsToken: boolean },
  work: (opened: OpenedStack) => Promise<Result>,
): Promise<OfStack<Result>[]> {
  const { cwd, stack, allStacks, parallel = usualParallel } = options;
  if (allStacks && stack !== undefined) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: '--all-stacks leaves none out, and --stack names some',
      fix: 'Give one of them.',
    });
  }
  const [{ withStacks }, { Progress }] = await Promise.all([
    import('../../operations/many-stacks.ts'),
    import('../rendering/progress.ts'),
  ]);
  const progress = new Progress(terminal);
  const onDone = (done: number, of: number) => progress.say(`${how.doing} ${of} stacks: ${done} done …`);
  return await withStacks(
    {
      ...{ directory: cwd, pattern: stack ?? '*', env: terminal.env, parallel, onDone },
      needsToken: how.needsToken,
    },
    work,
  ).finally(() => progress.clear());
}

/** Prints what was found of several stacks, and sets the exit code: 1 goes before 2, and 2 before 0. */
export async function tellSeveral<Result>(
  found: readonly OfStack<Result>[],
  told: Told<Result>,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { stdout, env } = terminal;
  if (options.json) stdout.write(jsonOfSeveral(found, told.json));
  else {
    const [{ manyStacksText }, { writeText }] = await Promise.all([
      import('../rendering/many-stacks-text.ts'),
      import('../rendering/wrap.ts'),
    ]);
    writeText(stdout, env, manyStacksText(found, told));
  }
  const codes = found.map((one) => ('result' in one ? told.exitCode(one.result) : ExitCode.error));
  terminal.exitCode = [ExitCode.error, ExitCode.no].find((code) => codes.includes(code)) ?? ExitCode.ok;
}

/** `{ stacks: […] }`: each with its name, and what was found or its problem. */
export function jsonOfSeveral<Result>(
  found: readonly OfStack<Result>[],
  json: (result: Result) => object,
): string {
  const stacks = found.map((one) =>
    'result' in one
      ? { stack: one.stack, ...json(one.result) }
      : { stack: one.stack, problem: { code: one.problem.code, message: one.problem.message } },
  );
  return `${JSON.stringify({ stacks }, null, 4)}\n`;
}
