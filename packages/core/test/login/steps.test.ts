import { describe, expect, test } from '@jest/globals';
import type { ByName } from '../../src/graph/resources/field.ts';
import { roleFromWire } from '../../src/graph/resources/role.ts';
import { toCamelCase } from '../../src/graph/values/wire.ts';
import { LoginRefused, loginSteps } from '../../src/login/login-refused.ts';
import { signIn } from '../../src/login/sign-in.ts';
import { breaks, broken, pairs, publicKey } from './sign-in-breaks.ts';

const inModel = (wire: object) =>
  Object.fromEntries(Object.entries(wire).map(([name, value]) => [toCamelCase(name), value]));

async function judged(...given: string[]) {
  const { config, role, login } = await broken(...given);
  const answer = await signIn({
    config: config && inModel(config),
    roleName: login.role,
    role: (name) => role && roleFromWire('jwt', name, role as ByName),
    token: login.jwt,
    keys: () => ({ source: 'configured', keys: [{ key: publicKey, algorithms: ['RS256'] }] }),
    addressAllowed: () => false,
    now: BigInt(Date.now()) * 1_000_000n,
  });
  return answer instanceof LoginRefused ? { step: answer.step, message: answer.message } : answer;
}

const refusalOf = (name: string) => {
  const { step, message } = breaks[name] as (typeof breaks)[string];
  return { step, message };
};

// docs/inside/measured/sign-in.md#jwt-login-in-this-order; the same on both servers:
// secrets-service/test/auth/login-order.both.test.ts.
describe('a sign-in', () => {
  test('that nothing is wrong with is let in', async () => {
    expect(await judged()).toEqual({
      name: 'alice',
      metadata: { role: 'reader', mail: 'alice@example.com' },
      groups: ['admins'],
      policies: [],
    });
  });

  test.each(Object.keys(breaks))('with %s is refused at its step', async (name) => {
    expect(await judged(name)).toEqual(refusalOf(name));
  });

  test.each(pairs)('with %s and %s is refused for the first', async (first, second) => {
    expect(await judged(first, second)).toEqual(refusalOf(first));
  });
});

test('there are ten steps, each of which refuses something, in their order', () => {
  const steps = Object.values(breaks).map(({ step }) => step);
  expect([...new Set(steps)]).toEqual(loginSteps);
  expect(loginSteps).toHaveLength(10);
});
