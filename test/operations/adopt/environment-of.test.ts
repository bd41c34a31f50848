import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { declare } from '../../../core/model/declared.ts';
import { type Environment, parseEnvironment } from '../../../core/model/environment.ts';
import type { Role } from '../../../core/model/resources/role.ts';
import type { State } from '../../../core/model/state.ts';
import { stateDifferences } from '../../../core/model/state-difference.ts';
import { environmentOf } from '../../../operations/adopt/environment-of.ts';
import { root } from '../../harness/environment-under-test.ts';

const service: Environment['service'] = {
  address: 'https://secrets.example.com:8200',
  dialect: 'vault',
  features: { messages: true },
};

/** What a stack of this project declares, its policies' texts put in place. */
function declaredBy(name: string): State {
  const { config } = parse(readFileSync(`${root}/Pulumi.${name}.yaml`, 'utf8'));
  const given = Object.fromEntries(
    Object.entries<any>(config).map(([key, value]) => [key.slice('gatehouse:'.length), value]),
  );
  for (const key of ['clientSecrets', 'serviceAccountKeys', 'runTaskKeys'])
    if (given[key]) given[key] = Object.keys(given[key]);
  given['policies'] = given['policies']?.map(({ name: policy }: any) => ({
    name: policy,
    policy: `# ${policy}`,
  }));
  return declare(parseEnvironment({ ...given, service }));
}

const redeclared = (state: State) => {
  const { left: _left, policies, ...environment } = environmentOf(state, service);
  return declare(
    parseEnvironment({
      ...environment,
      policies: policies.map(({ name, text }) => ({ name, policy: text })),
    }),
  );
};

test('the dev stack, read back from what it declares, declares the same', () => {
  const state = declaredBy('dev');
  expect(environmentOf(state, service).left).toEqual([]);
  expect(stateDifferences(redeclared(state), state)).toEqual([]);
});

describe('what no environment comes to is left, with the reason', () => {
  const jwt = {
    path: 'ci',
    type: 'jwt' as const,
    config: { oidcDiscoveryUrl: 'https://ci.example.com', boundIssuer: 'https://ci.example.com' },
  };
  const empty: State = { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
  const role: Role = {
    method: 'ci',
    name: 'build',
    roleType: 'jwt',
    userClaim: 'sub',
    boundAudiences: ['x'],
  };
  const leftOf = (state: Partial<State>) =>
    environmentOf({ ...empty, ...state }, service).left.map(({ subject }) => [subject.type, subject.name]);

  test('a method with keys by address', () => {
    expect(leftOf({ methods: [{ ...jwt, config: { jwksUrl: 'https://ci.example.com/keys' } }] })).toEqual([
      ['method', 'ci'],
    ]);
  });

  test('a workload’s role that is not bound to a service account', () => {
    expect(leftOf({ methods: [jwt], roles: [role] })).toEqual([['role', 'build']]);
  });

  test('a group without an alias', () => {
    expect(leftOf({ groups: [{ name: 'g', policies: [] }] })).toEqual([['group', 'g']]);
  });

  test('the second of two messages whose titles come to one name', () => {
    const message = {
      title: 'Hello',
      message: 'x',
      type: 'banner' as const,
      authenticated: true,
      startTime: '2026-01-01T00:00:00Z',
    };
    expect(leftOf({ messages: [message, { ...message, title: 'hello!' }] })).toEqual([['message', 'hello!']]);
  });
});

test('a role says that a default of its kind is not set', () => {
  const state = declaredBy('dev');
  const [role] = state.roles.filter(({ method }) => method === 'staff');
  if (role === undefined) throw new Error('the dev stack has one');
  const { oidcScopes: _scopes, groupsClaim: _claim, ...bare } = role;
  const changed = { ...state, roles: [bare, ...state.roles.filter((one) => one !== role)] };
  expect(stateDifferences(redeclared(changed), changed)).toEqual([]);
});
