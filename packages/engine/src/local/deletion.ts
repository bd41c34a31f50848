import { GatehouseError } from '@gatehouse/core/values';
import type { StepOperation } from '../engine.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { isPluginType } from '../urn.ts';
import { checkAdmitted, type DeploymentContext, operationsFor } from './deployment-context.ts';
import { newStep, protectedError } from './deployment-report.ts';

/**
 * Deletes resources concurrently, each after everything that depends on it. If a deletion fails, what it depends on
 * stays (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `ScheduleDeletes`, and `deployment_executor.go`,
 * `performDeletes`). With `replacing`, the rows stay in state until the replacements exist.
 *
 * Resolves to whether all were deleted. Failures are reported.
 */
export async function deleteResources(
  context: DeploymentContext,
  resources: readonly ResourceState[],
  replacing: boolean,
): Promise<boolean> {
  const { deletions, state, inProgress } = context;
  for (const row of state.graph.inDeletionOrder(resources)) {
    const before = state.graph
      .directDependents(row, true)
      // A dependent that the program has moved elsewhere still depends on it until its own step is done.
      .map((dependent) => deletions.get(dependent) ?? inProgress(dependent.urn))
      .filter((step) => step !== undefined);
    deletions.set(
      row,
      Promise.all(before).then((done) => !done.includes(false) && deleteResource(context, row, replacing)),
    );
  }
  const done = await Promise.all(resources.map((row) => deletions.get(row)));
  return !done.includes(false);
}

async function deleteResource(
  context: DeploymentContext,
  row: ResourceState,
  replacing: boolean,
): Promise<boolean> {
  const { report, stopping } = context;
  if (stopping()) return false;
  // Deleted already: it only leaves the state, and Pulumi does not tell of that (`pkg/engine/update.go`, `isInternalStep`).
  const isGone = row.pendingReplacement && !row.delete;
  const step = newStep(operation(row, replacing), row, { oldState: { ...row } });
  if (!isGone) report.started(step);
  try {
    if (row.protect && !row.delete && !replacing) {
      throw protectedError(row.urn, 'the program no longer declares it');
    }
    if (!isGone) checkAdmitted(context, step, row);
    await remove(context, row, replacing);
    if (!isGone) report.done(step);
    return true;
  } catch (error) {
    report.stepFailed(step, error);
    return false;
  }
}

function operation(row: ResourceState, replacing: boolean): StepOperation {
  if (replacing) return row.delete ? 'delete' : 'delete-replaced';
  return row.delete ? 'delete-replaced' : 'delete';
}

async function remove(context: DeploymentContext, row: ResourceState, replacing: boolean): Promise<void> {
  const { state, dryRun } = context;
  let pending: PendingOperation | undefined;
  if (!dryRun && row.custom && !row.pendingReplacement && !isPluginType(row.type)) {
    const operations = await operationsFor(context, row);
    pending = { type: 'deleting', resource: row };
    await state.begin(pending);
    try {
      await operations.delete({
        urn: row.urn,
        id: row.id ?? '',
        properties: row.outputs,
        oldInputs: row.inputs,
        timeout: 0,
      });
    } catch (error) {
      await state.record({ end: pending });
      throw error;
    }
  }
  if (replacing && !row.delete) {
    row.pendingReplacement = true;
    await state.record({ put: [row], end: pending });
  } else {
    await state.record({ remove: [row], end: pending });
  }
}

/** What the registrations of a program came to. */
interface RegistrationResult {
  readonly kept: ReadonlySet<string>;
  readonly aliased: ReadonlyMap<string, string>;
  readonly pendingDeletes: ReadonlySet<ResourceState>;
  keepWithDependencies(row: ResourceState): void;
}

/**
 * What to delete after the program has run: replaced copies, and what it did not register. With targets, only those and
 * their dependents, which must be targets too; what is excluded stays, with all that it depends on (pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`, `GenerateDeletes`).
 */
export function generateDeletes(context: DeploymentContext, registered: RegistrationResult): ResourceState[] {
  const { state, targets, excludes, report, dryRun } = context;
  for (const urn of excludes) {
    const row = state.live(urn);
    if (row !== undefined) registered.keepWithDependencies(row);
  }
  const unwanted = state.resources.filter((row) => isUnwanted(row, registered));
  if (targets.size === 0) return unwanted.filter(({ urn }) => !excludes.has(urn));
  const allowed = deletable(context);
  const rows = unwanted.filter((row) => allowed.has(row.urn));
  const untargeted = rows.filter((row) => !targets.has(row.urn));
  for (const { urn } of untargeted) {
    report.error(new GatehouseError('target_incomplete.deleted', { values: { urn } }), urn);
  }
  return untargeted.length > 0 && !dryRun ? [] : rows;
}

function isUnwanted(row: ResourceState, { kept, aliased, pendingDeletes }: RegistrationResult): boolean {
  if (row.delete) return !pendingDeletes.has(row);
  return !kept.has(aliased.get(row.urn) ?? row.urn);
}

/** The targets and all their dependents, children included. */
function deletable({ state, targets }: DeploymentContext): Set<string> {
  const urns = new Set<string>();
  for (const row of state.resources) {
    if (!targets.has(row.urn)) continue;
    urns.add(row.urn);
    for (const dependent of state.graph.dependents(row, { includeChildren: true })) urns.add(dependent.urn);
  }
  return urns;
}
