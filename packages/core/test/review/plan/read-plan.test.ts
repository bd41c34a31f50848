import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { GatehouseError } from '../../../src/graph/values/errors.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { largestPlan, readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entry, terraform } from './terraform.ts';

const sample = (name: string) => readFileSync(`${root}/examples/plans/${name}.json`, 'utf8');

function codeOf(text: string): string {
  try {
    readPlan(text);
    return 'read';
  } catch (error) {
    return error instanceof GatehouseError ? error.code : `unexpected: ${error}`;
  }
}

describe('a plan without changes of resources is one', () => {
  // `omitempty` in hashicorp/terraform internal/command/jsonplan/plan.go: lists and maps without entries are left out.
  const rest = { format_version: '1.2', terraform_version: '1.13.3', timestamp: '2026-11-26T10:00:00Z' };
  test.each<[string, object]>([
    ['no changes', { planned_values: {}, configuration: {}, applyable: false, complete: true }],
    ['without what is planned', { configuration: {}, applyable: false, complete: true }],
    ['outputs alone', { output_changes: { url: { actions: ['create'] } }, applyable: true }],
    ['lists that are null', { planned_values: null, resource_changes: null, resource_drift: null }],
    ['drift alone', { resource_drift: [{}], applyable: true }],
    ['a prior state alone', { prior_state: { values: null } }],
  ])('%s', (_, plan) => {
    expect(readPlan(JSON.stringify({ ...rest, ...plan }))).toMatchObject({ resources: [], incomplete: [] });
  });

  test('what is put off as a whole is not known', () => {
    const plan = { ...rest, complete: false, deferred_changes: [{ reason: 'provider_config_unknown' }] };
    expect(readPlan(JSON.stringify(plan)).incomplete).toEqual([expect.stringContaining('put off')]);
  });

  test('one that can be applied, and shows nothing to apply, was cut', () => {
    const plan = { ...rest, planned_values: {}, applyable: true, complete: true };
    expect(readPlan(JSON.stringify(plan)).incomplete).toEqual([expect.stringContaining('shows no change')]);
  });
});

