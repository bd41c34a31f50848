import { expect, test } from '@jest/globals';
import { lifeChanges } from '../../../../core/access/sign-in/token-life.ts';
import type { Tune } from '../../../../core/model/resources/auth-method.ts';
import type { Role } from '../../../../core/model/resources/role.ts';

const lived = (role: Partial<Role> & { tune?: Tune }) => {
  const { tune, ...given } = role;
  return {
    role: { method: 'm', name: 'r', roleType: 'jwt' as const, userClaim: 'sub', ...given },
    ...(tune && { method: { path: 'm', type: 'jwt' as const, config: {}, tune } }),
  };
};
const hour = 3_600;
const hidden = '(hidden 1)' as never;

test.each<[string, Parameters<typeof lived>[0], Parameters<typeof lived>[0], string[]]>([
  ['nothing', { ttl: hour, tokenNumUses: 0 }, { ttl: hour, tokenType: 'default' }, []],
  ['longer', { ttl: hour }, { ttl: 24 * hour }, ['yes: ttl goes from 1h to 1d']],
  ['shorter', { ttl: 24 * hour }, { ttl: hour }, ['no: ttl goes from 1d to 1h']],
  ['no longer set', { ttl: hour }, {}, ['yes: ttl goes from 1h to what the method gives']],
  [
    'no longer set, on a mount that gives less',
    { ttl: hour, tune: { defaultLeaseTtl: 60 } },
    { tune: { defaultLeaseTtl: 60 } },
    ['no: ttl goes from 1h to what the method gives'],
  ],
  ['beyond its limit', { ttl: hour, tokenMaxTtl: hour }, { ttl: 2 * hour, tokenMaxTtl: hour }, []],
  [
    'two limits at once',
    { ttl: hour, tokenMaxTtl: hour },
    { ttl: 2 * hour, tokenMaxTtl: 2 * hour },
    ['yes: ttl goes from 1h to 2h', 'yes: tokenMaxTtl goes from 1h to 2h'],
  ],
  [
    'a mount that gives more',
    { tune: { maxLeaseTtl: hour } },
    { tune: { maxLeaseTtl: 8_760 * hour } },
    ['yes: maxLeaseTtl of the method goes from 1h to 365d'],
  ],
  [
    'a mount that gives more to others',
    { ttl: 60, tokenMaxTtl: 60, tune: { maxLeaseTtl: hour } },
    { ttl: 60, tokenMaxTtl: 60, tune: { maxLeaseTtl: 8_760 * hour } },
    [],
  ],
  [
    'renewed for ever',
    { ttl: hour },
    { ttl: hour, tokenPeriod: hour },
    ['yes: tokenPeriod goes from none to 1h'],
  ],
  [
    'no longer renewed for ever',
    { ttl: hour, tokenPeriod: hour },
    { ttl: hour },
    ['no: tokenPeriod goes from 1h to none'],
  ],
  [
    'an end',
    { ttl: hour, tokenPeriod: hour, tokenExplicitMaxTtl: hour },
    { ttl: hour, tokenPeriod: hour },
    ['yes: tokenExplicitMaxTtl goes from 1h to no end'],
  ],
  ['any number of uses', { tokenNumUses: 1 }, {}, ['yes: tokenNumUses goes from 1 to any number']],
  ['fewer uses', {}, { tokenNumUses: 3 }, ['no: tokenNumUses goes from any number to 3']],
  [
    'not to be revoked',
    {},
    { tokenType: 'batch' },
    ['yes: tokenType goes from what the method gives to batch'],
  ],
  [
    'to be renewed',
    { ttl: hour, tokenType: 'batch' },
    { ttl: hour, tokenType: 'service' },
    ['both: tokenType goes from batch to service'],
  ],
  [
    'the same type from the mount',
    { tokenType: 'batch' },
    { tokenType: 'batch', tune: { tokenType: 'batch' } },
    [],
  ],
  ['a leeway', {}, { expirationLeeway: 31_536_000 }, ['yes: expirationLeeway goes from 2m30s to 365d']],
  [
    'no leeway',
    { clockSkewLeeway: 0 },
    { clockSkewLeeway: -1 },
    ['no: clockSkewLeeway goes from 1m to none'],
  ],
  [
    'a leeway back to its default',
    { notBeforeLeeway: -1 },
    {},
    ['yes: notBeforeLeeway goes from none to 2m30s'],
  ],
  ['a password of any age', { maxAge: hour }, {}, ['yes: maxAge goes from 1h to any']],
  ['the service’s own', { ttl: 768 * hour }, {}, []],
  [
    'an hour less than the service’s own',
    { ttl: 767 * hour },
    {},
    ['yes: ttl goes from 31d23h to what the method gives'],
  ],
  [
    'a second less than the service’s own',
    { ttl: 768 * hour - 1 },
    {},
    ['yes: ttl goes from 31d23h59m59s to what the method gives'],
  ],
  [
    'longer, but for a period that is new',
    { ttl: hour },
    { ttl: 2 * hour, tokenPeriod: hour },
    ['yes: ttl goes from 1h to 2h', 'both: tokenPeriod goes from none to 1h'],
  ],
  ['more than the service’s own', { ttl: 769 * hour }, {}, []],
  [
    'at most what the mount allows',
    { ttl: 3 * hour, tune: { maxLeaseTtl: 2 * hour } },
    { ttl: 2 * hour, tune: { maxLeaseTtl: 2 * hour } },
    [],
  ],
  [
    'the mount’s own time',
    { tune: { defaultLeaseTtl: hour } },
    { tune: { defaultLeaseTtl: 2 * hour } },
    ['yes: defaultLeaseTtl of the method goes from 1h to 2h'],
  ],
  [
    'the mount’s own time, where the role has one',
    { ttl: hour, tune: { defaultLeaseTtl: hour } },
    { ttl: hour, tune: { defaultLeaseTtl: 2 * hour } },
    [],
  ],
  [
    'an end before the first renewal',
    { ttl: hour, tokenExplicitMaxTtl: 2 * hour },
    { ttl: hour, tokenExplicitMaxTtl: 60 },
    ['no: tokenExplicitMaxTtl goes from 2h to 1m'],
  ],
  [
    'a period, and a time that it takes the place of',
    { ttl: hour, tokenPeriod: 60 },
    { ttl: 2 * hour, tokenPeriod: 60 },
    [],
  ],
  [
    'a batch token, which is not renewed',
    { ttl: hour, tokenType: 'batch', tokenMaxTtl: 2 * hour },
    { ttl: hour, tokenType: 'batch', tokenMaxTtl: 3 * hour },
    [],
  ],
  [
    'uses of a batch token, which are not counted',
    { tokenType: 'batch', tokenNumUses: 1 },
    { tokenType: 'batch', tokenNumUses: 2 },
    [],
  ],
  ['uses', { tokenNumUses: 1 }, { tokenNumUses: 2 }, ['yes: tokenNumUses goes from 1 to 2']],
  ['the default skew', { clockSkewLeeway: 60 }, { clockSkewLeeway: 0 }, []],
  [
    'a second more than the default skew',
    {},
    { clockSkewLeeway: 61 },
    ['yes: clockSkewLeeway goes from 1m to 1m1s'],
  ],
  [
    'a second less than the default skew',
    {},
    { clockSkewLeeway: 59 },
    ['no: clockSkewLeeway goes from 1m to 59s'],
  ],
  ['the default leeways', { expirationLeeway: 150, notBeforeLeeway: 150 }, {}, []],
  [
    'a second more than the default leeway',
    {},
    { expirationLeeway: 151 },
    ['yes: expirationLeeway goes from 2m30s to 2m31s'],
  ],
  [
    'a second less than the other default leeway',
    {},
    { notBeforeLeeway: 149 },
    ['no: notBeforeLeeway goes from 2m30s to 2m29s'],
  ],
  ['no leeway by another number', { notBeforeLeeway: -1 }, { notBeforeLeeway: -7 }, []],
  [
    'a second of leeway',
    { notBeforeLeeway: -1 },
    { notBeforeLeeway: 1 },
    ['yes: notBeforeLeeway goes from none to 1s'],
  ],
  [
    'the type that is the mount’s default',
    { tune: { tokenType: 'default-batch' } },
    { tokenType: 'batch', tune: { tokenType: 'default-batch' } },
    [],
  ],
  [
    'another type than the mount’s default',
    { ttl: hour, tune: { tokenType: 'default-batch' } },
    { ttl: hour, tokenType: 'service', tune: { tokenType: 'default-batch' } },
    ['both: tokenType goes from what the method gives to service'],
  ],
  [
    'a type that the mount does not leave to roles',
    { tune: { tokenType: 'service' } },
    { tokenType: 'batch', tune: { tokenType: 'service' } },
    [],
  ],
  [
    'the mount’s type',
    { ttl: hour, tune: { tokenType: 'default-service' } },
    { ttl: hour, tune: { tokenType: 'default-batch' } },
    ['both: tokenType of the method goes from default-service to default-batch'],
  ],
  [
    'the default type by its name',
    { tokenType: 'default', tune: { tokenType: 'default-batch' } },
    { tune: { tokenType: 'default-batch' } },
    [],
  ],
  [
    'a hidden leeway',
    {},
    { clockSkewLeeway: hidden },
    ['unknown: clockSkewLeeway goes from 1m to (hidden 1)'],
  ],
  [
    'a hidden number of uses',
    { tokenNumUses: 3 },
    { tokenNumUses: hidden },
    ['unknown: tokenNumUses goes from 3 to (hidden 1)'],
  ],
  ['a hidden age', { maxAge: 60 }, { maxAge: hidden }, ['unknown: maxAge goes from 1m to (hidden 1)']],
  [
    'a hidden time of the mount',
    {},
    { tune: { maxLeaseTtl: hidden } },
    ['unknown: maxLeaseTtl of the method goes from the service’s own to (hidden 1)'],
  ],
  ['a younger password', {}, { maxAge: hour }, ['no: maxAge goes from any to 1h']],
  ['hidden', { ttl: hidden }, { ttl: hour }, ['unknown: ttl goes from (hidden 1) to 1h']],
  [
    'hidden beside',
    { ttl: hour, tokenNumUses: hidden, maxAge: 60 },
    { ttl: hour, tokenNumUses: hidden },
    ['yes: maxAge goes from 1m to any'],
  ],
])('how long tokens live: %s', (_, before, after, wanted) => {
  expect(lifeChanges(lived(before), lived(after)).map(({ longer, words }) => `${longer}: ${words}`)).toEqual(
    wanted,
  );
});

test('says whose field it is', () => {
  const changes = lifeChanges(lived({ tune: { defaultLeaseTtl: 60 } }), lived({ tokenNumUses: 1 }));
  expect(changes.map(({ field, of }) => [field, of])).toEqual([
    ['tokenNumUses', 'role'],
    ['defaultLeaseTtl', 'method'],
  ]);
});
