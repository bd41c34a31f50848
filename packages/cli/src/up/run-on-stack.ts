import { resolve } from 'node:path';
import type { Subject } from '@gatehouse/core/graph';
import type { Review } from '@gatehouse/core/review';
import { hasChanges } from '../deployment/change-tree.ts';
import { checkReady } from '../deployment/check-ready.ts';
import {
  type ApprovedRequest,
  type DeploymentResult,
  destroy,
  type OperationResult,
  preview,
  refresh,
  up,
} from '../deployment/deployment.ts';
import { select } from '../deployment/selection.ts';
import type { OpenedStack } from '../open/many-stacks.ts';
import { openWithToken } from '../open/service-token.ts';
import { type CommandContext, jsonText, say, withProgress } from '../terminal/command.ts';
import { printable, styleFor } from '../terminal/style.ts';
import { askWithDetails, ExitCode, type Terminal } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import { replayRequest } from '../usage/replaying.ts';
import {
  approvalOf,
  type DeploymentOptions,
  deploymentJson,
  exitCodes,
  policyPacksOf,
  refusal,
} from './deployment-options.ts';
import { DeploymentOutput } from './deployment-output.ts';
import { nextCommand } from './next-command.ts';
import { PlanJudge } from './plan-judge.ts';
import { requireApplicable, requireDeclared } from './take-over.ts';

const operations = { preview, up, refresh, destroy };
/** What is in progress. */
const doing = { preview: 'Planning', up: 'Applying', refresh: 'Reading', destroy: 'Deleting' };

/**
 * Does what a command asks for with one stack, and says so.
 *
 * @param question whether to apply a plan
 */
export async function deploy(
  verb: OperationResult['verb'],
  question: string,
  options: DeploymentOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const policyPacks = policyPacksOf(options, terminal);
  const opened = await openWithToken(options.cwd, options.stack, terminal.env);
  const { stack, env } = opened;
  const isJudged = verb === 'preview' || verb === 'up';
  await withProgress(terminal, async (progress) => {
    const { engine, warning } = await openEngine(options, stack, env);
    const replaying = await replayRequest(options, stack, terminal, env);
    const warn = (text: string) => say(terminal, 'warning', text);
    if (warning !== undefined) warn(warning);
    progress.say(`${stack.project}/${stack.name}: starting …`);
    const output = new DeploymentOutput(verb, options, { ...terminal, env }, progress);
    const judge = new PlanJudge(opened, options, progress.onRead);
    let review: Review | undefined;
    // Refresh and destroy work from the state, even if the configuration has errors.
    if (isJudged) await checkReady(stack, env);
    if (options.preflight && !(await couldSignIn(stack, terminal, () => progress.clear()))) return;
    const approval = approvalOf(options, terminal);
    const imports = await readImports(stack, options, terminal);
    const { target = [], exclude = [], parallel, continueOnError, refresh = false, takeOver = [] } = options;
    const selected = await select({ stack, verb, target, exclude, imports }, engine);
    const how = { refresh, parallel, continueOnError, imports, policyPacks, approval };
    let isApplying = false;
    const result = await operations[verb]({ stack, ...how, ...selected }, engine, {
      onRun({ dryRun }) {
        isApplying = !dryRun;
        progress.begin(doing[dryRun ? 'preview' : verb]);
      },
      onEvent(event) {
        progress.onEvent(event);
        if (isApplying) output.step(event);
        // The program has begun, and is busy for a while.
        if (isJudged) judge.prepare();
      },
      async review(plan) {
        const judged = await judge.judge(plan, replaying);
        review = judged.review;
        progress.clear();
        // What a plan is about takes long to name: only where something is looked for in it.
        if (takeOver.length > 0) requireDeclared(takeOver, await subjectsIn(plan));
        judged.notes.forEach(warn);
        requireApplicable(review.taken, takeOver, judged.failures);
        await output.plan(plan, review);
        if (!judged.hasErrors) await requireSigned(opened, plan, options, terminal);
        return !judged.hasErrors;
      },
      async confirm(plan) {
        if (review === undefined) await output.plan(plan);
        return askWithDetails(terminal, question, () => output.plan(plan, review, true));
      },
    });
    progress.clear();
    let next: string | undefined;
    if (verb === 'preview' && result.outcome === 'succeeded') {
      const { failures, notes, hasErrors, ...judged } = await judge.judge(result.deployment, replaying);
      review = judged.review;
      progress.clear();
      [...failures, ...notes].forEach(warn);
      const isRefused = hasErrors || review.taken.length + failures.length > 0;
      const found = { hasChanges: hasChanges(result.deployment.steps), isRefused };
      next = nextCommand({ stack: stack.name, ...found }, options);
    }
    if (options.json) terminal.stdout.write(jsonText(await deploymentJson(stack, result, review)));
    else if (result.outcome === 'declined') terminal.stderr.write('Nothing was changed.\n');
    else if (result.outcome === 'refused') say(terminal, 'error', refusal);
    else {
      output.result(result);
      if (verb === 'preview' && review !== undefined) await output.review(review);
      if (next !== undefined) writeText(terminal.stdout, env, `\n${printable(next)}\n`);
    }
    terminal.exitCode = exitCodes[result.outcome];
  });
}

/** @throws GatehouseError what `requireReviewed` throws */
async function requireSigned(
  { stack, env }: OpenedStack,
  plan: DeploymentResult,
  { requireReview = [], base }: DeploymentOptions,
  { cwd, stderr }: Terminal,
): Promise<void> {
  const { requireReviewed } = await import('../statement/require-reviewed.ts');
  const files = requireReview.map((file) => resolve(cwd, file));
  const signers = await requireReviewed(stack, plan, { files, base }, env);
  if (signers.length > 0) writeText(stderr, env, `Reviewed and signed by ${signers.join(', ')}.\n`);
}

/** Says what the identity providers refuse. @returns false, with its exit code, if there is something */
async function couldSignIn(
  stack: ApprovedRequest['stack'],
  terminal: Terminal,
  beforeText: () => void,
): Promise<boolean> {
  const [{ preflightStack }, { checksText }] = await Promise.all([
    import('../verify/preflight.ts'),
    import('../verify/checks-text.ts'),
  ]);
  const checks = await preflightStack(stack, terminal.env);
  if (!checks.some(({ outcome }) => outcome === 'failed')) return true;
  const style = styleFor(terminal.stderr, terminal.env);
  beforeText();
  terminal.stderr.write(
    `${checksText(checks, style)}${style.removed('error:')} People could not sign in, so nothing was changed.\n`,
  );
  terminal.exitCode = ExitCode.no;
  return false;
}

/** What a plan is about, as it is named. */
async function subjectsIn({ steps }: DeploymentResult): Promise<Subject[]> {
  const { subjectOf } = await import('../terminal/subject-of.ts');
  const resources = steps.flatMap(({ newState, oldState }) => newState ?? oldState ?? []);
  return resources.flatMap((one) => subjectOf(one, resources) ?? []);
}

async function readImports(
  stack: ApprovedRequest['stack'],
  { import: file }: DeploymentOptions,
  { cwd }: Terminal,
) {
  if (file === undefined) return undefined;
  const { readImportFile } = await import('../adopt/import-file.ts');
  return await readImportFile(resolve(cwd, file), stack);
}
