import { describe, expect, test } from '@jest/globals';
import { enterpriseIdentityProvider } from '../../../../core/model/kinds/enterprise-identity-provider.ts';
import { parsedProvider } from '../environment-fixture.ts';

const kind = 'enterprise_identity_provider';

describe('enterpriseIdentityProvider (interface.md B-2, seventh row)', () => {
  test('discovers at the authorization server that is named', () => {
    const given = parsedProvider(kind, { authorizationServer: 'aus9' });
    expect(enterpriseIdentityProvider.config(given).oidcDiscoveryUrl).toBe(
      'https://example.okta.com/oauth2/aus9',
    );
  });

  test('binds no audience for an authorization server that is not the default one', () => {
    const given = parsedProvider(kind, { authorizationServer: 'aus9' });
    expect(enterpriseIdentityProvider.role(given)).not.toHaveProperty('boundAudiences');
  });

  test.each(['default', 'aus9'])(
    'binds the audience that is given, at the server %s',
    (authorizationServer) => {
      const given = parsedProvider(kind, { authorizationServer, audience: 'api://secrets' });
      expect(enterpriseIdentityProvider.role(given).boundAudiences).toEqual(['api://secrets', 'client']);
    },
  );
});
