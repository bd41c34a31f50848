import { expect, test } from '@jest/globals';
import { settingChanges } from '../../src/access/other-settings.ts';
import { otherMethod } from '../../src/graph/nodes/other-method.ts';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import type { RoleNoun } from '../../src/graph/resources/other-methods.ts';
import { alsoWords } from '../../src/words/also-words.ts';

type Fields = Record<string, unknown>;

/** What changes for who stays, in words. */
function changesOf(type: string, noun: RoleNoun, before: Fields, after: Fields): string[] {
  const at = { type, method: 'm', noun, name: 'web' };
  const changes = settingChanges(otherRole(at, before), otherRole(at, after));
  return changes.map(
    ({ gains, losses, life, what }) => `${life ?? `${gains}/${losses}`}: ${alsoWords(what)}`,
  );
}

test.each<[type: string, noun: RoleNoun, before: Fields, after: Fields, ...words: string[]]>([
  [
    'approle',
    'role',
    { token_bound_cidrs: ['10.0.0.0/8'], token_ttl: 3600 },
    { token_ttl: 28_800 },
    'some/none: token_bound_cidrs goes from 10.0.0.0/8 to any',
    'longer: token_ttl goes from 1h to 8h',
  ],
  [
    'approle',
    'role',
    { bind_secret_id: true, secret_id_num_uses: 1 },
    { bind_secret_id: false },
    'some/none: bind_secret_id goes from true to false',
    'longer: secret_id_num_uses goes from 1 to no limit',
  ],
  [
    'kubernetes',
    'role',
    { bound_service_account_names: ['web'], audience: 'a' },
    { bound_service_account_names: ['*'] },
    'some/none: audience goes from a to any',
    'some/none: bound_service_account_names goes from web to *',
  ],
  [
    'ldap',
    'group',
    { token_max_ttl: 60 },
    { token_max_ttl: 30 },
    'shorter: token_max_ttl goes from 1m to 30s',
  ],
  [
    'token',
    'role',
    { disallowed_policies: ['root', 'ops'], renewable: false },
    { disallowed_policies: ['root'] },
    'some/none: disallowed_policies goes from ops, root to root',
    'longer: renewable goes from false to true',
  ],
  [
    'userpass',
    'user',
    { token_bound_cidrs: ['10.0.0.0/8'], password: 'old secret' },
    { token_bound_cidrs: ['10.0.0.0/9'], password: 'new secret' },
    'none/some: token_bound_cidrs goes from 10.0.0.0/8 to 10.0.0.0/9',
  ],
])('%s %s says which field changes, from what to what: %j, %j', (type, noun, before, after, ...words) => {
  expect(changesOf(type, noun, before, after)).toEqual(words);
});

test('the limits of a mount are told each by itself, in units', () => {
  const [before, after] = [3600, 7200].map((max) =>
    otherMethod('ldap', 'ldap', { tune: { max_lease_ttl: max, default_lease_ttl: 60 } }),
  );
  if (before === undefined || after === undefined) throw new Error();
  expect(settingChanges(before, after).map(({ what }) => alsoWords(what))).toEqual([
    'tune.max_lease_ttl goes from 1h to 2h',
  ]);
});

test.each<[field: string, before: unknown, after: unknown]>([
  ['a field that no table knows', 'secret', 'other secret'],
  ['role_id', 'secret', 'other secret'],
  ['keytab', 'secret', 'other secret'],
  ['certificate', `-----BEGIN\n${'secret'.repeat(20)}`, `-----BEGIN\n${'secret!'.repeat(20)}`],
  ['bound_claims', { a: 'secret' }, { a: 'other secret' }],
])('no value is shown that may be a secret, or that no one reads: %s', (field, before, after) => {
  const both = changesOf('cert', 'role', { [field]: before }, { [field]: after });
  expect(both).toEqual([`some/some: ${field} goes from one value to another`]);
  expect(JSON.stringify([both, changesOf('cert', 'role', {}, { [field]: after })])).not.toContain('secret');
});

test('a role that is no longer looked into says so', () => {
  const role = otherRole({ type: 'approle', method: 'm', noun: 'role', name: 'web' }, {});
  const [change] = settingChanges(role, { ...role, isOpaque: true });
  expect(change).toEqual({
    about: 'bounds',
    gains: 'some',
    losses: 'some',
    what: { kind: 'opacity', isAfter: true },
  });
});
