import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../core/model/declared.ts';
import { providerConfigToWire } from '../../core/model/resources/provider-config.ts';
import {
  givenEnvironment,
  givenProvider,
  parsedProvider,
  problemsOf,
} from '../core/model/environment-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const directory = { serviceAccountFile: '/etc/key.json', adminImpersonate: 'admin@example.com' };
const declared = (more: Record<string, unknown> = {}) =>
  declareProvider(parsedProvider('workspace_suite', { directory, ...more }), service);

describe('B-3. Workspace suite group and user lookup', () => {
  test('B-3.3: the service account key file is named by its path on the service’s host', () => {
    const { providerConfig } = declared().method.config;
    expect(providerConfig).toMatchObject({ suiteServiceAccount: '/etc/key.json' });
  });

  test('B-3.4: provider_config is as in B3, its provider workspace_suite', () => {
    const { providerConfig } = declared().method.config;
    expect(providerConfigToWire(providerConfig!, 'neutral')).toEqual({
      provider: 'workspace_suite',
      suite_service_account: '/etc/key.json',
      suite_admin_impersonate: 'admin@example.com',
      fetch_groups: 'true',
    });
  });

  test.each(['sub', 'email'])('B-3.5: user_claim may be %s', (userClaim) => {
    expect(declared({ roles: [{ name: 'reader', userClaim }] }).roles[0]?.userClaim).toBe(userClaim);
  });

  test('B-3.5: user_claim must be sub or email, else the queries fail', () => {
    const given = givenProvider('workspace_suite', {
      directory,
      roles: [{ name: 'reader', userClaim: 'hd' }],
    });
    expect(problemsOf(givenEnvironment([given]))).toEqual([
      'gatehouse:providers[0].roles[0].userClaim: the suite is asked for groups or user info by this claim, so it must be sub or email, not hd',
    ]);
  });

  test('B-3.6: the role’s groups_claim is groups', () => {
    expect(declared().roles[0]?.groupsClaim).toBe('groups');
  });

  test('B-3.6: claim_mappings lead from /<custom_schema>/<attribute> to a claim name', () => {
    const claimMappings = { '/Education/degree': 'degree' };
    expect(declared({ roles: [{ name: 'reader', claimMappings }] }).roles[0]?.claimMappings).toEqual(
      claimMappings,
    );
  });
});
