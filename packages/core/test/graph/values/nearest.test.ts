import { expect, test } from '@jest/globals';
import { nearest } from '../../../src/graph/values/nearest.ts';

const known = ['keycloak', 'okta', 'gitlab', 'secrets-read'];

test.each([
  ['keycloack', 'keycloak'],
  ['kycloak', 'keycloak'],
  ['KeyCloak', 'keycloak'],
  ['oktta', 'okta'],
  ['secret-read', 'secrets-read'],
  ['gitlab', 'gitlab'],
  ['ldap', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%.20s most likely means %s', (given, word) => {
  expect(nearest(given, known)).toBe(word);
});
