import { describe, expect, test } from '@jest/globals';
import type { PlannedResource } from '../../../../core/review/plan/planned-resource.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { entry, same, terraform } from './terraform.ts';

const read = (changes: object[], rest: object = {}) => readPlan(terraform(changes, rest));
const policyAt = 'vault_policy.p';
const [old, wanted] = [
  { name: 'p', policy: 'x' },
  { name: 'p', policy: 'y' },
];
const sides = ({ before, after, replaced, changes, isLeftover }: PlannedResource) => ({
  ...{ before: before?.fields, after: after?.fields, isSame: before === after },
  ...{ replaced, changes, isLeftover },
});

const cases: Record<string, [object, ...object[]]> = {
  created: [{ after: wanted }, { after: wanted, changes: true }],
  updated: [
    { before: old, after: wanted },
    { before: old, after: wanted, changes: true },
  ],
  deleted: [{ before: old }, { before: old, changes: true }],
  kept: [same(old), { before: old, after: old, isSame: true, changes: false }],
  'kept, whatever is said of after': [
    { before: old, after: wanted, actions: ['no-op'] },
    { before: old, after: old, isSame: true, changes: false },
  ],
  'deleted first': [
    { before: old, after: wanted, actions: ['delete', 'create'] },
    { before: old, after: wanted, replaced: 'delete-first', changes: true },
  ],
  'created first': [
    { before: old, after: wanted, actions: ['create', 'delete'] },
    { before: old, after: wanted, replaced: 'create-first', changes: true },
  ],
  forgotten: [
    { before: old, actions: ['forget'] },
    { before: old, after: old, isSame: true, changes: true },
  ],
  'forgotten, with another in its stead': [
    { before: old, after: wanted, actions: ['create', 'forget'] },
    { before: old, after: old, isSame: true, changes: true },
    { after: wanted, changes: true },
  ],
  'forgotten, and was not there': [{ actions: ['forget'] }, { changes: true, isSame: true }],
  'only read': [{ after: wanted, actions: ['read'] }],
};
test.each(Object.entries(cases))('a resource that is %s', (_, [given, ...expected]) => {
  const empty = {
    before: undefined,
    after: undefined,
    isSame: false,
    replaced: undefined,
    isLeftover: undefined,
  };
  expect(read([entry(policyAt, given)]).resources.map(sides)).toEqual(
    expected.map((one) => ({ ...empty, ...one })),
  );
});

test('an object that is still to be deleted has a name of its own', () => {
  const [one] = read([{ ...entry(policyAt, { before: old }), deposed: 'd1' }]).resources;
  expect(one).toMatchObject({ address: `${policyAt} (deposed d1)`, isLeftover: true });
});

test('a data source is no resource', () => {
  expect(read([{ ...entry(policyAt, { after: old }), mode: 'data' }]).resources).toEqual([]);
});

describe('the values of a resource', () => {
  const roleAt = 'vault_jwt_auth_backend_role.r';
  const role = (given: object, rest: object = {}) => {
    const [one] = read([entry(roleAt, given)], rest).resources;
    return {
      before: one?.before?.fields,
      after: one?.after?.fields,
      unknown: one?.after?.unknown,
      references: one?.after?.references,
    };
  };
  const configured = (...fields: string[]) => ({
    configuration: {
      root_module: {
        resources: [
          {
            address: roleAt,
            expressions: Object.fromEntries(
              fields.map((field) => [field, { references: ['vault_policy.p'] }]),
            ),
          },
        ],
      },
    },
  });

  test('are what is not null', () => {
    expect(role({ before: { a: 1, b: null }, after: { a: null, b: 2 } })).toMatchObject({
      before: { a: 1 },
      after: { b: 2 },
    });
  });

  test('have none of a client secret', () => {
    expect(
      role({
        before: { oidc_client_secret: 's' },
        after: { oidc_client_secret: 't', oidc_client_secret_wo: 'u' },
      }),
    ).toMatchObject({ before: {}, after: {} });
  });

  test('are unknown where the configuration gives them, or says nothing', () => {
    const after_unknown = { a: true, b: [{ c: true }], d: false, e: [] };
    const given = { after: { b: [{}] }, after_unknown };
    expect(role(given)).toMatchObject({ after: {}, unknown: ['b', 'a'] });
    expect(role(given, configured('a')).unknown).toEqual(['b', 'a']);
    expect(role(given, configured('x')).unknown).toEqual(['b']);
    expect(role({ after: {}, after_unknown: true }).unknown).toEqual([]);
    expect(role({ after: { a: 1 }, after_unknown: true }).unknown).toEqual(['a']);
  });

  test('come from resources of the plan', () => {
    const references = (other: object) =>
      read([entry(roleAt, { after: {}, after_unknown: { a: true } }), other], configured('a')).resources[0]
        ?.after?.references;
    expect(references(entry(policyAt, { after: old }))).toEqual({ a: [policyAt] });
    expect(references(entry('vault_policy.q', { after: old }))).toEqual({});
  });

  test('that are hidden on both sides are not shown, and those on one only where they differ', () => {
    const hidden = (after: object, before_sensitive: object, after_sensitive?: object) =>
      role({ before: { a: 'x' }, after, before_sensitive, ...(after_sensitive && { after_sensitive }) });
    const [mark, text] = [{ a: true }, expect.stringMatching(/^\(hidden \d+\)$/)];
    expect(hidden({ a: 'x' }, mark)).toMatchObject({ before: { a: text }, after: { a: text }, unknown: [] });
    expect(hidden({ a: 'x' }, mark, {})).toMatchObject({
      before: { a: 'x' },
      after: { a: 'x' },
      unknown: [],
    });
    expect(hidden({ a: 'y' }, mark, {})).toMatchObject({
      before: { a: text },
      after: { a: 'y' },
      unknown: ['a'],
    });
    expect(hidden({ a: 'y' }, {}, mark)).toMatchObject({
      before: { a: 'x' },
      after: { a: text },
      unknown: ['a'],
    });
    expect(hidden({ a: 'y' }, mark)).toMatchObject({ unknown: ['a'] });
    expect(hidden({}, mark, {})).toMatchObject({ before: { a: text }, after: {}, unknown: [] });
    // A mark of all hides all.
    expect(role({ after: { a: 'x' }, after_sensitive: true as never })).toMatchObject({ after: { a: text } });
  });

  test('of a write are hidden, whether marked or not, but for names of policies', () => {
    const data = JSON.stringify({ token_policies: ['p'], a: 'x' });
    const [one] = read([
      entry('vault_generic_endpoint.e', { after: { path: 'auth/x', data_json: data } }),
    ]).resources;
    expect(one?.after?.fields).toEqual({
      path: 'auth/x',
      data_json: { token_policies: ['p'], a: '(hidden 1)' },
    });
  });
});

