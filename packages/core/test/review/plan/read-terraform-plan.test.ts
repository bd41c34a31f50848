import { describe, expect, test } from '@jest/globals';
import type { PlannedResource } from '../../../src/review/plan/planned-resource.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { entry, same, terraform } from './terraform.ts';

const read = (changes: object[], rest: object = {}) => readPlan(terraform(changes, rest));
const policyAt = 'vault_policy.p';
const [old, wanted] = [
  { name: 'p', policy: 'x' },
  { name: 'p', policy: 'y' },
];
const sides = ({ before, after, replaced, changes, isLeftover }: PlannedResource) => ({
  before: before?.fields,
  after: after?.fields,
  isSame: before === after,
  replaced,
  changes,
  isLeftover,
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
    return { before: one?.before?.fields, after: one?.after?.fields, unknown: one?.after?.unknown };
  };
  const configured = (field: string) => {
    const expressions = { [field]: { references: ['vault_policy.p'] } };
    return { configuration: { root_module: { resources: [{ address: roleAt, expressions }] } } };
  };

  test('are what is not null', () => {
    const found = role({ before: { a: 1, b: null }, after: { a: null, b: 2 } });
    expect(found).toMatchObject({ before: { a: 1 }, after: { b: 2 } });
  });

  test('have none of a client secret', () => {
    const after = { oidc_client_secret: 't', oidc_client_secret_wo: 'u' };
    const found = role({ before: { oidc_client_secret: 's' }, after });
    expect([found.before, found.after]).toEqual([{}, {}]);
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
    /** What is shown of both sides, and what is unknown. */
    const shown = (...given: Parameters<typeof hidden>) => {
      const { before, after, unknown } = hidden(...given);
      return [before?.['a'], after?.['a'], ...(unknown ?? [])];
    };
    expect(shown({ a: 'x' }, mark)).toEqual([text, text]);
    expect(shown({ a: 'x' }, mark, {})).toEqual(['x', 'x']);
    expect(shown({ a: 'y' }, mark, {})).toEqual([text, 'y', 'a']);
    expect(shown({ a: 'y' }, {}, mark)).toEqual(['x', text, 'a']);
    expect(shown({ a: 'y' }, mark)).toEqual([text, text, 'a']);
    expect(shown({}, mark, {})).toEqual([text, undefined]);
    // A mark of all hides all.
    expect(role({ after: { a: 'x' }, after_sensitive: true as never })).toMatchObject({ after: { a: text } });
  });

  test('of a write are hidden, whether marked or not, but for names of policies', () => {
    const data = JSON.stringify({ token_policies: ['p'], a: 'x' });
    const after = { path: 'auth/x', data_json: data };
    const [one] = read([entry('vault_generic_endpoint.e', { after })]).resources;
    expect(one?.after?.fields).toEqual({ ...after, data_json: { token_policies: ['p'], a: '(hidden 1)' } });
  });
});

const secrets: Record<string, [isRotated: boolean, before: object, after: object, after_unknown?: object]> = {
  changes: [true, { oidc_client_secret: 'a' }, { oidc_client_secret: 'b' }],
  stays: [false, { oidc_client_secret: 'a' }, { oidc_client_secret: 'a' }],
  'is not known': [true, { oidc_client_secret: 'a' }, {}, { oidc_client_secret: true }],
  'is null and missing': [false, { oidc_client_secret: null }, {}],
  'is written by another number': [true, versioned(1), versioned(2)],
  'is no secret': [false, { bound_issuer: 'a' }, { bound_issuer: 'b' }],
};
test.each(Object.entries(secrets))(
  'a client secret that %s',
  (_, [isRotated, before, after, after_unknown]) => {
    const change = { before, after, ...(after_unknown && { after_unknown }) };
    const [one] = read([entry('vault_jwt_auth_backend.m', change)]).resources;
    expect(one?.rotated).toEqual(isRotated ? ['oidc_client_secret'] : []);
  },
);

function versioned(oidc_client_secret_wo_version: number): object {
  return { oidc_client_secret_wo_version };
}

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
  const resource = (address: string, fields = {}) => ({
    address,
    mode: 'managed',
    type: 'vault_policy',
    values: old,
    ...fields,
  });
  const resources = [
    ...['a', 'b', 'c'].map((name) => resource(`vault_policy.${name}`)),
    resource('vault_policy.d', { deposed_key: 'x' }),
    resource('aws_x.e', { type: 'aws_x' }),
  ];
  const child_modules = [{ resources: [resource('module.m.vault_policy.f')] }];
  const prior_state = { values: { root_module: { resources, child_modules } } };
  const readdressed = { ...entry('vault_policy.a2', same(old)), previous_address: 'vault_policy.a' };
  const plan = read([readdressed, entry('vault_policy.b', same(old))], { prior_state });
  expect(plan.resources.map(({ address }) => address)).toEqual([
    'vault_policy.a2',
    'vault_policy.b',
    'vault_policy.c',
    'module.m.vault_policy.f',
  ]);
  expect(plan.passedOver).toEqual([]);
});

test('what is passed over is counted by type, with what changes', () => {
  const one = (address: string, given: object) => entry(address, given);
  const { passedOver } = read([
    one('vault_x.a', { after: {} }),
    one('vault_x.b', same({})),
    one('aws_x.c', { before: {} }),
    one('openbao_x.f', { after: {} }),
    { ...one('bao_x.g', { after: {} }), provider_name: 'registry.opentofu.org/openbao/openbao' },
  ]);
  expect(passedOver).toEqual([
    { type: 'aws_x', count: 1, changed: 1, ofService: false },
    { type: 'bao_x', count: 1, changed: 1, ofService: true },
    { type: 'openbao_x', count: 1, changed: 1, ofService: true },
    { type: 'vault_x', count: 2, changed: 1, ofService: true },
  ]);
});
