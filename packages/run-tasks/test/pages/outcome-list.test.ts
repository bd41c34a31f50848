import { expect, test } from '@jest/globals';
import { html } from '../../../host/src/pages/html.ts';
import { outcomeList } from '../../src/pages/outcome-list.ts';
import { readOutcomeQuery } from '../../src/pages/outcome-query.ts';

const query = readOutcomeQuery(new URLSearchParams());
/** A list with these texts, each of which takes so many milliseconds to render. */
const listOf = (bodies: readonly string[], eachMs: number) => {
  let reads = 0;
  const now = () => Math.floor(++reads / 2) * eachMs;
  const outcomes = bodies.map((body, at) => ({ outcomeId: `${at}`, description: 'x', body }));
  return String(html`${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0, now } })}`);
};
const twenty = Array.from({ length: 20 }, () => '**bold**');

test('Markdown that takes its parser long is shown as it is, once the page has rendered for a while', () => {
  const list = listOf(twenty, 40);
  expect(list.match(/<strong>/g)).toHaveLength(3);
  expect(list.match(/<pre>\*\*bold/g)).toHaveLength(17);
});

test('Markdown that people write is rendered, all of it', () => {
  expect(listOf(twenty, 1).match(/<strong>/g)).toHaveLength(20);
});

test('what a finding has between backticks is code, and never markup', () => {
  const outcomes = [{ outcomeId: '1', description: 'They could change `sys/<b>` and `auth/*`.' }];
  const list = String(html`${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0 } })}`);
  expect(list).toContain('They could change <code>sys/&#60;b&#62;</code> and <code>auth/*</code>.');
});
