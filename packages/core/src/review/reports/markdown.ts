import { uniqueReasons } from '../../access/reasons/reason.ts';
import { shortened } from '../../graph/values/cut.ts';
import type { Review } from '../review.ts';
import { CommentTable } from './comment-table.ts';
import { count } from './count.ts';
import { findingCount, foldFindings } from './fold-places.ts';
import { folded, inertCode, inertProse, inertText } from './inert-text.ts';
import { replayDetails, replayLine } from './replay.ts';
import { reportRows } from './rows.ts';
import { closingWords, headline, remarks } from './words.ts';
import { type FindingGroup, groupedFindings, worstFirst } from './worst.ts';

/** Characters; a comment on a pull request holds 65,536 on the widest-used host. */
const longest = 60_000;

/** Lines between the answer with its worst finding and the first fold. */
const mostLines = 14;
/** Errors in sight, each a line, in addition to the worst finding. */
const mostErrors = 5;
/** Rows that have a fold of their own. */
const mostFolds = 6;

const signs = { error: '⛔', warning: '⚠️', info: 'ℹ️' } as const;

/**
 * A review for a pull request. In sight are the answer with its worst finding, then at most 14 lines: who gains and who loses,
 * and errors. Then folds: all that a principal gains, other findings, older ones, what was not checked.
 *
 * @param stack names it in the heading: a pull request may have comments on several
 */
export function markdownReport(review: Review, stack?: string): string {
  const report = reportRows(review);
  const { worst, errors, nonErrors } = worstFirst(report, review.tool);
  const inSight = errors.slice(0, errors.length > mostErrors ? mostErrors - 1 : mostErrors);
  const beyond = errors.slice(inSight.length);
  const replay = review.replay ? [inertText(replayLine(review.replay))] : [];
  const errorLines = [...inSight.map(findingText), ...(beyond.length > 0 ? [beyondText(beyond)] : [])];
  const table = new CommentTable(report.rows, mostLines - replay.length - errorLines.length);
  const title = `Sign-in review${stack === undefined ? '' : ` of ${inertText(stack)}`}`;
  const parts = fitting([
    `## ${title}: ${inertText(headline(review))}`,
    ...(worst ? [findingText(worst)] : []),
    ...replay,
    ...table.inSight,
    ...errorLines,
    // What stops a deployment is never hidden.
    ...folds(count(findingsIn(beyond), 'more error'), beyond.map(findingText), { isOpen: true }),
    ...table.folds(mostFolds).map(([summary, text]) => folded(strong(summary), text)),
    ...folds(count(findingsIn(nonErrors), 'more finding'), nonErrors.map(findingText)),
    ...folds('Replay', asList(review.replay ? replayDetails(review.replay) : [])),
    ...olderFolds(review),
    ...uncheckedFolds(review),
  ]);
  return `${parts.join('\n\n')}\n`;
}

function findingsIn(groups: readonly FindingGroup[]): number {
  return findingCount(groups.flatMap(({ all }) => all));
}

/** Errors that do not fit above the folds, in a line. */
function beyondText(beyond: readonly FindingGroup[]): string {
  const rules = [...new Set(beyond.map(({ rule }) => rule))];
  return `${signs.error} ${count(findingsIn(beyond), 'more error')}: ${inertText(shortened(rules, 4))}`;
}

function olderFolds({ older, tool }: Review): string[] {
  const groups = groupedFindings(foldFindings(older), tool);
  return folds(`${count(older.length, 'older finding')}, there before this change`, groups.map(findingText));
}

/** What was not checked, how to check it, and notes about the plan. */
function uncheckedFolds(review: Review): string[] {
  const closing = closingWords(review);
  const missing = uniqueReasons([...review.scope.missing, ...review.missing]);
  const size = missing.length + review.passedOver.length;
  const title = size === 0 ? 'Notes' : `Not checked: ${count(size, 'thing')}`;
  return folds(
    `${title}${closing.length > 0 ? ', and how to check it' : ''}`,
    asList([...remarks(review), ...closing]),
  );
}

function asList(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [texts.map((text) => `- ${inertProse(text)}`).join('\n')];
}

function folds(summary: string, texts: string[], { isOpen = false } = {}): string[] {
  if (texts.length === 0) return [];
  return [folded(strong(summary), fitting(texts, longest / 4).join('\n\n'), isOpen)];
}

function strong(summary: string): string {
  return `<b>${inertText(summary)}</b>`;
}

/** The first of some texts, as far as they fit, and how many more there are. */
function fitting(texts: readonly string[], room = longest): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length;
    if (length > room) {
      const leftOut = `… and ${texts.length - kept.length} more, which do not fit here. \`--format json\` has them all.`;
      return [...kept, leftOut];
    }
    kept.push(text);
  }
  return kept;
}

function findingText({ severity, rule, who, message, fix }: FindingGroup): string {
  return `${signs[severity]} **${inertText(who)}**: ${inertProse(message)} ${inertProse(fix)} (${inertCode(rule)})`;
}
