import { describe, expect, test } from '@jest/globals';
import {
  changeObjections,
  exampleOf,
  objections,
  rules,
  sectionOf,
  sections,
  withExample,
} from './rule-examples.ts';

test('docs/rules.md has a section for each rule, in their order', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ id }) => id));
});

test.each(rules.map((rule) => [rule.id, rule] as const))('%s: what, why and how to fix it', (id, rule) => {
  const section = sectionOf(id);
  expect(section).toContain(`**${rule.severity}** · ${rule.about}\n`);
  expect(section).toMatch(/\n\*\*Why\.\*\* \S.{20,}\n/);
  expect(section).toMatch(/\n\*\*Fix\.\*\* \S.{5,}\n/);
});

describe('the example of a rule', () => {
  test.each(withExample)('%s is objected to, and its fixed version is not', (id) => {
    const { objects, fixed, before, after } = exampleOf(id);
    if (objects !== undefined && fixed !== undefined) {
      expect(objections(objects)).toContain(id);
      expect(objections(fixed)).not.toContain(id);
      return;
    }
    if (before === undefined || after === undefined) throw new Error('an example has two blocks');
    expect(changeObjections(before, after)).toContain(id);
    expect(changeObjections(before, before)).not.toContain(id);
  });
});
