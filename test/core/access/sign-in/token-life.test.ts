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
