import { randomBytes } from 'node:crypto';
import { GatehouseError } from '@gatehouse/core/values';
import { type DiffResponse, PluginError, type ReadResponse } from '../plugins/plugin.ts';
import { type PropertyMap, Secret } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';
import { checkError } from './deployment-report.ts';
import type { ResourceOperations } from './plugin-session.ts';
import { annotateSecrets, markSecretOutputs } from './secret-marks.ts';

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
): Promise<{ oldState: ResourceState; diff: DiffResponse }> {
  const operations = await operationsFor(context, next);
  const live = await readPartly(operations, next, {}, {});
  if (live.id === '') {
    throw new GatehouseError('import_not_found', { given: next.id });
  }
  const outputs = markSecretOutputs(live.properties, next.inputs, next.additionalSecretOutputs);
  Object.assign(next, { id: live.id, outputs, initErrors: live.initErrors });
  const oldState: ResourceState = { ...next, inputs: annotateSecrets(live.inputs, next.inputs) };
  const { inputs, failures } = await operations.check({
    urn: next.urn,
    olds: live.inputs,
    news: next.inputs,
    randomSeed: randomBytes(32),
  });
  if (failures.length > 0) throw checkError(failures);
  next.inputs = inputs;
  // A secret that the service does not return cannot be compared; it is assumed to match.
  const unreadable = Object.keys(inputs).filter(
    (name) => inputs[name] instanceof Secret && !(name in live.inputs),
  );
  for (const name of unreadable) next.outputs[name] = inputs[name] ?? null;
  const diff = await operations.diff({
    urn: next.urn,
    id: live.id,
    olds: live.properties,
    oldInputs: live.inputs,
    news: next.inputs,
    ignoreChanges: unreadable,
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
