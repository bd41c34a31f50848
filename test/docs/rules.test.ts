import { describe, expect, test } from '@jest/globals';
import { changeRules, graphRules } from '../../packages/core/src/review/rules/rules.ts';
import { rulesPage } from '../../scripts/write-reference.ts';
import { read } from './markdown.ts';
import { changeObjections, objections, rules, sectionOf, sections, withExample } from './rule-examples.ts';

const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id);

test('docs/rules.md has a section for each rule, in their order', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(ids(rules));
});

test.each(ids(rules))('%s: why or how to fix it', (id) => {
  expect(sectionOf(id)).toMatch(/^.*\n\n\*\*.*\n\n[A-Z[`].{15,}\n/);
});

test('the line below a heading is written where it is missing; a rule without a section is named', () => {
  const page = read('docs/rules.md');
  const [heading = ''] = /^### ended\n\n\*\*.*\n\n/m.exec(page) ?? [];
  expect(heading).not.toBe('');
  expect(rulesPage(page.replace(heading, '### ended\n\n'))).toBe(page);
  expect(() => rulesPage(page.replace(heading, ''))).toThrow('### ended');
  expect(() => rulesPage(page.replace(heading, '### unheard-of\n\n'))).toThrow('### ended');
});

test('each rule has an example', () => {
  expect(withExample).toEqual(ids(rules));
});

describe('the example of a rule over a state', () => {
  test.each([...ids(graphRules), 'exception-invalid'])(
    '%s objects to its - side, and not to its + side',
    (id) => {
      expect(objections(id, 'before')).toContain(id);
      expect(objections(id, 'after')).not.toContain(id);
    },
  );
});

describe('the example of a rule over a change', () => {
  test.each([...ids(changeRules), 'gate-weakened', 'reviews-weakened'])(
    '%s objects to the change, and not to none',
    (id) => {
      expect(changeObjections(id, 'change')).toContain(id);
      expect(changeObjections(id, 'none')).not.toContain(id);
    },
  );
});
