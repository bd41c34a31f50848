import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { reviewText } from '../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../cli/src/terminal/style.ts';
import type { LiveService } from '../../src/review/plan/live-service.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { jsonReport } from '../../src/review/reports/json.ts';
import { review } from '../../src/review/review.ts';
import { now } from './graphs.ts';
import { serviceBefore, type TerraformPlan } from './service-before.ts';

function planNamed(name: string): TerraformPlan {
  return JSON.parse(readFileSync(`${root}/packages/core/test/review/cases/edges/${name}.json`, 'utf8'));
}

function reviewed(plan: TerraformPlan, live?: LiveService) {
  const found = review(readPlan(JSON.stringify(plan)), { now, ...(live && { live }) });
  const { gains, losses, findings } = jsonReport(found, 'error');
  const text = reviewText(found, styleFor({}, {}), { columns: 200 });
  return { answer: `gains ${gains}, losses ${losses}`, text, rules: findings.map(({ rule }) => rule) };
}

const cases: Record<string, { answer: string; says: string[] }> = {
  'J1-secret-id-metadata-template': {
    answer: 'gains some, losses some',
    says: [
      'read kv/prod/*',
      'read kv/dev/*',
      'The metadata of secret id s of role x of approle fills in policy t: kv/prod/*.',
      'The metadata of secret id s of role x of approle no longer fills in policy t: kv/dev/*.',
    ],
  },
  'P2-all-in-the-plan': {
    answer: 'gains some, losses none',
    says: ['people in "g0" by role j/r', 'read kv/g9/*', 'Group g9 fills in policy t: kv/g9/*.'],
  },
  'P3-new-group-name-read': {
    answer: 'gains some, losses none',
    says: ['people in "g9" by role j/r', 'read kv/g9/*', 'Group g9 fills in policy t: kv/g9/*.'],
  },
};

describe.each(Object.entries(cases))('%s', (name, { answer, says }) => {
  test.each([
    ['the whole service known', serviceBefore(planNamed(name))],
    ['the plan alone', undefined],
  ])('with %s, its row says who gains what, by what', (_, live) => {
    const { text, rules, ...found } = reviewed(planNamed(name), live);
    expect(found.answer).toBe(answer);
    for (const words of says) expect(text).toContain(words);
    expect(rules).not.toContain('cannot-be-judged');
  });
});

test('a secret id that is made anew with the metadata that it had changes nothing', () => {
  const plan = planNamed('J1-secret-id-metadata-template');
  const secretId = plan.resource_changes.find(({ address }) => address.endsWith('_secret_id.s'));
  Object.assign(secretId?.change.before ?? {}, { metadata: '{"team":"prod"}' });
  expect(reviewed(plan, serviceBefore(plan)).answer).toBe('gains none, losses none');
});

test('a mount that is made anew has another accessor: what its policies read is not known', () => {
  const plan = planNamed('J1-secret-id-metadata-template');
  const mount = plan.resource_changes.find(({ address }) => address === 'vault_auth_backend.approle');
  const { accessor: _, ...after } = { accessor: '', ...mount?.change.after };
  Object.assign(mount?.change ?? {}, {
    actions: ['delete', 'create'],
    after,
    after_unknown: { accessor: true },
  });
  const { answer, rules } = reviewed(plan, serviceBefore(plan));
  expect(answer).toMatch(/^gains (unknown|some)/);
  expect(rules).toContain('cannot-be-judged');
});
