import {
  type AccessBundle,
  type AccessLine,
  accessBundles,
  boundsLines,
  findingTitle,
  kindWords,
  principalWords,
  remarks,
  summaryWords,
} from '../../core/review/reports/words.ts';
import type { Review, ReviewFinding } from '../../core/review/review.ts';
import { oneLine, printable, type Style } from './style.ts';

/** Ways in that are named one by one under what they have in common. */
const mostWays = 10;

const bundleStyles: Record<AccessBundle['kind'], keyof Style> = {
  opened: 'added',
  closed: 'removed',
  widened: 'added',
  narrowed: 'removed',
  changed: 'changed',
};
const lineStyles: Partial<Record<AccessLine['about'], keyof Style>> = {
  gains: 'added',
  'gains path': 'added',
  loses: 'removed',
  'loses path': 'removed',
  'not known': 'changed',
};
const findingStyles = { error: 'removed', warning: 'changed', info: 'faint' } as const;

/**
 * A review for a terminal: the verdict, errors, who gains and who loses, other findings, what was not looked at.
 *
 * @param options.all also what is only counted by default: changes that have the same in common
 */
export function reviewText(review: Review, style: Style, { all = false } = {}): string {
  const [errors = [], others = []] = [true, false].map((isError) =>
    review.findings.filter(({ severity }) => (severity === 'error') === isError),
  );
  const sections = [
    [style.strong(`Sign-in review: ${oneLine(summaryWords(review))}`)],
    ...errors.map((finding) => findingText(finding, style)),
    accessLines(review.access, style, all ? Infinity : mostWays),
    ...others.map((finding) => findingText(finding, style)),
    remarks(review).map((text) => style.faint(printable(text))),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** Who gains and who loses. */
export function accessLines(access: Review['access'], style: Style, most = mostWays): string[] {
  return accessBundles(access).flatMap((bundle) => bundleText(bundle, style, most));
}

function bundleText({ kind, changes, effect }: AccessBundle, style: Style, most: number): string[] {
  const [first] = changes;
  const isSingle = changes.length === 1 && first !== undefined;
  const title = style[bundleStyles[kind]](`${kindWords[kind]}:`);
  const who = isSingle ? oneLine(principalWords(first)) : `${changes.length} ways in`;
  const lines = changes
    .slice(0, most)
    .flatMap((change) => [
      ...(isSingle ? [] : [`    ${oneLine(principalWords(change))}`]),
      ...boundsLines(change).map((line) => lineText(line, isSingle ? '    ' : '      ', style)),
    ]);
  return [
    `  ${title} ${who}`,
    ...lines,
    ...(changes.length > most ? [`    … and ${changes.length - most} more`] : []),
    ...effect.map((line) => lineText(line, '    ', style)),
  ];
}

function lineText({ about, text }: AccessLine, indent: string, style: Style): string {
  const colour = lineStyles[about] ?? 'faint';
  return `${indent}${style[colour](`${about}:`)} ${oneLine(text)}`;
}

function findingText(finding: ReviewFinding, style: Style): string[] {
  const { severity, message, fix, rule } = finding;
  return [
    `  ${style[findingStyles[severity]](`${severity}:`)} ${oneLine(findingTitle(finding))}`,
    `    ${oneLine(message)}`,
    `    ${oneLine(fix)} ${style.faint(`(${rule})`)}`,
  ];
}
