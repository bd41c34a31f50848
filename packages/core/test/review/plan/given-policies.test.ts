import { describe, expect, test } from '@jest/globals';
import { givenPolicy, withPolicies } from '../../../src/review/plan/given-policies.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { reportRows } from '../../../src/review/reports/rows.ts';
import { review } from '../../../src/review/review.ts';
import { entries, graph } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { terraform } from './terraform.ts';

const planOf = (text: string) => readPlan(terraform(entries(text)));
const role = 'method ci\n policy p: a read\n ~ role r p → p,pay';
const pay = givenPolicy('pay.hcl', 'path "secret/pay" { capabilities = ["read"] }');
const ids = { mount: {}, group: {}, entity: {} };

describe('the text of a policy, from a file', () => {
  test.each([
    ['pay.hcl', 'path "secret/pay" { capabilities = ["read"] }'],
    ['pay.json', '{"path":{"secret/pay":{"capabilities":["read"]}}}'],
  ])('says what a role gains by it: %s', (file, text) => {
    const found = review(withPolicies(planOf(role), [givenPolicy(file, text)]), { now });
    expect(found.gains).toBe('some');
    expect(reportRows(found).rows.flatMap(({ cells }) => cells)).toEqual([
      { before: '–', after: 'read secret/pay' },
    ]);
    expect(found.notes).toContain('Texts of policies from files, not from the service: pay.');
  });

  test('counts in the namespace of the plan', () => {
    const planned = planOf('+ role r pay namespace: team');
    expect(review(withPolicies(planned, [pay]), { now }).access.flatMap(({ paths }) => paths)).toHaveLength(
      1,
    );
  });

  test('does not stand in for what the plan writes', () => {
    const planned = planOf(`${role}\n policy pay: secret/other read`);
    const { access } = review(withPolicies(planned, [pay]), { now });
    expect(access.flatMap(({ paths }) => paths.map(({ path }) => path))).toEqual(['secret/other']);
  });

  test('does not stand in for what the service has', () => {
    const live = { graph: graph('policy pay: secret/other read'), ids, missing: [], namespace: '' };
    const planned = withPolicies(planOf(role), [givenPolicy('PAY.hcl', pay.text)], live);
    expect(planned.outside).toEqual([]);
  });

  test('is refused where the plan is of several namespaces', () => {
    const planned = planOf('+ group a x\n + group b x namespace: team');
    expect(() => withPolicies(planned, [pay])).toThrow('several services or namespaces');
  });

  test.each(['resource "x" {}', '{"a":1}', 'path "a" {'])('is refused where it is none: %s', (text) => {
    expect(() => givenPolicy('a.hcl', text)).toThrow('the file has no policy that can be read');
  });
});
