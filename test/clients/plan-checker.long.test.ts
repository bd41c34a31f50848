import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { planResources } from '../../packages/core/src/review/plan/read-plan.ts';
import { terraformForm } from '../../packages/core/src/review/plan/terraform-form.ts';
import { jsonReport } from '../../packages/core/src/review/reports/json.ts';
import { review } from '../../packages/core/src/review/review.ts';
import { type DevPlanName, devPlanNames, devPlans } from '../harness/dev-plans.ts';
import { environmentFor, root } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

const python = 'python3';
const hasPython = spawnSync(python, ['--version']).status === 0;

/** What a policy checker in Python says of a plan. */
function checked(plan: unknown) {
  const script = `${root}/test/clients/plan_checker.py`;
  const { stdout, stderr } = spawnSync(python, [script], { input: JSON.stringify(plan), encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describeOnEmbeddedService('the plans of the dev stack in Terraform’s format', (service) => {
  const environment = environmentFor(service);
  let plans: Record<DevPlanName, object>;
  beforeAll(async () => {
    plans = await devPlans(environment(), environment().run.bind(environment()));
  });

  (hasPython ? test : test.skip)('a checker of Terraform plans reads the plan of the dev stack', () => {
    const { problems, denied, types } = checked(terraformForm(plans['the first']));
    expect(problems).toEqual([]);
    expect(types).toEqual(
      expect.arrayContaining([
        'vault_identity_group',
        'vault_identity_group_alias',
        'vault_jwt_auth_backend',
        'vault_jwt_auth_backend_role',
        'vault_policy',
      ]),
    );
    expect(denied).toEqual(
      ['colleague', 'developer', 'engineer', 'member', 'partner'].map((role) => `${role} lets everyone in`),
    );
  });

  /** What a review says, whatever tool made the plan. */
  function textsOf(plan: unknown) {
    const found = review(planResources(plan), { now: 1_800_000_000_000_000_000n });
    const { gains, losses, verdict, findings, access } = jsonReport(found, 'error');
    const all = JSON.stringify({ gains, losses, verdict, findings, access });
    // Each tool has its own addresses.
    return JSON.parse(all.replace(/urn:pulumi:[^"\\]*::|vault_\w+\./g, ''));
  }

  test.each(devPlanNames)('%s is reviewed as the preview that it was made of', (name) => {
    expect(textsOf(terraformForm(plans[name]))).toEqual(textsOf(plans[name]));
  });
});

(hasPython ? test : test.skip)('a checker of Terraform plans finds what a sample plan opens', () => {
  const preview = JSON.parse(readFileSync(`${root}/examples/plans/pulumi-preview.json`, 'utf8'));
  const { problems, denied } = checked(terraformForm(preview));
  expect(problems).toEqual([]);
  expect(denied).toEqual([]);
});
