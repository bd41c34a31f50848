import { describe, expect, test } from '@jest/globals';
import { roleToken } from '../../../src/graph/resources/role.ts';
import { roleBody } from '../../../src/graph/resources/role-body.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { serviceWith } from './service-under-plan.ts';
import { compose, entry } from './terraform.ts';

const body = roleBody({
  roleType: 'jwt',
  userClaim: 'sub',
  boundClaims: { admin: true, dn: ['a,b', 'c'] },
  policies: ['p'],
});
const write = (data: object, path = 'auth/ci/role/web') =>
  entry('vault_generic_endpoint.web', {
    after: { path, data_json: JSON.stringify(data) },
    after_sensitive: { data_json: true },
  });

describe('a write to any path', () => {
  test('that is a whole role is judged as the role, with its claims as they are', () => {
    const { after, unknown } = compose([write(body)]);
    expect(after.others).toBeUndefined();
    expect(unknown).toEqual([]);
    expect(after.roles).toMatchObject([
      { method: 'ci', name: 'web', policies: ['p'], boundClaims: { admin: true, dn: ['a,b', 'c'] } },
    ]);
  });

  test.each<[string, object]>([
    ['a part of a role, which keeps what it had', write({ user_claim: 'sub', token_policies: ['p'] })],
    ['more than a role', write({ ...body, cel_program: 'true' })],
    ['a role elsewhere', write(body, 'auth/ci/login')],
    [
      'no object',
      entry('vault_generic_endpoint.web', { after: { path: 'auth/ci/role/web', data_json: '[]' } }),
    ],
  ])('that is %s stays a write', (_, change) => {
    const { after } = compose([change]);
    expect(after.roles).toEqual([]);
    expect(after.others).toHaveLength(1);
  });
});

test('a write without a path cannot be judged', () => {
  const data_json = JSON.stringify(body);
  expect(compose([entry('vault_generic_endpoint.web', { after: { data_json } })]).unknown).toEqual([
    { type: 'other', name: 'vault_generic_endpoint.web' },
  ]);
});

describe('a whole role that is no longer written', () => {
  const path = 'auth/ci/role/web';
  const written = (disable_delete: boolean) => ({ path, data_json: JSON.stringify(body), disable_delete });
  const names = ({ after }: ReturnType<typeof compose>) => after.roles.map(({ name }) => name);
  const endpoint = 'vault_generic_endpoint.web';

  test.each([false, true])('is there where its deletion is disabled: %j', (isDisabled) => {
    const left = isDisabled ? ['web'] : [];
    const before = written(isDisabled);
    expect(names(compose([entry(endpoint, { before })]))).toEqual(left);
    const after = { ...before, path: 'auth/ci/role/job' };
    const replaced = { before, after, actions: ['delete', 'create'] };
    expect(names(compose([entry(endpoint, replaced)]))).toEqual([...left, 'job']);
    const inputs = { path, dataJson: JSON.stringify(body), disableDelete: isDisabled };
    expect(names(preview({ oldState: { inputs, outputs: inputs } }))).toEqual(left);
  });
});

const token = 'vault:generic/endpoint:Endpoint';
function preview({ oldState, newState }: { oldState?: object; newState?: object }) {
  const [old, wanted] = [oldState, newState].map((state) => state && { type: token, custom: true, ...state });
  const op = wanted === undefined ? 'delete' : old === undefined ? 'create' : 'update';
  const urn = `urn:pulumi:dev::p::${token}::web`;
  const [only] = composeChanges(
    readPlan(JSON.stringify({ steps: [{ op, urn, oldState: old, newState: wanted }] })),
  );
  if (only === undefined) throw new Error('nothing was composed');
  return only.change;
}

describe('a role that is written in part on one side', () => {
  const path = 'auth/ci/role/web';
  const part = { user_claim: 'sub', token_policies: ['admin'] };

  test.each([
    ['before', part, body, ['admin'], ['p']],
    ['after', body, part, ['p'], ['admin']],
  ])('%s is a write on both, and what it gave is not lost sight of', (_, before, after, gave, gives) => {
    const [old, wanted] = [before, after].map((data) => JSON.stringify(data));
    const changes = [
      compose([
        entry('vault_generic_endpoint.web', {
          before: { path, data_json: old },
          after: { path, data_json: wanted },
        }),
      ]),
      preview({
        oldState: { inputs: { path, dataJson: old }, outputs: { path, dataJson: old } },
        newState: { inputs: { path, dataJson: wanted } },
      }),
    ];
    for (const change of changes) {
      expect([change.before.roles, change.after.roles, change.unknown]).toEqual([[], [], []]);
      const [was, is] = [change.before, change.after].map(({ others }) => others?.[0]);
      expect([was, is]).toMatchObject([
        { kind: 'write', path, effect: 'gives', policies: gave },
        { kind: 'write', path, effect: 'gives', policies: gives },
      ]);
    }
  });
});

