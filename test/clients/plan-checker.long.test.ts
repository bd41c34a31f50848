import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { terraformForm } from '../../core/review/plan/terraform-form.ts';
import { root } from '../harness/environment-under-test.ts';
import { devDigest } from '../recorded/dev-digest.ts';

const python = 'python3';
const hasPython = spawnSync(python, ['--version']).status === 0;

/** What a policy checker in Python says of a plan. */
function checked(plan: unknown) {
  const script = `${root}/test/clients/plan_checker.py`;
  const { stdout, stderr } = spawnSync(python, [script], { input: JSON.stringify(plan), encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

(hasPython ? test : test.skip)('a checker of Terraform plans reads the plan of the dev stack', async () => {
  const { problems, denied, types } = checked(terraformForm(await devDigest('preview-create')));
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

(hasPython ? test : test.skip)('a checker of Terraform plans finds what a sample plan opens', () => {
  const preview = JSON.parse(readFileSync(`${root}/examples/plans/pulumi-preview.json`, 'utf8'));
  const { problems, denied } = checked(terraformForm(preview));
  expect(problems).toEqual([]);
  expect(denied).toEqual([]);
});
