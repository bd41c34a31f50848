import { expect, test } from '@jest/globals';
import { configFields } from '../../../src/graph/resources/auth-method.ts';
import { wireNameIn } from '../../../src/graph/resources/field.ts';
import { bearingOfField, trustOf, trustTable } from '../../../src/graph/resources/trust.ts';
import { knownType } from '../../../src/review/plan/resource-types.ts';
import { officialPackage } from './official-package.ts';

/** Types of the package that are a method, its configuration, its roles or credentials, or a second factor. */
const ofMethods = officialPackage().flatMap((one) => {
  const known = knownType(one.name);
  const isOfMethods = ['method', 'backend', 'configuration', 'otherRole', 'secretId', 'token', 'guard'];
  return known !== undefined && isOfMethods.includes(known.type) ? [{ ...one, known }] : [];
});
const typeOf = (of: string) => (/mfa/.test(of) ? 'mfa' : (of.split(' ')[0] ?? ''));

test('every field of each type of a method says whom it trusts, or has its reason', () => {
  expect(ofMethods.length).toBeGreaterThan(40);
  const unsorted = ofMethods.flatMap(({ name, fields, known }) =>
    fields
      .filter(
        (field) => trustOf(typeOf(known.of), field) === undefined && bearingOfField(field) === undefined,
      )
      .map((field) => `${name}.${field}`),
  );
  expect(unsorted).toEqual([]);
});

test('every field of a JWT or OIDC method says whom it trusts, or has its reason', () => {
  const wireNames = Object.keys(configFields).map((name) => wireNameIn(configFields, name));
  expect(wireNames.filter((field) => !trustOf('jwt', field) && !bearingOfField(field))).toEqual([]);
});

test('a field that any type may mean is read as the type that trusts someone by it', () => {
  expect(trustOf('no-such-type', 'sts_endpoint')).toBe('another');
  expect(trustOf('userpass', 'sts_endpoint')).toBeUndefined();
});

test('the table has a line for each type that trusts someone', () => {
  expect(trustTable().filter((line) => line.startsWith('|ldap|'))).toEqual([
    expect.stringContaining('`url`'),
  ]);
});
