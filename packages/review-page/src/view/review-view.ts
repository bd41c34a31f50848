import { nothing } from '@gatehouse/core/review';
import type { PageRow, ShownFinding, ShownReview } from '../messages.ts';
import { type Child, contentOf, element, fill, prose, some } from './element.ts';

/** How many are in sight: people of a row, its cells, rows and findings. A button shows the others. */
const most = { who: 6, cells: 8, rows: 50 };
/** Rows that a press of the button adds. */
const mostAdded = 500;

/** Marks of rows and findings: what a screen reader says in their place, and a color. */
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
type Sign = keyof typeof marks;

const signOf = { error: '✗', warning: '!', info: 'i' } as const;

/** A mark that is seen and heard. */
export function mark(sign: Sign): HTMLElement {
  const [heard, look] = marks[sign];
  return element('span', { class: `mark ${look}` }, [
    element('span', { 'aria-hidden': 'true' }, sign),
    element('span', { class: 'hidden' }, heard),
  ]);
}

/** The first line of a review: its mark, and the answer. */
export function headlineOf(text: string): Child {
  const [, sign = '', words = text] = /^(\S) (.*)$/s.exec(text) ?? [];
  return isSign(sign) ? [mark(sign), ' ', words] : text;
}

function isSign(text: string): text is Sign {
  return Object.hasOwn(marks, text);
}

/** A part of a review that a search keeps or leaves out. */
class Searched {
  readonly #part: object;
  readonly show: () => HTMLElement;
  #text: string | undefined;

  constructor(part: object, show: () => HTMLElement) {
    this.#part = part;
    this.show = show;
  }

  /** @param wanted in small letters; empty fits all */
  has(wanted: string): boolean {
    if (wanted === '') return true;
    this.#text ??= JSON.stringify(Object.values(this.#part)).toLowerCase();
    return this.#text.includes(wanted);
  }
}

/** A review, and how much of it a search leaves. */
export class ReviewView {
  readonly #review: ShownReview;
  readonly #rows: Searched[] = [];
  readonly #findings: Searched[];
  #table = new RowTable([]);
  #wanted = '';
  /** The parts of the page, which `search` fills. */
  readonly parts = [element('div'), element('div'), element('div', { class: 'folds' })] as const;

