import { expect, test } from '@jest/globals';
import { headline } from '../../core/src/review/index.ts';
import { terraform } from '../../core/test/review/plan/terraform.ts';
import { entries } from '../../core/test/worlds.ts';
import { readFiles, reviewOf, whoCanOf } from '../src/dropped.ts';

const now = Date.parse('2026-11-30T12:00:00Z');
const file = (name: string, text: string) => new File([text], name);
const plan = file('plan.json', terraform(entries('policy p: a read\n ~ role r p → p,pay')));
const rules = '{"path": {"secret/pay": {"capabilities": ["read"]}}}';

test.each([
  ['pay.json', rules],
  ['pay.hcl', 'path "secret/pay" { capabilities = ["read"] }'],
])('a policy in %s counts for the review and for who can', async (name, text) => {
  const { dropped, known } = await readFiles([plan, file(name, text)], '');
  expect(known.map(({ is, about }) => [is, about])).toEqual([
    ['plan', 'Plan of Terraform or OpenTofu, 2 sign-in resources'],
    ['policy', 'Policy pay'],
  ]);
  const reviewed = reviewOf(dropped, now);
  expect(reviewed && headline(reviewed)).toContain('1 role gains access.');
  expect(reviewed?.access.flatMap(({ paths }) => paths.map(({ path }) => path))).toEqual(['secret/pay']);
  const { answer } = whoCanOf(dropped, { capability: 'read', path: 'secret/pay' }, now);
  expect(answer).toBe('yes');
});

test('HCL that is no policy is refused by its name', async () => {
  await expect(readFiles([file('main.hcl', 'resource "x" {}')], '')).rejects.toMatchObject({
    problem: { name: 'main.hcl', text: 'the file has no policy that can be read' },
  });
});

test('a policy alone is no review', async () => {
  const { dropped } = await readFiles([file('pay.json', rules)], '');
  expect(reviewOf(dropped, now)).toBeUndefined();
});
