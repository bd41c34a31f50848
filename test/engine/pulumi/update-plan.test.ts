import { describe, expect, test } from '@jest/globals';
import type { Step } from '../../../engine/engine.ts';
import { stepsWithPlan, withFormerDeletes } from '../../../engine/pulumi/update-plan.ts';
import { aliasType, firstPreview } from '../../recorded/first-preview.ts';
import { recordedPlan, recordedRun } from '../../recorded/recorded.ts';
import { resource } from '../arbitraries.ts';
import { stackOf } from '../stack-of.ts';

const stack = stackOf({ project: 'gatehouse' });
const update = recordedRun('save-plan-update').steps;
const planOf = (name: Parameters<typeof recordedPlan>[0]) => JSON.parse(recordedPlan(name));
const named = (plan: any, name: string) =>
  Object.entries<any>(plan.resourcePlans).find(([urn]) => urn.endsWith(`::${name}`))?.[1];

describe('a plan that a real CLI saved', () => {
  test('of a first up is of the steps that it made', () => {
    expect(stepsWithPlan(recordedPlan('save-plan-create'), firstPreview(), stack)).toHaveLength(49);
  });

  test('of a change is of the steps that its preview showed', () => {
    const steps = stepsWithPlan(recordedPlan('save-plan-update'), update, stack);
    expect(steps.map(({ op, urn }) => [op, urn])).toEqual(update.map(({ op, urn }) => [op, urn]));
  });

  test('says where an unknown value comes from, which the preview left out', () => {
    const referencesOf = (steps: Step[]) =>
      steps.find(({ type }) => type === aliasType)?.newState?.propertyDependencies['mountAccessor'];
    expect(referencesOf(firstPreview())).toBeUndefined();
    const [mount] =
      referencesOf(stepsWithPlan(recordedPlan('save-plan-create'), firstPreview(), stack)) ?? [];
    expect(mount).toMatch(/vault:jwt\/authBackend:AuthBackend::/);
  });
});

test('of what previews do not show, a plan may have default plugins, and what only leaves the state', () => {
  const plan = planOf('save-plan-update');
  const steps = ['create'];
  plan.resourcePlans['urn:pulumi:dev::gatehouse::pulumi:providers:vault::default_7_8_0'] = { steps };
  named(plan, 'staff-reader').steps = ['remove-pending-replace'];
  expect(stepsWithPlan(JSON.stringify(plan), update, stack)).toHaveLength(49);
});

describe('a plan of a resource that an alias finds under another type, to be deleted first', () => {
  const [type, former] = ['vault:generic/endpoint:Endpoint', 'vault:jwt/authBackendRole:AuthBackendRole'];
  const urnOf = (one: string) => `urn:pulumi:dev::gatehouse::${one}::cluster-web`;
  const oldState = { ...resource(urnOf(former)), inputs: { __defaults: ['tokenType'], backend: 'cluster' } };
  const newState = { ...resource(urnOf(type)), inputs: { __defaults: ['disableRead'], path: 'a' } };
  const steps: Step[] = [
    { op: 'delete-replaced', urn: urnOf(former), type: former, oldState },
    { op: 'replace', urn: urnOf(type), type, oldState, newState },
    { op: 'create-replacement', urn: urnOf(type), type, oldState, newState },
  ];
  const goal = { inputDiff: { adds: { path: 'a' }, deletes: ['backend'] } };
  const saved = JSON.stringify({
    manifest: {},
    resourcePlans: { [urnOf(type)]: { goal, steps: ['delete-replaced', 'replace', 'create-replacement'] } },
  });

  test('is of the steps that its preview showed, whatever is the plugins’ own', () => {
    expect(stepsWithPlan(saved, steps, stack)).toHaveLength(3);
  });

  test('has the deletion below the former URN, where the CLI looks for it', () => {
    expect(JSON.parse(withFormerDeletes(saved, steps))).toEqual({
      manifest: {},
      resourcePlans: {
        [urnOf(type)]: { goal, steps: ['replace', 'create-replacement'] },
        [urnOf(former)]: { steps: ['delete-replaced'] },
      },
    });
  });

  test('stays as it is without one', () => {
    expect(withFormerDeletes(recordedPlan('save-plan-update'), update)).toBe(
      recordedPlan('save-plan-update'),
    );
  });
});

describe('a plan is refused', () => {
  const member = 'suite-member';
  test.each<[string, (plan: any) => unknown, string]>([
    [
      'for another value of a reviewed property',
      (plan) => (named(plan, member).goal.inputDiff.updates.tokenTtl = 86_400),
      'other properties',
    ],
    [
      'for a further property',
      (plan) => (named(plan, member).goal.inputDiff.updates.tokenPolicies = ['login-admin']),
      'other properties',
    ],
    [
      'for a property that goes',
      (plan) => (named(plan, member).goal.inputDiff.deletes = ['boundClaims', 'tokenPolicies']),
      'other properties',
    ],
    [
      'for another service',
      (plan) =>
        (named(plan, member).goal.provider = 'urn:pulumi:dev::gatehouse::pulumi:providers:vault::other::1'),
      'other properties',
    ],
    [
      'for another step of a resource',
      (plan) => named(plan, member).steps.push('delete'),
      'a step that the preview did not show (delete)',
    ],
    [
      'for a step where the review had none',
      (plan) => (named(plan, 'staff-reader').steps = ['update']),
      'a step that the preview did not show (update)',
    ],
    [
      'for a resource that the preview did not show',
      (plan) =>
        (plan.resourcePlans['urn:pulumi:dev::gatehouse::vault:index/policy:Policy::more'] = {
          steps: ['create'],
        }),
      'a step that the preview did not show (create)',
    ],
    [
      'for an operation that no one knows',
      (plan) => (named(plan, member).steps = ['transmute']),
      'a step that the preview did not show (transmute)',
    ],
    ['without plans of resources', (plan) => delete plan.resourcePlans, 'not valid at resourcePlans'],
  ])('%s', (_, change, message) => {
    const plan = planOf('save-plan-update');
    change(plan);
    expect(() => stepsWithPlan(JSON.stringify(plan), update, stack)).toThrow(message);
  });

  test('of another stack', () => {
    const other = recordedPlan('save-plan-update').replaceAll('urn:pulumi:dev::', 'urn:pulumi:prod::');
    expect(() => stepsWithPlan(other, update, stack)).toThrow('it is of another stack');
  });

  test('that is not JSON', () => {
    expect(() => stepsWithPlan(recordedPlan('save-plan-update').slice(0, 900), update, stack)).toThrow(
      'not JSON',
    );
  });

  test('without a word of its values', () => {
    const plan = planOf('save-plan-update');
    named(plan, member).goal.inputDiff.updates.note = 'hush-hush';
    try {
      stepsWithPlan(JSON.stringify(plan), update, stack);
      throw new Error('it was taken');
    } catch (error) {
      expect(error).toMatchObject({ code: 'update_plan_unusable' });
      expect(String(error)).not.toContain('hush');
    }
  });
});
