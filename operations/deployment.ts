import type { DeploymentEvent, DeploymentRequest, DeploymentResult, Engine } from '../engine/engine.ts';
import type { Stack } from '../engine/stack.ts';
import { Approval, requireApproval } from './approval.ts';
import { hasChanges } from './description/change-tree.ts';

export type { DeploymentEvent, Diagnostic } from '../engine/engine.ts';

/** What preview, up, refresh and destroy are asked. */
export interface OperationRequest {
  stack: Stack;
  /** Read every resource from the service before comparing (preview and up). */
  refresh: boolean;
  /** URNs to restrict the work to; empty means all. */
  targets: string[];
}

export interface ApprovedRequest extends OperationRequest {
  approval: Approval;
}

/** Where an operation shows what it does while it does it. */
export interface Sink {
  onEvent(event: DeploymentEvent): void;
  /** Shows a plan and asks whether to carry it out; only called with approval `ask`. */
  confirm(plan: DeploymentResult): Promise<boolean>;
}

export interface OperationResult {
  verb: DeploymentRequest['verb'];
  outcome: 'succeeded' | 'failed' | 'declined';
  /** What was planned only, or was done. */
  applied: boolean;
  deployment: DeploymentResult;
}

/**
 * Carries out a verb that changes things. With approval `ask` it is planned first, shown and confirmed; a
 * plan that changes nothing is the answer by itself.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export async function deploy(
  verb: 'up' | 'refresh' | 'destroy',
  request: ApprovedRequest,
  engine: Engine,
  sink: Sink,
): Promise<OperationResult> {
  requireApproval(request.approval, verb);
  if (request.approval === Approval.ask) {
    const plan = await run(verb, true, request, engine, sink);
    if (!plan.succeeded) return { verb, outcome: 'failed', applied: false, deployment: plan };
    if (!hasChanges(plan.steps)) return { verb, outcome: 'succeeded', applied: false, deployment: plan };
    if (!(await sink.confirm(plan))) return { verb, outcome: 'declined', applied: false, deployment: plan };
  }
  const deployment = await run(verb, false, request, engine, sink);
  return { verb, outcome: deployment.succeeded ? 'succeeded' : 'failed', applied: true, deployment };
}

/** One run of an engine for an operation. */
export function run(
  verb: DeploymentRequest['verb'],
  dryRun: boolean,
  { stack, refresh, targets }: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent'>,
): Promise<DeploymentResult> {
  return engine.run({ verb, dryRun, stack, refresh, targets, onEvent: (event) => sink.onEvent(event) });
}
