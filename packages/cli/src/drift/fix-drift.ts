import { type Difference, type Subject, subjectKey } from '@gatehouse/core/graph';
import type { Engine } from '@gatehouse/engine';
import { type ApprovedRequest, type OperationResult, type Sink, up } from '../deployment/deployment.ts';
import { resourcesOf, subjectOf } from '../terminal/subject-of.ts';
import type { DriftReport } from './drift.ts';

export interface DriftFix {
  /** The result of applying; undefined where there was nothing to apply. */
  result: OperationResult | undefined;
  /** What the stack's state does not know, so that only a full `up` creates it. */
  unknown: Subject[];
}

/** The differences that remain although `--fix` should have put them back: plugins leave some without saying so. */
export function notPutBack(after: DriftReport): Difference[] {
  return after.differences.filter(({ kind, isLeft }) => !isLeft && kind !== 'added');
}

/**
 * Applies only what differs: an `up` of those resources, which are read from the service first.
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

/**
 * The URNs of what differs, from a stack's exported state.
 *
 * @returns what the state does not know: it was never applied, or by someone else.
 */
export function driftTargets(
  differences: Difference[],
  exported: unknown,
): { targets: string[]; unknown: Subject[] } {
  const resources = resourcesOf(exported);
  const urns = new Map<string, string>();
  for (const resource of resources) {
    const subject = subjectOf(resource, resources);
    if (subject !== undefined) urns.set(subjectKey(subject), resource.urn);
  }
  const targets = new Set<string>();
  const unknown: Subject[] = [];
  for (const { subject, isLeft } of differences) {
    if (isLeft) continue;
    const urn = urns.get(subjectKey(subject));
    if (urn === undefined) unknown.push(subject);
    else targets.add(urn);
  }
  return { targets: [...targets], unknown };
}
