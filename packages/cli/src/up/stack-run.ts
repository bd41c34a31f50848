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
import type { OpenedStack } from '../open/stack-outcomes.ts';
import type { CommandContext } from '../terminal/command.ts';
import { areSeveral } from '../terminal/each-stack.ts';
import type { Progress } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { ExitCode, type Terminal } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import type { ReplayRequest } from '../usage/replay-plan.ts';
import { replayRequest } from '../usage/replaying.ts';
import { approvalOf, type DeploymentOptions } from './deployment-options.ts';
import type { DeploymentOutput, StackDeployment } from './deployment-output.ts';
import { nextCommand } from './next-command.ts';
import { PlanJudge } from './plan-judge.ts';
import { requireApplicable, requireDeclared } from './take-over.ts';

const operations = { preview, up, refresh, destroy };
/** The words for what is in progress. */
const doing = { preview: 'Planning', up: 'Applying', refresh: 'Reading', destroy: 'Deleting' };

/** A command that deploys, and where it says so. */
export interface DeploymentCommand {
  verb: OperationResult['verb'];
  options: DeploymentOptions;
  policyPacks: ApprovedRequest['policyPacks'];
  context: CommandContext;
  output: DeploymentOutput;
}

/** A plan that waits for a yes or a no. */
export interface WaitingOperation {
  plan: DeploymentResult;
  /** Applies the plan, or ends without. */
  go(isApplied: boolean): Promise<OperationResult>;
}

/** A stack whose operation has ended, or waits with its plan. */
export interface StackPlan extends StackDeployment {
  waiting?: WaitingOperation;
}

/** One command at work on one stack. */
interface StackRun extends DeploymentCommand {
  opened: OpenedStack;
  progress: Progress;
  /** Logs whose requests are sent again. */
  replaying: ReplayRequest | undefined;
  judge: PlanJudge;
}

/**
 * Begins what a command does with a stack, up to the question whether to apply its plan. The same operation goes on after the
 * answer: it applies what was reviewed, or fails.
 *
 * @returns undefined where people could not sign in, which is printed, with its exit code
 * @throws GatehouseError what the operation throws before that question
 */
export async function startOnStack(
  command: DeploymentCommand,
  opened: OpenedStack,
  progress: Progress,
): Promise<StackPlan | undefined> {
  const { verb, options, output, context } = command;
  const { terminal, openEngine } = context;
  const { stack, env } = opened;
  const { engine, warning } = await openEngine({ ...options, previews: verb === 'preview' }, stack, env);
  const replaying = await replayRequest(options, stack, terminal, env);
  if (warning !== undefined) output.engineWarning(warning);
  progress.say(`${stack.project}/${stack.name}: starting …`);
  // Refresh and destroy work from the state, even if the configuration has errors.
  if (isJudged(verb)) await checkReady(stack, env);
  if (options.preflight && !(await couldSignIn(stack, terminal, () => progress.clear()))) return undefined;
  const judge = new PlanJudge(opened, options, progress.onRead);
  const run = { ...command, opened, progress, replaying, judge };
  return await start(run, await requestOf(run, engine), engine);
}

function isJudged(verb: OperationResult['verb']): boolean {
  return verb === 'preview' || verb === 'up';
}

async function requestOf(
  { verb, options, policyPacks, context: { terminal }, opened: { stack } }: StackRun,
  engine: Engine,
): Promise<ApprovedRequest> {
  const imports = await readImports(stack, options, terminal);
  const { target = [], exclude = [], continueOnError, refresh = false } = options;
  const selected = await select({ stack, verb, target, exclude, imports }, engine);
  // Of several stacks, each waits for its turn, and `--parallel` counts stacks.
  const how = areSeveral(options)
    ? { approval: 'ask' as const }
    : { approval: approvalOf(options, terminal), parallel: options.parallel };
  return { stack, refresh, continueOnError, imports, policyPacks, ...how, ...selected };
}

async function start(run: StackRun, request: ApprovedRequest, engine: Engine): Promise<StackPlan> {
  const { verb, opened, progress } = run;
  const planned = Promise.withResolvers<DeploymentResult>();
  const answer = Promise.withResolvers<boolean>();
  const sink = new StackSink(run, (plan) => {
    planned.resolve(plan);
    return answer.promise;
  });
  const operation = operations[verb](request, engine, sink);
  const go = (isApplied: boolean) => {
    answer.resolve(isApplied);
    return operation;
  };
  const started = await Promise.race([
    operation.then((result) => ({ result })),
    planned.promise.then((plan) => ({ plan, go })),
  ]);
  progress.clear();
  if ('plan' in started) {
    const deployment = started.plan;
    const result = { verb, outcome: 'succeeded', applied: false, deployment } as const;
    return { opened, result, review: sink.reviewed, isWaiting: true, waiting: started };
  }
  const { result } = started;
  const judged = verb === 'preview' && result.outcome === 'succeeded' ? await judgePreview(run, result) : {};
  return { opened, result, review: sink.reviewed, isWaiting: false, ...judged };
}

/** Shows what an operation does, judges its plan, and asks whether to apply it. */
class StackSink implements Sink {
  readonly #run: StackRun;
  readonly confirm: Sink['confirm'];
  #isApplying = false;
  /** The review of the plan, once there is one. */
  reviewed: Review | undefined;

  constructor(run: StackRun, confirm: Sink['confirm']) {
    this.#run = run;
    this.confirm = confirm;
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
    const { options, context, opened, progress, replaying, output, judge } = this.#run;
    const { takeOver = [] } = options;
    const { review, notes, failures, hasErrors } = await judge.judge(plan, replaying);
    this.reviewed = review;
    progress.clear();
    // Naming what a plan is about takes long: only if something is looked for in it.
    if (takeOver.length > 0) requireDeclared(takeOver, await subjectsIn(plan));
    output.warn(opened.stack.name, notes);
    requireApplicable(review.taken, takeOver, failures);
    await output.planned(plan, review);
    if (!hasErrors) await requireSigned(opened, plan, options, context.terminal);
    return !hasErrors;
  }
}

/** Judges the plan of a preview, warns of what `up` would refuse, and finds the command that follows. */
async function judgePreview(
  { options, opened: { stack }, progress, replaying, output, judge }: StackRun,
  { deployment: plan }: OperationResult,
): Promise<Pick<StackDeployment, 'review' | 'next'>> {
  const { review, failures, notes, hasErrors } = await judge.judge(plan, replaying);
  progress.clear();
  output.warn(stack.name, [...failures, ...notes]);
  const isRefused = hasErrors || review.taken.length + failures.length > 0;
  const previewed = { stack: stack.name, hasChanges: hasChanges(plan.steps), isRefused };
  return { review, next: nextCommand(previewed, options) };
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
