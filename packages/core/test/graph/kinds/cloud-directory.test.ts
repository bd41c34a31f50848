import { describe, expect, test } from '@jest/globals';
import { cloudDirectory } from '../../../src/graph/kinds/cloud-directory.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'cloud_directory';
const problems = (settings: Record<string, unknown>) => problemsOfProvider(kind, settings);

describe('cloudDirectory (docs/inside/specification.md B-2, first row; openbao/openbao builtin/credential/jwt/provider_azure.go)', () => {
  test('asks the directory, with the scope profile, when people may be in more than 200 groups', () => {
    const given = parsedProvider(kind, { manyGroups: true });
    expect(cloudDirectory.config(given).providerConfig).toEqual({ provider: 'cloud_directory' });
    expect(cloudDirectory.role(given).oidcScopes).toEqual(['profile']);
  });

  test('takes another authority, without its slash at the end', () => {
    const given = parsedProvider(kind, { authority: 'https://login.example.cn/', tenantId: 'example.com' });
    expect(cloudDirectory.config(given).oidcDiscoveryUrl).toBe('https://login.example.cn/example.com/v2.0');
  });

  test.each([
    ['https://login.microsoftonline.us', 'https://graph.microsoft.us/.default'],
    ['https://login.partner.microsoftonline.cn', 'https://microsoftgraph.chinacloudapi.cn/.default'],
    ['https://login.example.com', 'https://graph.microsoft.com/.default'],
  ])('asks at %s for the default scope of that cloud’s graph API', (authority, scope) => {
    expect(cloudDirectory.role(parsedProvider(kind, { authority })).oidcScopes).toEqual([scope]);
  });

  test('takes any name of a tenant where the directory is in no known cloud', () => {
    expect(problems({ authority: 'https://login.example.com', tenantId: 'common' })).toEqual([]);
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
    'clientId: give exactly one of clientId (an existing application) and application (one to create)';
  test.each([
    ['neither client id nor application', { clientId: undefined }, needed],
    ['both client id and application', { application: { displayName: 'Secrets' } }, needed],
    ['a tenant that is a URL', { tenantId: 'https://a' }, 'tenantId: a tenant id is a GUID'],
    [
      'a name for many tenants',
      { tenantId: 'organizations' },
      'tenantId: organizations stands for many tenants, and the tokens of each name another issuer. An auth method takes one issuer: declare a provider for each tenant, all with the same clientId',
    ],
    [
      'the name of the tenant of personal accounts',
      { tenantId: 'consumers' },
      'tenantId: the issuer has the tenant id of personal accounts; set 9188040d-6c67-4c5b-b112-36a304b66dad',
    ],
    [
      'a domain, whose discovery document names the id',
      { tenantId: 'example.com' },
      'tenantId: give the tenant id, a GUID: the discovery document of a domain names an issuer with the id, and the service refuses it',
    ],
    [
      'to ask for groups in a cloud whose graph API the service does not know',
      { authority: 'https://login.partner.microsoftonline.cn', manyGroups: true },
      'manyGroups: the service knows no graph API of this cloud and cannot get groups from it; limit the groups in tokens to those assigned to the application',
    ],
    [
      'groups of another type',
      { clientId: undefined, application: { displayName: 'S', groupMembership: 'ApplicationGroup' } },
      'application.groupMembership: Invalid option: expected one of "All"|"SecurityGroup"',
    ],
  ])('refuses %s', (_, settings, problem) => {
    expect(problems(settings)).toEqual([problem]);
  });
});
