import { expect, test } from '@jest/globals';
import { up } from '../../src/deployment/deployment.ts';
import { FakeEngine, policyType, resource, result, stackNamed, step } from '../fake-engine.ts';

test('a plan without changes is not reviewed, and is what the engine may apply', async () => {
  const plan = result([step('same', resource(policyType, 'read'))]);
  const engine = new FakeEngine(plan);
  const judged: unknown[] = [];
  const { outcome } = await up(
    { stack: stackNamed('dev'), refresh: false, targets: [], approval: 'given' },
    engine,
    {
      onEvent: () => {},
      confirm: async () => false,
      review: async (reviewed) => {
        judged.push(reviewed);
        return false;
      },
    },
  );
  expect(outcome).toBe('succeeded');
  expect(judged).toEqual([]);
  expect(engine.requests.map(({ dryRun, reviewed }) => [dryRun, reviewed])).toEqual([
    [true, undefined],
    [false, plan],
  ]);
});
