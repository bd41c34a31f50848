import { expect, test } from '@jest/globals';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';

/** What a preview that makes one resource adds, of other methods. */
function othersOf(type: string, inputs: object) {
  const urn = `urn:pulumi:prod::p::${type}::x`;
  const steps = [{ op: 'create', urn, newState: { urn, type, custom: true, inputs } }];
  const [first] = composeChanges(readPlan(JSON.stringify({ steps })));
  return first?.change.after.others;
}

test('blocks of Okta that Pulumi has in the plural give their policies', () => {
  const inputs = { organization: 'acme', groups: [{ groupName: 'ops', policies: ['ops'] }] };
  expect(othersOf('vault:okta/authBackend:AuthBackend', inputs)).toEqual([
    expect.objectContaining({ policies: ['ops'], picks: true }),
  ]);
});

test('patterns of a token role that Pulumi has in the plural give what is not known', () => {
  const inputs = { roleName: 'r', allowedPolicies: ['a'], allowedPoliciesGlobs: ['*'] };
  expect(othersOf('vault:tokenauth/authBackendRole:AuthBackendRole', inputs)).toEqual([
    expect.objectContaining({ bounds: { allowed_policies_glob: ['*'] }, isOpaque: true }),
  ]);
});

test('the groups of a user of LDAP keep their name', () => {
  const inputs = { username: 'ann', groups: ['ops'], policies: ['a'] };
  expect(othersOf('vault:ldap/authBackendUser:AuthBackendUser', inputs)).toEqual([
    expect.objectContaining({ bounds: { groups: ['ops'] } }),
  ]);
});
