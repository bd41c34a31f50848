import { randomBytes } from 'node:crypto';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type DiffResponse, PluginError, type ReadResponse } from '../plugins/plugin.ts';
import { Secret } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';
import { diffResource, withIgnoredChanges } from './diff-resource.ts';
import type { ResourceOperations } from './plugin-session.ts';
import { checkError } from './resource-errors.ts';

/**
 * Takes over an existing resource: reads it, and refuses when the program's inputs would change it, because
 * an import must change nothing on the service (pulumi/pulumi `pkg/resource/deploy/step.go`, `ImportStep`).
 * Fills in `next`; returns the resource as it was found and how the program's inputs differ.
 *
 * @throws GatehouseError `import_not_found`, `import_differs`, `resource_invalid`
 */
export async function importResource(
  context: DeploymentContext,
  next: ResourceState,
  ignoreChanges: string[],
): Promise<{ oldState: ResourceState; diff: DiffResponse }> {
  const operations = await operationsFor(context, next);
  const found = await read(operations, next);
  next.id = found.id;
  next.outputs = found.properties;
  const oldState: ResourceState = { ...next, inputs: found.inputs };
  const { inputs, failures } = await operations.check({
    urn: next.urn,
    olds: found.inputs,
    news: withIgnoredChanges(next.inputs, found.inputs, ignoreChanges),
    randomSeed: randomBytes(32),
  });
  if (failures.length > 0) throw checkError(failures);
  next.inputs = inputs;
  // A secret that no service tells cannot be compared: what the program says is taken to be what is there.
  const untold = Object.keys(inputs).filter(
    (name) => inputs[name] instanceof Secret && !(name in found.inputs),
  );
  for (const name of untold) next.outputs[name] = inputs[name] ?? null;
  const diff = await diffResource(operations, {
    urn: next.urn,
    id: next.id,
    olds: found.properties,
    oldInputs: found.inputs,
    news: next.inputs,
    ignoreChanges: [...ignoreChanges, ...untold],
  });
  if (diff.changes === 'none') return { oldState, diff };
  const error = new GatehouseError({
    code: 'import_differs',
    what: 'the program does not describe the resource as it is, so importing it would change it',
    given: `different: ${diff.diffs.join(', ')}`,
    fix: 'Make the program say what is there, run `gatehouse up`, then change it.',
  });
  if (!context.dryRun) throw error;
  context.report.diagnose('warning', error.message, next.urn, error.code);
  return { oldState, diff };
}

async function read(operations: ResourceOperations, next: ResourceState): Promise<ReadResponse> {
  const id = next.id ?? '';
  let found: ReadResponse;
  try {
    found = await operations.read({ urn: next.urn, id, inputs: {}, properties: {} });
  } catch (error) {
    if (!(error instanceof PluginError) || error.partial === undefined) throw error;
    found = error.partial;
    next.initErrors = error.partial.reasons;
  }
  if (found.id !== '') return found;
  throw new GatehouseError({
    code: 'import_not_found',
    what: 'there is no resource with the id to import',
    given: id,
    fix: 'Correct the id in the `import` option.',
  });
}
