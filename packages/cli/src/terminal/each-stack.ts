import { GatehouseError } from '@gatehouse/core/values';
import { type OfStack, type OpenedStack, resultsOf } from '../open/stack-outcomes.ts';
import { print, type SeveralOptions, usualParallel, withProgress } from './command.ts';
import type { StackForms } from './many-stacks-text.ts';
import type { Progress } from './progress.ts';
import { ExitCode, type Terminal } from './terminal.ts';

/** Whether a command is for all stacks that a pattern matches. The usual case is one, by its name. */
export function areSeveral({ allStacks, stack }: SeveralOptions): boolean {
  return allStacks === true || stack?.includes('*') === true;
}

/**
 * Refuses options that are about one stack, where the command is for several.
 *
 * @param flags as they are written: `--take-over`
 * @throws GatehouseError `option_conflict`
 */
export function refuseForSeveral<Options extends SeveralOptions>(
  options: Options,
  flags: readonly string[],
): void {
  if (!areSeveral(options)) return;
  const values = new Map<string, unknown>(Object.entries(options));
  const conflicting = flags.filter((flag) => {
    const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = values.get(name);
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  });
  if (conflicting.length === 0) return;
  throw new GatehouseError(
    conflicting.length === 1 ? 'option_conflict.one_stack' : 'option_conflict.one_stack_each',
    { values: { options: conflicting.join(' and ') } },
  );
}

/** How the stacks of a command are opened. */
interface EachStack {
  /** The word for what is in progress where there are several: `Reading`. */
  doing: string;
  /** Whether each is opened with the token of its service. */
  needsToken: boolean;
  /** Of a command that goes on after this work. Defaults to one of its own. */
  progress?: Progress;
}

/** Does a piece of work for a stack. Its progress is shown only if the stack is the only one. */
type StackWork<Result> = (opened: OpenedStack, progress: Progress) => Promise<Result>;

/**
 * Does a piece of work for each stack of a command: for the one that it names, or for all that its pattern matches. If one of
 * several fails, the others go on, and its outcome says why.
 *
 * @throws GatehouseError `option_conflict`, what `withStacks` throws, and what the work for the only stack throws
 */
export async function ofEachStack<Result>(
  options: SeveralOptions,
  terminal: Terminal,
  how: EachStack,
  work: StackWork<Result>,
): Promise<OfStack<Result>[]> {
  return areSeveral(options)
    ? await ofMatching(options, terminal, how, work)
    : [await ofNamed(options, terminal, how, work)];
}

async function ofNamed<Result>(
  { cwd, stack: name }: SeveralOptions,
  terminal: Terminal,
  { needsToken, progress: shared }: EachStack,
  work: StackWork<Result>,
): Promise<OfStack<Result>> {
  const { env } = terminal;
  const [{ openStack }, { withServiceToken }] = await Promise.all([
    import('../open/open-stack.ts'),
    import('../open/service-token.ts'),
  ]);
  const stack = await openStack(cwd, name, env);
  const opened = { stack, env: needsToken ? await withServiceToken(stack, env) : env };
  const result = await withProgress(terminal, (progress) => work(opened, progress), shared);
  return { stack: stack.name, result };
}

async function ofMatching<Result>(
  { cwd, stack: pattern, allStacks, parallel = usualParallel }: SeveralOptions,
  terminal: Terminal,
  { doing, needsToken, progress: shared }: EachStack,
  work: StackWork<Result>,
): Promise<OfStack<Result>[]> {
  if (allStacks && pattern !== undefined) throw new GatehouseError('option_conflict.all_stacks');
  const { StackReading, stacksMatching } = await import('../open/stack-reading.ts');
  const { env } = terminal;
  // Begins before what works on them is loaded.
  const reading = new StackReading(cwd, await stacksMatching(cwd, pattern ?? '*'), env);
  const [{ withStacks }, { Progress }] = await Promise.all([
    import('../open/many-stacks.ts'),
    import('./progress.ts'),
  ]);
  const request = { reading, env, parallel, needsToken };
  const inProgress = (progress: Progress) => {
    const onDone = (done: number, of: number) => progress.say(`${doing} ${of} stacks: ${done} done …`);
    return withStacks({ ...request, onDone }, (opened) => work(opened, Progress.silent()));
  };
  return await withProgress(terminal, inProgress, shared);
}

/**
 * Prints what was found of the stacks of a command, and sets the exit code: of the only stack, or of several, where 1 goes before
 * 2, and 2 before 0.
 */
export async function tellStacks<Result>(
  outcomes: readonly OfStack<Result>[],
  forms: StackForms<Result>,
  options: SeveralOptions,
  terminal: Terminal,
): Promise<void> {
  if (areSeveral(options)) {
    const { manyStacksText } = await import('./many-stacks-text.ts');
    const folded = { ...forms, content: forms.content ?? forms.json };
    print(terminal, options, ofStacks(outcomes, forms.json), (...layout) =>
      manyStacksText(outcomes, folded, ...layout),
    );
  } else {
    for (const result of resultsOf(outcomes)) {
      print(terminal, options, forms.json(result), (...layout) => forms.text(result, undefined, ...layout));
    }
  }
  terminal.exitCode = exitCodeOf(outcomes, forms.exitCode);
}

/** The worst exit code of all stacks; that of one without a result is 1. */
export function exitCodeOf<Result>(
  outcomes: readonly OfStack<Result>[],
  codeOf: (result: Result) => ExitCode,
): ExitCode {
  const codes = outcomes.map((outcome) => ('result' in outcome ? codeOf(outcome.result) : ExitCode.error));
  return [ExitCode.error, ExitCode.no].find((code) => codes.includes(code)) ?? ExitCode.ok;
}

/** For `--json` of several: each with its name, and what was found or its problem. */
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
