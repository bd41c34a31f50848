import { count } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import type { OfStack } from '../open/many-stacks.ts';
import { given, printable, type Style } from './style.ts';

/** Forms in which the result of a stack is printed. */
export interface Told<Result> {
  /** For `--json`. */
  json(result: Result): object;
  /** All in which two results may differ, printed or not. Defaults to `json`. */
  content?(result: Result): unknown;
  /** @param heading the stack, or those that it is the same for */
  text(result: Result, heading: string, style: Style, columns?: number): string;
  exitCode(result: Result): number;
}

/** Names that are shown of stacks with the same report. */
const most = 8;

/** The stack, or all that a report is the same for: `the same in 3 stacks (a, b, c)`. */
function headingOf(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1 ? first : `the same in ${names.length} stacks (${shortened(names, most)})`;
}

/**
 * What was found of several stacks: what is the same is said once, then what could not be read, then a count. Two results are
 * the same if their content, their texts and exit codes are, but for the stack's own name, and the address and namespace of its service.
 */
export function manyStacksText<Result>(
  found: readonly OfStack<Result>[],
  { json, content = json, text, exitCode }: Told<Result>,
  style: Style,
  columns?: number,
): string {
  const read = found.flatMap((one) => ('result' in one ? one : []));
  const keyOf = (one: (typeof read)[number]) =>
    generalKey([content(one.result), exitCode(one.result), text(one.result, '', style, columns)], one);
  const groups = [...Map.groupBy(read, keyOf).values()].map((all) => {
    const [first] = all as [(typeof read)[number]];
    const names = all.map(({ stack }) => stack);
    const one = text(first.result, headingOf(names), style, columns);
    return { names, text: names.length === 1 ? one : inGeneral(one, first) };
  });
  // Nothing found is a line alone, and the least to look at.
  const ordered = groups.toSorted((one, other) => lineCount(other.text) - lineCount(one.text));
  return [
    ...ordered.map((one) => one.text),
    ...problemLines(found).map((line) => `${line}\n`),
    `${summaryOf(found.length, groups)}\n`,
  ].join('\n');
}

/** Stacks that could not be asked, and why: once for all stacks with the same reason. */
export function problemLines(found: readonly OfStack<unknown>[]): string[] {
  const failed = found.flatMap((one) => ('problem' in one ? one : []));
  const groups = Map.groupBy(failed, (one) => generalKey(one.problem.message, one));
  return [...groups.values()].map((all) => {
    const [first] = all as [(typeof failed)[number]];
    const names = all.map(({ stack }) => stack);
    const message = printable(first.problem.message);
    return `? ${shortened(names, most)}: ${names.length === 1 ? message : inGeneral(message, first)}`;
  });
}

/** `40 stacks; the same in 37; differs in 2 (prod-eu, prod-us); 1 not read`. */
function summaryOf(all: number, groups: readonly { names: string[] }[]): string {
  const [largest, ...rest] = groups.toSorted((one, other) => other.names.length - one.names.length);
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

/** Equal where two things are the same, but for the stack's own name, and the address and namespace of its service. */
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
    // As a sentence, a URL and a tree of changes have it, with quotes or without; in JSON, these are escaped.
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
