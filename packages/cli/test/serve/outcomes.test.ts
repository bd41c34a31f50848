import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { readPlan } from '../../../core/src/review/plan/read-plan.ts';
import { review } from '../../../core/src/review/review.ts';
import { now } from '../../../core/test/review/graphs.ts';
import { reviewResult } from '../../src/serve/outcomes.ts';

const sample = review(readPlan(readFileSync(`${root}/examples/plans/terraform-plan.json`, 'utf8')), { now });
const bodiesOf = (message: string) =>
  reviewResult(
    { ...sample, access: [], findings: sample.findings.map((one) => ({ ...one, message })) },
    'error',
  ).outcomes.map(({ body = '' }) => body.split('\n')[0]);

test('the body of an outcome has as code what a person would type', () => {
  expect(bodiesOf('Change `auth/*` or `sys_*`.')[0]).toBe('Change `auth/*` or `sys_*`.');
});

test('a backtick that stands alone is text', () => {
  expect(bodiesOf('a ` *b*')[0]).toBe('a \\` \\*b\\*');
  expect(bodiesOf('`a\nb` ` <x>')[0]).toBe('`a b` \\` \\<x\\>');
});
