import type { StepOperation } from '../engine.ts';
import { equalMaps, invertDetailedDiff } from '../property-diff.ts';
import type { ResourceState } from '../resource-state.ts';
import { isPluginType } from '../urn.ts';
import { type DeploymentContext, operationsForOld } from './deployment-context.ts';
import { differences, newStep } from './deployment-report.ts';
import { diffResource } from './diff-resource.ts';
import { readPartly } from './existing-resource.ts';
import { mustWrite, overwrite } from './resource-row.ts';
import { markSecretOutputs } from './secret-marks.ts';
import type { StateChange } from './state-store.ts';

/**
 * Reads every resource (or the targets) from the service and brings the state up to date, at the same time
 * for all (pulumi/pulumi `pkg/resource/deploy/deployment_executor.go`, `refresh`). A failed read is reported
 * and leaves the resource as it was.
 */
export async function refreshResources(context: DeploymentContext): Promise<void> {
  const { state, targets } = context;
  const wanted = state.resources.filter((row) => targets.size === 0 || targets.has(row.urn));
  const gone = await Promise.all(wanted.map((row) => refreshResource(context, row)));
  await forget(
    context,
    wanted.filter((_, index) => gone[index]),
  );
}

/** Returns whether the resource is gone. */
async function refreshResource(context: DeploymentContext, row: ResourceState): Promise<boolean> {
  const { report, cancelled } = context;
  if (cancelled()) return false;
  const oldState = { ...row };
  const step = newStep('refresh', row, { oldState, newState: row });
  report.started(step);
  // These have nothing on the service that could be read.
  if (!row.custom || isPluginType(row.type) || row.pendingReplacement) {
    report.done(step, 'same');
    return false;
  }
  try {
    const next = await readResource(context, row);
    if (next === undefined) {
      delete step.newState;
      report.done(step, 'delete');
      return true;
    }
    const diff = await refreshDiff(context, oldState, next);
    Object.assign(step, diff);
    if (mustWrite(row, next)) {
      next.modified = new Date().toISOString();
      overwrite(row, next);
      await context.state.record({ put: [row] });
    }
    report.done(step, diff.changed);
    return false;
  } catch (error) {
    report.stepFailed(step, error);
    return false;
  }
}

/**
 * A resource of the last deployment as it is now, or undefined when it is gone (pulumi/pulumi
 * `pkg/resource/deploy/step.go`, `RefreshStep`).
 */
export async function readResource(
  context: DeploymentContext,
  row: ResourceState,
): Promise<ResourceState | undefined> {
  const operations = await operationsForOld(context, row);
  const found = await readPartly(operations, row, row.inputs, row.outputs);
  const { initErrors } = found;
  if (initErrors.length > 0) {
    context.report.diagnose('warning', `not right yet: ${initErrors.join('; ')}`, row.urn);
  }
  if (found.id === '') return undefined;
  const inputs = Object.keys(found.inputs).length === 0 ? row.inputs : found.inputs;
  return {
    ...row,
    id: found.id,
    inputs,
    outputs: markSecretOutputs(found.properties, inputs, row.additionalSecretOutputs),
    initErrors,
  };
}

/**
 * What the refresh found. The plugin compares what is declared with what is there, as the next `up` would;
 * here it is told the other way round: how the service moved away from what was declared.
 */
async function refreshDiff(
  context: DeploymentContext,
  old: ResourceState,
  next: ResourceState,
): Promise<{ changed: StepOperation } & ReturnType<typeof differences>> {
  if (old.external) {
    return { changed: equalMaps(old.outputs, next.outputs) ? 'same' : 'update' };
  }
  const operations = await operationsForOld(context, old);
  const diff = await diffResource(operations, {
    urn: next.urn,
    id: next.id ?? '',
    olds: next.outputs,
    oldInputs: next.inputs,
    news: old.inputs,
    ignoreChanges: old.ignoreChanges,
  });
  if (diff.changes === 'none') return { changed: 'same' };
  const { detailedDiff, ...rest } = diff;
  const found = invertDetailedDiff(detailedDiff);
  return {
    changed: 'update',
    ...differences({ ...rest, ...(found === undefined ? {} : { detailedDiff: found }) }),
  };
}

/** Drops resources that are gone, and what still names them (`deployment_executor.go`, `rebuildBaseState`). */
export async function forget(context: DeploymentContext, gone: readonly ResourceState[]): Promise<void> {
  if (gone.length === 0) return;
  const { state } = context;
  const lost = new Set(gone);
  const kept = state.resources.filter((row) => !lost.has(row));
  const urns = new Set(kept.map((row) => row.urn));
  const parents = new Map(state.resources.map((row) => [row.urn, row.parent]));
  const change: StateChange = { remove: [...gone], put: [] };
  for (const row of kept) if (dropReferences(row, urns, parents)) change.put?.push(row);
  await state.record(change);
  state.rebase(kept);
}

function dropReferences(
  row: ResourceState,
  urns: ReadonlySet<string>,
  parents: ReadonlyMap<string, string | undefined>,
): boolean {
  const known = (urn: string) => urns.has(urn);
  const before = { parent: row.parent, dependencies: row.dependencies, properties: row.propertyDependencies };
  let parent = row.parent;
  // A child of what is gone becomes a child of its parent.
  while (parent !== undefined && !urns.has(parent)) parent = parents.get(parent);
  if (parent === undefined) delete row.parent;
  else row.parent = parent;
  if (!row.dependencies.every(known)) row.dependencies = row.dependencies.filter(known);
  if (!Object.values(row.propertyDependencies).flat().every(known)) {
    row.propertyDependencies = Object.fromEntries(
      Object.entries(row.propertyDependencies).map(([key, list]) => [key, list.filter(known)]),
    );
  }
  return (
    before.parent !== row.parent ||
    before.dependencies !== row.dependencies ||
    before.properties !== row.propertyDependencies
  );
}
