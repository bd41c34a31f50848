import type { Subject } from '../core/model/subject.ts';
import type { Engine } from '../engine/engine.ts';
import type { ApprovedRequest, OperationResult, Sink } from './deployment.ts';
import type { DriftReport } from './drift.ts';
import { driftTargets } from './drift-targets.ts';
import { up } from './up.ts';

export interface DriftFix {
  /** What came of it; undefined where there was nothing to apply. */
  result: OperationResult | undefined;
  /** What the stack's state does not know: `up` makes it. */
  unknown: Subject[];
}

/**
 * Applies just what differs: an `up` of those resources, read from the service first.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export async function fixDrift(
  { differences }: DriftReport,
  request: Pick<ApprovedRequest, 'stack' | 'approval'>,
  engine: Engine,
  sink: Sink,
): Promise<DriftFix> {
  const { targets, unknown } = driftTargets(differences, await engine.exportState(request.stack));
  // Without targets, `up` would apply everything.
  if (targets.length === 0) return { result: undefined, unknown };
  return { result: await up({ ...request, refresh: true, targets }, engine, sink), unknown };
}
