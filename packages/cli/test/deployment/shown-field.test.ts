import { expect, test } from '@jest/globals';
import { shownChange, shownInputs } from '../../src/deployment/shown-field.ts';
import { roleType } from '../fake-engine.ts';

const methodType = 'vault:jwt/authBackend:AuthBackend';

test.each([
  ['tokenTtl', 600, 900, 'ttl', '10m', '15m'],
  ['tokenMaxTtl', 3600, 86400, 'tokenMaxTtl', '1h', '1d'],
  ['maxAge', 0, 90, 'maxAge', '0s', '1m30s'],
  ['tokenNumUses', 0, 1, 'tokenNumUses', 0, 1],
  ['clockSkewLeeway', -1, 60, 'clockSkewLeeway', -1, 60],
])('a change of %s is one of the YAML, in its units', (path, old, wanted, name, before, after) => {
  const change = shownChange(roleType, { path, kind: 'changed', old, new: wanted, replaces: false });
  expect(JSON.parse(JSON.stringify(change))).toEqual({
    path: name,
    kind: 'changed',
    replaces: false,
    old: before,
    new: after,
  });
});

test('only the first part of a path is a field', () => {
  const change = { kind: 'removed', old: 'x', replaces: false } as const;
  expect(shownChange(roleType, { ...change, path: 'tokenPolicies[0]' }).path).toBe('policies[0]');
  expect(shownChange(roleType, { ...change, path: 'boundClaims.tokenTtl' }).path).toBe(
    'boundClaims.tokenTtl',
  );
  expect(shownChange(methodType, { ...change, path: 'tune.defaultLeaseTtl' }).path).toBe(
    'tune.defaultLeaseTtl',
  );
});

test('what the table does not have keeps its name, and so does every property of an unknown resource', () => {
  expect(shownInputs(roleType, { backend: 'staff', constructor: 1, tokenTtl: 60 })).toMatchObject({
    backend: 'staff',
    constructor: 1,
    ttl: { text: '1m' },
  });
  const inputs = { tokenTtl: 600 };
  expect(shownInputs('example:index/thing:Thing', inputs)).toBe(inputs);
});
