import { resolve } from 'node:path';
import type { Subject } from '@gatehouse/core/graph';
import type { Review } from '@gatehouse/core/review';
import type { Engine } from '@gatehouse/engine';
import { hasChanges } from '../deployment/change-tree.ts';
import { checkReady } from '../deployment/check-ready.ts';
import {
  type ApprovedRequest,
  type DeploymentEvent,
  type DeploymentResult,
  destroy,
  type OperationResult,
  preview,
  refresh,
  type Sink,
  up,
} from '../deployment/deployment.ts';
import { select } from '../deployment/selection.ts';
import type { OpenedStack } from '../open/many-stacks.ts';
import { openWithToken } from '../open/service-token.ts';
import { type CommandContext, jsonText, say, withProgress } from '../terminal/command.ts';
import type { Progress } from '../terminal/progress.ts';
import { printable, styleFor } from '../terminal/style.ts';
import { askWithDetails, ExitCode, type Terminal } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import type { ReplayRequest } from '../usage/replay-plan.ts';
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
/** The words for what is in progress. */
const doing = { preview: 'Planning', up: 'Applying', refresh: 'Reading', destroy: 'Deleting' };

/** One command at work on one stack. */
interface StackRun {
  verb: OperationResult['verb'];
  /** Whether to apply a plan. */
  question: string;
  options: DeploymentOptions;
  terminal: Terminal;
  opened: OpenedStack;
  progress: Progress;
  /** Logs whose requests are sent again. */
  replaying: ReplayRequest | undefined;
  output: DeploymentOutput;
  judge: PlanJudge;
}

/** A review, and the command that follows a preview. */
interface JudgedPreview {
  review: Review;
  next: string;
}

/**
 * Does what a command asks for with one stack, and reports it.
 *
 * @param question whether to apply a plan
 */
export async function runOnStack(
  verb: OperationResult['verb'],
  question: string,
  options: DeploymentOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const policyPacks = policyPacksOf(options, terminal);
  const opened = await openWithToken(options.cwd, options.stack, terminal.env);
  const { stack, env } = opened;
  await withProgress(terminal, async (progress) => {
    const { engine, warning } = await openEngine({ ...options, previews: verb === 'preview' }, stack, env);
    const replaying = await replayRequest(options, stack, terminal, env);
    if (warning !== undefined) say(terminal, 'warning', warning);
    progress.say(`${stack.project}/${stack.name}: starting …`);
    const output = new DeploymentOutput(verb, options, { ...terminal, env }, progress);
    const judge = new PlanJudge(opened, options, progress.onRead);
    const run = { verb, question, options, terminal, opened, progress, replaying, output, judge };
    // Refresh and destroy work from the state, even if the configuration has errors.
    if (isJudged(verb)) await checkReady(stack, env);
    if (options.preflight && !(await couldSignIn(stack, terminal, () => progress.clear()))) return;
    const request = await requestOf(run, engine, policyPacks);
    const sink = new StackSink(run);
    const result = await operations[verb](request, engine, sink);
    progress.clear();
    if (verb === 'preview' && result.outcome === 'succeeded') {
      const { review, next } = await judgePreview(run, result.deployment);
      await reportResult(run, result, review, next);
    } else await reportResult(run, result, sink.reviewed);
    terminal.exitCode = exitCodes[result.outcome];
  });
}

function isJudged(verb: OperationResult['verb']): boolean {
  return verb === 'preview' || verb === 'up';
}

async function requestOf(
  { verb, options, terminal, opened: { stack } }: StackRun,
  engine: Engine,
  policyPacks: ApprovedRequest['policyPacks'],
): Promise<ApprovedRequest> {
  const approval = approvalOf(options, terminal);
  const imports = await readImports(stack, options, terminal);
  const { target = [], exclude = [], parallel, continueOnError, refresh = false } = options;
  const selected = await select({ stack, verb, target, exclude, imports }, engine);
  return { stack, refresh, parallel, continueOnError, imports, policyPacks, approval, ...selected };
}

/** Shows what an operation does, judges its plan, and asks whether to apply it. */
class StackSink implements Sink {
  readonly #run: StackRun;
  #isApplying = false;
  /** The review of the plan, once there is one. */
  reviewed: Review | undefined;

  constructor(run: StackRun) {
    this.#run = run;
  }

  onRun({ dryRun }: { dryRun: boolean }): void {
    const { verb, progress } = this.#run;
    this.#isApplying = !dryRun;
    progress.begin(doing[dryRun ? 'preview' : verb]);
  }

  onEvent(event: DeploymentEvent): void {
    const { verb, progress, output, judge } = this.#run;
    progress.onEvent(event);
    if (this.#isApplying) output.step(event);
    // The program has begun, and is busy for a while.
    if (isJudged(verb)) judge.prepare();
  }

  async review(plan: DeploymentResult): Promise<boolean> {
    const { options, terminal, opened, progress, replaying, output, judge } = this.#run;
    const { takeOver = [] } = options;
    const { review, notes, failures, hasErrors } = await judge.judge(plan, replaying);
    this.reviewed = review;
    progress.clear();
    // Naming what a plan is about takes long: only if something is looked for in it.
    if (takeOver.length > 0) requireDeclared(takeOver, await subjectsIn(plan));
    warnAll(terminal, notes);
    requireApplicable(review.taken, takeOver, failures);
    await output.plan(plan, review);
    if (!hasErrors) await requireSigned(opened, plan, options, terminal);
    return !hasErrors;
  }

  async confirm(plan: DeploymentResult): Promise<boolean> {
    const { question, terminal, output } = this.#run;
    if (this.reviewed === undefined) await output.plan(plan);
    return askWithDetails(terminal, question, () => output.plan(plan, this.reviewed, true));
  }
}

/** Judges the plan of a preview, warns of what `up` would refuse, and finds the command that follows. */
async function judgePreview(
  { options, terminal, opened: { stack }, progress, replaying, judge }: StackRun,
  plan: DeploymentResult,
): Promise<JudgedPreview> {
  const { review, failures, notes, hasErrors } = await judge.judge(plan, replaying);
  progress.clear();
  warnAll(terminal, [...failures, ...notes]);
  const isRefused = hasErrors || review.taken.length + failures.length > 0;
  const previewed = { stack: stack.name, hasChanges: hasChanges(plan.steps), isRefused };
  return { review, next: nextCommand(previewed, options) };
}

/** @param next the command that follows a preview */
async function reportResult(
  { verb, options, terminal, opened: { stack, env }, output }: StackRun,
  result: OperationResult,
  review: Review | undefined,
  next?: string,
): Promise<void> {
  const { stdout, stderr } = terminal;
  if (options.json) stdout.write(jsonText(await deploymentJson(stack, result, review)));
  else if (result.outcome === 'declined') stderr.write('Nothing was changed.\n');
  else if (result.outcome === 'refused') say(terminal, 'error', refusal);
  else {
    output.result(result);
    if (verb === 'preview' && review !== undefined) await output.review(review);
    if (next !== undefined) writeText(stdout, env, `\n${printable(next)}\n`);
  }
}

function warnAll(terminal: Terminal, texts: readonly string[]): void {
  for (const text of texts) say(terminal, 'warning', text);
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

/** The subjects of a plan, as reviews name them. */
async function subjectsIn({ steps }: DeploymentResult): Promise<Subject[]> {
  const { subjectOf } = await import('../terminal/subject-of.ts');
  const resources = steps.flatMap(({ newState, oldState }) => newState ?? oldState ?? []);
  return resources.flatMap((resource) => subjectOf(resource, resources) ?? []);
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
