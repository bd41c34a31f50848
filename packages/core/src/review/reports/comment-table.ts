import { cut, shortened } from '../../graph/values/cut.ts';
import { type Cell, nothing } from './cells.ts';
import { sameWords } from './fold-places.ts';
import { inertCode, inertText } from './inert-text.ts';
import type { ReportRow } from './rows.ts';

/** How much of a row is in sight, and of one that is unfolded: principals, reasons, characters of a text. */
const inSight = { who: 3, reasons: 1, characters: 90 };
const unfolded = { who: 30, reasons: 20, characters: 4_000 };
/** Lines of a row that is unfolded. */
const mostUnfolded = 60;
/** Lines of a row in sight, at most: the first of these by which all rows are in sight, else the last. */
const heights = [6, 4, 3];

const head = '| | Who | What changes |\n| --- | --- | --- |\n';

/** The rows of a comment: the first ones, shortened, and folds with all of each that is not in sight as a whole. */
export class CommentTable {
  /** The table, and what it leaves to the folds: empty without rows. */
  readonly inSight: string[] = [];
  readonly #rest: ReportRow[];

  /** @param room lines, as a reader sees them, for the head, rows and what is left out */
  constructor(rows: readonly ReportRow[], room: number) {
    const all = rows.map((row) => linesOf(row, inSight));
    const isEnough = (height: number) =>
      all.reduce((sum, lines) => sum + Math.min(heightOf(lines), height), 1) <= room;
    const most = heights.find(isEnough) ?? heights.at(-1) ?? 1;
    const texts: string[] = [];
    let used = 1;
    for (const [at, lines] of all.entries()) {
      // A line says what is left out, unless this is all.
      const free = room - used - (at < all.length - 1 ? 1 : 0);
      const shown = cutTo(lines, at === 0 ? Math.max(1, Math.min(free, most)) : most);
      if (heightOf(shown) > free && at > 0) break;
      texts.push(rowText(rows[at] as ReportRow, shown));
      used += heightOf(shown);
    }
    const left = rows.slice(texts.length);
    this.#rest = rows.filter((row, at) => texts[at] !== rowText(row, linesOf(row, unfolded)));
    if (texts.length > 0) this.inSight.push(head + texts.join(''));
    if (left.length > 0) this.inSight.push(leftOutText(left));
  }

  /**
   * A fold for each principal that is not in sight as a whole, or one for all.
   *
   * @param mostFolds where there are more, all are in one
   */
  folds(mostFolds: number): [summary: string, table: string][] {
    const byName = [...Map.groupBy(this.#rest, namesOf).values()];
    if (byName.length <= mostFolds) return byName.map((rows) => [summaryOf(rows), tableOf(rows)]);
    return [[`Everything that ${this.#rest.length} rows have`, tableOf(this.#rest)]];
  }
}

function tableOf(rows: readonly ReportRow[]): string {
  return head + rows.map((row) => rowText(row, linesOf(row, unfolded))).join('');
}

/** `Everything that role ci/build gains`. */
function summaryOf(rows: ReportRow[]): string {
  const [row] = rows as [ReportRow];
  const verb = rows.some(({ gains }) => gains === 'some')
    ? 'gain'
    : rows.some(({ losses }) => losses === 'some')
      ? 'lose'
      : undefined;
  if (row.policy !== undefined || verb === undefined) return `Everything about ${namesOf(row)}`;
  return `Everything that ${namesOf(row)} ${verb}${row.who.length === 1 ? 's' : ''}`;
}

function leftOutText(rows: ReportRow[]): string {
  const names = [...new Set(rows.map(namesOf))];
  return `… and ${rows.length} more below: ${inertText(shortened(names, 4))}`;
}

function namesOf({ policy, who }: ReportRow): string {
  const names = who.map(({ name }) => name);
  return policy ?? shortened(names, inSight.who);
}

/** Markdown lines of both columns. */
interface Lines {
  who: string[];
  changes: string[];
}

function linesOf({ policy, who, same, why, reasons, cells }: ReportRow, most: typeof inSight): Lines {
  const text = (long: string) => inertText(cut(long, most.characters));
  const names = who
    .slice(0, most.who)
    .flatMap(({ name, details }) => [`**${inertText(name)}**`, ...details.map(text)]);
  const lines = {
    who: [
      ...(policy === undefined ? [] : [`**${inertText(policy)}**, of`]),
      ...names,
      ...(who.length > most.who ? [`… and ${who.length - most.who} more`] : []),
      ...(same === undefined ? [] : [inertText(sameWords(same))]),
      ...[...why, ...reasons.slice(0, most.reasons)].map(text),
    ],
    changes: cells.map((cell) => changeText(cell, most.characters)),
  };
  return cutTo(lines, mostUnfolded);
}

/** What is gained, lost, or other than before. */
function changeText({ before, after, isOpen }: Cell, most: number): string {
  const code = (text: string) => breakable(inertCode(cut(text, most)));
  if (isOpen) return inertText(cut(after, most));
  if (before === nothing) return `now ${code(after)}`;
  if (after === nothing) return `no longer ${code(before)}`;
  return `${code(before)} → ${code(after)}`;
}

/** A path that is longer than a column may break behind a slash or a dot; what is copied stays the same. */
function breakable(code: string): string {
  return /\S{40}/.test(code) ? code.replace(/(?<=\w)[/.](?=[\w{])/g, '$&<wbr>') : code;
}

function heightOf({ who, changes }: Lines): number {
  return Math.max(who.length, changes.length, 1);
}

function cutTo({ who, changes }: Lines, height: number): Lines {
  const firstOf = (lines: string[]) => {
    const left = lines.length - height;
    return lines
      .slice(0, height)
      .map((line, at) => (left > 0 && at === height - 1 ? `${line} … ${left} more` : line));
  };
  return { who: firstOf(who), changes: firstOf(changes) };
}

function rowText({ sign, errors }: ReportRow, { who, changes }: Lines): string {
  const mark = errors.length > 0 ? `${sign}&nbsp;⛔` : sign;
  return `| ${mark} | ${who.join('<br>')} | ${changes.join('<br>')} |\n`;
}