test('a role of the official type that goes on as a write of the whole is the role before and after', () => {
  const official = { backend: 'ci', roleName: 'web', userClaim: 'sub', tokenPolicies: ['admin'] };
  const inputs = { path: 'auth/ci/role/web', dataJson: JSON.stringify(body) };
  const oldState = { type: 'vault:jwt/authBackendRole:AuthBackendRole', inputs: official, outputs: official };
  const { before, after } = preview({ oldState, newState: { inputs } });
  expect(before.roles).toMatchObject([{ method: 'ci', name: 'web', policies: ['admin'] }]);
  expect(after.roles).toMatchObject([{ method: 'ci', name: 'web', policies: ['p'] }]);
});

test('a preview of a role that is written whole is judged as the role, by its inputs where they are all there is', () => {
  const inputs = { path: 'auth/ci/role/web', dataJson: JSON.stringify(body) };
  const role = { method: 'ci', name: 'web', policies: ['p'] };
  const found = { ...inputs, dataJson: JSON.stringify({ ...body, token_policies: ['found'] }) };
  expect(preview({ newState: { inputs } }).after.roles).toMatchObject([role]);
  expect(preview({ oldState: { inputs } }).before.roles).toMatchObject([role]);
  expect(preview({ oldState: { inputs, outputs: { path: '[secret]' } } }).before.roles).toMatchObject([role]);
  expect(preview({ oldState: { inputs, outputs: found } }).before.roles).toMatchObject([
    { ...role, policies: ['found'] },
  ]);
});

describe('where a write to the path of a role ends, hidden or not', () => {
  const path = 'auth/ci/role/web';
  const at = { type: token, custom: true, id: path };
  const urnOf = (type: string) => `urn:pulumi:dev::p::${type}::web`;
  const official = {
    backend: 'ci',
    roleName: 'web',
    roleType: 'jwt',
    userClaim: 'sub',
    tokenPolicies: ['admin'],
  };
  const live = serviceWith(`
    method ci
    role web p`);
  const composed = (steps: object[]) => {
    const [first] = composeChanges(readPlan(JSON.stringify({ steps })), live);
    if (first === undefined) throw new Error('nothing was composed');
    const { before, after, taken, unknown } = first.change;
    const [had, has] = [before, after].map(({ roles }) =>
      roles.map(({ name, policies }) => [name, policies]),
    );
    return {
      had,
      has,
      writes: [...(before.others ?? []), ...(after.others ?? [])],
      taken,
      unknown,
    };
  };
  const had = { had: [['web', ['p']]], writes: [], taken: [], unknown: [] };

  test.each([JSON.stringify(body), '[secret]', { value: '[secret]' }])('with the body %j', (dataJson) => {
    const inputs = { path, dataJson };
    const oldState = { ...at, inputs, outputs: inputs };
    const newState = { type: roleToken, custom: true, inputs: official };
    // As Pulumi's CLI tells it: the deletion under the URN of before.
    const replacement = [
      { op: 'delete-replaced', urn: urnOf(token), oldState },
      { op: 'replace', urn: urnOf(roleToken), oldState, newState },
      { op: 'create-replacement', urn: urnOf(roleToken), oldState, newState },
    ];
    expect(composed(replacement)).toEqual({ ...had, has: [['web', ['admin']]] });
    expect(composed([{ op: 'delete', urn: urnOf(token), oldState }])).toEqual({ ...had, has: [] });
  });

  test('all of its access is gained where no service tells what it was', () => {
    const inputs = { path, dataJson: '[secret]' };
    const oldState = { ...at, inputs, outputs: inputs };
    const newState = { type: roleToken, custom: true, inputs: official };
    const step = { op: 'replace', urn: urnOf(roleToken), oldState, newState };
    const plan = readPlan(JSON.stringify({ steps: [step] }));
    expect(composeChanges(plan)[0]?.change.before.roles).toEqual([]);
    expect(plan.notes.join()).toContain('Only a review that reads the service shows what they lose.');
  });

  test('a role that is left there stays, as it is', () => {
    const inputs = { path, dataJson: '[secret]', disableDelete: true };
    const oldState = { ...at, inputs, outputs: inputs };
    expect(composed([{ op: 'delete', urn: urnOf(token), oldState }]).has).toEqual([['web', ['p']]]);
  });
});
