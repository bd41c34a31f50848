import { expect, test } from '@jest/globals';
import { html } from '../../../host/src/pages/html.ts';
import { outcomeList } from '../../src/pages/outcome-list.ts';
import { readOutcomeQuery } from '../../src/pages/outcome-query.ts';

const query = readOutcomeQuery(new URLSearchParams());
const listOf = (bodies: readonly string[]) => {
  const outcomes = bodies.map((body, at) => ({ outcomeId: `${at}`, description: 'x', body }));
  return String(html`${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0 } })}`);
};

test('Markdown that takes its parser long is shown as it is, once the page has rendered for a while', () => {
  const nested = 'a\n> > \n'.repeat(1400);
  const began = performance.now();
  const list = listOf(Array.from({ length: 250 }, () => nested));
  // One after the other they would take half a minute.
  expect(performance.now() - began).toBeLessThan(3000);
  // A failure is not to print all of it.
  expect([list.includes('<blockquote>'), list.includes('<pre>a\n&#62; ')]).toEqual([true, true]);
});

test('Markdown that people write is rendered, all of it', () => {
  expect(listOf(Array.from({ length: 20 }, () => '**bold**')).match(/<strong>/g)).toHaveLength(20);
});

test('what a finding has between backticks is code, and never markup', () => {
  const outcomes = [{ outcomeId: '1', description: 'They could change `sys/<b>` and `auth/*`.' }];
  const list = String(html`${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0 } })}`);
  expect(list).toContain('They could change <code>sys/&#60;b&#62;</code> and <code>auth/*</code>.');
});
