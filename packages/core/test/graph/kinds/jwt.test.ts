import { describe, expect, test } from '@jest/globals';
import { jwt } from '../../../src/graph/kinds/jwt.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../pems.ts';

const issuer = 'https://robots.example.com';
const bare = {
  issuer: undefined,
  jwksUrl: undefined,
  audiences: undefined,
  roles: [{ name: 'reader', boundSubject: 'x' }],
};
const configOf = (settings: Record<string, unknown>) =>
  jwt.config(parsedProvider('jwt', { ...bare, ...settings }));
const problems = (settings: Record<string, unknown>) =>
  problemsOfProvider('jwt', { ...bare, roles: [], ...settings });

describe('jwt has its keys', () => {
  const taken: Record<string, [Record<string, unknown>, object]> = {
    'from its issuer': [{ issuer }, { oidcDiscoveryUrl: issuer, boundIssuer: issuer }],
    'from another discovery document, with a CA': [
      { issuer: 'robots', discoveryUrl: issuer, caPem: certificatePem },
      { oidcDiscoveryUrl: issuer, oidcDiscoveryCaPem: certificatePem, boundIssuer: 'robots' },
    ],
    'from a discovery document that is the issuer': [
      { discoveryUrl: issuer },
      { oidcDiscoveryUrl: issuer, boundIssuer: issuer },
    ],
    'at an address, with a CA': [
      { issuer, jwksUrl: `${issuer}/keys`, caPem: certificatePem },
      { jwksUrl: `${issuer}/keys`, jwksCaPem: certificatePem, boundIssuer: issuer },
    ],
    'at several addresses': [
      { jwksPairs: [{ url: 'https://a.example', caPem: certificatePem }, { url: 'https://b.example' }] },
      {
        jwksPairs: [
          { jwks_url: 'https://a.example', jwks_ca_pem: certificatePem },
          { jwks_url: 'https://b.example' },
        ],
      },
    ],
    'in the configuration': [
      { issuer, publicKeys: `${keyPem.trim()},${otherKeyPem.trim()}` },
      { jwtValidationPubkeys: [keyPem.trim(), otherKeyPem.trim()], boundIssuer: issuer },
    ],
  };
  test.each(Object.entries(taken))('%s', (_, [given, config]) => {
    expect(configOf(given)).toEqual(config);
  });

  const refused: Record<string, [Record<string, unknown>, RegExp]> = {
    'from a document with a key that signs': [
      { issuer, jwks: { keys: [{ kty: 'EC' }, { kty: 'EC', d: 'c2VjcmV0' }] } },
      /^jwks\.keys\[1\]: this is a private key.*rotate it/,
    ],
    'from a document with a shared secret': [
      { issuer, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
      /^jwks\.keys\[0\]: this is a private key/,
    ],
    'from nowhere': [{}, /^issuer: give the issuer, or a key source: discoveryUrl, jwksUrl/],
    'from two places': [
      { issuer, jwksUrl: `${issuer}/keys`, publicKeys: [keyPem] },
      /^publicKeys: exactly one key source is allowed; given: jwksUrl, publicKeys/,
    ],
    'from an issuer that is no address': [
      { issuer: 'robots' },
      /^issuer: not a URL to discover keys at; give one of/,
    ],
    'from an issuer with its well-known suffix': [
      { issuer: `${issuer}/.well-known/openid-configuration` },
      /^issuer: not a URL to discover/,
    ],
    'in the configuration, and trusts a CA for nothing': [
      { publicKeys: [keyPem], caPem: certificatePem },
      /^caPem: nothing is contacted/,
    ],
    'at several addresses with one CA': [
      { jwksPairs: [{ url: issuer }], caPem: certificatePem },
      /^caPem: nothing is .* each of the pairs has its own/,
    ],
    'from an empty list': [{ publicKeys: [] }, /^publicKeys: give at least one/],
    'at an address that is none': [{ jwksUrl: 'file:///keys' }, /^jwksUrl: must be an http/],
  };
  test.each(Object.entries(refused))('never %s', (_, [given, problem]) => {
    expect(problems(given)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a role of jwt', () => {
  test('has the audiences of its provider, the user claim sub, and no groups claim without groups', () => {
    const given = parsedProvider('jwt', { ...bare, issuer, audiences: 'a,b' });
    expect(jwt.role(given)).toEqual({ userClaim: 'sub', boundAudiences: ['a', 'b'] });
  });

  test('reads groups where there are some', () => {
    const groups = [{ name: 'ops', alias: 'ops' }];
    const given = parsedProvider('jwt', { ...bare, issuer, groups, groupsClaim: 'teams', userClaim: 'job' });
    expect(jwt.role(given)).toEqual({ userClaim: 'job', groupsClaim: 'teams' });
  });
});
