import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { lifeChanges } from '../../../src/access/sign-in/token-life.ts';
import { parseDuration } from '../../../src/graph/values/duration.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { bareRole } from '../../review/graphs.ts';

/** A role with these fields, and `tune` of its method. */
function lived(text: string) {
  const seconds = (_: unknown, value: unknown) =>
    /^\d[\ddhms]*[dhms]$/.test(`${value}`) ? parseDuration(value) : value;
  const { tune, ...fields } = parse(`{${text}}`, seconds);
  const method = { path: 'm', type: 'jwt' as const, config: {}, tune };
  return { role: bareRole(fields), ...(tune && { method }) };
}

/** Whether tokens live longer, and why, by the fields before and after. */
const cases: Record<string, string> = {
  'ttl: 1h, tokenNumUses: 0 → ttl: 1h, tokenType: default': '',
  'ttl: 1h → ttl: 1d': 'longer: ttl goes from 1h to 1d',
  'ttl: 1d → ttl: 1h': 'shorter: ttl goes from 1d to 1h',
  'ttl: 1h →': 'longer: ttl goes from 1h to the method’s value',
  'ttl: 1h, tune: {defaultLeaseTtl: 1m} → tune: {defaultLeaseTtl: 1m}':
    'shorter: ttl goes from 1h to the method’s value',
  'ttl: 1h, tokenMaxTtl: 1h → ttl: 2h, tokenMaxTtl: 1h': '',
  'ttl: 1h, tokenMaxTtl: 1h → ttl: 2h, tokenMaxTtl: 2h':
    'longer: ttl goes from 1h to 2h; longer: tokenMaxTtl goes from 1h to 2h',
  'tune: {maxLeaseTtl: 1h} → tune: {maxLeaseTtl: 365d}':
    'longer: maxLeaseTtl of the method goes from 1h to 365d',
  'ttl: 1m, tokenMaxTtl: 1m, tune: {maxLeaseTtl: 1h} → ttl: 1m, tokenMaxTtl: 1m, tune: {maxLeaseTtl: 365d}':
    '',
  'ttl: 1h → ttl: 1h, tokenPeriod: 1h': 'longer: tokenPeriod goes from none to 1h',
  'ttl: 1h, tokenPeriod: 1h → ttl: 1h': 'shorter: tokenPeriod goes from 1h to none',
  'ttl: 1h, tokenPeriod: 1h, tokenExplicitMaxTtl: 1h → ttl: 1h, tokenPeriod: 1h':
    'longer: tokenExplicitMaxTtl goes from 1h to no end',
  'tokenNumUses: 1 →': 'longer: tokenNumUses goes from 1 to any number',
  '→ tokenNumUses: 3': 'shorter: tokenNumUses goes from any number to 3',
  '→ tokenType: batch': 'longer: tokenType goes from the method’s value to batch',
  'ttl: 1h, tokenType: batch → ttl: 1h, tokenType: service': 'longer: tokenType goes from batch to service',
  'tokenType: batch → tokenType: batch, tune: {tokenType: batch}': '',
  'ttl: 32d →': '',
  'ttl: 31d23h →': 'longer: ttl goes from 31d23h to the method’s value',
  'ttl: 31d23h59m59s →': 'longer: ttl goes from 31d23h59m59s to the method’s value',
  'ttl: 1h → ttl: 2h, tokenPeriod: 1h':
    'longer: ttl goes from 1h to 2h; longer: tokenPeriod goes from none to 1h',
  'ttl: 32d1h →': '',
  'ttl: 3h, tune: {maxLeaseTtl: 2h} → ttl: 2h, tune: {maxLeaseTtl: 2h}': '',
  'tune: {defaultLeaseTtl: 1h} → tune: {defaultLeaseTtl: 2h}':
    'longer: defaultLeaseTtl of the method goes from 1h to 2h',
  'ttl: 1h, tune: {defaultLeaseTtl: 1h} → ttl: 1h, tune: {defaultLeaseTtl: 2h}': '',
  'ttl: 1h, tokenExplicitMaxTtl: 2h → ttl: 1h, tokenExplicitMaxTtl: 1m':
    'shorter: tokenExplicitMaxTtl goes from 2h to 1m',
  'ttl: 1h, tokenPeriod: 1m → ttl: 2h, tokenPeriod: 1m': '',
  'ttl: 1h, tokenType: batch, tokenMaxTtl: 2h → ttl: 1h, tokenType: batch, tokenMaxTtl: 3h': '',
  'tokenType: batch, tokenNumUses: 1 → tokenType: batch, tokenNumUses: 2': '',
  'tokenNumUses: 1 → tokenNumUses: 2': 'longer: tokenNumUses goes from 1 to 2',
  'tune: {tokenType: default-batch} → tokenType: batch, tune: {tokenType: default-batch}': '',
  'ttl: 1h, tune: {tokenType: default-batch} → ttl: 1h, tokenType: service, tune: {tokenType: default-batch}':
    'longer: tokenType goes from the method’s value to service',
  'tune: {tokenType: service} → tokenType: batch, tune: {tokenType: service}': '',
  'ttl: 1h, tune: {tokenType: default-service} → ttl: 1h, tune: {tokenType: default-batch}':
    'longer: tokenType of the method goes from default-service to default-batch',
  'tokenType: default, tune: {tokenType: default-batch} → tune: {tokenType: default-batch}': '',
  'tokenNumUses: 3 → tokenNumUses: (hidden 1)': 'unknown: tokenNumUses goes from 3 to (hidden 1)',
  '→ tune: {maxLeaseTtl: (hidden 1)}':
    'unknown: maxLeaseTtl of the method goes from the service’s default to (hidden 1)',
  'ttl: (hidden 1) → ttl: 1h': 'unknown: ttl goes from (hidden 1) to 1h',
};
test.each(Object.entries(cases))('how long tokens live: %s', (change, wanted) => {
  const [before = '', after = ''] = change.split('→');
  const found = lifeChanges(lived(before), lived(after)).map(
    ({ life, ...setting }) => `${life}: ${alsoWords({ kind: 'setting', ...setting })}`,
  );
  expect(found.join('; ')).toBe(wanted);
});
