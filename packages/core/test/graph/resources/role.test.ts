import { describe, expect, test } from '@jest/globals';
import { roleFromWire } from '../../../src/graph/resources/role.ts';

describe('roleFromWire (openbao/openbao builtin/credential/jwt/path_role.go)', () => {
  const read = (wire: Record<string, unknown>) => roleFromWire('oidc', 'reader', wire);
  const bare = { method: 'oidc', name: 'reader', roleType: 'oidc', userClaim: '' };

  test('splits redirect URIs that are joined with commas', () => {
    expect(read({ allowed_redirect_uris: 'http://a.example,http://b.example' }).allowedRedirectUris).toEqual([
      'http://a.example',
      'http://b.example',
    ]);
  });

  test('reads the older spellings policies and ttl', () => {
    expect(read({ policies: ['a'], ttl: 3_600 })).toEqual({ ...bare, policies: ['a'], ttl: 3_600 });
  });

  test.each([
    ['before', { token_policies: ['new'], token_ttl: 2, policies: ['old'], ttl: 1 }],
    ['after', { policies: ['old'], ttl: 1, token_policies: ['new'], token_ttl: 2 }],
  ])('lets token_policies and token_ttl go first where they stand %s the older ones', (_, wire) => {
    expect(read(wire)).toEqual({ ...bare, policies: ['new'], ttl: 2 });
  });

  test('lets the older spelling stand where the newer one is unset', () => {
    expect(read({ policies: ['old'], token_policies: [] }).policies).toEqual(['old']);
  });

  test('reads claim mappings that are given repeatedly', () => {
    expect(read({ claim_mappings: ['/a/b=b', '/a/c=c=d'] }).claimMappings).toEqual({
      '/a/b': 'b',
      '/a/c': 'c=d',
    });
  });

  test('reads durations as texts too', () => {
    expect(read({ token_ttl: '1h', token_max_ttl: '90m' })).toMatchObject({ ttl: 3_600, tokenMaxTtl: 5_400 });
  });

  test('keeps a leeway of -1, which means none', () => {
    expect(read({ clock_skew_leeway: -1 }).clockSkewLeeway).toBe(-1);
  });

  test('keeps a boolean in bound claims as it was read', () => {
    expect(read({ bound_claims: { admin: true } }).boundClaims).toEqual({ admin: true });
  });
});
