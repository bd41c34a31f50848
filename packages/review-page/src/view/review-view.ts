import { nothing } from '@gatehouse/core/review';
import type { ShownFinding, ShownReview, ShownRow } from '../messages.ts';
import { type Child, element, fill, some } from './element.ts';

/** How many are in sight: people of a row, its cells, and rows. A button shows the others. */
const most = { who: 6, cells: 8, rows: 50 };

/** Marks of rows and findings: a sign, what a screen reader says in its place, and a color. */
const marks = {
  '+': ['New: ', 'gain'],
  '-': ['Gone: ', 'loss'],
  '~': ['Changed: ', 'change'],
  '?': ['Not known: ', 'open'],
  '✗': ['Error: ', 'loss'],
  '!': ['Warning: ', 'change'],
  i: ['Note: ', 'open'],
  '✓': ['Fine: ', 'gain'],
} as const;
type Mark = keyof typeof marks;

const markOf = { error: '✗', warning: '!', info: 'i' } as const;

/** A mark that is seen and heard. */
export function mark(sign: Mark): HTMLElement {
  const [heard, look] = marks[sign];
  return element(
    'span',
    { class: `mark ${look}` },
    element('span', { 'aria-hidden': 'true' }, sign),
    element('span', { class: 'hidden' }, heard),
  );
}

/** The first line of a review: its mark, and the answer. */
export function headlineOf(text: string): Child[] {
  const [, sign = '', words = text] = /^(\S) (.*)$/s.exec(text) ?? [];
  return isMark(sign) ? [mark(sign), ' ', words] : [text];
}

function isMark(text: string): text is Mark {
  return Object.hasOwn(marks, text);
}

/** A part of a review that a search keeps or hides. */
interface Found {
  text: string;
  show(): HTMLElement;
}

/** A review, and how much of it a search leaves. */
export class ReviewView {
  readonly #review: ShownReview;
  readonly #rows: Found[];
  readonly #findings: Found[];
  readonly #table = element('div', {});
  readonly #list = element('div', {});
  readonly #folds = element('div', { class: 'folds' });

