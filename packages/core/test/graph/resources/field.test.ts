import { describe, expect, test } from '@jest/globals';
import { configFields } from '../../../src/graph/resources/auth-method.ts';
import { fieldNamed, readFields, wireNameIn } from '../../../src/graph/resources/field.ts';
import { resources } from '../../../src/graph/resources/resources.ts';
import { roleFields } from '../../../src/graph/resources/role.ts';

describe('wireNameIn and fieldNamed', () => {
  const all = resources.flatMap(({ type, fields }) =>
    Object.keys(fields).map((field) => [type, field, fields] as const),
  );
  test.each(all)('lead from a %s’s %s to the wire and back', (_type, field, fields) => {
    expect(fieldNamed(fields, wireNameIn(fields, field))).toBe(field);
  });

  test.each([
    ['policies', 'token_policies'],
    ['ttl', 'token_ttl'],
    ['tokenMaxTtl', 'token_max_ttl'],
    ['allowedRedirectUris', 'allowed_redirect_uris'],
  ])('wireNameIn writes %s as %s', (field, wire) => {
    expect(wireNameIn(roleFields, field)).toBe(wire);
  });

  test.each([
    ['policies', 'policies'],
    ['token_policies', 'policies'],
    ['ttl', 'ttl'],
    ['token_ttl', 'ttl'],
  ])('fieldNamed reads %s as %s', (wire, field) => {
    expect(fieldNamed(roleFields, wire)).toBe(field);
  });
});

describe('readFields', () => {
  test('reads unset fields as absent, however the service says unset', () => {
    const ofRole = { bound_audiences: null, bound_claims: {}, groups_claim: '', token_ttl: 0 };
    expect(readFields(roleFields, { ...ofRole, verbose_oidc_logging: false, oidc_scopes: [] })).toEqual({});
  });

  test('keeps the false of a field whose default is true', () => {
    expect(readFields(configFields, { namespace_in_state: false })).toEqual({ namespaceInState: false });
  });

  test('passes over secrets, and fields that the table does not have', () => {
    expect(readFields(configFields, { status: 'valid', oidc_client_secret: 'x' })).toEqual({});
  });

  test('keeps a value that no declaration could hold', () => {
    const wire = { oidc_discovery_url: 'not a url' };
    expect(readFields(configFields, wire)).toEqual({ oidcDiscoveryUrl: 'not a url' });
  });
});

test('every field of every resource says what it bears on', () => {
  for (const { fields } of resources) {
    for (const { bearsOn, about } of Object.values(fields)) {
      expect(['access', 'lifetime', 'identity', 'nothing']).toContain(bearsOn);
      expect(about).toMatch(/\.$/);
    }
  }
});
