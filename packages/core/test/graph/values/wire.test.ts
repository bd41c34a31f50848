import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Dialect, names, toCamelCase, toSnakeCase } from '../../../src/graph/values/wire.ts';

describe('names (docs/inside/measured/sign-in.md#names-on-the-wire)', () => {
  test.each([
    ['tokenHeader', 'X-Secrets-Token', 'X-Vault-Token'],
    ['requestHeader', 'X-Secrets-Request', 'X-Vault-Request'],
    ['namespaceHeader', 'X-Secrets-Namespace', 'X-Vault-Namespace'],
    ['uiSegment', 'secrets', 'vault'],
    ['cloudDirectory', 'cloud_directory', 'azure'],
    ['workspaceSuite', 'workspace_suite', 'gsuite'],
    ['suiteServiceAccount', 'suite_service_account', 'gsuite_service_account'],
    ['suiteAdminImpersonate', 'suite_admin_impersonate', 'gsuite_admin_impersonate'],
  ] as const)('%s is %s in the neutral dialect and %s in the vault dialect', (name, neutral, vault) => {
    expect([names.neutral[name], names.vault[name]]).toEqual([neutral, vault]);
  });

  test('has a column for each dialect', () => {
    expect(Object.keys(names).sort()).toEqual(Object.values(Dialect).sort());
  });
});

describe('toSnakeCase and toCamelCase', () => {
  test('are each other’s opposite', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]*$/);
    const name = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join('_'));
    fc.assert(
      fc.property(name, (snake) => {
        // A word that begins with a digit has no capital to be found by; none of the wire's names has one.
        expect(toSnakeCase(toCamelCase(snake))).toBe(snake);
      }),
    );
  });
});
