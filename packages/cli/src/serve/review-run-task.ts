import { trimmed } from '@gatehouse/core/graph';
import { judgeGraph, type ReviewOptions, ruleOptions, ruleOptionsElsewhere } from '@gatehouse/core/review';
import { type FinalResult, severityOutcome } from '@gatehouse/core/run-task';
import { readBudget, Stage } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type {
  Endpoint,
  ReviewRequest,
  ReviewResult,
  RunReviewer as ReviewRunTask,
} from '@gatehouse/run-tasks';
import { gateAtBase } from '../open/at-revision.ts';
import { openNamespaces, requireEnvironment } from '../open/open-environment.ts';
import { readDeclaring } from '../open/open-stack.ts';
import { withServiceToken } from '../open/service-token.ts';
import { reviewSettings } from '../review/review-stack.ts';
import type { FollowedLogs } from './followed-logs.ts';
import { declaredResult } from './outcomes.ts';
import type { PlanReviewer } from './plan-reviewer.ts';
import { reviewApplied } from './review-applied.ts';

/**
 * The review of an endpoint, by stage. An endpoint without a stack passes the stages that need one, and an outcome says
 * what was not checked.
 *
 * @param directory the folder of `Pulumi.yaml`; stacks are read anew for each task
 * @param logs tell when what a plan changes was last used
 */
export function runTaskReview(
  directory: string,
  env: NodeJS.ProcessEnv,
  reviewer: PlanReviewer,
  logs?: FollowedLogs,
): ReviewRunTask {
  return async (request, onOutcomes, signal) => {
    const { stack: name } = request.endpoint;
    const stack = name === undefined ? undefined : await readDeclaring(directory, name, env);
    const own = stack === undefined ? env : await withServiceToken(stack, env);
    const result = await reviewAt(request, stack, own, { reviewer, signal, logs });
    // Best sent while the task is running (docs/inside/specification.md A-2).
    await onOutcomes(result.outcomes);
    return { ...result, outcomes: [] };
  };
}

async function reviewAt(
  request: ReviewRequest,
  stack: Stack | undefined,
  env: NodeJS.ProcessEnv,
  by: TaskReviewContext,
): Promise<ReviewResult> {
  switch (request.stage) {
    case Stage.prePlan:
      return stack === undefined
        ? notChecked('the rules on what is declared: this endpoint has no stack')
        : await reviewDeclared(stack, request.endpoint, env);
    case Stage.postPlan:
    case Stage.preApply:
      return await reviewOfPlan(
        request,
        (await reviewSettings(stack, env, { budget: readBudget })).options,
        by,
      );
    case Stage.postApply:
      return stack === undefined
        ? notChecked('drift, and whether everyone can start to sign in: this endpoint has no stack')
        : await reviewApplied(stack, env);
  }
}

interface TaskReviewContext {
  reviewer: PlanReviewer;
  logs: FollowedLogs | undefined;
  signal: AbortSignal;
}

/** pre_plan: judges what the stack declares by the rules. */
async function reviewDeclared(
  stack: Stack,
  endpoint: Endpoint,
  env: NodeJS.ProcessEnv,
): Promise<FinalResult> {
  const all = await openNamespaces(stack, env);
  const now = BigInt(Date.now()) * 1_000_000n;
  const gate = await gateAtBase(stack, env);
  const whole = requireEnvironment(stack, env);
  const elsewhere = ruleOptionsElsewhere(whole, gate);
  const findings = all.flatMap(({ path, environment, graph }) => {
    const namespace = trimmed(environment.service.namespace ?? '');
    const options = path === '' ? ruleOptions(whole, gate) : elsewhere[namespace];
    const findingsWithin = judgeGraph(graph, { ...options, now });
    return path === '' ? findingsWithin : findingsWithin.map((finding) => ({ ...finding, namespace }));
  });
  return declaredResult(findings, endpoint.failOn ?? 'error');
}

/**
 * post_plan: who gains and who loses access, and the findings. pre_apply reviews the plan again, whatever was said of it
 * before: an advisory task may have failed at post_plan, and rules, stack and time may have changed since. The plan must
 * also be the one that was reviewed at post_plan of this run; what was not reviewed there never passes.
 */
async function reviewOfPlan(
  { stage, plan = new Uint8Array(), endpoint: { failOn = 'error' }, reviewed }: ReviewRequest,
  options: ReviewOptions,
  { reviewer, signal, logs }: TaskReviewContext,
): Promise<ReviewResult> {
  const lastUsed = await logs?.lastUsed();
  const optionsWithUse = { ...options, ...(lastUsed && { lastUsed }) };
  const { result, digest } = await reviewer.review(
    { plan, options: optionsWithUse, failOn, logs: logs?.files },
    signal,
  );
  if (stage === Stage.postPlan || reviewed?.digest === digest) return { ...result, digest };
  const [id, problem, body] =
    reviewed === undefined
      ? [
          'not-compared',
          'No review of this run’s plan at post_plan is on record here',
          'Send post_plan and pre_apply of one run to the same endpoint, and start a new run.',
        ]
      : [
          'other-plan',
          'The plan is not the one reviewed after planning',
          `Reviewed: ${reviewed.digest}\n\nTo be applied: ${digest}`,
        ];
  return {
    status: 'failed',
    message: `${problem}.`,
    outcomes: [severityOutcome(id, 'error', problem, body), ...result.outcomes],
    digest,
  };
}

function notChecked(what: string): FinalResult {
  return {
    status: 'passed',
    message: 'Nothing was checked at this stage.',
    outcomes: [severityOutcome('not-checked', 'info', `Not checked: ${what}`)],
  };
}
