import { GatehouseError } from '../../core/model/values/errors.ts';
import { PluginError, type ReadResponse } from '../plugins/plugin.ts';
import type { ResourceState } from '../resource-state.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';
import { type ReadGoal, unknownId } from './goal.ts';
import { newStep } from './new-step.ts';
import { mustWrite, overwrite } from './resource-row.ts';
import { markSecretOutputs } from './secret-marks.ts';

/** The resource that a read asks for, before it has been read. */
export function readState(goal: ReadGoal, urn: string): ResourceState {
  return {
    urn,
    type: goal.type,
    custom: true,
    id: goal.id,
    inputs: goal.inputs,
    outputs: {},
    ...(goal.parent === undefined ? {} : { parent: goal.parent }),
    protect: false,
    external: true,
    dependencies: goal.dependencies,
    propertyDependencies: {},
    ...(goal.provider === undefined ? {} : { provider: goal.provider }),
    initErrors: [],
    delete: false,
    pendingReplacement: false,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    aliases: [],
    ignoreChanges: [],
    ...(goal.sourcePosition === undefined ? {} : { sourcePosition: goal.sourcePosition }),
  };
}

/**
 * Reads a resource that is not managed here; previews read as well. One that was managed under the same
 * name is deleted at the end (pulumi/pulumi `pkg/resource/deploy/step.go`, `ReadStep`). A failure has been reported.
 */
export async function applyRead(
  context: DeploymentContext,
  next: ResourceState,
): Promise<ResourceState | undefined> {
  const { state, report } = context;
  const old = state.live(next.urn);
  const replaced = old !== undefined && !old.external && old.id !== next.id ? old : undefined;
  const shown = { ...(old === undefined ? {} : { oldState: { ...old } }), newState: next };
  const step = newStep(replaced === undefined ? 'read' : 'read-replacement', next, shown);
  report.started(step);
  try {
    if (next.id !== unknownId) await read(context, next);
    next.outputs = markSecretOutputs(next.outputs, next.inputs, next.additionalSecretOutputs);
    if (replaced !== undefined) {
      replaced.delete = true;
      await state.record({ put: [next, replaced] });
    } else if (old === undefined) await state.record({ put: [next] });
    else if (old.external !== next.external || mustWrite(old, next)) {
      overwrite(old, next);
      await state.record({ put: [old] });
    }
    report.done(step);
    if (replaced !== undefined) {
      const replace = newStep('replace', next, shown);
      report.started(replace);
      report.done(replace);
    }
    return next;
  } catch (error) {
    report.stepFailed(step, error);
    return undefined;
  }
}

async function read(context: DeploymentContext, next: ResourceState): Promise<void> {
  const operations = await operationsFor(context, next);
  const id = next.id ?? '';
  let found: ReadResponse;
  try {
    found = await operations.read({ urn: next.urn, id, inputs: next.inputs, properties: next.inputs });
  } catch (error) {
    if (!(error instanceof PluginError) || error.partial === undefined) throw error;
    found = error.partial;
    next.initErrors = error.partial.reasons;
  }
  if (found.id === '') {
    throw new GatehouseError({
      code: 'read_not_found',
      what: 'there is no resource with this id',
      given: id,
      fix: 'Correct the id that the program reads.',
    });
  }
  next.id = found.id;
  next.outputs = found.properties;
}