  constructor(review: ShownReview) {
    this.#review = review;
    this.#rows = review.rows.map((row) => ({ text: textOf(row), show: () => rowOf(row) }));
    this.#findings = review.findings.map((finding) => ({
      text: textOf(finding),
      show: () => element('li', {}, ...findingOf(finding)),
    }));
  }

  /** The parts of the page, to be filled by `search`. */
  parts(): HTMLElement[] {
    return [this.#table, this.#list, this.#folds];
  }

  /** Shows what has a text. @returns how much that is: `3 of 40 rows, 1 of 2 findings` */
  search(text: string): string {
    const wanted = text.trim().toLowerCase();
    const keep = (all: readonly Found[]) =>
      wanted === '' ? all : all.filter((one) => one.text.includes(wanted));
    const [rows, findings] = [keep(this.#rows), keep(this.#findings)];
    fill(this.#table, rows.length > 0 ? tableOf(rows) : undefined);
    fill(this.#list, findings.length > 0 ? this.#findingsOf(findings) : undefined);
    fill(this.#folds, ...this.#folded());
    if (wanted === '') return '';
    return `${rows.length} of ${this.#rows.length} rows, ${findings.length} of ${this.#findings.length} findings`;
  }

  #findingsOf(findings: readonly Found[]): Child[] {
    const items = findings.map((finding) => finding.show());
    return [element('h3', {}, 'Findings'), element('ul', { class: 'findings' }, ...some(items, most.rows))];
  }

  #folded(): Child[] {
    const { older, remarks, repeated } = this.#review;
    const items = (findings: readonly ShownFinding[]) =>
      findings.map((finding) => element('li', {}, ...findingOf(finding)));
    return [
      repeated.length > 0 && fold(`Findings that the rows show (${repeated.length})`, items(repeated)),
      remarks.length > 0 &&
        fold(
          'Not checked, and notes',
          remarks.map((remark) => element('li', {}, remark)),
        ),
      older.length > 0 &&
        fold(`Older findings, which this change does not bring (${older.length})`, items(older)),
    ].filter((part) => part !== false);
  }
}

/** Everything that a part says, in small letters. */
function textOf(part: object): string {
  return JSON.stringify(Object.values(part)).toLowerCase();
}

function fold(title: string, items: readonly HTMLElement[]): HTMLElement {
  return element(
    'details',
    {},
    element('summary', {}, title),
    element('ul', { class: 'findings' }, ...some(items, most.rows)),
  );
}

function tableOf(rows: readonly Found[]): HTMLElement {
  const heading = (text: string) => element('th', { scope: 'col' }, text);
  const table = element(
    'table',
    { class: 'access-table' },
    element('caption', { class: 'hidden' }, 'Who gains and who loses access'),
    element('thead', {}, element('tr', {}, heading('Who'), heading('Before'), heading('After'))),
    ...rows.slice(0, most.rows).map((row) => row.show()),
  );
  const left = rows.slice(most.rows);
  if (left.length === 0) return table;
  const button = element('button', { type: 'button' });
  const label = () => fill(button, `Show ${Math.min(left.length, 500)} of ${left.length} more rows`);
  label();
  button.addEventListener('click', () => {
    table.append(...left.splice(0, 500).map((row) => row.show()));
    if (left.length === 0) button.remove();
    else label();
  });
  return element('div', {}, table, button);
}

/** A row as the body of a table: who, with a line for each thing that changes. */
function rowOf(row: ShownRow): HTMLElement {
  const cells = row.cells.length > 0 ? row.cells : [{ before: '', after: '' }];
  const shown = cells.slice(0, most.cells);
  const left = cells.slice(most.cells);
  const below = belowOf(row);
  const lines = shown.map(({ before, after }) =>
    element('tr', {}, cellOf('Before', before), cellOf('After', after)),
  );
  const spanned = lines.length + (left.length > 0 ? 1 : 0);
  lines[0]?.prepend(element('th', { scope: 'rowgroup', rowspan: spanned }, ...whoOf(row)));
  const body = element('tbody', {}, ...lines);
  if (left.length > 0) body.append(moreCells(left));
  if (below.length > 0)
    body.append(element('tr', { class: 'below' }, element('td', { colspan: 3 }, ...below)));
  return body;
}

/** A cell of a row. On narrow windows, one with nothing in it is left out. */
function cellOf(column: string, text: string): HTMLElement {
  return element('td', { 'data-column': column, class: text === nothing ? 'none' : undefined }, text);
}

function moreCells(left: ShownRow['cells']): HTMLElement {
  const texts = left.map(({ before, after }) => element('li', {}, `${before} → ${after}`));
  const folded = element(
    'details',
    {},
    element('summary', {}, `${left.length} more`),
    element('ul', { class: 'plain-list' }, ...texts),
  );
  return element('tr', {}, element('td', { colspan: 2 }, folded));
}

function whoOf({ sign, policy, who, same, why }: ShownRow): Child[] {
  const people = who.map(({ name, details }) =>
    element(
      'li',
      {},
      element('span', { class: 'name' }, name),
      ...details.map((detail) => element('span', { class: 'detail' }, detail)),
    ),
  );
  const lines = [...(same === undefined ? [] : [same]), ...why];
  return [
    mark(sign),
    element(
      'div',
      { class: 'who' },
      policy === undefined ? undefined : element('span', { class: 'name' }, policy),
      element('ul', { class: 'plain-list' }, ...some(people, most.who)),
      ...lines.map((line) => element('span', { class: 'detail' }, line)),
    ),
  ];
}

function belowOf({ reasons, errors }: ShownRow): Child[] {
  return [
    ...reasons.map((reason) => element('p', { class: 'reason' }, reason)),
    ...errors.map(({ message, fix, rule }) =>
      element(
        'div',
        { class: 'finding' },
        ...findingOf({ severity: 'error', title: '', message, fix, rule }),
      ),
    ),
  ];
}

function findingOf({ severity, title, message, fix, rule }: ShownFinding): Child[] {
  const said = [title, message].filter(Boolean).join(': ');
  return [
    mark(markOf[severity]),
    element(
      'div',
      {},
      said === '' ? undefined : element('p', {}, said),
      element('p', { class: 'fix' }, fix, ' ', element('code', {}, rule)),
    ),
  ];
}
