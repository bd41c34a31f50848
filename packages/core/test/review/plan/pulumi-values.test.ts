import { describe, expect, test } from '@jest/globals';
import { HiddenValues } from '../../../src/review/plan/hidden-values.ts';
import { isSecret, plaintext, readValues } from '../../../src/review/plan/pulumi-values.ts';
import type { Fields, PlannedType } from '../../../src/review/plan/resource-types.ts';

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const signature = '4dabf18193072939515e22adb298388d';
const secret = (fields: Fields) => ({ [signature]: '1b47061264138c4ac30d75fd1eb44270', ...fields });
const [plain, cipher] = [secret({ plaintext: '"x"' }), secret({ ciphertext: 'v1:x' })];
const asset = { [signature]: 'c44067f5952c0a294b673a41bacd8c17', text: 'x' };

function read(
  type: PlannedType,
  values: Fields,
  differing: string[] = [],
  dependencies?: Record<string, string[] | null>,
) {
  const state = { type: 't', inputs: {}, outputs: {}, propertyDependencies: dependencies };
  const differs = (field: string) => differing.includes(field);
  return readValues(type, values, state, new HiddenValues(), { urn: 'u', differs });
}

const cases: Record<string, [PlannedType, Fields, Fields, string[], string[]?]> = {
  values: [
    'role',
    { boundSubject: 'x', tokenTtl: 0, a: false },
    { bound_subject: 'x', token_ttl: 0, a: false },
    [],
  ],
  nothing: ['role', { a: null, b: undefined, __defaults: ['c'] }, {}, []],
  'client secrets': ['method', { oidcClientSecret: plain, oidcClientSecretWo: 'x' }, {}, []],
  'notes within': ['role', { a: [{ __defaults: [], b: 1 }] }, { a: [{ b: 1 }] }, []],
  'texts that look like placeholders': ['role', { a: '(hidden 1)' }, { a: '((hidden 1)' }, []],
  'secrets that are shown': [
    'role',
    { boundSubject: plain, a: plain },
    { bound_subject: '(hidden 1)', a: '(hidden 1)' },
    ['bound_subject', 'a'],
  ],
  'secrets that are shown as maps': [
    'role',
    { boundClaims: secret({ value: { a: 'x' } }) },
    { bound_claims: { '(hidden 1)': '(hidden 2)' } },
    ['bound_claims'],
  ],
  'secrets within': [
    'role',
    { boundClaims: { a: plain, b: ['y', plain] } },
    { bound_claims: { a: '(hidden 1)', b: ['y', '(hidden 1)'] } },
    ['bound_claims'],
  ],
  'secrets that are encrypted': [
    'role',
    { boundSubject: cipher, a: cipher, b: secret({ ciphertext: '' }), c: secret({ ciphertext: '[secret]' }) },
    { bound_subject: '(hidden 1)', a: '(hidden 1)', b: '(hidden 2)', c: '(hidden 3)' },
    ['bound_subject', 'a', 'b', 'c'],
  ],
  'secrets of other shapes': [
    'method',
    { jwksPairs: '[secret]', providerConfig: '[secret]', jwtSupportedAlgs: '[secret]' },
    {
      jwks_pairs: [{ '(hidden 1)': '(hidden 1)' }],
      provider_config: { '(hidden 2)': '(hidden 2)' },
      jwt_supported_algs: ['(hidden 3)'],
    },
    ['jwks_pairs', 'provider_config', 'jwt_supported_algs'],
  ],
  'secrets of a role’s shapes': [
    'role',
    { boundClaims: '[secret]', claimMappings: '[secret]', tokenTtl: '[secret]' },
    {
      bound_claims: { '(hidden 1)': '(hidden 1)' },
      claim_mappings: { '(hidden 2)': '(hidden 2)' },
      token_ttl: '(hidden 3)',
    },
    ['bound_claims', 'claim_mappings', 'token_ttl'],
  ],
  'secrets by their place': [
    'role',
    { a: ['[secret]', '[secret]'] },
    { a: ['(hidden 1)', '(hidden 2)'] },
    ['a'],
  ],
  'a write': [
    'endpoint',
    { dataJson: '{"policies":["p"],"a":"x"}' },
    { data_json: { policies: ['p'], a: '(hidden 1)' } },
    [],
  ],
  'a write that is a secret': [
    'endpoint',
    { dataJson: secret({ plaintext: '"{\\"policies\\":[\\"p\\"],\\"a\\":1}"' }) },
    { data_json: { policies: ['p'], a: '(hidden 1)' } },
    [],
  ],
  'a write that is encrypted': ['endpoint', { dataJson: cipher }, { data_json: '(hidden 1)' }, []],
};
test.each(Object.entries(cases))('are read: %s', (_, [type, values, fields, hidden]) => {
  expect(read(type, values)).toEqual({ fields, unknown: [], hidden, references: {} });
});

test('within a value are texts, whatever they are', () => {
  const nested = { a: '[secret]', b: secret({ value: { c: 'x' } }) };
  expect(read('role', { boundClaims: nested, claimMappings: nested }).fields).toEqual({
    bound_claims: { a: '(hidden 1)', b: '(hidden 2)' },
    claim_mappings: { a: '(hidden 3)', b: '(hidden 2)' },
  });
});

test('that differ are read as new ones', () => {
  const { fields } = read('role', { a: '[secret]', b: cipher, c: cipher, d: plain, e: plain }, [
    'a',
    'b',
    'd',
  ]);
  expect(fields).toEqual({
    a: '(hidden 1)',
    b: '(hidden 2)',
    c: '(hidden 3)',
    d: '(hidden 4)',
    e: '(hidden 4)',
  });
});

describe('what is not known', () => {
  test.each<[string, unknown, boolean]>([
    ['what stands for it', unknown, true],
    ['a part', { a: [unknown] }, true],
    ['an asset', asset, true],
    ['a part of a secret that is shown', secret({ value: unknown }), false],
    ['a secret', cipher, false],
    ['an object with a name that JavaScript has', { constructor: 'x' }, false],
  ])('%s', (_, value, isUnknown) => {
    expect(read('role', { a: value }).unknown).toEqual(isUnknown ? ['a'] : []);
  });

  test('comes from other resources', () => {
    const references = (targets: string[] | null) =>
      read('role', { backend: unknown, a: 'x' }, [], { backend: targets, a: ['y'] }).references;
    expect([references(['x']), references([]), references(null)]).toEqual([{ backend: ['x'] }, {}, {}]);
  });
});

test.each<[unknown, boolean, unknown]>([
  ['[secret]', true, undefined],
  [plain, true, { value: 'x' }],
  [secret({ plaintext: 'no JSON' }), true, { value: 'no JSON' }],
  [secret({ plaintext: '{"a":1}' }), true, { value: { a: 1 } }],
  [secret({ plaintext: 'null' }), true, { value: null }],
  [secret({ value: 0 }), true, { value: 0 }],
  [cipher, true, undefined],
  [asset, false, undefined],
  ['x', false, undefined],
])('%j may be a secret', (value, is, shown) => {
  expect([isSecret(value), plaintext(value)]).toEqual([is, shown]);
});
