import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { mayBeOfService } from '../../../src/review/plan/service-packages.ts';
import { review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';
import { entry, role, terraform } from './terraform.ts';

const answerOf = (text: string) => {
  const { gains, losses, life, access } = review(readPlan(text), { now });
  return { gains, losses, life, access: access.map(({ kind, principals }) => [kind, principals.name]) };
};

const plans = (tool: string) => {
  const folder = `${root}/packages/core/test/review/cases/${tool}`;
  return readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')] as const);
};

describe('a package with another name is judged as the official one', () => {
  test.each(plans('pulumi'))('openbao in a preview of Pulumi: %s', (_, text) => {
    const renamed = text
      .replaceAll(/(["$:])vault:(?=\w+\/)/g, '$1openbao:')
      .replaceAll('pulumi:providers:vault', 'pulumi:providers:openbao');
    expect(answerOf(renamed)).toEqual(answerOf(text));
  });

  test.each(plans('opentofu'))('bao in a plan of OpenTofu: %s', (_, text) => {
    const renamed = text
      .replaceAll(/\bvault_(?=[a-z])/g, 'bao_')
      .replaceAll('hashicorp/vault', 'openbao/bao');
    // Words have the address as it is written.
    const expected = JSON.stringify(answerOf(text)).replaceAll('vault_', 'bao_');
    expect(answerOf(renamed)).toEqual(JSON.parse(expected));
  });
});

describe('what may be of a service is never “nothing here changes access”', () => {
  test('a type of a package of any name that ends as one of the official provider does', () => {
    const given = review(readPlan(terraform([entry('secrets_jwt_auth_backend_role.r', { after: role })])), {
      now,
    });
    expect([given.gains, given.losses]).toEqual(['unknown', 'unknown']);
  });

  test('a resource of a provider with the address of a service', () => {
    const state = (type: string, inputs: object) => ({ type, custom: true, inputs, outputs: {} });
    const urn = (type: string, name: string) => `urn:pulumi:dev::p::${type}::${name}`;
    const step = (type: string, name: string, inputs: object, op = 'same', provider?: string) => {
      const newState = { ...state(type, inputs), urn: urn(type, name), provider };
      return { op, urn: urn(type, name), newState, ...(op === 'same' && { oldState: newState }) };
    };
    const gainsAt = (address: string) =>
      review(
        readPlan(
          JSON.stringify({
            steps: [
              step('pulumi:providers:vault', 'v', { address: 'https://a' }),
              step('pulumi:providers:acme', 'x', { address }),
              step('acme:index/door:Door', 'd', {}, 'create', `${urn('pulumi:providers:acme', 'x')}::id`),
            ],
          }),
        ),
        { now },
      ).gains;
    expect([gainsAt('https://a'), gainsAt('https://b')]).toEqual(['unknown', 'none']);
  });
});

test.each([
  ['openbao:any/thing:Thing', '', true],
  ['bao_thing', '', true],
  ['thing', 'registry.opentofu.org/openbao/openbao', true],
  ['corp:jwt/authBackendRole:AuthBackendRole', '', true],
  ['corp_vault_identity_group_alias', '', true],
  ['kubernetes:core/v1:Namespace', '', false],
  ['oci_identity_group', '', false],
  ['vaultwarden_policy', '', false],
  ['github_team', 'registry.terraform.io/integrations/github', false],
])('%s of %s may be of a service: %s', (type, provider, isOne) => {
  expect(mayBeOfService(type, provider)).toBe(isOne);
});
