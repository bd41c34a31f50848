import type { Review, ReviewFinding } from '../review.ts';
import { count } from './count.ts';
import { findingCount, type ReportFinding, sameWords } from './fold-places.ts';
import { folded, inertCode, inertText } from './inert-text.ts';
import { replayDetails, replayLine } from './replay.ts';
import { type ReportRow, reportRows } from './rows.ts';
import { findingTitle, headline, hiddenWords, remarks } from './words.ts';

/** Characters; a comment on a pull request holds 65,536 on the widest-used host. */
const longest = 60_000;

/** How many are in sight: principals to whom the same happens, lines of one row, its reasons, rows. The rest is folded or counted. */
const most = { who: 20, cells: 6, reasons: 3, rows: 12 };

const signs = { error: '⛔', warning: '⚠️', info: 'ℹ️' } as const;

/**
 * A review for a pull request: the answer, who gains and who loses, and errors in sight; the rest folded.
 *
 * @param stack names it in the heading: a pull request may have comments on several
 */
export function markdownReport(review: Review, stack?: string): string {
  const { rows, findings, repeated } = reportRows(review);
  const errors = [...rows.flatMap((row) => row.errors), ...findings.filter(isError)];
  const nonErrors = [...findings.filter((finding) => !isError(finding)), ...repeated];
  const inSight = rows.slice(0, most.rows);
  const further = rows.slice(most.rows);
  const title = `Sign-in review${stack === undefined ? '' : ` of ${inertText(stack)}`}`;
  const parts = fitting([
    `## ${title}: ${inertText(headline(review))}`,
    ...(review.replay ? [inertText(replayLine(review.replay))] : []),
    ...(inSight.length > 0 ? [tableHead + inSight.map(rowText).join('')] : []),
    ...errors.map(findingText),
    ...(further.length > 0
      ? [folded(`${further.length} more rows`, tableHead + further.map(rowText).join(''))]
      : []),
    ...folds(count(findingCount(nonErrors), 'more finding'), nonErrors.map(findingText)),
    ...folds(
      'Replay',
      (review.replay ? replayDetails(review.replay) : []).map((text) => `- ${inertText(text)}`),
    ),
    ...folds(
      'Not checked, and notes',
      [...remarks(review), ...hiddenWords([], review.older)].map((text) => `- ${inertText(text)}`),
    ),
  ]);
  return `${parts.join('\n\n')}\n`;
}

function isError({ severity }: ReviewFinding): boolean {
  return severity === 'error';
}

function folds(summary: string, texts: string[]): string[] {
  if (texts.length === 0) return [];
  const kept = fitting(texts, longest / 4);
  return [folded(summary, kept.join(texts[0]?.startsWith('- ') ? '\n' : '\n\n'))];
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

const tableHead = '| | Who | Before | After |\n| --- | --- | --- | --- |\n';

function rowText({ sign, policy, who, same, why, cells, reasons, errors }: ReportRow): string {
  const names = who
    .slice(0, most.who)
    .map(({ name, details }) => [`**${inertText(name)}**`, ...details.map(inertText)].join('<br>'));
  const left = [
    ...(policy === undefined ? [] : [`**${inertText(policy)}**`]),
    ...names,
    ...(who.length > most.who ? [`… and ${who.length - most.who} more`] : []),
    ...(same === undefined ? [] : [inertText(sameWords(same))]),
    ...[...why, ...reasons.slice(0, most.reasons)].map(inertText),
    ...(reasons.length > most.reasons ? [`… and ${reasons.length - most.reasons} more`] : []),
  ];
  const shown = cells.slice(0, most.cells);
  const leftOut = cells.length > most.cells ? [`… and ${cells.length - most.cells} more`] : [];
  const before = [...shown.map((cell) => code(cell.before)), ...leftOut.map(() => '')];
  const after = [...shown.map((cell) => code(cell.after)), ...leftOut];
  const mark = errors.length > 0 ? `${sign} ${signs.error}` : sign;
  return `| ${mark} | ${left.join('<br>')} | ${before.join('<br>')} | ${after.join('<br>')} |\n`;
}

/** A dash is nothing to copy. */
function code(text: string): string {
  return /^.?$/u.test(text) ? text : inertCode(text);
}

function findingText(finding: ReportFinding): string {
  const { severity, rule, message, fix } = finding;
  const title = `${signs[severity]} ${inertText(findingTitle(finding))}: ${inertText(message)}`;
  return `${title} ${inertText(fix)} (${inertCode(rule)})`;
}
