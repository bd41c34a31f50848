import { GatehouseError } from '../core/model/values/errors.ts';
import type { DeploymentEvent, DeploymentRequest, DeploymentResult, Engine } from '../engine/engine.ts';
import type { Stack } from '../engine/stack.ts';
import { checkReady } from './check-ready.ts';
import { hasChanges } from './description/change-tree.ts';

/** How a change is approved before it is made. */
export const Approval = {
  /** Beforehand: `--yes`. */
  given: 'given',
  /** By asking the person at the terminal, with the plan before their eyes. */
  ask: 'ask',
  /** Not at all: nobody is there to be asked. */
  none: 'none',
} as const;
export type Approval = (typeof Approval)[keyof typeof Approval];

/** @throws GatehouseError `confirmation_needed` where nobody has approved and nobody can be asked */
function requireApproval(approval: Approval, command: string): void {
  if (approval !== Approval.none) return;
  throw new GatehouseError({
    code: 'confirmation_needed',
    what: `${command} needs confirmation, and there is no terminal to ask at`,
    fix: 'Check what it would do with gatehouse preview, then run it with --yes.',
  });
}

export type { DeploymentEvent, DeploymentResult, Diagnostic } from '../engine/engine.ts';

/** What preview, up, refresh and destroy are asked. */
export interface OperationRequest {
  stack: Stack;
  /** Read every resource from the service before comparing (preview and up). */
  refresh: boolean;
  /** URNs to restrict the work to; empty means all. */
  targets: string[];
  /** Ids of what is there already and is to be taken over: see `DeploymentRequest.imports`. */
  imports?: Record<string, string>;
}

export interface ApprovedRequest extends OperationRequest {
  approval: Approval;
}

/** Where an operation shows what it does while it does it. */
export interface Sink {
  onEvent(event: DeploymentEvent): void;
  /** Judges a plan of `up` before anybody is asked; false stops it. Without one, nothing is judged. */
  review?(plan: DeploymentResult): Promise<boolean>;
  /** Shows a plan and asks whether to carry it out; only called with approval `ask`. */
  confirm(plan: DeploymentResult): Promise<boolean>;
}

export interface OperationResult {
  verb: DeploymentRequest['verb'];
  /** `refused`: the review of the plan has errors. */
  outcome: 'succeeded' | 'failed' | 'declined' | 'refused';
  /** What was planned only, or was done. */
  applied: boolean;
  deployment: DeploymentResult;
}

/**
 * Carries out a verb that changes things. With approval `ask` it is planned first, shown and confirmed; a
 * plan that changes nothing is the answer by itself. Where plans are reviewed, `up` is planned first in any case.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
async function deploy(
  verb: 'up' | 'refresh' | 'destroy',
  request: ApprovedRequest,
  engine: Engine,
  sink: Sink,
): Promise<OperationResult> {
  requireApproval(request.approval, verb);
  const isAsked = request.approval === Approval.ask;
  const isReviewed = verb === 'up' && sink.review !== undefined;
  if (isAsked || isReviewed) {
    const plan = await run(verb, true, request, engine, sink);
    const planned = { verb, applied: false, deployment: plan };
    if (!plan.succeeded) return { ...planned, outcome: 'failed' };
    if (!hasChanges(plan.steps)) {
      if (isAsked) return { ...planned, outcome: 'succeeded' };
    } else {
      if (isReviewed && !(await sink.review?.(plan))) return { ...planned, outcome: 'refused' };
      if (isAsked && !(await sink.confirm(plan))) return { ...planned, outcome: 'declined' };
    }
  }
  const deployment = await run(verb, false, request, engine, sink);
  return { verb, outcome: deployment.succeeded ? 'succeeded' : 'failed', applied: true, deployment };
}

/** One run of an engine for an operation. */
function run(
  verb: DeploymentRequest['verb'],
  dryRun: boolean,
  { stack, refresh, targets, imports }: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent'>,
): Promise<DeploymentResult> {
  return engine.run({
    verb,
    dryRun,
    stack,
    refresh,
    targets,
    imports,
    onEvent: (event) => sink.onEvent(event),
  });
}

/** Works out what `up` would do and changes nothing. */
export async function preview(
  request: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent'>,
): Promise<OperationResult> {
  const deployment = await run('preview', true, request, engine, sink);
  return {
    verb: 'preview',
    outcome: deployment.succeeded ? 'succeeded' : 'failed',
    applied: false,
    deployment,
  };
}

/**
 * Makes the service what the stack declares.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function up(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('up', request, engine, sink);
}

/**
 * Reads every resource from the service and takes what it finds into the stack's state; the service is not changed.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function refresh(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('refresh', request, engine, sink);
}

/**
 * Deletes everything that the stack made.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function destroy(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('destroy', request, engine, sink);
}

/**
 * Plans a stack.
 *
 * @throws GatehouseError `plan_failed`, and what `checkReady` and the engine throw
 */
export async function planStack(
  stack: Stack,
  engine: Engine,
  env: NodeJS.ProcessEnv,
): Promise<DeploymentResult> {
  await checkReady(stack, env);
  const { deployment } = await preview({ stack, refresh: false, targets: [] }, engine, { onEvent: () => {} });
  if (deployment.succeeded) return deployment;
  const errors = deployment.diagnostics.filter(({ severity }) => severity === 'error');
  throw new GatehouseError({
    code: 'plan_failed',
    what: 'The stack could not be planned.',
    ...(errors.length === 0 ? {} : { fix: errors.map(({ message }) => message.trim()).join('\n  ') }),
  });
}
