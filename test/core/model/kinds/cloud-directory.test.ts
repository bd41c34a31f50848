import { describe, expect, test } from '@jest/globals';
import { cloudDirectory } from '../../../../core/model/kinds/cloud-directory.ts';
import { givenEnvironment, givenProvider, parsedProvider, problemsOf } from '../environment-fixture.ts';

const kind = 'cloud_directory';
const problems = (more: Record<string, unknown>) => problemsOf(givenEnvironment([givenProvider(kind, more)]));

describe('cloudDirectory (interface.md B-2, first row; openbao/openbao builtin/credential/jwt/provider_azure.go)', () => {
  test('asks the directory, with the scope profile, when people may be in more than 200 groups', () => {
    const given = parsedProvider(kind, { manyGroups: true });
    expect(cloudDirectory.config(given).providerConfig).toEqual({ provider: 'cloud_directory' });
    expect(cloudDirectory.role(given).oidcScopes).toEqual(['profile']);
  });

  test('takes another authority, without its slash at the end', () => {
    const given = parsedProvider(kind, { authority: 'https://login.example.cn/', tenantId: 'example.com' });
    expect(cloudDirectory.config(given).oidcDiscoveryUrl).toBe('https://login.example.cn/example.com/v2.0');
  });

  test('takes another graph scope', () => {
    const given = parsedProvider(kind, { graphScope: 'https://graph.example.cn/.default' });
    expect(cloudDirectory.role(given).oidcScopes).toEqual(['https://graph.example.cn/.default']);
  });

  test('gives the token groups of type SecurityGroup, unless told otherwise', () => {
    const given = parsedProvider(kind, { clientId: undefined, application: { displayName: 'Secrets' } });
    expect(given.application).toEqual({ displayName: 'Secrets', groupMembership: 'SecurityGroup' });
    expect(cloudDirectory.config(given)).not.toHaveProperty('oidcClientId');
  });

  const needed =
    'gatehouse:providers[0].clientId: give exactly one of clientId (an existing application) and application (one to create)';
  test.each([
    ['neither client id nor application', { clientId: undefined }, needed],
    ['both client id and application', { application: { displayName: 'Secrets' } }, needed],
    [
      'a tenant that is a URL',
      { tenantId: 'https://a' },
      'gatehouse:providers[0].tenantId: a tenant is a GUID or a domain',
    ],
    [
      'groups of another type',
      { clientId: undefined, application: { displayName: 'S', groupMembership: 'ApplicationGroup' } },
      'gatehouse:providers[0].application.groupMembership: Invalid option: expected one of "All"|"SecurityGroup"',
    ],
  ])('refuses %s', (_, more, problem) => {
    expect(problems(more)).toEqual([problem]);
  });
});