describe('what is no plan is refused by name', () => {
  const whole = sample('terraform-plan');
  test.each<[string, string, string]>([
    ['', 'plan_unreadable', 'the plan is empty'],
    [' \n', 'plan_unreadable', 'the plan is empty'],
    ['{"snapshot":2}', 'plan_unknown', 'a snapshot of a service'],
    ['{"snapshot":2}\n{"list":"roles"}', 'plan_unknown', 'a snapshot of a service'],
    ['Terraform will perform the following actions', 'plan_unreadable', 'the text that people read'],
    ['\nNo changes. Your infrastructure matches', 'plan_unreadable', 'the text that people read'],
    ['OpenTofu will perform the following actions', 'plan_unreadable', 'the text that people read'],
    ['Previewing update (prod)', 'plan_unreadable', 'the text that people read'],
    ['PK\x03\x04\x14\x00', 'plan_unreadable', 'an archive'],
    ['\x1f\ufffd\b\x00', 'plan_unreadable', 'an archive'],
    ['tfplan\x02', 'plan_unreadable', 'an archive'],
    [`Warning: x\n${whole}`, 'plan_unreadable', 'the plan is not JSON'],
    [whole.slice(0, whole.length / 2), 'plan_unreadable', 'truncated JSON'],
    ['[1,', 'plan_unreadable', 'truncated JSON'],
    ['{"a":1}\nno JSON', 'plan_unreadable', 'truncated JSON'],
    ['{"a":1}\n{"b":2}', 'plan_unknown', 'one JSON object per line'],
    ['{"a":1}\n{"b":2}\nno JSON', 'plan_unknown', 'one JSON object per line'],
    ['[1]', 'plan_unknown', 'not a plan, but other JSON'],
    ['"x"', 'plan_unknown', 'not a plan, but other JSON'],
    ['null', 'plan_unknown', 'not a plan, but other JSON'],
    ['{"steps":{}}', 'plan_unknown', 'JSON, but not a plan of a known tool'],
    ['{"lineage":"x"}', 'plan_unknown', 'JSON, but not a plan of a known tool'],
    ['{"deployment":{}}', 'plan_unknown', 'an exported stack'],
    ['{"resourcePlans":{}}', 'plan_unknown', 'an update plan'],
    ['{"terraform_version":"1","lineage":"x"}', 'plan_unknown', 'a Terraform state file'],
    ['{"AWSTemplateFormatVersion":"1"}', 'plan_unknown', 'CloudFormation'],
    ['{"Resources":{}}', 'plan_unknown', 'CloudFormation'],
    ['{"format_version":"1.0","values":{}}', 'plan_unknown', 'a Terraform state, not a plan'],
    ['{"format_version":"1.0"}', 'plan_unknown', 'a Terraform state, not a plan'],
    ['{"format_version":"1.0","valid":true}', 'plan_unknown', 'neither a plan nor a state'],
    ['{"format_version":"1.0","provider_schemas":{}}', 'plan_unknown', 'neither a plan nor a state'],
    ['{"terraform_version":"0.11.1","resources":{}}', 'plan_unknown', 'older than 1.0, or of none'],
    ['{"diagnostics":[{"severity":"error"}]}', 'plan_unknown', 'a preview that failed'],
    [
      '{"plan_format_version":"1.2","resource_changes":[]}',
      'plan_unknown',
      'the redacted plan of a platform',
    ],
    ['{"format_version":"0.2"}', 'plan_unknown', 'older than 1.0'],
    ['{"format_version":{}}', 'plan_unknown', 'older than 1.0, or of none'],
    ['{"format_version":"x1.2"}', 'plan_unknown', 'older than 1.0, or of none'],
    ['{"format_version":"2.1"}', 'plan_newer', 'format_version 2.1'],
    ['{"format_version":"1.2","resource_changes":[{"address":1}]}', 'plan_unreadable', '[0].address'],
    ['{"steps":[{"op":1}]}', 'plan_unreadable', 'steps.[0].op'],
  ])('%s: %s, %s', (text, code, message) => {
    expect(codeOf(text)).toBe(code);
    expect(() => readPlan(text)).toThrow(message);
  });

  test.each([
    'planned_values',
    'resource_changes',
    'resource_drift',
    'action_invocations',
    'deferred_changes',
  ])('a plan has %s', (name) => {
    const value = name === 'planned_values' ? {} : [];
    expect(codeOf(JSON.stringify({ format_version: '1.2', [name]: value }))).toBe('read');
  });

  test.each([
    '{"steps":[]}',
    '{"changeSummary":{"same":1}}',
    '{"format_version":"1.10","resource_changes":[]}',
  ])('%s is a plan', (text) => {
    expect(codeOf(text)).toBe('read');
  });

  const deep = '['.repeat(3000) + ']'.repeat(3000);
  const planWith = (address: string, after: object) => terraform([entry(address, { after })]);
  const step = (fields: string) =>
    `{"steps":[{"op":"create","urn":"urn:pulumi:s::p::vault:generic/secret:Secret::x","newState":{"type":"vault:generic/secret:Secret","custom":true,"inputs":{"path":"sys/auth/x",${fields}}}}]}`;
  test.each([
    ['a plan', planWith('vault_policy.a', { name: 'a', policy: JSON.parse(deep) })],
    ['a text of a plan', planWith('vault_generic_secret.a', { path: 'sys/auth/x', data_json: deep })],
    ['a written role', planWith('vault_generic_endpoint.a', { path: 'auth/a/role/b', data_json: deep })],
    ['a preview', step(`"dataJson":${deep}`)],
    [
      'a secret of a preview',
      step(
        `"dataJson":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"${deep}"}`,
      ),
    ],
  ])('%s with lists 3,000 levels deep is refused', (_, text) => {
    expect(codeOf(text)).toBe('nested_too_deep');
  });

  test.each([
    ['blocks', 'path "a" {'.repeat(3000) + '}'.repeat(3000)],
    ['lists', `path "a" { capabilities = ${deep} }`],
    ['JSON', `{"path":{"a":{"capabilities":${deep}}}}`],
  ])('a policy with %s 3,000 levels deep is not read', (_, policy) => {
    const change = { before: { name: 'a', policy: '' }, after: { name: 'a', policy } };
    const plan = readPlan(terraform([entry('vault_policy.a', change)]));
    expect(review(plan, { now: 0n }).findings.map(({ rule }) => rule)).toContain('cannot-be-judged');
  });

  test('a plan that is too large is refused before it is read', () => {
    expect(() => readPlan(' '.repeat(largestPlan + 1))).toThrow('at most 64 MiB');
    expect(codeOf(' '.repeat(largestPlan))).toBe('plan_unreadable');
  });

  test('no error quotes the plan', () => {
    const secret = 'hunter2-hunter2';
    const broken = [
      `{"a": "${secret}" oops}`,
      `${secret}`,
      `{"format_version":"1.0","resource_changes":[{"address":"${secret}"}]}`,
      `{"steps":[{"op":"create","urn":["${secret}"]}]}`,
    ];
    for (const text of broken)
      expect(() => readPlan(text)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining(secret) }),
      );
  });

  test('a byte order mark does no harm', () => {
    expect(readPlan(`\uFEFF${whole}`).resources.length).toBe(readPlan(whole).resources.length);
  });

  test('no JSON does anything but be read or refused', () => {
    const names = fc.constantFrom(
      ...'format_version resource_changes steps changeSummary change address type actions op urn'.split(' '),
      ...'newState inputs __proto__ configuration root_module'.split(' '),
    );
    const texts = ['1.2', 'vault_jwt_auth_backend_role', 'create'];
    const leaf = fc.constantFrom<unknown>(...texts, true, null, 1, [], {});
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(names, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (json) => {
        try {
          composeChanges(readPlan(JSON.stringify(json)));
        } catch (error) {
          expect(error).toBeInstanceOf(GatehouseError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a plan leaves unknown or out', () => {
  test('a plan that Terraform could not finish is incomplete', () => {
    expect(readPlan(terraform([], { errored: true })).incomplete).toHaveLength(1);
  });

  test('a plan with deferred changes is incomplete', () => {
    expect(readPlan(terraform([], { complete: false, deferred_changes: [{}] })).incomplete).toHaveLength(1);
  });

  test('a plan with deferred actions is incomplete', () => {
    expect(readPlan(terraform([], { deferred_action_invocations: [{}] })).incomplete).toHaveLength(1);
  });

  test('actions of the service cannot be judged, and others are counted', () => {
    const of = (provider: string, type: string) => ({
      address: `action.${type}.a`,
      type,
      name: 'a',
      provider_name: `registry.terraform.io/${provider}`,
      invoke_action_trigger: {},
    });
    const action_invocations = [of('hashicorp/vault', 'vault_rotate'), of('hashicorp/aws', 'aws_invoke')];
    const plan = readPlan(JSON.stringify({ format_version: '1.2', action_invocations }));
    expect(plan.passedOver).toEqual([
      { type: 'action.aws_invoke', count: 1, changed: 1, ofService: false },
      { type: 'action.vault_rotate', count: 1, changed: 1, ofService: true },
    ]);
    const { gains, losses, missing } = review(plan, { now: 0n });
    expect([gains, losses, missing]).toEqual([
      'unknown',
      'unknown',
      [{ kind: 'resources-not-read', type: 'action.vault_rotate', count: 1 }],
    ]);
  });

  test('a preview that ended with errors is incomplete', () => {
    const text = JSON.stringify({ steps: [], diagnostics: [{ severity: 'error', message: 'x' }] });
    expect(readPlan(text).incomplete).toHaveLength(1);
  });

  test('types that are not known are counted and named', () => {
    expect(readPlan(sample('terraform-plan')).passedOver).toEqual([
      { type: 'aws_s3_bucket', count: 1, changed: 0, ofService: false },
    ]);
  });
});
