import { expect, test } from '@jest/globals';
import { policySides } from '../../src/access/policy-sides.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { builtInDefault } from '../../src/graph/policies/default-policy.ts';
import { graphOf, policy } from '../review/graphs.ts';

const written: Partial<Graph> = { policies: [policy('p', ['a', 'read'])] };
const again: Partial<Graph> = { policies: [{ name: 'P', text: `# Read\n${written.policies?.[0]?.text}` }] };
const other: Partial<Graph> = { policies: [policy('p', ['a', 'list'])] };
const broken: Partial<Graph> = { policies: [{ name: 'p', text: '{' }] };
const known: Partial<Graph> = { complete: [{ list: 'policies' }] };

/** The number of rules on each side, `?` where they are not known, and whether they are the same. */
function wordsOf(name: string, before: Partial<Graph>, after: Partial<Graph>): string {
  const sides = policySides([name], graphOf(before), graphOf(after)).get(name);
  const [was, is] = [sides?.before?.length ?? '?', sides?.after?.length ?? '?'];
  return `${was} ${is} ${sides?.isSame}`;
}

test.each<[string, string, Partial<Graph>, Partial<Graph>, string]>([
  ['is made', 'p', {}, written, '0 1 false'],
  ['is deleted', 'p', written, {}, '1 0 false'],
  ['has other rules', 'p', written, other, '1 1 false'],
  ['has the same rules in another text', 'p', written, again, '1 1 true'],
  ['cannot be read any more', 'p', written, broken, '1 ? false'],
  ['cannot be read', 'p', broken, broken, '? ? true'],
  ['is elsewhere', 'p', {}, {}, '? ? true'],
  ['may be elsewhere, where one side is known', 'p', known, {}, '? ? true'],
  ['is nowhere, where all are known', 'p', known, known, '0 0 true'],
  ['is named by a template', 'of-{{.x}}', known, known, '? ? true'],
  ['is root', 'root', { policies: [policy('root')] }, {}, '1 1 true'],
])('a policy that %s', (_, name, before, after, expected) => {
  expect(wordsOf(name, before, after)).toBe(expected);
});

test('the policy default has its own text, or that of servers', () => {
  const sides = policySides(['default'], graphOf({ policies: [policy('default')] }), graphOf({}));
  expect(sides.get('default')).toEqual({ before: [], after: builtInDefault(), isSame: false });
});
