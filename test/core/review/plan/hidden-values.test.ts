import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HiddenValues, hasMark, settleHidden } from '../../../../core/review/plan/hidden-values.ts';
import { compose, composed, entry } from './terraform.ts';

const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const roleAt = 'vault_jwt_auth_backend_role.r';
const staff = { path: 'staff', type: 'oidc', accessor: 'acc' };
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

  test.each<[string, object, object, object, string[]]>([
    [
      'is another one',
      { bound_claims: { a: 'x' } },
      { bound_claims: { a: 'y' } },
      { a: true },
      ['boundClaims'],
    ],
    [
      'is under another name',
      { bound_claims: { a: 'x' } },
      { bound_claims: { b: 'x' } },
      { a: true, b: true },
      ['boundClaims'],
    ],
    [
      'is one of two that stay',
      { bound_claims: { a: 'x', b: 'y' } },
      { bound_claims: { a: 'x', b: 'y' }, token_ttl: 1 },
      { a: true },
      [],
    ],
    [
      'is one of two, and goes',
      { bound_claims: { a: 'x', b: 'y' } },
      { bound_claims: { b: 'y' } },
      { a: true },
      [],
    ],
    [
      'is replaced by a shown one',
      { bound_claims: { a: 'x' } },
      { bound_claims: { a: 'x', b: 'y' } },
      { a: true },
      [],
    ],
  ])('%s', (_, before, after, marks, fields) => {
    expect(hidden(before, after, { bound_claims: marks }).unknown).toEqual(fields.map(field));
  });

  test('is one of a field that takes no text', () => {
    const ttl = { token_ttl: true };
    expect(hidden({ token_ttl: 60 }, { token_ttl: 60 }, ttl).unknown).toEqual([]);
    const changed = hidden({ token_ttl: 60 }, { token_ttl: 90_000 }, ttl);
    expect(changed.unknown).toEqual([field('ttl')]);
    expect(JSON.stringify(changed)).not.toMatch(/90000|"ttl":60/);
    expect(hidden({ token_ttl: 60 }, {}, ttl).unknown).toEqual([field('ttl')]);
  });

  test('is no secret any more where it is the same and shown', () => {
    const { before, after, unknown } = hidden(
      { bound_subject: 's' },
      { bound_subject: 's' },
      { bound_subject: true },
      {},
    );
    expect([before.roles[0]?.boundSubject, after.roles[0]?.boundSubject, unknown]).toEqual(['s', 's', []]);
  });

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

  test('gives its own text to each value of the plan, and one to the same', () => {
    const marks = { before_sensitive: { bound_subject: true }, after_sensitive: { bound_subject: true } };
    const at = (name: string, subject: string) =>
      entry(`vault_jwt_auth_backend_role.${name}`, {
        before: { ...role, role_name: name, bound_subject: subject },
        after: { ...role, role_name: name, bound_subject: subject },
        ...marks,
      });
    const { after } = compose([at('a', 'x'), at('b', 'y'), at('c', 'x')]);
    const [a, b, c] = after.roles.map(({ boundSubject }) => boundSubject);
    expect([a === c, a === b]).toEqual([true, false]);
  });

  test.each<[string, object, object]>([
    ['stars', { bound_claims_type: 'string' }, { bound_claims_type: 'glob' }],
    ['commas', { disable_bound_claims_parsing: true }, {}],
  ])('that stays is not judged where it is read otherwise: %s', (_, before, after) => {
    const bound = { bound_claims: { a: 'x' } };
    const marks = { bound_claims: { a: true } };
    expect(hidden({ ...bound, ...before }, { ...bound, ...after }, marks).unknown).toEqual([
      field('boundClaims'),
    ]);
    expect(hidden({ ...bound, ...before }, { ...bound, ...after }, {}).unknown).toEqual([]);
  });

  test('may be the name of a policy that changes, or of a mount', () => {
    const at = (name: string) => {
      const own = { ...role, backend: 'staff' };
      const marks = { [name]: true };
      return entry(roleAt, { before: own, after: own, actions: ['no-op'], before_sensitive: marks });
    };
    const policy = entry('vault_policy.a', {
      before: { name: 'a', policy: 'x' },
      after: { name: 'a', policy: 'y' },
    });
    const method = entry('vault_jwt_auth_backend.m', {
      before: staff,
      after: { ...staff, bound_issuer: 'x' },
    });
    const unknownOf = (...changes: object[]) => compose(changes).unknown.map((subject) => subject.field);
    expect(unknownOf(at('token_policies'), policy)).toEqual(['policies']);
    expect(unknownOf(at('backend'), method)).toEqual(['method']);
    expect(unknownOf(at('token_policies'), method)).toEqual([]);
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

  test('of a write to any path is never shown, marked or not', () => {
    const after = { path: 'auth/userpass/users/x', data_json: '{"password":"hunter2","n":{"a":[7]}}' };
    const text = JSON.stringify(compose([entry('vault_generic_endpoint.x', { after })]));
    expect(text).not.toMatch(/hunter2/);
    expect(text).toContain('"password":"(hidden 1)"');
  });
});

