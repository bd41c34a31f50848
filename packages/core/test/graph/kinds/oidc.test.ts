import { describe, expect, test } from '@jest/globals';
import { oidc } from '../../../src/graph/kinds/oidc.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';
import { certificatePem } from '../../pems.ts';

const kind = 'oidc';
const least = { issuer: 'https://id.example.com/', config: undefined, roles: [{ name: 'reader' }] };

describe('oidc', () => {
  test('keeps the issuer to the letter, and trusts a CA of its own', () => {
    const given = parsedProvider(kind, { ...least, caPem: certificatePem });
    expect(oidc.config(given)).toEqual({
      oidcDiscoveryUrl: 'https://id.example.com/',
      oidcClientId: 'gatehouse',
      oidcDiscoveryCaPem: certificatePem,
    });
  });

  test('takes no empty text for a CA', () => {
    expect(problemsOfProvider(kind, { ...least, caPem: '' })).toEqual([expect.stringMatching(/^caPem: /)]);
  });

  test('names people by sub and asks for profile and email where nothing else is said', () => {
    expect(oidc.role(parsedProvider(kind, least))).toEqual({
      userClaim: 'sub',
      oidcScopes: ['profile', 'email'],
    });
  });

  test('reads what it is told to', () => {
    const groups = [{ name: 'admins', alias: 'admins' }];
    const own = { userClaim: 'oid', groupsClaim: 'roles', scopes: 'roles', audiences: ['a', 'b'], groups };
    expect(oidc.role(parsedProvider(kind, { ...least, ...own }))).toEqual({
      userClaim: 'oid',
      oidcScopes: ['roles'],
      boundAudiences: ['a', 'b'],
      groupsClaim: 'roles',
    });
  });

  test('needs an issuer, without its well-known suffix', () => {
    const problems = (issuer?: string) => problemsOfProvider(kind, { ...least, issuer });
    expect(problems()).toEqual([expect.stringMatching(/^issuer: /)]);
    expect(problems('http:id.example.com')).toEqual(['issuer: must be an http or https URL']);
    expect(problems('no address')).toEqual(['issuer: must be an http or https URL']);
    expect(problems('https://id.example.com/.well-known/openid-configuration')).toEqual([
      expect.stringMatching(/^issuer: give the URL without/),
    ]);
  });
});
