import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { pacing } from '../../providers/pacing.ts';
import { ofType, register } from '../harness/pulumi-mocks.ts';

describe('pacing', () => {
  /** So many resources, of which the first is registered when that is said. */
  function made(count: number) {
    const registration = Promise.withResolvers<string>();
    const urn = { promise: () => registration.promise };
    const going: number[] = [];
    const inTurn = pacing();
    for (let index = 0; index < count; index++) {
      inTurn((dependsOn) => {
        void Promise.resolve(dependsOn).then((resources) => {
          expect(resources).toEqual([]);
          going.push(index);
        });
        return { urn } as unknown as pulumi.Resource;
      });
    }
    return { going, register: () => registration.resolve('urn'), fail: registration.reject };
  }
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await setImmediate();
  };

  test('lets none go before the first is registered', async () => {
    const { going } = made(3);
    await turns(3);
    expect(going).toEqual([0]);
  });

  test('lets all go then, in their order and never more than 32 in a turn', async () => {
    const { going, register: end } = made(100);
    await turns(1);
    end();
    const seen: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const before = going.length;
      await turns(1);
      seen.push(going.length - before);
    }
    expect(Math.max(...seen)).toBeLessThanOrEqual(32);
    expect(going).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  test('lets the others go where the first fails', async () => {
    const { going, fail } = made(3);
    fail(new Error('refused'));
    await turns(4);
    expect(going).toEqual([0, 1, 2]);
  });

  test.each([false, true])('registers each, and none depends on another (preview: %s)', async (preview) => {
    const registered = await register(
      () => {
        const inTurn = pacing();
        for (let index = 0; index < 70; index++)
          inTurn((dependsOn) => new vault.Policy(`policy-${index}`, { policy: 'x' }, { dependsOn }));
      },
      { preview },
    );
    const policies = ofType(registered, 'Policy');
    expect(policies).toHaveLength(70);
    expect(policies.flatMap(({ dependencies }) => dependencies)).toEqual([]);
  });
});
