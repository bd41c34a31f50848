import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { WorkspaceSuite, type WorkspaceSuiteArgs } from '../../providers/workspace-suite.ts';
import { named, register, secret } from '../harness/pulumi-mocks.ts';
import { serviceAccountKey } from '../harness/service-account-key.ts';
import { service } from './provider-fixture.ts';

const args: WorkspaceSuiteArgs = {
  service,
  clientId: 'client',
  clientSecret: 'hunter2',
  roles: [{ name: 'reader' }],
};
const directory = { adminImpersonate: 'admin@example.com' };
const key = JSON.stringify({ ...serviceAccountKey, private_key_id: 'hunter3' });
const providerConfigOf = async (settings: Partial<WorkspaceSuiteArgs>) =>
  named(await register(() => new WorkspaceSuite('suite', { ...args, ...settings })), 'suite-mount').inputs[
    'providerConfig'
  ];

describe('WorkspaceSuite (docs/inside/specification.md B3, B-3)', () => {
  test('has no provider config without a directory', async () => {
    expect(await providerConfigOf({})).toBeUndefined();
  });

  test('names the key file on the service’s host', async () => {
    expect(await providerConfigOf({ directory: { ...directory, serviceAccountFile: '/key.json' } })).toEqual({
      provider: 'gsuite',
      gsuite_service_account: '/key.json',
      gsuite_admin_impersonate: 'admin@example.com',
      fetch_groups: 'true',
    });
  });

  test.each([
    ['plain', key],
    ['from an output', pulumi.output(key)],
    ['as a secret', pulumi.secret(key)],
  ])('keeps the key itself a secret, given %s', async (_, serviceAccountKey) => {
    expect(await providerConfigOf({ directory, serviceAccountKey })).toEqual(
      secret({
        provider: 'gsuite',
        gsuite_service_account: key,
        gsuite_admin_impersonate: 'admin@example.com',
        fetch_groups: 'true',
      }),
    );
  });

  test('says it in the words of the neutral dialect', async () => {
    const neutral = { service: { ...service, dialect: 'neutral' }, directory, serviceAccountKey: key };
    expect(await providerConfigOf(neutral)).toEqual(
      secret({
        provider: 'workspace_suite',
        suite_service_account: key,
        suite_admin_impersonate: 'admin@example.com',
        fetch_groups: 'true',
      }),
    );
  });

  test.each<[string, Partial<WorkspaceSuiteArgs>]>([
    ['a directory with neither key file nor key', { directory }],
    [
      'a directory with both',
      { directory: { ...directory, serviceAccountFile: '/key.json' }, serviceAccountKey: key },
    ],
    ['a key without a directory', { serviceAccountKey: key }],
    ['a key that is none', { directory, serviceAccountKey: 'hunter4' }],
  ])('refuses %s, without repeating the key', (_, settings) => {
    const making = () => new WorkspaceSuite('suite', { ...args, ...settings });
    expect(making).toThrow(expect.objectContaining({ code: 'provider_invalid' }));
    expect(making).not.toThrow(/hunter/);
  });
});
