import { expect, test } from '@jest/globals';
import { allLists } from '../../packages/core/src/graph/resources/other-methods.ts';
import { read } from './markdown.ts';

/** The tables of auth methods: the column of types, then that of their lists. */
const tables: Record<string, [page: string, heading: string]> = {
  'what is read': ['docs/whole-service.md', '## What is read'],
  'other methods': ['docs/inside/measured/identity.md', '## Other methods'],
};

/** Rows of a section: the first two columns. */
function rowsOf([page, heading]: [string, string]): [string, string][] {
  const section = read(page).split(`${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\|([^|]+)\|([^|]+)\|/gm)].map(([, types = '', lists = '']) => [types, lists]);
}
const wordsIn = (cell: string) => [...cell.matchAll(/[\w-]+(?:\/[\w-]+)*/g)].map(([word]) => word);

const cases = Object.entries(tables).flatMap(([name, at]) =>
  [...Map.groupBy(allLists, ({ type }) => type)].map(([type, lists]) => ({ name, at, type, lists })),
);

test.each(cases)('the table of $name has the lists of $type', ({ at, type, lists }) => {
  const rows = rowsOf(at).filter(([types]) => wordsIn(types).includes(type));
  expect(rows).toHaveLength(1);
  const words = rows.flatMap(([, cell]) => wordsIn(cell));
  expect(words).toEqual(expect.arrayContaining(lists.map(({ path }) => path)));
});

test.each(Object.entries(tables))('the table of %s has no list that is not read', (_, at) => {
  const known = allLists.flatMap(({ path, read = path }) => [path, read]);
  const named = rowsOf(at).flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace(/^auth\/token\/|\/<\w+>$/g, '')),
  );
  expect(named.filter((path) => !known.includes(path) && path !== 'config')).toEqual([]);
});
