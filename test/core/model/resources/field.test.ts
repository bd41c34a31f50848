import { describe, expect, test } from '@jest/globals';
import { fieldNamed, wireNameIn } from '../../../../core/model/resources/field.ts';
import { roleFields } from '../../../../core/model/resources/role.ts';
import { type ResourceType, tables } from '../../../../core/model/resources/tables.ts';

describe('wireNameIn and fieldNamed', () => {
  const fields = Object.entries(tables).flatMap(([type, table]) =>
    Object.keys(table).map((field) => [type as ResourceType, field] as const),
  );
  test.each(fields)('lead from a %s’s %s to the wire and back', (type, field) => {
    expect(fieldNamed(tables[type], wireNameIn(tables[type], field))).toBe(field);
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

test('every field of every resource says what it bears on', () => {
  for (const table of Object.values(tables)) {
    for (const { bearsOn, about } of Object.values(table)) {
      expect(['access', 'lifetime', 'identity', 'nothing']).toContain(bearsOn);
      expect(about).toMatch(/\.$/);
    }
  }
});
