import { describe, expect, test } from '@jest/globals';
import { hostedIdentityPlatform } from '../../../src/graph/kinds/hosted-identity-platform.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'hosted_identity_platform';
const problems = (settings: Record<string, unknown>) => problemsOfProvider(kind, settings);

describe('hostedIdentityPlatform (docs/inside/specification.md B-2, second row)', () => {
  test('keeps an issuer that is given to the letter', () => {
    const given = parsedProvider(kind, { domain: undefined, authority: 'https://login.example.com/x/' });
    expect(hostedIdentityPlatform.config(given).oidcDiscoveryUrl).toBe('https://login.example.com/x/');
  });

  const refused: Record<string, Record<string, unknown>> = {
    'domain: the tenant’s domain is required': { domain: undefined },
    'domain: must be a domain, without https:// and without a path': {
      domain: 'https://example.eu.auth0.com',
    },
    'groupsClaim: required where groups are declared: the claim that carries them, for example https://example.com/groups':
      { groups: [{ name: 'admins', alias: 'owners' }] },
    'authority: give the URL without its /.well-known/… suffix': {
      authority: 'https://a.example.com/.well-known/openid-configuration',
    },
  };
  test.each(Object.entries(refused))('refuses %s', (problem, settings) => {
    expect(problems(settings)).toEqual([problem]);
  });
});
