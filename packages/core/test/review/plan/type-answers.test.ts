import { expect, test } from '@jest/globals';
import { inertRows } from '../../../src/graph/resources/inert-types.ts';
import { unjudgedReasons } from '../../../src/graph/resources/unjudged-types.ts';
import { officialTypes, unmodeled } from '../../../src/graph/resources/unmodeled.ts';
import { answerOf, pathsTable, typesTable } from '../../../src/review/plan/type-answers.ts';
import { officialTypeNames } from '../../graph/resources/official-types.ts';

const types = officialTypeNames();

test('the list has all types of the provider, each once', () => {
  expect(types.length).toBe(204);
  expect(new Set(types).size).toBe(204);
});

test('each type without a row in any table is in the list of those that are not judged', () => {
  const without = types.filter((type) => answerOf(type).answer === 'not judged');
  expect(without).toEqual([...unjudgedReasons.keys()].sort());
});

test('no table has a type that the provider does not have', () => {
  const named = [...unmodeled, ...inertRows].flatMap((row) => officialTypes(row.types));
  expect([...named, ...unjudgedReasons.keys()].filter((type) => !types.includes(type))).toEqual([]);
});

test('a type of a newer provider is not judged', () => {
  expect(answerOf('vault_not_yet_known')).toEqual({ answer: 'not judged', because: 'No table has it.' });
});

test('each type is in one line of the table', () => {
  const lines = typesTable(types);
  expect(types.filter((type) => lines.filter((line) => line.includes(`\`${type}\``)).length === 0)).toEqual(
    [],
  );
  const answered = lines.slice(2).flatMap((line) => line.split('|')[1]?.split(', ') ?? []);
  expect(answered.length).toBe(types.length);
});

test('each row of what gives a credential in an engine has its paths', () => {
  expect(pathsTable().filter((line) => line.includes('`<engine>/roles/+`')).length).toBeGreaterThan(4);
});
