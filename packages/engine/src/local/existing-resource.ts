import { randomBytes } from 'node:crypto';
import { GatehouseError } from '@gatehouse/core/values';
import { type DiffResponse, PluginError, type ReadResponse } from '../plugins/plugin.ts';
import { type PropertyMap, Secret } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { withIgnoredChanges } from './change-options.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';
import { checkError, newStep } from './deployment-report.ts';
import { unknownId } from './goal.ts';
import type { ResourceOperations } from './plugin-session.ts';
import { mustWrite, overwrite } from './resource-row.ts';
import { annotateSecrets, markSecretOutputs } from './secret-marks.ts';

/**
 * Reads a resource that is not managed here, in previews too. A managed one of the same name is deleted at the end
 * (pulumi/pulumi `pkg/resource/deploy/step.go`, `ReadStep`).
 *
 * @returns undefined after a failure, which is reported
 */
export async function applyRead(
  context: DeploymentContext,
  next: ResourceState,
): Promise<ResourceState | undefined> {
  const { state, report } = context;
  const old = state.live(next.urn);
  const replaced = old !== undefined && !old.external && old.id !== next.id ? old : undefined;
  const shown = { oldState: old && { ...old }, newState: next };
  const step = newStep(replaced === undefined ? 'read' : 'read-replacement', next, shown);
  report.started(step);
  try {
    if (next.id !== unknownId) {
      const found = await readPartly(await operationsFor(context, next), next, next.inputs, next.inputs);
      if (found.id === '') {
        throw new GatehouseError('read_not_found', { given: next.id });
      }
      Object.assign(next, { id: found.id, outputs: found.properties, initErrors: found.initErrors });
    }
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

/**
 * Imports an existing resource. An import must change nothing on the service, so it fails if the program's inputs
 * would (pulumi/pulumi `pkg/resource/deploy/step.go`, `ImportStep`). Fills in `next`; returns the resource as found and
 * how the inputs differ.
 *
 * @throws GatehouseError `import_not_found`, `import_differs`, `resource_invalid`
 */
export async function importResource(
  context: DeploymentContext,
  next: ResourceState,
  ignoreChanges: string[],
): Promise<{ oldState: ResourceState; diff: DiffResponse }> {
  const operations = await operationsFor(context, next);
  const found = await readPartly(operations, next, {}, {});
  if (found.id === '') {
    throw new GatehouseError('import_not_found', { given: next.id });
  }
  const outputs = markSecretOutputs(found.properties, next.inputs, next.additionalSecretOutputs);
  Object.assign(next, { id: found.id, outputs, initErrors: found.initErrors });
  const oldState: ResourceState = { ...next, inputs: annotateSecrets(found.inputs, next.inputs) };
  const { inputs, failures } = await operations.check({
    urn: next.urn,
    olds: found.inputs,
    news: withIgnoredChanges(next.inputs, found.inputs, ignoreChanges),
    randomSeed: randomBytes(32),
  });
  if (failures.length > 0) throw checkError(failures);
  next.inputs = inputs;
  // A secret that the service does not return cannot be compared; it is assumed to match.
  const unreadable = Object.keys(inputs).filter(
    (name) => inputs[name] instanceof Secret && !(name in found.inputs),
  );
  for (const name of unreadable) next.outputs[name] = inputs[name] ?? null;
  const diff = await operations.diff({
    urn: next.urn,
    id: found.id,
    olds: found.properties,
    oldInputs: found.inputs,
    news: next.inputs,
    ignoreChanges: [...ignoreChanges, ...unreadable],
  });
  if (diff.changes === 'none') return { oldState, diff };
  const error = new GatehouseError('import_differs', { given: `different: ${diff.diffs.join(', ')}` });
  if (!context.dryRun) throw error;
  context.report.diagnose('warning', error.message, next.urn, error.code);
  return { oldState, diff };
}

/** Reads a resource by its plugin. An incomplete one counts as found, with `initErrors`. */
export async function readPartly(
  operations: ResourceOperations,
  { urn, id = '' }: ResourceState,
  inputs: PropertyMap,
  properties: PropertyMap,
): Promise<ReadResponse & { initErrors: string[] }> {
  try {
    return { ...(await operations.read({ urn, id, inputs, properties })), initErrors: [] };
  } catch (error) {
    const partial = error instanceof PluginError ? error.partial : undefined;
    if (partial === undefined) throw error;
    return { ...partial, initErrors: partial.reasons };
  }
}
