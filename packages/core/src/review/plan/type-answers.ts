import { inertRowOf, type Undoing } from '../../graph/resources/inert-types.ts';
import { allLists } from '../../graph/resources/other-methods.ts';
import { unjudgedReasons } from '../../graph/resources/unjudged-types.ts';
import { officialTypes, type Unmodeled, unmodeled, unmodeledOf } from '../../graph/resources/unmodeled.ts';
import { templatesOf } from '../../graph/resources/writes.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { knownType } from './resource-types.ts';

/** What a review makes of a type of the official provider, or of a path that is written. */
export type TypeAnswer =
  /** A node, an edge or a condition; `as` says of what. */
  | { answer: 'modeled'; as: string }
  /** Something to sign in with: not worked out, so that gains by it are not known. */
  | { answer: 'gives a credential'; rows: readonly Unmodeled[] }
  /** It takes away while it holds. */
  | { answer: 'guards' }
  | { answer: 'inert'; because: string; undoneBy: readonly Undoing[] }
  /** The answer of all that no table has: a plan with it cannot be judged. */
  | { answer: 'not judged'; because: string };

/** The answer for a type, as Terraform has it: exactly one. */
export function answerOf(type: string): TypeAnswer {
  const known = knownType(type);
  const inert = inertRowOf(type);
  const rows = unmodeledOf(type);
  if (known === undefined)
    return { answer: 'not judged', because: unjudgedReasons.get(type) ?? 'No table has it.' };
  if (known.type === 'guard') return { answer: 'guards' };
  if (known.type !== 'inert') return { answer: 'modeled', as: known.type };
  if (inert !== undefined) return { answer: 'inert', because: inert.because, undoneBy: inert.undoneBy };
  if (rows.length > 0) return { answer: 'gives a credential', rows };
  return { answer: 'not judged', because: 'No table has it.' };
}

const line = (cells: readonly string[]) => `|${cells.join('|')}|`;
const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const order: readonly TypeAnswer['answer'][] = [
  'modeled',
  'gives a credential',
  'guards',
  'inert',
  'not judged',
];

/** The table of answers for documentation: a line of Markdown for all types with one reason. */
export function typesTable(types: readonly string[]): string[] {
  const answered = types.map((type) => {
    const answer = answerOf(type);
    return { type, answer, cells: [answer.answer, ...wordsOf(type, answer)] };
  });
  const rows = [...Map.groupBy(answered, ({ cells }) => JSON.stringify(cells)).values()].flatMap((all) => {
    const [first] = all;
    return first ? [{ answer: first.answer, cells: first.cells, types: all.map(({ type }) => type) }] : [];
  });
  const sorted = order.flatMap((answer) => rows.filter((row) => row.answer.answer === answer));
  return [
    line(['Types', 'Answer', 'Because, or by what', 'Hangs on, or is undone by']),
    line(['---', '---', '---', '---']),
    ...sorted.map(({ cells, types: all }) => line([named(all), ...cells])),
  ];
}

/** Why, and what would make it otherwise. */
function wordsOf(type: string, answer: TypeAnswer): [because: string, otherwise: string] {
  switch (answer.answer) {
    case 'modeled':
      return [toSnakeCase(answer.as).replaceAll('_', ' '), '–'];
    case 'guards':
      return ['it takes away while it holds, and gives when it goes', '–'];
    case 'gives a credential':
      return [
        answer.rows.map(({ by, only }) => (only ? `${by} (${named(only)})` : by)).join('; '),
        answer.rows.map(({ hangsOn, closes }) => `${hangsOn}; closed if ${closes}`).join('; '),
      ];
    case 'inert':
      return [answer.because, answer.undoneBy.map((undoing) => undoingWords(type, undoing)).join('; ')];
    case 'not judged':
      return [answer.because, '–'];
  }
}

function undoingWords(type: string, undoing: Undoing): string {
  switch (undoing.by) {
    case 'unknown method':
      return 'a method of a type that Gatehouse does not know, in sight';
    case 'resource':
      return `a resource that has an answer of its own: ${named(officialTypes(undoing.types))}`;
    case 'reaching rule':
      return 'a rule that reaches into it: `team/*`, `+/…`';
    case 'value':
      return 'a credential that a plan writes into a value';
    case 'field':
      return unmodeledOf(type)
        .map(({ where = {}, by }) => `${named(Object.keys(where))}: ${by}`)
        .join('; ');
    case 'nothing':
      return `nothing: ${undoing.why}`;
  }
}

/** Patterns of paths that a resource may write, with the same answers: a line of Markdown a row. */
export function pathsTable(): string[] {
  const lists = allLists.map(({ path, read = path }) => `auth/<mount>/${read}/+`);
  return [
    line(['Paths', 'Answer', 'Because, or by what', 'Hangs on, or is undone by']),
    line(['---', '---', '---', '---']),
    line([
      named([...new Set(lists)].sort()),
      'modeled',
      'a role, user or group of the method; of a type that is not known, the policies that it is given',
      '–',
    ]),
    ...unmodeled.flatMap((row) => {
      const patterns = enginePaths(row);
      return patterns.length > 0 ? [line([named(patterns), 'gives a credential', row.by, row.hangsOn])] : [];
    }),
    line([
      'paths that inert types write, and all of an engine that keeps values but `undelete`',
      'inert',
      'It changes what a path returns, not who may ask for it.',
      'a credential that a plan writes into a value',
    ]),
    line([
      'any other path of a secrets engine',
      'not judged',
      'It may be another issuer, a key, or a deleted value that is there again.',
      '–',
    ]),
    line([
      'any other path below `sys/`, `auth/`, `identity/` or `cubbyhole/`, also in a namespace',
      'not judged',
      'It may set who signs in and with what.',
      '–',
    ]),
  ];
}

/** Where a secrets engine has what a row is about: `<engine>/roles/+`. */
export function enginePaths({ types }: Unmodeled): string[] {
  const templates = officialTypes(types).flatMap(templatesOf);
  const inEngine = templates.filter((template) => /^\{\w+\}\/\w/.test(template));
  return [
    ...new Set(
      inEngine.map((template) => template.replace(/^\{\w+\}/, '<engine>').replace(/\{[^}]+\}|:id/g, '+')),
    ),
  ];
}
