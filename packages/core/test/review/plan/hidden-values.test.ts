import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HiddenValues, hasMark, settleHidden } from '../../../src/review/plan/hidden-values.ts';
import { compose, composed, entry } from './terraform.ts';

const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const roleAt = 'vault_jwt_auth_backend_role.r';
const field = (name: string) => ({ type: 'role', name: 'r', method: 'ci', field: name });

describe('a hidden value', () => {
  const hidden = (before: object, after: object, marks: object, afterMarks: object = marks) =>
    compose([
      entry(roleAt, {
        before: { ...role, ...before },
        after: { ...role, ...after },
        before_sensitive: marks,
        after_sensitive: afterMarks,
      }),
    ]);

  test.each([
    ['bound_subject', 'boundSubject'],
    ['token_policies', 'policies'],
  ])('of %s is not the same as a text that looks like what stands for it', (name, model) => {
    const changed = hidden({ [name]: 's' }, { [name]: '(hidden 1)' }, { [name]: true }, {});
    expect(changed.unknown).toEqual([field(model)]);
  });

  test.each(['(HIDDEN 1)', 'x, (hidden 1)'])('is no policy that is written %s', (forged) => {
    const secret = entry(roleAt, {
      before: { ...role, token_policies: 's' },
      before_sensitive: { token_policies: true },
    });
    const shown = entry('vault_jwt_auth_backend_role.s', { after: { ...role, token_policies: forged } });
    const { before, after } = compose([secret, shown]);
    expect(before.roles[0]?.policies).toEqual(['(hidden 1)']);
    expect(after.roles[0]?.policies).not.toContain('(hidden 1)');
  });

  test('of a write is not the same as a text that looks like what stands for it', () => {
    const write = (value: string) => ({ path: 'sys/x', data_json: JSON.stringify({ a: value }) });
    const at = 'vault_generic_endpoint.x';
    const { before, after } = compose([entry(at, { before: write('s'), after: write('(hidden 1)') })]);
    expect(before.others).not.toEqual(after.others);
  });

  test('of a new role cannot be judged', () => {
    const { unknown } = compose([
      entry(roleAt, { after: { ...role, bound_subject: 'x' }, after_sensitive: { bound_subject: true } }),
    ]);
    expect(unknown).toEqual([field('boundSubject')]);
  });

  test('is in no state, whatever it is of', () => {
    const secret = 'sEcReT-42';
    const types = {
      vault_kubernetes_auth_backend_role: { backend: 'k8s', role_name: 'x' },
      vault_approle_auth_backend_role: { backend: 'approle', role_name: 'x' },
      vault_generic_endpoint: { path: 'auth/userpass/users/x' },
      vault_identity_mfa_okta: { name: 'x' },
      vault_ldap_auth_backend: { path: 'ldap' },
      vault_identity_entity: { id: 'e', name: 'x' },
      vault_identity_group: { id: 'i', name: 'x', type: 'internal' },
    };
    const place = fc.record({
      type: fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])),
      field: fc.constantFrom('policies', 'data_json', 'api_token', 'metadata', 'bindpass', 'custom', 'name'),
      value: fc.constantFrom<unknown>(secret, [secret], { [secret]: 'x' }, { a: { b: [secret] } }),
      isBefore: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 4 }), (places) => {
        const changes = places.map(({ type, field: name, value, isBefore }, at) => {
          // The names in a body may be shown.
          const own = { [name]: name === 'data_json' ? JSON.stringify({ password: secret }) : value };
          return entry(`${type}.x${at}`, {
            before: { ...types[type], ...(isBefore ? own : {}) },
            after: { ...types[type], ...own },
            before_sensitive: { [name]: true },
            after_sensitive: { [name]: true },
          });
        });
        expect(JSON.stringify(composed(changes))).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a value without what marks hide', () => {
  const hide = (value: unknown, mark: unknown) => new HiddenValues().hide(value, mark);

  test.each<[unknown, unknown, unknown]>([
    ['a', true, '(hidden 1)'],
    ['a', false, 'a'],
    [['a', 'b'], [true], ['(hidden 1)', 'b']],
    [{ a: 'x', b: 1 }, { b: true }, { a: 'x', b: '(hidden 1)' }],
    [{ a: 'x', b: ['x', 'y'] }, { a: true }, { a: '(hidden 1)', b: ['(hidden 1)', 'y'] }],
    [{ x: 'a', a: 'x' }, { a: true }, { '(hidden 1)': 'a', a: '(hidden 1)' }],
    [{ a: '', b: '' }, { a: true }, { a: '(hidden 1)', b: '' }],
    [{ a: 1, b: 1 }, { a: true }, { a: '(hidden 1)', b: 1 }],
    [{ a: null, b: 'null' }, { a: true }, { a: null, b: 'null' }],
    [{ a: { b: 'x' } }, { a: true }, { a: { '(hidden 1)': '(hidden 2)' } }],
    [{ c: 'x', a: { b: 'x' } }, { a: true }, { c: '(hidden 1)', a: { '(hidden 2)': '(hidden 1)' } }],
    [{ a: { b: ['x'] }, c: 'x' }, { a: { b: [true] } }, { a: { b: ['(hidden 1)'] }, c: '(hidden 1)' }],
    [{ a: 'x' }, { a: { b: true } }, { a: '(hidden 1)' }],
    [{ a: 'x' }, 'mark', { a: 'x' }],
    [{ a: '(hidden 1)' }, {}, { a: '((hidden 1)' }],
  ])('%j with %j', (value, mark, hidden) => {
    expect(hide(value, mark)).toEqual(hidden);
  });

  test('has a mark or none', () => {
    expect([true, { a: [true] }, [[true]]].map(hasMark)).toEqual([true, true, true]);
    expect([false, undefined, null, { a: [false], b: 'x' }].map(hasMark)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

const cases: Record<string, [string, unknown, unknown, boolean, boolean]> = {
  'the same': ['bound_subject', '(hidden 1)', '(hidden 1)', true, true],
  'another one': ['bound_subject', '(hidden 1)', '(hidden 2)', false, true],
  'shown then': ['bound_subject', '(hidden 1)', 'x', false, true],
  gone: ['bound_claims', { a: '(hidden 1)', b: 'x' }, { b: 'x' }, true, true],
  'gone, and something else new': ['bound_claims', { a: '(hidden 1)' }, { b: 'x' }, false, true],
  'there as before, and something else new': [
    'bound_claims',
    { a: '(hidden 1)' },
    { a: '(hidden 1)', b: 'x' },
    true,
    true,
  ],
  'there, while something shown goes': [
    'bound_claims',
    { a: '(hidden 1)', b: 'x' },
    { a: '(hidden 1)' },
    true,
    true,
  ],
  'one of a list less': ['bound_audiences', ['(hidden 1)', '(hidden 2)'], ['(hidden 2)'], true, true],
  'new in a list': ['bound_audiences', ['(hidden 1)'], ['(hidden 1)', '(hidden 2)'], false, true],
  'of no text': ['token_ttl', '(hidden 1)', '(hidden 2)', false, false],
  'of no text, and the same': ['token_ttl', '(hidden 1)', '(hidden 1)', true, false],
  'of no text, and gone': ['token_ttl', '(hidden 1)', undefined, false, false],
  'of a field of no table': ['planet', '(hidden 1)', undefined, true, true],
};
test.each(Object.entries(cases))('a hidden field that is %s', (_, [name, old, wanted, isTold, stays]) => {
  const side = (value: unknown) => ({
    server: '',
    namespace: '',
    fields: value === undefined ? {} : { [name]: value },
    unknown: [] as string[],
    references: {},
  });
  const [before, after] = [side(old), side(wanted)];
  settleHidden('role', [name], before, after);
  expect(after.unknown).toEqual(isTold ? [] : [name]);
  expect(Object.keys(before.fields)).toEqual(stays ? [name] : []);
  // What is not known already is not said twice; of what is new or deleted there is nothing to compare.
  const again = { ...side(wanted), unknown: [name] };
  settleHidden('role', [name], side(old), again);
  expect(again.unknown).toEqual([name]);
  settleHidden('role', [name], before, undefined);
});
