import { GatehouseError } from '../../core/model/values/errors.ts';
import type { ResourceState } from '../resource-state.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { StepGenerator } from './step-generator.ts';

/**
 * What is to be deleted once the program has said all: copies that were replaced, and what it did not
 * register. With targets, only those and what cannot do without them; that must be among the targets too
 * (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `GenerateDeletes`).
 */
export function generateDeletes(context: DeploymentContext, generator: StepGenerator): ResourceState[] {
  const { state, targets, report, dryRun } = context;
  const unwanted = state.resources.filter((row) => isUnwanted(row, generator));
  if (targets.size === 0) return unwanted;
  const allowed = deletable(context);
  const rows = unwanted.filter((row) => allowed.has(row.urn));
  const untargeted = rows.filter((row) => !targets.has(row.urn));
  for (const { urn } of untargeted) {
    report.error(
      new GatehouseError({
        code: 'target_incomplete',
        what: 'it would have to be deleted with what it depends on, and is not among the targets',
        fix: `Add --target ${urn}`,
      }),
      urn,
    );
  }
  return untargeted.length > 0 && !dryRun ? [] : rows;
}

function isUnwanted(row: ResourceState, { kept, aliased, pendingDeletes }: StepGenerator): boolean {
  if (row.delete) return !pendingDeletes.has(row);
  return !kept.has(aliased.get(row.urn) ?? row.urn);
}

/** The targets and all that depends on them, their children included. */
function deletable({ state, targets }: DeploymentContext): Set<string> {
  const urns = new Set<string>();
  for (const row of state.resources) {
    if (!targets.has(row.urn)) continue;
    urns.add(row.urn);
    for (const dependent of state.graph.dependents(row, { includeChildren: true })) urns.add(dependent.urn);
  }
  return urns;
}
