import { describe, expect, test } from '@jest/globals';
import { declare } from '../../../src/environment/declared.ts';
import { parseEnvironment } from '../../../src/environment/environment.ts';
import { providerKinds } from '../../../src/graph/kinds/kinds.ts';
import { ruleOptions } from '../../../src/review/rules/rule-options.ts';
import { judgeGraph } from '../../../src/review/rules/rules.ts';
import { givenEnvironment, givenProvider, problemsOf } from '../../environment/environment-fixture.ts';
import { graph } from '../../worlds.ts';

const judged = (given: Record<string, unknown>) => {
  const environment = parseEnvironment(given);
  return judgeGraph(declare(environment), ruleOptions(environment));
};

describe('what docs/inside/specification.md sets by itself', () => {
  test.each(providerKinds)('is never above info: %s', (kind) => {
    const found = judged(givenEnvironment([givenProvider(kind)]));
    expect(found.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});

describe('gatehouse:rules', () => {
  const staff = givenProvider('cloud_directory', {
    roles: [{ name: 'reader', policies: ['secrets-read'] }],
  });

  test('turns a rule off', () => {
    const rules = { disabled: { 'mutable-user-claim': 'addresses are never given twice' } };
    expect(judged(givenEnvironment([staff])).map(({ rule }) => rule)).toContain('mutable-user-claim');
    expect(judged(givenEnvironment([staff], { rules })).map(({ rule }) => rule)).not.toContain(
      'mutable-user-claim',
    );
  });

  test.each([
    [
      { disabled: { 'no-such-rule': 'why' } },
      'gatehouse:rules.disabled.no-such-rule: there is no rule of this id',
    ],
    [{ disabled: { 'realm-url': ' ' } }, 'gatehouse:rules.disabled.realm-url: give the reason'],
    [{ off: {} }, 'gatehouse:rules: unknown key `off`; only `preset` and `disabled` are allowed'],
  ])('refuses %j', (rules, problem) => {
    expect(problemsOf(givenEnvironment([], { rules }))).toEqual([expect.stringContaining(problem)]);
  });
});

test('an undeclared policy is found with the nearest declared name', () => {
  const allow = 'path "secret/data/shop" { capabilities = ["read"] }';
  const roles = [{ name: 'reader', policies: ['shop-raed'] }];
  const found = judged(
    givenEnvironment([givenProvider('source_hosting', { roles })], {
      policies: [{ name: 'shop-read', policy: allow }],
    }),
  );
  expect(found.filter(({ rule }) => rule === 'policy-unknown').map(({ message }) => message)).toEqual([
    'Policy shop-raed is not declared here; did you mean "shop-read"?',
  ]);
});

test('of an undeclared policy, all are named that name it, those of other methods too', () => {
  const found = judgeGraph(
    graph('policy other: x read\n group ops gone\n approle batch gone\n user ann gone\n internal all gone'),
    ruleOptions(parseEnvironment(givenEnvironment([]))),
  ).filter(({ rule }) => rule === 'policy-unknown');
  expect(found.map(({ message }) => message)).toEqual([
    'Policy gone is not declared here. Also named by: group all, role batch of approle, 1 more.',
  ]);
});
