import { describe, expect, test } from '@jest/globals';
import { hostedIdentityPlatform } from '../../../../core/model/kinds/hosted-identity-platform.ts';
import { parsedProvider, problemsOfProvider } from '../environment-fixture.ts';

const kind = 'hosted_identity_platform';
const problems = (more: Record<string, unknown>) => problemsOfProvider(kind, more);

describe('hostedIdentityPlatform (interface.md B-2, second row)', () => {
  test('keeps an issuer that is given to the letter', () => {
    const given = parsedProvider(kind, { domain: undefined, authority: 'https://login.example.com/x/' });
    expect(hostedIdentityPlatform.config(given).oidcDiscoveryUrl).toBe('https://login.example.com/x/');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no domain', { domain: undefined }, 'domain: the tenant’s domain is required'],
    [
      'a domain that is a URL',
      { domain: 'https://example.eu.auth0.com' },
      'domain: must be a domain, without https:// and without a path',
    ],
    [
      'groups without the claim that carries them',
      { groups: [{ name: 'admins', alias: 'owners' }] },
      'groupsClaim: required where groups are declared: the claim that carries them, for example https://example.com/groups',
    ],
    [
      'an issuer with its well-known suffix',
      { authority: 'https://a.example.com/.well-known/openid-configuration' },
      'authority: give the URL without its /.well-known/… suffix',
    ],
  ])('refuses %s', (_, more, problem) => {
    expect(problems(more)).toEqual([problem]);
  });
});
