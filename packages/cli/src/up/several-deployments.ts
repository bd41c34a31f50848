import { jsonReport, type Review } from '@gatehouse/core/review';
import { GatehouseError, shortened } from '@gatehouse/core/values';
import type { Engine } from '@gatehouse/engine';
import { changeOf, changeTree } from '../deployment/change-tree.ts';
import { checkReady } from '../deployment/check-ready.ts';
import { type OperationResult, preview, requireApproval } from '../deployment/deployment.ts';
import { shownProperties } from '../deployment/shown-value.ts';
import type { OfStack, OpenedStack } from '../open/many-stacks.ts';
import { reviewText } from '../review/review-text.ts';
import { requireReviewed } from '../statement/require-reviewed.ts';
import { type CommandContext, jsonText, say, withProgress } from '../terminal/command.ts';
import { manyStacksText, problemLines, type Told } from '../terminal/many-stacks-text.ts';
import { ofSeveral, ofStacks, refuseForSeveral, tellSeveral } from '../terminal/several-stacks.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { askWithDetails, ExitCode, type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import {
  approvalOf,
  type DeploymentOptions,
  deploymentJson,
  exitCodes,
  policyPacksOf,
  refusal,
} from './deployment-options.ts';
import { deploymentText, diagnosticsText, summaryText } from './deployment-text.ts';
import { PlanJudge } from './plan-judge.ts';
import { requireApplicable } from './take-over.ts';
import { applyInTurn, beginUp, type StartedUp } from './up-stacks.ts';

/** What one of several stacks would change, or has. */
interface StackDeployment {
  result: OperationResult;
  review: Review | undefined;
  /** The result as `--json` prints it. */
  json: object;
}

interface StackPlan extends StackDeployment {
  opened: OpenedStack;
  /** With `up`. */
  started?: StartedUp;
}

export async function deployStacks(
  verb: 'preview' | 'up',
  options: DeploymentOptions,
  context: CommandContext,
): Promise<void> {
  refuseForSeveral(options, [
    '--target',
    '--exclude',
    '--import',
    '--take-over',
    '--preflight',
    '--require-review',
    '--replay',
    '--show-people',
    '--hash-with',
  ]);
  const { terminal } = context;
  if (verb === 'up') requireApproval(verb, approvalOf(options, terminal));
  const plans = await planStacks(verb, options, context);
  if (verb === 'preview') await tellSeveral(plans, formsOf(options.verbose), options, terminal);
  else await applyStacks(plans, options, terminal);
}

async function planStacks(
  verb: 'preview' | 'up',
  options: DeploymentOptions,
  { terminal, openEngine }: CommandContext,
): Promise<OfStack<StackPlan>[]> {
  const warnings = new Set<string>();
  const policyPacks = policyPacksOf(options, terminal);
  const { refresh = false, continueOnError } = options;
  const how = { doing: 'Planning', needsToken: true };
  const plans = await ofSeveral(options, terminal, how, async (opened): Promise<StackPlan> => {
    const { stack, env } = opened;
    await checkReady(stack, env);
    const { engine, warning } = await openEngine(options, stack, env);
    if (warning !== undefined) warnings.add(warning);
    const request = { stack, refresh, targets: [], continueOnError, policyPacks };
    const planning = { opened, options, request, engine, warnings };
    return verb === 'preview' ? await previewStack(planning) : await startUp(planning);
  });
  for (const warning of warnings) say(terminal, 'warning', warning);
  return plans;
}

/** One of several stacks that is planned. */
interface StackPlanning {
  opened: OpenedStack;
  options: DeploymentOptions;
  request: Parameters<typeof beginUp>[0];
  engine: Engine;
  /** Takes the warnings of all stacks. */
  warnings: Set<string>;
}

async function previewStack(planning: StackPlanning): Promise<StackPlan> {
  const { opened, options, request, engine, warnings } = planning;
  const { stack } = opened;
  const judge = new PlanJudge(opened, options);
  let review: Review | undefined;
  const result = await preview(request, engine, { onEvent() {} });
  if (result.outcome === 'succeeded') {
    const { failures, notes, ...judged } = await judge.judge(result.deployment);
    review = judged.review;
    for (const text of [...failures, ...notes]) warnings.add(`${stack.name}: ${text}`);
  }
  return { opened, result, review, json: await deploymentJson(stack, result, review) };
}

