import { GatehouseError } from '@gatehouse/core/values';
import { z } from 'zod';
import type { Step } from '../engine.ts';
import { isAsPlanned, isChange, isSameProvider, plannedStep } from '../planned-steps.ts';
import { maskedProperties, propertiesFromJson } from '../property-json.ts';
import type { Stack } from '../stack.ts';
import { isDefaultPlugin } from '../urn.ts';
import { operationOf } from './event-record.ts';

const properties = z.record(z.string(), z.unknown()).nullish();

/** An update plan of the Pulumi CLI (pulumi/pulumi `sdk/go/common/apitype/plan.go`, `DeploymentPlanV1`). */
const planFile = z.looseObject({
  resourcePlans: z.record(
    z.string(),
    z.looseObject({
      steps: z.array(z.string()).nullish(),
      goal: z
        .looseObject({
          inputDiff: z.looseObject({
            adds: properties,
            updates: properties,
            deletes: z.array(z.string()).nullish(),
          }),
          provider: z.string().nullish(),
          dependencies: z.array(z.string()).nullish(),
          propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
        })
        .nullish(),
    }),
  ),
});
type PlannedGoal = NonNullable<z.output<typeof planFile>['resourcePlans'][string]['goal']>;

/**
 * Holds a plan that the CLI saved against the steps that its preview showed: what is reviewed is what the plan allows.
 *
 * @returns the steps, with the references that a plan has and the events of a preview leave out
 * @throws GatehouseError `update_plan_unusable`
 */
export function stepsWithPlan(text: string, steps: readonly Step[], stack: Stack): Step[] {
  const plans = resourcePlans(text);
  // A plan begins with what a refresh found, so it has no entry for the refresh.
  const shown = Map.groupBy(
    steps.filter(({ refreshed }) => !refreshed),
    ({ urn }) => urn,
  );
  const stackPrefix = `urn:pulumi:${stack.name}::${stack.project}::`;
  for (const [urn, { steps: names, goal }] of Object.entries(plans)) {
    if (!urn.startsWith(stackPrefix)) throw unusable('it is of another stack', urn);
    const changes = (names ?? []).filter((op) => isChange({ op }));
    const shownSteps = shown.get(urn) ?? [];
    // Previews do not show the plugins that an engine brings along, nor what only leaves the state.
    const isHidden = (name: string) =>
      operationOf(name) === 'discard' || (isDefaultPlugin(urn) && shownSteps.length === 0);
    // A resource that an alias finds is deleted by its own name, which a plan has below the new one.
    const former = shownSteps.flatMap(({ oldState }) => (oldState && shown.get(oldState.urn)) ?? []);
    const isShown = (name: string) => [...shownSteps, ...former].some(({ op }) => op === operationOf(name));
    const foreign = changes.find((name) => !isHidden(name) && !isShown(name));
    if (foreign !== undefined)
      throw unusable(`it allows a step that the preview did not show (${foreign})`, urn);
    if (goal == null || changes.length === 0) continue;
    for (const step of shownSteps) {
      if (step.newState && isChange(step) && !isGoal(step, goal)) {
        throw unusable('it allows other properties than the preview showed', urn);
      }
    }
  }
  return steps.map((step) => {
    const goal = plans[step.urn]?.goal;
    if (goal == null || step.newState === undefined) return step;
    const propertyDependencies = Object.fromEntries(
      Object.entries(goal.propertyDependencies ?? {}).map(([name, urns]) => [name, urns ?? []]),
    );
    return {
      ...step,
      newState: { ...step.newState, dependencies: goal.dependencies ?? [], propertyDependencies },
    };
  });
}

function resourcePlans(text: string): z.output<typeof planFile>['resourcePlans'] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw unusable('it is not JSON');
  }
  const parsed = planFile.safeParse(json);
  if (parsed.success) return parsed.data.resourcePlans;
  throw unusable(`it is not valid at ${parsed.error.issues[0]?.path.join('.') || 'its root'}`);
}

/**
 * A saved plan as the CLI can keep it. A resource found by an alias is deleted by its former URN. The CLI saves the deletion
 * below the new URN, and then refuses it (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `validateSteps`).
 */
export function withFormerDeletes(text: string, steps: readonly Step[]): string {
  const formerUrns = new Map(
    steps.flatMap(({ urn, oldState }) => (oldState && oldState.urn !== urn ? [[urn, oldState.urn]] : [])),
  );
  if (formerUrns.size === 0) return text;
  const { resourcePlans: plans, ...rest } = JSON.parse(text) as z.output<typeof planFile>;
  const isFormer = (op: string) => op === 'delete-replaced';
  const renamed = Object.entries(plans).flatMap(([urn, plan]): [string, object][] => {
    const former = formerUrns.get(urn);
    const { steps: names } = plan;
    if (former === undefined || !names?.some(isFormer)) return [[urn, plan]];
    return [
      [urn, { ...plan, steps: names.filter((op) => !isFormer(op)) }],
      [former, { steps: names.filter(isFormer) }],
    ];
  });
  return JSON.stringify({ ...rest, resourcePlans: Object.fromEntries(renamed) });
}

/** Whether a step ends with the inputs that a goal has, from the inputs that it begins with. */
function isGoal(step: Step, { inputDiff, provider }: PlannedGoal): boolean {
  const { adds, updates, deletes } = inputDiff;
  const goalInputs = {
    ...(step.oldState ? maskedProperties(step.oldState.inputs) : {}),
    ...masked({ ...adds, ...updates }),
  };
  for (const name of deletes ?? []) delete goalInputs[name];
  const { newState, provider: shownProvider } = plannedStep(step);
  const isSame = isAsPlanned(withoutInternal(newState?.inputs ?? {}), withoutInternal(goalInputs));
  return isSame && isSameProvider(shownProvider, provider ?? '');
}

/** A plan has no differences in what is the plugins' own (`pkg/resource/deploy/plan.go`, `isInternalPlanKey`). */
function withoutInternal(inputs: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith('_')));
}

/** Secrets are encrypted in a plan, and hidden in what a preview shows. */
function masked(json: Record<string, unknown>): Record<string, unknown> {
  return maskedProperties(propertiesFromJson(json, () => '"[secret]"'));
}

export function unusable(what: string, where?: string): GatehouseError {
  return new GatehouseError('update_plan_unusable', {
    ...(where !== undefined && { given: where }),
    values: { reason: what },
  });
}
