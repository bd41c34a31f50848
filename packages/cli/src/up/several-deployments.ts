import { jsonReport, type Review } from '@gatehouse/core/review';
import { GatehouseError, shortened } from '@gatehouse/core/values';
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
interface Deployed {
  result: OperationResult;
  review: Review | undefined;
  /** As `--json` prints it. */
  json: object;
}

interface Planned extends Deployed {
  opened: OpenedStack;
  /** Of `up`. */
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
  const found = await planStacks(verb, options, context);
  if (verb === 'preview') await tellSeveral(found, toldOf(options.verbose), options, terminal);
  else await applyStacks(found, options, terminal);
}

async function planStacks(
  verb: 'preview' | 'up',
  options: DeploymentOptions,
  { terminal, openEngine }: CommandContext,
): Promise<OfStack<Planned>[]> {
  const warnings = new Set<string>();
  const policyPacks = policyPacksOf(options, terminal);
  const { refresh = false, continueOnError } = options;
  const how = { doing: 'Planning', needsToken: true };
  const found = await ofSeveral(options, terminal, how, async (opened): Promise<Planned> => {
    const { stack, env } = opened;
    await checkReady(stack, env);
    const { engine, warning } = await openEngine(options, stack, env);
    if (warning !== undefined) warnings.add(warning);
    const judge = new PlanJudge(opened, options);
    const request = { stack, refresh, targets: [], continueOnError, policyPacks };
    let review: Review | undefined;
    if (verb === 'preview') {
      const result = await preview(request, engine, { onEvent() {} });
      if (result.outcome === 'succeeded') {
        const { failures, notes, ...judged } = await judge.judge(result.deployment);
        review = judged.review;
        for (const one of [...failures, ...notes]) warnings.add(`${stack.name}: ${one}`);
      }
      return { opened, result, review, json: await deploymentJson(stack, result, review) };
    }
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
  });
  for (const warning of warnings) say(terminal, 'warning', warning);
  return found;
}

/** @param all with what `details` shows. Defaults to false. */
function toldOf(all = false): Told<Deployed> {
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
  found: readonly OfStack<Planned>[],
  options: DeploymentOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const style = styleFor(stdout, env);
  const show = (all = options.verbose) => {
    if (options.json) return;
    writeText(stdout, env, manyStacksText(found, toldOf(all), style, widthOf(stdout, env)));
  };
  show();
  const planned = found.flatMap((one) => ('result' in one ? [{ ...one, ...one.result }] : []));
  const waiting = planned.flatMap(({ started, ...one }) =>
    started !== undefined && 'go' in started ? [{ ...one, ...started }] : [],
  );
  const isUnplanned = found.some((one) => 'problem' in one || one.result.result.outcome === 'failed');
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
  const outcomes = await outcomesOf(found, applied);
  if (options.json) stdout.write(jsonText(ofStacks(outcomes, ({ json }) => json)));
  else if (applied.length > 0) writeText(stdout, env, summaryOf(outcomes, style, options.verbose));
  const isFailed = outcomes.some((one) => 'problem' in one || one.result.result.outcome === 'failed');
  const isNo = isRefused || isDeclined;
  terminal.exitCode = isFailed || isUnplanned ? ExitCode.error : isNo ? ExitCode.no : ExitCode.ok;
}

type WaitingStack = Pick<OfStack<unknown>, 'stack' | 'place'> &
  Planned &
  Extract<StartedUp, { plan: unknown }>;

async function applyWaiting(
  waiting: readonly WaitingStack[],
  options: DeploymentOptions,
  terminal: Terminal,
): Promise<OfStack<OperationResult>[]> {
  const { parallel = 1, maxFailures = 1, json } = options;
  const { stdout, env } = terminal;
  /** The last one that was begun, by service and namespace. */
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
        // Others may take long.
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

/** What a yes is about. */
function verdictOf({ gains, losses, taken, findings, access }: Review): string {
  return JSON.stringify([gains, losses, taken, findings, access]);
}

function outdated(stack: string): GatehouseError {
  return new GatehouseError('review_outdated', { given: stack });
}

/** What became of each stack: of those that waited, as they were applied or not begun; of the others, as planned. */
async function outcomesOf(
  found: readonly OfStack<Planned>[],
  applied: readonly OfStack<OperationResult>[],
): Promise<OfStack<Deployed>[]> {
  const ended = new Map(applied.map((one) => [one.stack, one]));
  return await Promise.all(
    found.map(async (one): Promise<OfStack<Deployed>> => {
      if ('problem' in one) return one;
      const { opened, started, review, result: planned, json } = one.result;
      if (started === undefined || 'ended' in started)
        return { ...one, result: { review, json, result: planned } };
      const end = ended.get(one.stack);
      if (end !== undefined && 'problem' in end) return end;
      const isStarted = end !== undefined && end.result.outcome !== 'declined';
      const result: OperationResult = isStarted ? end.result : { ...planned, outcome: 'declined' };
      const printed = await deploymentJson(opened.stack, result, review);
      return {
        ...one,
        result: { review, result, json: isStarted ? printed : { ...printed, result: 'not_started' } },
      };
    }),
  );
}

/** Stacks that were applied, that failed and why, and that were not begun. */
function summaryOf(outcomes: readonly OfStack<Deployed>[], style: Style, verbose = false): string {
  const namesWhere = (is: (one: OperationResult) => boolean) =>
    outcomes.flatMap((one) => ('result' in one && is(one.result.result) ? one.stack : []));
  const groups = {
    applied: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && applied),
    unchanged: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && !applied),
    failed: outcomes.flatMap((one) =>
      'problem' in one || one.result.result.outcome === 'failed' ? one.stack : [],
    ),
    'not started': namesWhere(({ outcome }) => outcome === 'declined'),
  };
  const failures = outcomes.flatMap((one) => {
    if ('problem' in one || one.result.result.outcome !== 'failed') return [];
    const { diagnostics } = one.result.result.deployment;
    return `${style.strong(one.stack)}\n${diagnosticsText(diagnostics, style, verbose)}`;
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
