import { count } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import type { OfStack } from '../open/stack-outcomes.ts';
import { given, printable, type Style } from './style.ts';
import type { ExitCode } from './terminal.ts';

/** Forms in which results are compared and printed, equal ones once. */
export interface FoldedForms<Result> {
  /** All in which two results may differ, printed or not. */
  content(result: Result): unknown;
  /** @param heading the stack, or those that it is the same for; undefined for the only stack of a command */
  text(result: Result, heading: string | undefined, style: Style, columns?: number): string;
  exitCode(result: Result): ExitCode;
}

/** Forms in which the result of a stack is printed. `content` defaults to what `--json` prints. */
export interface StackForms<Result>
  extends Omit<FoldedForms<Result>, 'content'>,
    Partial<Pick<FoldedForms<Result>, 'content'>> {
  /** For `--json`. */
  json(result: Result): object;
}

/** Names that are shown of stacks with the same report. */
const most = 8;

/** The stack, or all that a report is the same for: `the same in 3 stacks (a, b, c)`. */
function headingOf(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1 ? first : `the same in ${names.length} stacks (${shortened(names, most)})`;
}

/**
 * The results of several stacks: equal ones once, then what could not be read, then a count. Two results are
 * the same if their content, their texts and exit codes are, but for the stack's own name, and the address and namespace of its service.
 */
export function manyStacksText<Result>(
  outcomes: readonly OfStack<Result>[],
  { content, text, exitCode }: FoldedForms<Result>,
  style: Style,
  columns?: number,
): string {
  const read = outcomes.flatMap((outcome) => ('result' in outcome ? outcome : []));
  const keyOf = (outcome: (typeof read)[number]) =>
    generalKey(
      [content(outcome.result), exitCode(outcome.result), text(outcome.result, '', style, columns)],
      outcome,
    );
  const groups = [...Map.groupBy(read, keyOf).values()].map((all) => {
    const [first] = all as [(typeof read)[number]];
    const names = all.map(({ stack }) => stack);
    const report = text(first.result, headingOf(names), style, columns);
    return { names, text: names.length === 1 ? report : inGeneral(report, first) };
  });
  // The longest report first: one without findings is a single line.
  const ordered = groups.toSorted((a, b) => lineCount(b.text) - lineCount(a.text));
  return [
    ...ordered.map((group) => group.text),
    ...problemLines(outcomes).map((line) => `${line}\n`),
    `${summaryOf(outcomes.length, groups)}\n`,
  ].join('\n');
}

/** Stacks that could not be asked, and why: once for all stacks with the same reason. */
export function problemLines(outcomes: readonly OfStack<unknown>[]): string[] {
  const failed = outcomes.flatMap((outcome) => ('problem' in outcome ? outcome : []));
  const groups = Map.groupBy(failed, (outcome) => generalKey(outcome.problem.message, outcome));
  return [...groups.values()].map((all) => {
    const [first] = all as [(typeof failed)[number]];
    const names = all.map(({ stack }) => stack);
    const message = printable(first.problem.message);
    return `? ${shortened(names, most)}: ${names.length === 1 ? message : inGeneral(message, first)}`;
  });
}

/** `40 stacks; the same in 37; differs in 2 (prod-eu, prod-us); 1 not read`. */
function summaryOf(all: number, groups: readonly { names: string[] }[]): string {
  const [largest, ...rest] = groups.toSorted((a, b) => b.names.length - a.names.length);
  const size = largest?.names.length ?? 0;
  const differing = rest.flatMap(({ names }) => names);
  const unread = all - size - differing.length;
  const differs =
    size > 1 ? `differs in ${differing.length} (${shortened(differing, most)})` : 'each differs';
  return given(
    count(all, 'stack'),
    size > 1 && `the same in ${size}`,
    differing.length > 0 && differs,
    unread > 0 && `${unread} not read`,
  ).join('; ');
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

/** A key that is equal for values which differ only in the stack's name, and in the address and namespace of its service. */
export function generalKey(value: unknown, of: Pick<OfStack<unknown>, 'stack' | 'place'>): string {
  // No text in JSON has this character.
  return inGeneral(JSON.stringify(value), of, (what) => `\0${what}`);
}

/** A text of one stack, with its own name, address and namespace in general words, where they stand for themselves. */
function inGeneral(
  text: string,
  { stack, place }: Pick<OfStack<unknown>, 'stack' | 'place'>,
  word = (what: string) => `<${what}>`,
): string {
  const name = literal(stack);
  const { address, namespace } = place ?? {};
  const own = literal(namespace ?? '');
  const rules: [pattern: string | undefined | false, words: string][] = [
    [`(urn:pulumi:)${name}(?=::)`, `$1${word('stack')}`],
    [`(pulumi:pulumi:Stack::[\\w.-]+-)${name}(?![\\w.-])`, `$1${word('stack')}`],
    [`(Pulumi\\.)${name}(?=\\.yaml)`, `$1${word('stack')}`],
    [address && `${literal(address.origin)}(?![\\w.:-])`, word('address')],
    [own !== '' && `("namespace": ?")${own}(?=")`, `$1${word('namespace')}`],
    // The forms of sentences, URLs and trees of changes: with quotes or without; in JSON, quotes are escaped.
    [
      own !== '' && `(\\bnamespace(?:s above)?(?:: |[ =])(?:\\\\?")?)${own}(?![\\w/%.-])`,
      `$1${word('namespace')}`,
    ],
  ];
  const put = (whole: string, [pattern, words]: (typeof rules)[number]) =>
    pattern ? whole.replace(new RegExp(pattern, 'g'), words) : whole;
  return rules.reduce(put, text);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
