import { expect, test } from '@jest/globals';
import { changeRules, stateRules } from '../../core/rules/rules.ts';
import { read } from './markdown.ts';

const rules = [...stateRules, ...changeRules];
const [, ...sections] = read('docs/rules.md')
  .replace(/^## .*\n/gm, '')
  .split(/^### /m);

test('docs/rules.md has a section for each rule, in their order', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ id }) => id));
});

test.each(rules.map((rule) => [rule.id, rule] as const))('%s: what, why and how to fix it', (id, rule) => {
  const section = sections.find((text) => text.startsWith(`${id}\n`)) ?? '';
  expect(section).toContain(`**${rule.severity}** · ${rule.about}\n`);
  expect(section).toMatch(/\n\*\*Why\.\*\* \S.{20,}\n/);
  expect(section).toMatch(/\n\*\*Fix\.\*\* \S.{5,}\n/);
});