/** Begins an `up`, which waits with its plan for an approval. */
async function startUp(planning: StackPlanning): Promise<StackPlan> {
  const { opened, options, request, engine, warnings } = planning;
  const { stack, env } = opened;
  const judge = new PlanJudge(opened, options);
  let review: Review | undefined;
  const started = await beginUp(request, engine, {
    onEvent() {},
    async review(plan) {
      const { failures, notes, hasErrors, ...judged } = await judge.judge(plan);
      review = judged.review;
      for (const note of notes) warnings.add(`${stack.name}: ${note}`);
      requireApplicable(review.taken, [], failures);
      if (hasErrors) return false;
      await requireReviewed(stack, plan, { files: [], base: options.base }, env);
      return true;
    },
  });
  const result: OperationResult =
    'ended' in started
      ? started.ended
      : { verb: 'up', outcome: 'succeeded', applied: false, deployment: started.plan };
  return { opened, started, result, review, json: await deploymentJson(stack, result, review) };
}

/** @param all with what `details` shows. Defaults to false. */
function formsOf(all = false): Told<StackDeployment> {
  return {
    json: ({ json }) => json,
    content: ({ result: { outcome, deployment }, review }) => [
      outcome,
      deployment.changes,
      changeTree(deployment.steps),
      shownProperties(deployment.outputs),
      // The rest of a list whose entries change is in no line of the tree.
      deployment.steps
        .filter((step) => changeOf(step) !== 'same')
        .map(({ oldState, newState }) =>
          [oldState, newState].map((state) => state && shownProperties(state.inputs)),
        ),
      deployment.diagnostics.filter(({ severity }) => severity !== 'debug'),
      review && [jsonReport(review, 'error'), review.older, review.notes, review.passedOver],
    ],
    text: ({ result, review }, heading, style, columns) => {
      const isReviewed = review !== undefined && review.resources.changed > 0;
      return [
        `${style.strong(heading)}\n`,
        deploymentText(result, { style, verbose: all, isTimed: false }),
        diagnosticsText(result.deployment.diagnostics, style, all),
        isReviewed ? `\n${reviewText(review, style, { columns, all })}` : '',
      ].join('');
    },
    exitCode: ({ result }) => exitCodes[result.outcome],
  };
}

/** Asks once, applies the first stack alone and then the others, and says what became of each. */
async function applyStacks(
  plans: readonly OfStack<StackPlan>[],
  options: DeploymentOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const style = styleFor(stdout, env);
  const show = (all = options.verbose) => {
    if (options.json) return;
    writeText(stdout, env, manyStacksText(plans, formsOf(all), style, widthOf(stdout, env)));
  };
  show();
  const planned = plans.flatMap((plan) => ('result' in plan ? [{ ...plan, ...plan.result }] : []));
  const waiting = planned.flatMap(({ started, ...stackPlan }) =>
    started !== undefined && 'go' in started ? [{ ...stackPlan, ...started }] : [],
  );
  const isUnplanned = plans.some((plan) => 'problem' in plan || plan.result.result.outcome === 'failed');
  const isRefused = planned.some(({ result }) => result.outcome === 'refused');
  const names = waiting.map(({ stack }) => stack);
  const question = `Make these changes in ${shortened(names, 8)}${names.length > 1 ? `, ${names[0]} first` : ''}?`;
  let applied: OfStack<OperationResult>[] = [];
  let isDeclined = false;
  try {
    if (isUnplanned) say(terminal, 'error', 'Not every stack could be planned, so nothing was changed.');
    else if (isRefused) say(terminal, 'error', refusal);
    else {
      const isAsked = !options.yes && waiting.length > 0;
      isDeclined = isAsked && !(await askWithDetails(terminal, question, () => show(true)));
      if (isDeclined) stderr.write('Nothing was changed.\n');
      else applied = await applyWaiting(waiting, options, terminal);
    }
  } finally {
    for (const { go } of waiting) void go(false).catch(() => {});
  }
  const outcomes = await outcomesOf(plans, applied);
  if (options.json) stdout.write(jsonText(ofStacks(outcomes, ({ json }) => json)));
  else if (applied.length > 0) writeText(stdout, env, summaryOf(outcomes, style, options.verbose));
  const isFailed = outcomes.some(
    (outcome) => 'problem' in outcome || outcome.result.result.outcome === 'failed',
  );
  const isNo = isRefused || isDeclined;
  terminal.exitCode = isFailed || isUnplanned ? ExitCode.error : isNo ? ExitCode.no : ExitCode.ok;
}