describe('what no table knows cannot be judged when it changes', () => {
  test.each<[string, object, object, object[]]>([
    ['a field of a role', {}, { allowed_planets: true }, [field('allowedPlanets')]],
    ['a field of a role that is as good as not set', { alias_metadata: null }, { alias_metadata: {} }, []],
    [
      'a map where a text belongs',
      { bound_claims: { a: 'x' } },
      { bound_claims: 'x' },
      [field('boundClaims')],
    ],
    [
      'a list where a map belongs',
      { claim_mappings: { a: 'b' } },
      { claim_mappings: ['a'] },
      [field('claimMappings')],
    ],
  ])('%s', (_, before, after, unknown) => {
    expect(
      compose([entry(roleAt, { before: { ...role, ...before }, after: { ...role, ...after } })]).unknown,
    ).toEqual(unknown);
  });

  test('how a mount is tuned, where it is not known', () => {
    const at = 'vault_jwt_auth_backend.m';
    expect(
      compose([
        entry(at, { before: staff, after: staff, after_unknown: { tune: [{ max_lease_ttl: true }] } }),
      ]).unknown,
    ).toEqual([{ type: 'method', name: 'staff', field: 'tune' }]);
    const tuned = (max_lease_ttl: string) => ({ ...staff, tune: [{ max_lease_ttl }] });
    expect(compose([entry(at, { before: tuned('1h'), after: tuned('often') })]).unknown).toEqual([
      { type: 'method', name: 'staff', field: 'tune' },
    ]);
  });

  test('the config of a provider that is not known, but not where it stays', () => {
    const at = 'vault_jwt_auth_backend.m';
    const config = (given: object) => ({ ...staff, provider_config: { provider: 'okta', ...given } });
    expect(compose([entry(at, { before: config({ a: '1' }), after: config({ a: '2' }) })]).unknown).toEqual([
      { type: 'method', name: 'staff', field: 'providerConfig' },
    ]);
    const stays = { before: config({}), after: { ...config({}), default_role: 'r' } };
    expect(compose([entry(at, stays)]).unknown).toEqual([]);
  });

  test('metadata of entities and internal groups, which templates of policies may use', () => {
    const entity = { id: 'e', name: 'bob', policies: ['p'] };
    expect(
      compose([
        entry('vault_identity_entity.e', { before: entity, after: { ...entity, metadata: { team: 'x' } } }),
      ]).unknown,
    ).toEqual([{ type: 'entity', name: 'bob', field: 'metadata' }]);
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

test.each<[string, string, unknown, unknown, boolean, boolean]>([
  ['the same', 'bound_subject', '(hidden 1)', '(hidden 1)', true, true],
  ['another one', 'bound_subject', '(hidden 1)', '(hidden 2)', false, true],
  ['shown then', 'bound_subject', '(hidden 1)', 'x', false, true],
  ['gone', 'bound_claims', { a: '(hidden 1)', b: 'x' }, { b: 'x' }, true, true],
  ['gone, and something else new', 'bound_claims', { a: '(hidden 1)' }, { b: 'x' }, false, true],
  [
    'there as before, and something else new',
    'bound_claims',
    { a: '(hidden 1)' },
    { a: '(hidden 1)', b: 'x' },
    true,
    true,
  ],
  [
    'there, while something shown goes',
    'bound_claims',
    { a: '(hidden 1)', b: 'x' },
    { a: '(hidden 1)' },
    true,
    true,
  ],
  ['one of a list less', 'bound_audiences', ['(hidden 1)', '(hidden 2)'], ['(hidden 2)'], true, true],
  ['new in a list', 'bound_audiences', ['(hidden 1)'], ['(hidden 1)', '(hidden 2)'], false, true],
  ['of no text', 'token_ttl', '(hidden 1)', '(hidden 2)', false, false],
  ['of no text, and the same', 'token_ttl', '(hidden 1)', '(hidden 1)', true, false],
  ['of no text, and gone', 'token_ttl', '(hidden 1)', undefined, false, false],
  ['of a field of no table', 'planet', '(hidden 1)', undefined, true, true],
])('a hidden field that is %s', (_, name, old, wanted, isTold, stays) => {
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
