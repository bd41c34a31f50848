import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { planResources } from '../../../../core/review/plan/read-plan.ts';
import { terraformForm } from '../../../../core/review/plan/terraform-form.ts';
import { jsonReport } from '../../../../core/review/reports/json.ts';
import { reviewPlan } from '../../../../core/review/review.ts';
import { root } from '../../../harness/environment-under-test.ts';
import { devDigest } from '../../../recorded/dev-digest.ts';
import { now } from '../graphs.ts';

const cases = `${root}/test/core/review/cases/pulumi`;
const files = [
  `${root}/examples/plans/pulumi-preview.json`,
  ...readdirSync(cases).map((file) => `${cases}/${file}`),
];
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** What a review says, whatever tool made the plan. */
function said(plan: unknown) {
  const { gains, losses, verdict, findings, access } = jsonReport(
    reviewPlan(planResources(plan), { now }),
    'error',
  );
  const all = JSON.stringify({ gains, losses, verdict, findings, access });
  // Each tool has its own addresses.
  return JSON.parse(all.replace(/urn:pulumi:[^"\\]*::|vault_\w+\./g, ''));
}

describe('a plan in Terraform’s format is reviewed as the preview that it was made of', () => {
  test.each(files)('%s', (file) => {
    const preview = readJson(file);
    expect(said(terraformForm(preview))).toEqual(said(preview));
  });

  const recordings = [
    'preview-create',
    'preview-update',
    'preview-refresh-drift',
    'preview-remount',
    'noop',
  ] as const;
  test.each(recordings)('the dev stack, %s', async (name) => {
    const preview = await devDigest(name);
    expect(said(terraformForm(preview))).toEqual(said(preview));
  });
});

test('a secret is not the same as a text that looks like what stands for it, in either format', () => {
  const state = (boundSubject: unknown) => {
    const own = { backend: 'ci', roleName: 'r', roleType: 'jwt', userClaim: 'sub', tokenPolicies: ['a'] };
    const inputs = { ...own, boundSubject };
    return { type: 'vault:jwt/authBackendRole:AuthBackendRole', custom: true, inputs, outputs: inputs };
  };
  const secret = {
    '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
    plaintext: '"s"',
  };
  const urn = 'urn:pulumi:dev::login::vault:jwt/authBackendRole:AuthBackendRole::r';
  const gains = (after: unknown) => {
    const preview = { steps: [{ op: 'update', urn, oldState: state(secret), newState: state(after) }] };
    return [preview, terraformForm(preview)].map((plan) => reviewPlan(planResources(plan), { now }).gains);
  };
  expect(gains('(hidden 1)')).not.toContain('none');
  expect(gains(secret)).toEqual(['none', 'none']);
});

describe('a plan in Terraform’s format', () => {
  const step = (inputs: object, more: object = {}) => ({
    op: 'create',
    urn: 'urn:pulumi:dev::login::vault:jwt/authBackend:AuthBackend::staff',
    newState: { type: 'vault:jwt/authBackend:AuthBackend', custom: true, inputs },
    ...more,
  });
  const changeOf = (...steps: object[]) => (terraformForm({ steps }) as any).resource_changes[0];

  test('has the names of Terraform', () => {
    expect(changeOf(step({ path: 'staff', oidcDiscoveryUrl: 'https://a.example' }))).toMatchObject({
      address: 'vault_jwt_auth_backend.staff',
      mode: 'managed',
      type: 'vault_jwt_auth_backend',
      name: 'staff',
      provider_name: 'registry.terraform.io/hashicorp/vault',
      change: {
        actions: ['create'],
        before: null,
        after: { path: 'staff', oidc_discovery_url: 'https://a.example' },
        after_unknown: { id: true },
      },
    });
  });

  test('shows no secret, nested or whole, of either side', () => {
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      plaintext: '"s3cret"',
    };
    const inputs = (value: unknown) => ({
      path: 'staff',
      oidcClientSecret: value,
      boundClaims: { a: value, b: 'x' },
    });
    for (const value of ['[secret]', secret]) {
      const state = { type: 'vault:jwt/authBackend:AuthBackend', custom: true, inputs: inputs(value) };
      const given = step(
        {},
        { op: 'update', oldState: { ...state, outputs: state.inputs }, newState: state },
      );
      const { change } = changeOf(given);
      expect(JSON.stringify(terraformForm({ steps: [given] }))).not.toMatch(/s3cret|\[secret\]/);
      expect(change.after).toEqual({
        path: 'staff',
        oidc_client_secret: null,
        bound_claims: { a: null, b: 'x' },
      });
      expect(change.after_sensitive).toEqual({ oidc_client_secret: true, bound_claims: { a: true } });
      expect(change.before_sensitive).toEqual(change.after_sensitive);
    }
  });

  test('tells two resources of one type and name apart, and makes names of any text', () => {
    const twice = ['a$b::x y', 'c$d::x y', '::1'].map((end) => ({
      ...step({ path: end }),
      urn: `urn:pulumi:dev::login::${end.split('::')[0]}$vault:jwt/authBackend:AuthBackend::${end.split('::')[1]}`,
    }));
    expect((terraformForm({ steps: twice }) as any).resource_changes.map(({ name }: any) => name)).toEqual([
      'x_y',
      'x_y_2',
      '_1',
    ]);
  });

  test.each([[null], ['text'], [{ some: 'plan' }], [{ steps: 'none' }], [{ format_version: '1.2' }]])(
    'is made of a preview alone: %j stays',
    (json) => {
      expect(terraformForm(json)).toEqual(json);
    },
  );
});

test('a preview with lists 3,000 levels deep is refused', () => {
  const deep = JSON.parse('['.repeat(3000) + ']'.repeat(3000));
  expect(() =>
    terraformForm({ steps: [{ op: 'create', urn: 'x', newState: { inputs: { deep } } }] }),
  ).toThrow(expect.objectContaining({ code: 'nested_too_deep' }));
});