  constructor(review: ShownReview) {
    this.#review = review;
    this.#findings = review.findings.map(
      (finding) => new Searched(finding, () => element('li', {}, findingOf(finding))),
    );
    this.addRows(review.rows);
  }

  /** Takes more rows: those of a large review come in parts, as the page could not be used while it reads all at once. */
  addRows(rows: readonly PageRow[]): void {
    const added = rows.map((row) => new Searched(row, () => rowOf(row)));
    for (const row of added) this.#rows.push(row);
    this.#table.add(added.filter((row) => row.has(this.#wanted)));
  }

  /** Shows what has a text. @returns how much that is: `3 of 40 rows, 1 of 2 findings`; empty without a text */
  search(text: string): string {
    this.#wanted = text.trim().toLowerCase();
    const keep = (all: readonly Searched[]) => all.filter((part) => part.has(this.#wanted));
    const [rows, findings] = [keep(this.#rows), keep(this.#findings)];
    const [table, list, folds] = this.parts;
    this.#table = new RowTable(rows);
    fill(table, this.#table.parts);
    fill(list, findings.length > 0 ? listOf(findings) : undefined);
    fill(folds, foldsOf(this.#review));
    if (this.#wanted === '') return '';
    return `${rows.length} of ${this.#rows.length} rows, ${findings.length} of ${this.#findings.length} findings`;
  }
}

/** The table of rows: the first ones, and a button for the others. */
class RowTable {
  readonly #table = element('table', { class: 'access-table' }, [
    element('caption', { class: 'hidden' }, 'Who gains and who loses access'),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ['Who', 'Before', 'After'].map((text) => element('th', { scope: 'col' }, text)),
      ),
    ),
  ]);
  readonly #button = element('button', { type: 'button' });
  readonly #left: Searched[];
  readonly parts = [this.#table, this.#button];

  constructor(rows: readonly Searched[]) {
    this.#left = [...rows];
    this.#button.addEventListener('click', () => this.#show(mostAdded));
    this.#table.hidden = rows.length === 0;
    this.#show(most.rows);
  }

  /** Rows that the button shows. */
  add(rows: readonly Searched[]): void {
    for (const row of rows) this.#left.push(row);
    this.#label();
  }

  #show(count: number): void {
    this.#table.append(contentOf(this.#left.splice(0, count).map((row) => row.show())));
    this.#label();
  }

  #label(): void {
    const { length } = this.#left;
    this.#button.hidden = length === 0;
    fill(this.#button, `Show ${Math.min(length, mostAdded)} of ${length} more rows`);
  }
}

function listOf(findings: readonly Searched[]): Child {
  const items = some(findings, most.rows, (finding) => finding.show());
  return [element('h3', {}, 'Findings'), element('ul', { class: 'findings' }, items)];
}

function foldsOf({ older, remarks, repeated }: ShownReview): Child {
  const show = (finding: ShownFinding) => element('li', {}, findingOf(finding));
  return [
    fold(`Findings that the rows show (${repeated.length})`, repeated, show),
    fold('Not checked, and notes', remarks, (remark) => element('li', {}, prose(remark))),
    fold(`Older findings, there before this change (${older.length})`, older, show),
  ];
}

function fold<Item>(title: string, items: readonly Item[], show: (item: Item) => HTMLElement): Child {
  if (items.length === 0) return undefined;
  return element('details', {}, [
    element('summary', {}, title),
    element('ul', { class: 'findings' }, some(items, most.rows, show)),
  ]);
}

/** A row as the body of a table: who, with a line for each thing that changes. */
function rowOf(row: PageRow): HTMLElement {
  const cells = row.cells.length > 0 ? row.cells : [{ before: '', after: '' }];
  const left = cells.slice(most.cells);
  const lines: Child[][] = cells
    .slice(0, most.cells)
    .map(({ before, after }) => [cellOf('Before', before), cellOf('After', after)]);
  if (left.length > 0) lines.push([moreCells(left)]);
  lines[0]?.unshift(element('th', { scope: 'rowgroup', rowspan: lines.length }, whoOf(row)));
  const hasMore = row.reasons.length + row.errors.length > 0;
  return element('tbody', {}, [
    lines.map((line) => element('tr', {}, line)),
    hasMore ? element('tr', { class: 'below' }, element('td', { colspan: 3 }, belowOf(row))) : undefined,
  ]);
}

/** A cell of a row. On narrow windows, one with nothing in it is left out. */
function cellOf(column: string, text: string): HTMLElement {
  return element('td', { 'data-column': column, class: text === nothing ? 'none' : undefined }, text);
}

function moreCells(left: PageRow['cells']): HTMLElement {
  const texts = left.map(({ before, after }) => element('li', {}, `${before} → ${after}`));
  return element('td', { colspan: 2 }, [
    element('details', {}, [
      element('summary', {}, `${left.length} more`),
      element('ul', { class: 'plain-list' }, texts),
    ]),
  ]);
}

function whoOf({ sign, policy, who, same, why }: PageRow): Child {
  const detail = (text: string) => element('span', { class: 'detail' }, text);
  const person = ({ name, details }: PageRow['who'][number]) =>
    element('li', {}, [element('span', { class: 'name' }, name), details.map(detail)]);
  return [
    mark(sign),
    element('div', { class: 'who' }, [
      policy === undefined ? undefined : element('span', { class: 'name' }, policy),
      element('ul', { class: 'plain-list' }, some(who, most.who, person)),
      same === undefined ? undefined : detail(same),
      why.map(detail),
    ]),
  ];
}

function belowOf({ reasons, errors }: PageRow): Child {
  return [
    reasons.map((reason) => element('p', { class: 'reason' }, reason)),
    errors.map((error) => element('div', { class: 'finding' }, findingOf({ ...error, title: '' }))),
  ];
}

function findingOf({ severity, title, message, fix, rule }: ShownFinding): Child {
  const said = [title, message].filter(Boolean).join(': ');
  return [
    mark(signOf[severity]),
    element('div', {}, [
      said === '' ? undefined : element('p', {}, prose(said)),
      element('p', { class: 'fix' }, [prose(fix), ' ', element('code', {}, rule)]),
    ]),
  ];
}
