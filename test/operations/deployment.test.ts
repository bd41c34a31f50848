import { describe, expect, test } from '@jest/globals';
import type { DeploymentResult } from '../../engine/engine.ts';
import type { Approval } from '../../operations/deployment.ts';
import { destroy, preview, refresh, up } from '../../operations/deployment.ts';
import { FakeEngine, policyType, resource, result, stackNamed, step } from './fake-engine.ts';

const changing = result([step('create', resource(policyType, 'p'))]);
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

describe.each([
  ['up', up],
  ['refresh', refresh],
  ['destroy', destroy],
] as const)('%s', (verb, operate) => {
  test('approved beforehand: applies at once', async () => {
    const engine = new FakeEngine(changing);
    const done = await operate(request('given'), engine, sinkThatSays(false));
    expect(done).toEqual({ verb, outcome: 'succeeded', applied: true, deployment: changing });
    expect(engine.requests).toEqual([{ verb, dryRun: false, refresh: true, targets: ['urn:x'] }]);
  });

  test('with a person to ask: plans, shows the plan, applies', async () => {
    const engine = new FakeEngine(changing);
    const sink = sinkThatSays(true);
    const done = await operate(request('ask'), engine, sink);
    expect(done.outcome).toBe('succeeded');
    expect(sink.plans).toEqual([changing]);
    expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true, false]);
  });

  test('declined: applies nothing', async () => {
    const engine = new FakeEngine(changing);
    const done = await operate(request('ask'), engine, sinkThatSays(false));
    expect(done).toMatchObject({ outcome: 'declined', applied: false });
    expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
  });

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

  test('with nobody to ask: refuses before anything is run', async () => {
    const engine = new FakeEngine(changing);
    await expect(operate(request('none'), engine, sinkThatSays(true))).rejects.toMatchObject({
      code: 'confirmation_needed',
    });
    expect(engine.requests).toEqual([]);
  });

  test('a deployment that fails has failed', async () => {
    const done = await operate(request('given'), new FakeEngine(failing), sinkThatSays(true));
    expect(done.outcome).toBe('failed');
  });
});

describe('preview', () => {
  test('asks the engine for a plan and nothing else', async () => {
    const engine = new FakeEngine(changing);
    const done = await preview(request('none'), engine, { onEvent: () => {} });
    expect(done).toEqual({ verb: 'preview', outcome: 'succeeded', applied: false, deployment: changing });
    expect(engine.requests).toEqual([{ verb: 'preview', dryRun: true, refresh: true, targets: ['urn:x'] }]);
  });
});
