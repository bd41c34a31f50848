import { describe, expect, test } from '@jest/globals';
import type { DeploymentResult } from '../../../engine/src/engine.ts';
import { type Approval, destroy, refresh, up } from '../../src/deployment/deployment.ts';
import { FakeEngine, policyType, resource, result, stackNamed, step } from '../fake-engine.ts';

const unchanging = result([step('same', resource(policyType, 'p'))]);
const failing = result([], { succeeded: false });
const request = (approval: Approval) => ({
  stack: stackNamed('dev'),
  refresh: true,
  targets: ['urn:x'],
  approval,
});

/** A sink whose person answers so, and which notes the plans that were shown. */
const sinkThatSays = (answer: boolean) => {
  const plans: DeploymentResult[] = [];
  return {
    plans,
    onEvent: () => {},
    confirm: async (plan: DeploymentResult) => {
      plans.push(plan);
      return answer;
    },
  };
};

// What is asked and applied otherwise is in packages/cli/test/main.test.ts.
describe.each([
  ['up', up],
  ['refresh', refresh],
  ['destroy', destroy],
] as const)('%s', (_, operate) => {
  test('a plan that changes nothing is not asked about', async () => {
    const engine = new FakeEngine(unchanging);
    const sink = sinkThatSays(false);
    expect(await operate(request('ask'), engine, sink)).toMatchObject({
      outcome: 'succeeded',
      applied: false,
    });
    expect(sink.plans).toEqual([]);
  });

  test('a plan that fails is not asked about and not applied', async () => {
    const engine = new FakeEngine(failing);
    expect(await operate(request('ask'), engine, sinkThatSays(true))).toMatchObject({ outcome: 'failed' });
    expect(engine.requests).toHaveLength(1);
  });

  test('a deployment that fails has failed', async () => {
    const done = await operate(request('given'), new FakeEngine(failing), sinkThatSays(true));
    expect(done.outcome).toBe('failed');
  });
});