test.each<[string, object, object, object | undefined, boolean]>([
  ['changes', { oidc_client_secret: 'a' }, { oidc_client_secret: 'b' }, undefined, true],
  ['stays', { oidc_client_secret: 'a' }, { oidc_client_secret: 'a' }, undefined, false],
  ['is not known', { oidc_client_secret: 'a' }, {}, { oidc_client_secret: true }, true],
  ['is null and missing', { oidc_client_secret: null }, {}, undefined, false],
  [
    'is written by another number',
    { oidc_client_secret_wo_version: 1 },
    { oidc_client_secret_wo_version: 2 },
    undefined,
    true,
  ],
  ['is no secret', { bound_issuer: 'a' }, { bound_issuer: 'b' }, undefined, false],
])('a client secret that %s', (_, before, after, after_unknown, isRotated) => {
  const change = { before, after, ...(after_unknown && { after_unknown }) };
  const [one] = read([entry('vault_jwt_auth_backend.m', change)]).resources;
  expect(one?.rotated).toEqual(isRotated ? ['oidc_client_secret'] : []);
});

test('what is made or deleted rotates no secret', () => {
  const secret = { path: 'm', oidc_client_secret: 'a' };
  const rotated = [{ after: secret }, { before: secret }].map(
    (given) => read([entry('vault_jwt_auth_backend.m', given)]).resources[0]?.rotated,
  );
  expect(rotated).toEqual([[], []]);
});

test('a plan of Gatehouse says more than the format does', () => {
  const given = (gatehouse: object) => [
    { ...entry(policyAt, { before: old, after: wanted, actions: ['delete', 'create'] }), gatehouse },
  ];
  const [one] = read(
    given({ is_unordered: true, before: { policy: '(hidden 1)' }, after: { extra: 'z' } }),
  ).resources;
  expect(one).toMatchObject({ replaced: 'unordered', after: { fields: { ...wanted, extra: 'z' } } });
  // What stands for a hidden value there is a value here.
  expect(one?.before?.fields).toEqual({ name: 'p', policy: '((hidden 1)' });
  const lasts = [{ deletes_last: true }, { deletes_last: false }, {}].map(
    (gatehouse) => read([], { gatehouse }).deletesLast,
  );
  expect([...lasts, read([]).deletesLast]).toEqual([true, false, false, false]);
});

test('what the state has in addition is kept, unless the plan has it under either address', () => {
  const resource = (address: string, more = {}) => ({
    address,
    mode: 'managed',
    type: 'vault_policy',
    values: old,
    ...more,
  });
  const prior_state = {
    values: {
      root_module: {
        resources: [
          resource('vault_policy.a'),
          resource('vault_policy.b'),
          resource('vault_policy.c'),
          resource('vault_policy.d', { deposed_key: 'x' }),
          resource('aws_x.e', { type: 'aws_x' }),
        ],
        child_modules: [{ resources: [resource('module.m.vault_policy.f')] }],
      },
    },
  };
  const moved = { ...entry('vault_policy.a2', same(old)), previous_address: 'vault_policy.a' };
  const { resources, passedOver } = read([moved, entry('vault_policy.b', same(old))], { prior_state });
  expect(resources.map(({ address }) => address)).toEqual([
    'vault_policy.a2',
    'vault_policy.b',
    'vault_policy.c',
    'module.m.vault_policy.f',
  ]);
  expect(passedOver).toEqual([]);
});

test('what is passed over is counted by type, with what changes', () => {
  const one = (address: string, given: object) => entry(address, given);
  const { passedOver } = read([
    ...[one('vault_x.a', { after: {} }), one('vault_x.b', same({})), one('aws_x.c', { before: {} })],
    ...[
      one('vault_kv_secret_v2.d', { after: { mount: 'sys', name: 'x' } }),
      one('vault_kv_secret.e', { after: { path: 'auth/x' } }),
    ],
  ]);
  expect(passedOver).toEqual([
    { type: 'aws_x', count: 1, changed: 1, ofService: false },
    { type: 'vault_kv_secret', count: 1, changed: 1, ofService: true },
    { type: 'vault_kv_secret_v2', count: 1, changed: 1, ofService: true },
    { type: 'vault_x', count: 2, changed: 1, ofService: true },
  ]);
});
