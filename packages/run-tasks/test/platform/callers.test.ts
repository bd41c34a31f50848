import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '../../../core/src/graph/values/errors.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { actingPolicy, Callers, holds } from '../../src/platform/callers.ts';

/** Callers of a service that answers as it is told, and says how often it was asked. */
function callers(answer: () => object, namespace?: string) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const known = new Callers({
    namespace,
    now: () => clock.now,
    clientOf: (token) => ({
      read: async (path: string) => {
        asked.push(`${token} ${path}`);
        return { data: { ...answer() } };
      },
    }),
  });
  return { known, asked, clock };
}
const refuse = (code: ErrorCode) => () => {
  throw new GatehouseError({ code, what: 'no' });
};

describe('who asks the platform', () => {
  test('without a name is called by what it has', async () => {
    expect(await callers(() => ({ policies: [] })).known.of('t')).toMatchObject({ name: 'token' });
  });

  test.each([
    ['gatehouse-deploy', ['gatehouse-deploy'], [], true],
    ['root', ['root'], [], true],
    ['the policy by a group', ['default'], ['gatehouse-deploy'], true],
    ['root of an identity, which no service gives', ['default'], ['root'], false],
    ['another one', ['gatehouse-deployer'], [], false],
    ['none', [], [], false],
  ])('may act with %s: the answer', async (_, policies, identity, mayAct) => {
    const { known } = callers(() => ({ display_name: 'alice', policies, identity_policies: identity }));
    expect(await known.of('t')).toMatchObject({ name: 'alice', mayAct });
  });

  test('is told from others of the same name by the entity, and without one by the token', async () => {
    const ids = async (entity_id?: string) => {
      const { known } = callers(() => ({ display_name: 'alice', entity_id }));
      return [(await known.of('t'))?.id, (await known.of('u'))?.id];
    };
    expect(await ids('e-1')).toEqual(['entity e-1', 'entity e-1']);
    const [one, other] = await ids('');
    expect(one).not.toBe(other);
    expect(one).not.toContain(' t');
  });

  test('has a policy of its own namespace, and none of another with the same name', async () => {
    const policies = [{ namespace: 'team', name: 'accept' }];
    expect(holds({ policies }, { namespace: 'team', name: 'Accept' })).toBe(true);
    for (const namespace of ['', 'team/a'])
      expect(holds({ policies }, { namespace, name: 'accept' })).toBe(false);
    const root = [{ namespace: 'team', name: 'root' }];
    expect(holds({ policies: root }, { namespace: '', name: 'accept' })).toBe(false);
    // @ts-expect-error: a name alone is no policy
    expect(() => holds({ policies }, actingPolicy)).not.toThrow();
  });

  test.each([
    ['root, as nothing is said', undefined, undefined],
    ['root, as the client says it', 'root', undefined],
    ['one', 'team', 'team/'],
    ['one in another, with slashes', '/team/a/', 'team/a/'],
  ])('is known in the namespace of the token: %s', async (_, own, namespace_path) => {
    const { known } = callers(() => ({ policies: ['gatehouse-deploy'], namespace_path }), own);
    expect(await known.of('t')).toMatchObject({ mayAct: true });
  });

  test.each([
    ['a namespace below', 'team/', undefined, ['team', 'the root namespace']],
    ['the root namespace', undefined, 'team', ['the root namespace', 'team']],
    ['another namespace beside', 'team/a/', 'team/b', ['team/a', 'team/b']],
    ['one whose name begins alike', 'team/ab/', 'team/a', ['team/ab', 'team/a']],
  ])('is refused with a token of %s, whatever it has', async (_, path, own, [given, allowed]) => {
    const { known, asked } = callers(() => ({ policies: ['root'], namespace_path: path }), own);
    const refused = { code: 'caller_of_other_namespace', parts: { given, allowed } };
    await expect(known.of('t')).rejects.toMatchObject(refused);
    await expect(known.of('t')).rejects.toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  test('is nobody where the service refuses the token', async () => {
    expect(await callers(refuse('permission_denied')).known.of('t')).toBeUndefined();
  });

  test('is not known where the service cannot be asked, and that is not remembered', async () => {
    const { known, asked } = callers(refuse('service_unreachable'));
    await expect(known.of('t')).rejects.toThrow('no');
    await expect(known.of('t')).rejects.toThrow('no');
    expect(asked).toEqual(['t auth/token/lookup-self', 't auth/token/lookup-self']);
  });

  test('is asked for again after three seconds, and not before', async () => {
    let policies = ['root'];
    const { known, asked, clock } = callers(() => ({ policies }));
    await known.of('t');
    policies = [];
    clock.now = 2999;
    expect((await known.of('t'))?.mayAct).toBe(true);
    clock.now = 3000;
    expect((await known.of('t'))?.mayAct).toBe(false);
    expect(asked).toHaveLength(2);
  });

  test('is asked for at once where somebody decides', async () => {
    let policies = ['root'];
    const { known } = callers(() => ({ policies }));
    await known.of('t');
    policies = [];
    expect((await known.of('t', { isFresh: true }))?.mayAct).toBe(false);
    expect((await known.of('t'))?.mayAct).toBe(false);
  });
});
