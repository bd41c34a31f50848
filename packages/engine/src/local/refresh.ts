import type { StepOperation } from '../engine.ts';
import { invertDetailedDiff } from '../property-diff.ts';
import type { ResourceState } from '../resource-state.ts';
import { isPluginType } from '../urn.ts';
import { changedReferences } from './dependency-graph.ts';
import { type DeploymentContext, isChosen, operationsFor } from './deployment-context.ts';
import { differences, newStep } from './deployment-report.ts';
import { readPartly } from './existing-resource.ts';
import { mustWrite, overwrite } from './resource-row.ts';
import { markSecretOutputs } from './secret-marks.ts';

/**
 * Reads all resources, or the targets, concurrently and updates the state (pulumi/pulumi
 * `pkg/resource/deploy/deployment_executor.go`, `refresh`). A failed read is reported and changes nothing.
 */
export async function refreshResources(context: DeploymentContext): Promise<void> {
  const { state } = context;
  const chosen = state.resources.filter((row) => isChosen(context, row.urn));
  context.report.expect(chosen.map(({ urn }) => urn));
  const gone = await Promise.all(chosen.map((row) => refreshResource(context, row)));
  const lost = chosen.filter((_, index) => gone[index]);
  await forget(context, lost);
}

/** Returns whether the resource is gone. */
async function refreshResource(context: DeploymentContext, row: ResourceState): Promise<boolean> {
  const { report, stopping } = context;
  if (stopping()) return false;
  const oldState = { ...row };
  const step = newStep('refresh', row, { oldState, newState: row });
  report.started(step);
  // The service has nothing to read for these.
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
 * Why a resource is incomplete: the run that wrote it was interrupted. Reading it does not settle that, as a value that
 * cannot be read back (a client secret) may have changed: only the next write does.
 */
export const interrupted = {
  create: 'the run that created it was interrupted',
  update: 'the run that updated it was interrupted',
} as const;

/** Reads a resource of the last deployment; undefined if it is gone (`pkg/resource/deploy/step.go`, `RefreshStep`). */
export async function readResource(
  context: DeploymentContext,
  row: ResourceState,
): Promise<ResourceState | undefined> {
  const operations = await operationsFor(context, row);
  const live = await readPartly(operations, row, row.inputs, row.outputs);
  const { initErrors } = live;
  if (initErrors.length > 0) {
    context.report.diagnose('warning', `not right yet: ${initErrors.join('; ')}`, row.urn);
  }
  // A recreated object may be another resource's by now.
  const isOf = (other: ResourceState) => other !== row && other.type === row.type && other.id === live.id;
  if (live.id === '' || (live.id !== row.id && context.state.resources.some(isOf))) return undefined;
  const inputs = Object.keys(live.inputs).length === 0 ? row.inputs : live.inputs;
  return {
    ...row,
    id: live.id,
    inputs,
    outputs: markSecretOutputs(live.properties, inputs, row.additionalSecretOutputs),
    initErrors: [...row.initErrors.filter(isInterruption), ...initErrors],
  };
}

function isInterruption(reason: string): boolean {
  return Object.values<string>(interrupted).includes(reason);
}

/** How the service differs from what was declared: the inverse of the diff that the next `up` would show. */
async function refreshDiff(
  context: DeploymentContext,
  old: ResourceState,
  next: ResourceState,
): Promise<{ changed: StepOperation } & ReturnType<typeof differences>> {
  const operations = await operationsFor(context, old);
  const diff = await operations.diff({
    urn: next.urn,
    id: next.id ?? '',
    olds: next.outputs,
    oldInputs: next.inputs,
    news: old.inputs,
    ignoreChanges: [],
  });
  if (diff.changes === 'none') return { changed: 'same' };
  return {
    changed: 'update',
    ...differences({ ...diff, detailedDiff: invertDetailedDiff(diff.detailedDiff) }),
  };
}

/** Drops resources that are gone, and references to them (`deployment_executor.go`, `rebuildBaseState`). */
export async function forget(context: DeploymentContext, gone: readonly ResourceState[]): Promise<void> {
  if (gone.length === 0) return;
  const { state } = context;
  const lost = new Set(gone);
  const kept = state.resources.filter((row) => !lost.has(row));
  const urns = new Set(kept.map((row) => row.urn));
  const parents = new Map(state.resources.map((row) => [row.urn, row.parent]));
  const put = kept.filter((row) => dropReferences(row, urns, parents));
  await state.record({ remove: [...gone], put });
  state.rebase(kept);
}

function dropReferences(
  row: ResourceState,
  urns: ReadonlySet<string>,
  parents: ReadonlyMap<string, string | undefined>,
): boolean {
  const known = (urn: string) => urns.has(urn);
  const { parent: oldParent, dependencies, propertyDependencies } = row;
  let parent = row.parent;
  // A child of a lost resource becomes its grandparent's.
  while (parent !== undefined && !urns.has(parent)) parent = parents.get(parent);
  row.parent = parent;
  Object.assign(
    row,
    changedReferences(row, (list) => list.filter(known)),
  );
  const all = [...dependencies, ...Object.values(propertyDependencies).flat()];
  return oldParent !== parent || !all.every(known);
}