type WaitingStack = Pick<OfStack<unknown>, 'stack' | 'place'> &
  StackPlan &
  Extract<StartedUp, { plan: unknown }>;

async function applyWaiting(
  waiting: readonly WaitingStack[],
  options: DeploymentOptions,
  terminal: Terminal,
): Promise<OfStack<OperationResult>[]> {
  const { parallel = 1, maxFailures = 1, json } = options;
  const { stdout, env } = terminal;
  /** The deployment that was begun last, by service and namespace. */
  const last = new Map<string, Promise<OperationResult>>();
  return await withProgress(terminal, async (progress) => {
    const turns = waiting.map(({ stack, place, plan, review, opened, go }) => {
      const key = place === undefined ? stack : `${place.address.origin} ${place.namespace ?? ''}`;
      const apply = async (before: Promise<OperationResult> | undefined) => {
        if (before !== undefined) {
          await before.catch(() => {});
          // The other stack changed the service after this review.
          const now = await new PlanJudge(opened, options).review(plan);
          if (review === undefined || verdictOf(now) !== verdictOf(review)) throw outdated(stack);
        }
        progress.say(`Applying ${stack} …`);
        const result = await go(true);
        // The other stacks may take long.
        if (!json) {
          progress.clear();
          writeText(stdout, env, `${styleFor(stdout, env).strong(stack)}: ${summaryText(result)}\n`);
        }
        return result;
      };
      return {
        stack,
        go(isApplied: boolean) {
          if (!isApplied) return go(false);
          const mine = apply(last.get(key));
          last.set(key, mine);
          return mine;
        },
      };
    });
    return applyInTurn(turns, { parallel, maxFailures });
  });
}

/** The part of a review that a person approves. */
function verdictOf({ gains, losses, taken, findings, access }: Review): string {
  return JSON.stringify([gains, losses, taken, findings, access]);
}

function outdated(stack: string): GatehouseError {
  return new GatehouseError('review_outdated', { given: stack });
}

/** The outcome of each stack: applied or not begun if it waited for approval, else as planned. */
async function outcomesOf(
  plans: readonly OfStack<StackPlan>[],
  applied: readonly OfStack<OperationResult>[],
): Promise<OfStack<StackDeployment>[]> {
  const ended = new Map(applied.map((outcome) => [outcome.stack, outcome]));
  return await Promise.all(
    plans.map(async (plan): Promise<OfStack<StackDeployment>> => {
      if ('problem' in plan) return plan;
      const { opened, started, review, result: planned, json } = plan.result;
      if (started === undefined || 'ended' in started)
        return { ...plan, result: { review, json, result: planned } };
      const end = ended.get(plan.stack);
      if (end !== undefined && 'problem' in end) return end;
      const isStarted = end !== undefined && end.result.outcome !== 'declined';
      const result: OperationResult = isStarted ? end.result : { ...planned, outcome: 'declined' };
      const printed = await deploymentJson(opened.stack, result, review);
      return {
        ...plan,
        result: { review, result, json: isStarted ? printed : { ...printed, result: 'not_started' } },
      };
    }),
  );
}

/** Stacks that were applied, that failed and why, and that were not begun. */
function summaryOf(outcomes: readonly OfStack<StackDeployment>[], style: Style, verbose = false): string {
  const namesWhere = (matches: (result: OperationResult) => boolean) =>
    outcomes.flatMap((outcome) =>
      'result' in outcome && matches(outcome.result.result) ? outcome.stack : [],
    );
  const groups = {
    applied: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && applied),
    unchanged: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && !applied),
    failed: outcomes.flatMap((outcome) =>
      'problem' in outcome || outcome.result.result.outcome === 'failed' ? outcome.stack : [],
    ),
    'not started': namesWhere(({ outcome }) => outcome === 'declined'),
  };
  const failures = outcomes.flatMap((outcome) => {
    if ('problem' in outcome || outcome.result.result.outcome !== 'failed') return [];
    const { diagnostics } = outcome.result.result.deployment;
    return `${style.strong(outcome.stack)}\n${diagnosticsText(diagnostics, style, verbose)}`;
  });
  return [
    '',
    ...failures,
    ...problemLines(outcomes),
    ...Object.entries(groups).flatMap(([what, names]) =>
      names.length === 0 ? [] : `${style.strong(`${names.length} ${what}`)}: ${shortened(names, 40)}`,
    ),
    '',
  ].join('\n');
}
