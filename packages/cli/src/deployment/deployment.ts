import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentEvent, DeploymentRequest, DeploymentResult, Engine, Stack } from '@gatehouse/engine';
import { hasChanges } from './change-tree.ts';
import { checkReady } from './check-ready.ts';

export type { DeploymentEvent, DeploymentResult, Diagnostic } from '@gatehouse/engine';

/**
 * How a change is approved before it is made: beforehand (`--yes`), by the person at the terminal, who sees the plan first, or
 * not at all, as there is no one to ask.
 */
export type Approval = 'given' | 'ask' | 'none';

type OperationRequest = Omit<DeploymentRequest, 'verb' | 'dryRun' | 'onEvent' | 'reviewed'>;

export interface ApprovedRequest extends OperationRequest {
  approval: Approval;
}

/** Shows what an operation does while it does it. */
export interface Sink {
  /** Called before each plan, and before it is applied. */
  onRun?(run: { verb: DeploymentRequest['verb']; dryRun: boolean }): void;
  onEvent(event: DeploymentEvent): void;
  /** Judges a plan of `up` before anybody is asked; false stops it. Without it, no plan is judged. */
  review?(plan: DeploymentResult): Promise<boolean>;
  /** Shows a plan and asks whether to apply it; only called with approval `ask`. */
  confirm(plan: DeploymentResult): Promise<boolean>;
}

export interface OperationResult {
  verb: DeploymentRequest['verb'];
  /** `refused`: the review of the plan has errors. */
  outcome: 'succeeded' | 'failed' | 'declined' | 'refused';
  /** False if it only planned. */
  applied: boolean;
  deployment: DeploymentResult;
}

/** @throws GatehouseError `confirmation_needed`, `planning_canceled`, and what the engine throws */
type Operate = (request: ApprovedRequest, engine: Engine, sink: Sink) => Promise<OperationResult>;

/** Makes the service what the stack declares. */
export const up = approvedOperation('up');

/** Reads every resource from the service into the stack's state; the service is not changed. */
export const refresh = approvedOperation('refresh');

/** Deletes everything that the stack created. */
export const destroy = approvedOperation('destroy');

/**
 * An operation that changes things. With approval `ask` it is planned first, shown and confirmed; a plan that changes
 * nothing is then the result by itself. With a review, `up` is always planned first.
 *
 * To apply, the engine runs the program a second time, and its files may have changed since the plan. It is given the plan
 * that was shown or judged: a step on the service that is not in it fails (`step_unplanned`). A plan without changes is
 * neither shown nor judged, as it admits no such step. Without a plan (`refresh` and `destroy` with `--yes`) any step is
 * made: docs/engines.md#what-is-reviewed-is-what-is-applied.
 */
function approvedOperation(verb: 'up' | 'refresh' | 'destroy'): Operate {
  return async (request, engine, sink) => {
    requireApproval(verb, request.approval);
    const isAsked = request.approval === 'ask';
    const isReviewed = verb === 'up' && sink.review !== undefined;
    let reviewed: DeploymentResult | undefined;
    if (isAsked || isReviewed) {
      const plan = await runEngine(verb, true, request, engine, sink);
      const planned = { verb, applied: false, deployment: plan };
      if (!plan.succeeded) return { ...planned, outcome: 'failed' };
      if (!hasChanges(plan.steps)) {
        if (isAsked) return { ...planned, outcome: 'succeeded' };
      } else {
        if (isReviewed && !(await sink.review?.(plan))) return { ...planned, outcome: 'refused' };
        if (isAsked && !(await sink.confirm(plan))) return { ...planned, outcome: 'declined' };
      }
      reviewed = plan;
    }
    return await applied(verb, { ...request, reviewed }, engine, sink);
  };
}

/** Makes the steps of a plan that was approved, and no others, without planning again. */
export async function applyReviewed(
  reviewed: DeploymentResult,
  request: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent' | 'onRun'>,
): Promise<OperationResult> {
  return await applied('up', { ...request, reviewed }, engine, sink);
}

async function applied(
  verb: DeploymentRequest['verb'],
  request: OperationRequest & Pick<DeploymentRequest, 'reviewed'>,
  engine: Engine,
  sink: Pick<Sink, 'onEvent' | 'onRun'>,
): Promise<OperationResult> {
  const deployment = await runEngine(verb, false, request, engine, sink);
  return { verb, outcome: deployment.succeeded ? 'succeeded' : 'failed', applied: true, deployment };
}

/** @throws GatehouseError `confirmation_needed` where there is none */
export function requireApproval(verb: string, approval: Approval): void {
  if (approval !== 'none') return;
  throw new GatehouseError('confirmation_needed', { values: { verb } });
}

/** Works out what `up` would do, and changes nothing. */
export async function preview(
  request: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent' | 'onRun'>,
): Promise<OperationResult> {
  const deployment = await runEngine('preview', true, request, engine, sink);
  const outcome = deployment.succeeded ? 'succeeded' : 'failed';
  return { verb: 'preview', outcome, applied: false, deployment };
}

async function runEngine(
  verb: DeploymentRequest['verb'],
  dryRun: boolean,
  request: OperationRequest & Pick<DeploymentRequest, 'reviewed'> & Partial<ApprovedRequest>,
  engine: Engine,
  sink: Pick<Sink, 'onEvent' | 'onRun'>,
): Promise<DeploymentResult> {
  sink.onRun?.({ verb, dryRun });
  const { approval: _, ...engineRequest } = request;
  const result = await engine.run({
    ...engineRequest,
    verb,
    dryRun,
    onEvent: (event) => sink.onEvent(event),
  });
  return dryRun ? notCanceled(result) : result;
}

/** @throws GatehouseError `planning_canceled` */
export function notCanceled(plan: DeploymentResult): DeploymentResult {
  if (plan.canceled !== true) return plan;
  throw new GatehouseError('planning_canceled');
}

/**
 * Plans a stack.
 *
 * @param targets URNs to restrict the plan to. Default to all.
 * @throws GatehouseError `plan_failed`, and what `checkReady` and the engine throw
 */
export async function planStack(
  stack: Stack,
  engine: Engine,
  env: NodeJS.ProcessEnv,
  targets: string[] = [],
  onEvent: Sink['onEvent'] = () => {},
): Promise<DeploymentResult> {
  await checkReady(stack, env);
  const { deployment } = await preview({ stack, refresh: false, targets }, engine, { onEvent });
  if (deployment.succeeded) return deployment;
  const problems = errorsOf(deployment).join('\n  ') || undefined;
  throw new GatehouseError('plan_failed', { values: { problems } });
}

export function errorsOf({ diagnostics }: DeploymentResult): string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message.trim());
}
