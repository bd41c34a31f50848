import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../core/model/declared.ts';
import { fieldNamed, wireNameIn } from '../../core/model/resources/field.ts';
import { roleFields, roleFromWire } from '../../core/model/resources/role.ts';
import { parsedProvider } from '../core/model/environment-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const people = (role: Record<string, unknown> = {}) =>
  declareProvider(parsedProvider('source_hosting', { roles: [{ name: 'reader', ...role }] }), service)
    .roles[0];
const workload = (role: Record<string, unknown> = {}) => {
  const given = { name: 'web', namespace: 'shop', serviceAccount: 'web', ...role };
  return declareProvider(parsedProvider('container_orchestrator', { roles: [given] }), service).roles[0];
};

describe('B2. Role', () => {
  test('B2 role_type: jwt for roles of a JWT mount', () => {
    expect(wireNameIn(roleFields, 'roleType')).toBe('role_type');
    expect([people()?.roleType, workload()?.roleType]).toEqual(['oidc', 'jwt']);
  });

  test.each(['email', 'sub'])('B2 user_claim: the claim used as the identity, %s', (userClaim) => {
    expect(wireNameIn(roleFields, 'userClaim')).toBe('user_claim');
    expect(people({ userClaim })?.userClaim).toBe(userClaim);
  });

  test('B2 allowed_redirect_uris: redirect URIs, with commas between them or as a list', () => {
    expect(wireNameIn(roleFields, 'allowedRedirectUris')).toBe('allowed_redirect_uris');
    const uris = ['http://localhost:8250/oidc/callback', 'https://secrets.example.com/x'];
    expect(people({ allowedRedirectUris: uris.join(',') })?.allowedRedirectUris).toEqual(uris);
    expect(people({ allowedRedirectUris: uris })?.allowedRedirectUris).toEqual(uris);
    expect(roleFromWire('oidc', 'a', { allowed_redirect_uris: uris.join(',') }).allowedRedirectUris).toEqual(
      uris,
    );
  });

  test('B2 groups_claim: the claim that carries group membership', () => {
    expect(wireNameIn(roleFields, 'groupsClaim')).toBe('groups_claim');
    expect(people({ groupsClaim: 'groups' })?.groupsClaim).toBe('groups');
  });

  test('B2 oidc_scopes: the scopes requested from the provider', () => {
    expect(wireNameIn(roleFields, 'oidcScopes')).toBe('oidc_scopes');
    expect(people({ oidcScopes: ['openid', 'email'] })?.oidcScopes).toEqual(['openid', 'email']);
  });

  test('B2 claim_mappings: maps a claim path to a claim name', () => {
    expect(wireNameIn(roleFields, 'claimMappings')).toBe('claim_mappings');
    const claimMappings = { '/Education/degree': 'degree' };
    expect(people({ claimMappings })?.claimMappings).toEqual(claimMappings);
  });

  test('B2 claim_mappings: may be given repeatedly', () => {
    const repeated = ['/Education/degree=degree', '/Education/year=year'];
    const merged = { '/Education/degree': 'degree', '/Education/year': 'year' };
    expect(people({ claimMappings: repeated })?.claimMappings).toEqual(merged);
    expect(roleFromWire('oidc', 'a', { claim_mappings: repeated }).claimMappings).toEqual(merged);
  });

  test('B2 bound_audiences: accepted audiences, an array of texts', () => {
    expect(wireNameIn(roleFields, 'boundAudiences')).toBe('bound_audiences');
    expect(people({ boundAudiences: ['a', 'b'] })?.boundAudiences).toEqual(['a', 'b']);
  });

  test('B2 bound_subject: the accepted subject', () => {
    expect(wireNameIn(roleFields, 'boundSubject')).toBe('bound_subject');
    expect(people({ boundSubject: 'alice' })?.boundSubject).toBe('alice');
  });

  test('B2 policies: the policies attached to the role, under both spellings', () => {
    expect(people({ policies: ['read'] })?.policies).toEqual(['read']);
    expect([fieldNamed(roleFields, 'policies'), fieldNamed(roleFields, 'token_policies')]).toEqual([
      'policies',
      'policies',
    ]);
  });

  test('B2 ttl: a duration such as 1h, under both spellings', () => {
    expect(people({ ttl: '1h' })?.ttl).toBe(3_600);
    expect([fieldNamed(roleFields, 'ttl'), fieldNamed(roleFields, 'token_ttl')]).toEqual(['ttl', 'ttl']);
  });
});
