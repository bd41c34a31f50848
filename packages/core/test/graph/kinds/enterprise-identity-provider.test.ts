import { describe, expect, test } from '@jest/globals';
import { enterpriseIdentityProvider } from '../../../src/graph/kinds/enterprise-identity-provider.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'enterprise_identity_provider';
const roleOf = (given: ReturnType<typeof parsedProvider<typeof kind>>) =>
  enterpriseIdentityProvider.role(given, given.roles[0]!);

describe('enterpriseIdentityProvider (docs/inside/specification.md B-2, seventh row)', () => {
  test('discovers at the authorization server that is named', () => {
    const given = parsedProvider(kind, { authorizationServer: 'aus9' });
    expect(enterpriseIdentityProvider.config(given).oidcDiscoveryUrl).toBe(
      'https://example.okta.com/oauth2/aus9',
    );
  });

  test('binds no audience for an authorization server that is not the default one', () => {
    const given = parsedProvider(kind, { authorizationServer: 'aus9' });
    expect(roleOf(given)).not.toHaveProperty('boundAudiences');
  });

  test.each(['default', 'aus9'])(
    'binds the audience that is given, at the server %s',
    (authorizationServer) => {
      const given = parsedProvider(kind, { authorizationServer, audience: 'api://secrets' });
      expect(roleOf(given).boundAudiences).toEqual(['api://secrets', 'client']);
    },
  );

  test('discovers at the organization itself, and asks there for groups by their scope', () => {
    const groups = [{ name: 'sre', alias: 'sre' }];
    const given = parsedProvider(kind, { authorizationServer: 'org', groups });
    expect(enterpriseIdentityProvider.config(given).oidcDiscoveryUrl).toBe('https://example.okta.com');
    expect(roleOf(given)).toEqual({
      userClaim: 'sub',
      oidcScopes: ['profile', 'groups'],
      groupsClaim: 'groups',
    });
  });

  test('asks for groups where a role reads them, though none are declared', () => {
    const roles = [{ name: 'reader', groupsClaim: 'teams' }];
    const given = parsedProvider(kind, { authorizationServer: 'org', roles });
    expect(roleOf(given).oidcScopes).toEqual(['profile', 'groups']);
  });

  test.each([
    ['default', [{ name: 'sre', alias: 'sre' }]],
    ['org', []],
  ])(
    'does not ask for the scope groups at the server %s with the groups %j',
    (authorizationServer, groups) => {
      const given = parsedProvider(kind, { authorizationServer, groups });
      expect(roleOf(given).oidcScopes).toEqual(['profile']);
    },
  );

  const refused: Record<string, Record<string, unknown>> = {
    'authority: give the base URL of the organization, without /oauth2 and what follows; use `authorizationServer` for that':
      { authority: 'https://example.okta.com/oauth2/default' },
    'authority: this is the admin console; use the address without `-admin`, where people sign in': {
      authority: 'https://example-admin.okta.com',
    },
    'audience: the organization’s own authorization server has no audience to set; leave it out': {
      authorizationServer: 'org',
      audience: 'api://x',
    },
    'authorizationServer: give `default`, `org`, or the id of a custom authorization server': {
      authorizationServer: 'oauth2/default',
    },
  };
  test.each(Object.entries(refused))('refuses %s', (problem, settings) => {
    expect(problemsOfProvider(kind, settings)).toEqual([problem]);
  });
});
