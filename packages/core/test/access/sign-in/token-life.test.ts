import { expect, test } from '@jest/globals';
import { lifeChanges } from '../../../src/access/sign-in/token-life.ts';
import type { Tune } from '../../../src/graph/resources/auth-method.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { bareRole } from '../../review/graphs.ts';

type Given = Partial<Role> & { tune?: Tune };
const lived = ({ tune, ...given }: Given) => {
  return {
    role: bareRole(given),
    ...(tune && { method: { path: 'm', type: 'jwt' as const, config: {}, tune } }),
  };
};
const hour = 3_600;
const hidden = '(hidden 1)' as never;

test.each<[before: Given, after: Given, ...wanted: string[]]>([
  [
    { ttl: hour, tokenNumUses: 0 },
    { ttl: hour, tokenType: 'default' },
  ],
  [{ ttl: hour }, { ttl: 24 * hour }, 'yes: ttl goes from 1h to 1d'],
  [{ ttl: 24 * hour }, { ttl: hour }, 'no: ttl goes from 1d to 1h'],
  [{ ttl: hour }, {}, 'yes: ttl goes from 1h to the method’s value'],
  [
    { ttl: hour, tune: { defaultLeaseTtl: 60 } },
    { tune: { defaultLeaseTtl: 60 } },
    'no: ttl goes from 1h to the method’s value',
  ],
  [
    { ttl: hour, tokenMaxTtl: hour },
    { ttl: 2 * hour, tokenMaxTtl: hour },
  ],
  [
    { ttl: hour, tokenMaxTtl: hour },
    { ttl: 2 * hour, tokenMaxTtl: 2 * hour },
    'yes: ttl goes from 1h to 2h',
    'yes: tokenMaxTtl goes from 1h to 2h',
  ],
  [
    { tune: { maxLeaseTtl: hour } },
    { tune: { maxLeaseTtl: 8_760 * hour } },
    'yes: maxLeaseTtl of the method goes from 1h to 365d',
  ],
  [
    { ttl: 60, tokenMaxTtl: 60, tune: { maxLeaseTtl: hour } },
    { ttl: 60, tokenMaxTtl: 60, tune: { maxLeaseTtl: 8_760 * hour } },
  ],
  [{ ttl: hour }, { ttl: hour, tokenPeriod: hour }, 'yes: tokenPeriod goes from none to 1h'],
  [{ ttl: hour, tokenPeriod: hour }, { ttl: hour }, 'no: tokenPeriod goes from 1h to none'],
  [
    { ttl: hour, tokenPeriod: hour, tokenExplicitMaxTtl: hour },
    { ttl: hour, tokenPeriod: hour },
    'yes: tokenExplicitMaxTtl goes from 1h to no end',
  ],
  [{ tokenNumUses: 1 }, {}, 'yes: tokenNumUses goes from 1 to any number'],
  [{}, { tokenNumUses: 3 }, 'no: tokenNumUses goes from any number to 3'],
  [{}, { tokenType: 'batch' }, 'yes: tokenType goes from the method’s value to batch'],
  [
    { ttl: hour, tokenType: 'batch' },
    { ttl: hour, tokenType: 'service' },
    'both: tokenType goes from batch to service',
  ],
  [{ tokenType: 'batch' }, { tokenType: 'batch', tune: { tokenType: 'batch' } }],
  [{}, { expirationLeeway: 31_536_000 }, 'yes: expirationLeeway goes from 2m30s to 365d'],
  [{ clockSkewLeeway: 0 }, { clockSkewLeeway: -1 }, 'no: clockSkewLeeway goes from 1m to none'],
  [{ notBeforeLeeway: -1 }, {}, 'yes: notBeforeLeeway goes from none to 2m30s'],
  [{ maxAge: hour }, {}, 'yes: maxAge goes from 1h to any'],
  [{ ttl: 768 * hour }, {}],
  [{ ttl: 767 * hour }, {}, 'yes: ttl goes from 31d23h to the method’s value'],
  [{ ttl: 768 * hour - 1 }, {}, 'yes: ttl goes from 31d23h59m59s to the method’s value'],
  [
    { ttl: hour },
    { ttl: 2 * hour, tokenPeriod: hour },
    'yes: ttl goes from 1h to 2h',
    'both: tokenPeriod goes from none to 1h',
  ],
  [{ ttl: 769 * hour }, {}],
  [
    { ttl: 3 * hour, tune: { maxLeaseTtl: 2 * hour } },
    { ttl: 2 * hour, tune: { maxLeaseTtl: 2 * hour } },
  ],
  [
    { tune: { defaultLeaseTtl: hour } },
    { tune: { defaultLeaseTtl: 2 * hour } },
    'yes: defaultLeaseTtl of the method goes from 1h to 2h',
  ],
  [
    { ttl: hour, tune: { defaultLeaseTtl: hour } },
    { ttl: hour, tune: { defaultLeaseTtl: 2 * hour } },
  ],
  [
    { ttl: hour, tokenExplicitMaxTtl: 2 * hour },
    { ttl: hour, tokenExplicitMaxTtl: 60 },
    'no: tokenExplicitMaxTtl goes from 2h to 1m',
  ],
  [
    { ttl: hour, tokenPeriod: 60 },
    { ttl: 2 * hour, tokenPeriod: 60 },
  ],
  [
    { ttl: hour, tokenType: 'batch', tokenMaxTtl: 2 * hour },
    { ttl: hour, tokenType: 'batch', tokenMaxTtl: 3 * hour },
  ],
  [
    { tokenType: 'batch', tokenNumUses: 1 },
    { tokenType: 'batch', tokenNumUses: 2 },
  ],
  [{ tokenNumUses: 1 }, { tokenNumUses: 2 }, 'yes: tokenNumUses goes from 1 to 2'],
  [{ clockSkewLeeway: 60 }, { clockSkewLeeway: 0 }],
  [{}, { clockSkewLeeway: 61 }, 'yes: clockSkewLeeway goes from 1m to 1m1s'],
  [{}, { clockSkewLeeway: 59 }, 'no: clockSkewLeeway goes from 1m to 59s'],
  [{ expirationLeeway: 150, notBeforeLeeway: 150 }, {}],
  [{}, { expirationLeeway: 151 }, 'yes: expirationLeeway goes from 2m30s to 2m31s'],
  [{}, { notBeforeLeeway: 149 }, 'no: notBeforeLeeway goes from 2m30s to 2m29s'],
  [{ notBeforeLeeway: -1 }, { notBeforeLeeway: -7 }],
  [{ notBeforeLeeway: -1 }, { notBeforeLeeway: 1 }, 'yes: notBeforeLeeway goes from none to 1s'],
  [{ tune: { tokenType: 'default-batch' } }, { tokenType: 'batch', tune: { tokenType: 'default-batch' } }],
  [
    { ttl: hour, tune: { tokenType: 'default-batch' } },
    { ttl: hour, tokenType: 'service', tune: { tokenType: 'default-batch' } },
    'both: tokenType goes from the method’s value to service',
  ],
  [{ tune: { tokenType: 'service' } }, { tokenType: 'batch', tune: { tokenType: 'service' } }],
  [
    { ttl: hour, tune: { tokenType: 'default-service' } },
    { ttl: hour, tune: { tokenType: 'default-batch' } },
    'both: tokenType of the method goes from default-service to default-batch',
  ],
  [{ tokenType: 'default', tune: { tokenType: 'default-batch' } }, { tune: { tokenType: 'default-batch' } }],
  [{}, { clockSkewLeeway: hidden }, 'unknown: clockSkewLeeway goes from 1m to (hidden 1)'],
  [{ tokenNumUses: 3 }, { tokenNumUses: hidden }, 'unknown: tokenNumUses goes from 3 to (hidden 1)'],
  [{ maxAge: 60 }, { maxAge: hidden }, 'unknown: maxAge goes from 1m to (hidden 1)'],
  [
    {},
    { tune: { maxLeaseTtl: hidden } },
    'unknown: maxLeaseTtl of the method goes from the service’s default to (hidden 1)',
  ],
  [{}, { maxAge: hour }, 'no: maxAge goes from any to 1h'],
  [{ ttl: hidden }, { ttl: hour }, 'unknown: ttl goes from (hidden 1) to 1h'],
  [
    { ttl: hour, tokenNumUses: hidden, maxAge: 60 },
    { ttl: hour, tokenNumUses: hidden },
    'yes: maxAge goes from 1m to any',
  ],
])('how long tokens live: %j, then %j', (before, after, ...wanted) => {
  expect(lifeChanges(lived(before), lived(after)).map(({ longer, words }) => `${longer}: ${words}`)).toEqual(
    wanted,
  );
});
