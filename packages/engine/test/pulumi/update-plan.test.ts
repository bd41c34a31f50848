import { describe, expect, test } from '@jest/globals';
import type { Step } from '../../src/engine.ts';
import { EventRecord, parseEngineEvent } from '../../src/pulumi/event-record.ts';
import { stepsWithPlan } from '../../src/pulumi/update-plan.ts';
import { stackOf } from '../stack-of.ts';
import { roleUrn, stackUrn, update as updateEvents, updatePlan } from './engine-events.ts';

const stack = stackOf({ project: 'gatehouse' });
const role = (plan: ReturnType<typeof updatePlan>) => plan.resourcePlans[roleUrn];

/** As its preview showed it. */
function shown(): Step[] {
  const record = new EventRecord(() => {});
  for (const line of updateEvents(true).split('\n')) {
    const event = parseEngineEvent(line);
    if (event !== undefined) record.add(event);
  }
  return record.result(true, 0).steps;
}
const update = shown();
const withPlan = (plan: object, steps = update) => stepsWithPlan(JSON.stringify(plan), steps, stack);

describe('a plan is taken', () => {
  test('of the steps that its preview showed', () => {
    const steps = withPlan(updatePlan());
    expect(steps.map(({ op, urn }) => [op, urn])).toEqual(update.map(({ op, urn }) => [op, urn]));
  });

  test('and says where a value comes from, which the preview left out', () => {
    const referencesOf = (steps: Step[]) =>
      steps.find(({ urn }) => urn === roleUrn)?.newState?.propertyDependencies['roleName'];
    expect(referencesOf(update)).toBeUndefined();
    expect(referencesOf(withPlan(updatePlan()))).toEqual([stackUrn]);
  });

  test('with or without what plugins note of their defaults', () => {
    const plan = updatePlan();
    role(plan).goal.inputDiff.adds = { __defaults: ['tokenType'] };
    expect(withPlan(plan)).toHaveLength(update.length);
  });

  test('where the preview has read the resource before, too', () => {
    const [first, change] = update as [Step, Step];
    const found: Step = { ...change, newState: change.oldState, refreshed: true };
    expect(withPlan(updatePlan(), [first, found, change])).toHaveLength(3);
  });
});

test('of what previews do not show, a plan may have default plugins, and what only leaves the state', () => {
  const plan = updatePlan();
  plan.resourcePlans['urn:pulumi:dev::gatehouse::pulumi:providers:vault::default_7_8_0'] = {
    steps: ['create'],
  };
  plan.resourcePlans[stackUrn].steps = ['remove-pending-replace'];
  expect(withPlan(plan)).toHaveLength(update.length);
});

describe('a plan is refused', () => {
  const changed = 'other properties';
  const notShown = (step: string) => `a step that the preview did not show (${step})`;
  const [other, extra] = ['pulumi:providers:vault::other::1', 'vault:index/policy:Policy::more'].map(
    (name) => `urn:pulumi:dev::gatehouse::${name}`,
  );
  test.each<[string, (role: any, plans: any) => unknown, string]>([
    ['for another value', ({ goal }) => (goal.inputDiff.updates.tokenTtl = 86_400), changed],
    ['for a further property', ({ goal }) => (goal.inputDiff.updates.tokenPolicies = ['a']), changed],
    ['for one that goes', ({ goal }) => (goal.inputDiff.deletes = ['boundClaims', 'roleName']), changed],
    ['for another service', ({ goal }) => (goal.provider = other), changed],
    ['for another step of a resource', ({ steps }) => steps.push('delete'), notShown('delete')],
    ['where the review had no step', (_, plans) => (plans[stackUrn].steps = ['update']), notShown('update')],
    ['for a further resource', (_, plans) => (plans[`${extra}`] = { steps: ['create'] }), notShown('create')],
    ['for an operation that no one knows', (one) => (one.steps = ['transmute']), notShown('transmute')],
  ])('%s', (_, change, message) => {
    const plan = updatePlan();
    change(role(plan), plan.resourcePlans);
    expect(() => withPlan(plan)).toThrow(message);
  });

  test('without plans of resources', () => {
    const { resourcePlans: _, ...plan } = updatePlan();
    expect(() => withPlan(plan)).toThrow('not valid at resourcePlans');
  });

  test('of another stack', () => {
    const other = JSON.stringify(updatePlan()).replaceAll('urn:pulumi:dev::', 'urn:pulumi:prod::');
    expect(() => stepsWithPlan(other, update, stack)).toThrow('it is of another stack');
  });

  test('that is not JSON', () => {
    expect(() => stepsWithPlan(JSON.stringify(updatePlan()).slice(0, 300), update, stack)).toThrow(
      'not JSON',
    );
  });

  test('without a word of its values', () => {
    const plan = updatePlan();
    role(plan).goal.inputDiff.updates.note = 'hush-hush';
    try {
      withPlan(plan);
      throw new Error('it was taken');
    } catch (error) {
      expect(error).toMatchObject({ code: 'update_plan_unusable' });
      expect(String(error)).not.toContain('hush');
    }
  });
});
