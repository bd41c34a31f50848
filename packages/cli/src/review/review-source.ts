import { resolve } from 'node:path';
import type { Graph } from '@gatehouse/core/graph';
import type { LiveService, Review, ReviewOptions } from '@gatehouse/core/review';
import type { Stack } from '@gatehouse/engine';
import type { OpenedStack } from '../open/stack-outcomes.ts';
import type { SignedReview } from '../statement/signed-review.ts';
import { type CommandContext, limitsOf } from '../terminal/command.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ReplayRequest } from '../usage/replay-plan.ts';
import { replayRequest } from '../usage/replaying.ts';
import { secondsOf } from '../usage/service-options.ts';
import type { ReviewCommandOptions } from './review-options.ts';
import { type ReviewSettings, settingsWithoutStack } from './review-settings.ts';

/** What is reviewed, and what is needed for it. */
export interface ReviewCommandRequest {
  /** File with a plan, or `-`; undefined if the stack itself is the source. */
  plan: string | undefined;
  options: ReviewCommandOptions;
  terminal: Terminal;
  /** The stack that is reviewed, or that the plan is for. */
  stack: Stack | undefined;
  /** Variables with the token for the stack's service. */
  env: NodeJS.ProcessEnv;
  /** Key of the snapshots. */
  key: string | undefined;
  replaying: ReplayRequest | undefined;
  signing: SignedReview | undefined;
}

/**
 * Opens what a review needs in addition to its stack.
 *
 * @param opened the stack; undefined for a plan without one
 * @throws GatehouseError what reading the secrets of the stack, the key and the logs throws
 */
export async function openRequest(
  plan: string | undefined,
  options: ReviewCommandOptions,
  terminal: Terminal,
  opened?: OpenedStack,
): Promise<ReviewCommandRequest> {
  const { env } = opened ?? terminal;
  const stack = opened && (await toReview(opened, options));
  const replaying = await replayRequest(options, stack, terminal, env);
  const key = await keyOf(options, terminal);
  const signing = await signingOf(options, terminal);
  return { plan, options, terminal, stack, env, key, replaying, signing };
}

async function toReview({ stack, env }: OpenedStack, { since }: ReviewCommandOptions): Promise<Stack> {
  if (since === undefined) return stack;
  const { forComparison } = await import('../open/open-stack.ts');
  return forComparison(stack, env);
}

/** Whether the stack's own plan, or what its files declare, is reviewed. */
export function isOwnPlan(plan: string | undefined, { between }: ReviewCommandOptions): boolean {
  return plan === undefined && between === undefined;
}

/** Loaded only if a stack is reviewed: a plan alone needs none of it. */
const stackReviews = () => import('./review-stack.ts');
const snapshots = () => import('../snapshot/snapshot.ts');

async function keyOf({ keyFile }: ReviewCommandOptions, { cwd }: Terminal): Promise<string | undefined> {
  if (keyFile === undefined) return undefined;
  const { readKeyFile } = await snapshots();
  return await readKeyFile(resolve(cwd, keyFile));
}

/** What signs the review; loaded only where it does. */
async function signingOf({ sign, statement, steps, base }: ReviewCommandOptions, { cwd, env }: Terminal) {
  if (sign === undefined) return undefined;
  const { SignedReview } = await import('../statement/signed-review.ts');
  return SignedReview.begin({
    keyFile: resolve(cwd, sign),
    file: resolve(cwd, statement),
    base,
    env,
    steps: steps === undefined ? undefined : resolve(cwd, steps),
  });
}

/** The settings of the stack, with what its service has if the service is read. */
export async function settingsOf(request: ReviewCommandRequest, progress: Progress): Promise<ReviewSettings> {
  const { plan, stack, env, options } = request;
  const { between, since, live = false, base, complete } = options;
  const isRead = between === undefined && (live || (isOwnPlan(plan, options) && since === undefined));
  const limits = isRead ? { ...limitsOf(options), onRead: progress.onRead } : undefined;
  const settings =
    stack === undefined
      ? settingsWithoutStack()
      : await (await stackReviews()).reviewSettings(stack, env, limits, since === undefined && base);
  if (complete) settings.options.complete = true;
  return settings;
}

/** Reviews what the command line names: two snapshots, a revision, what the stack plans, or a file with a plan. */
export async function reviewSource(
  request: ReviewCommandRequest,
  judging: ReviewOptions,
  context: CommandContext,
  progress: Progress,
): Promise<Review> {
  const { plan, stack, env, key, replaying, options, terminal } = request;
  const { between, since } = options;
  if (between !== undefined) {
    const { reviewBetween } = await import('./review-between.ts');
    const [before = '', after = ''] = between.map((file) => resolve(terminal.cwd, file));
    return reviewBetween([before, after], key, judging);
  }
  if (since !== undefined && stack !== undefined) {
    const { reviewSince } = await import('./review-since.ts');
    const serviceOf = (graphs: Graph[]) => serviceBelow(graphs, request, judging);
    return reviewSince(stack, since, judging, env, serviceOf, replaying);
  }
  if (plan === undefined && stack !== undefined) {
    return reviewPlanned(stack, request, judging, context, progress);
  }
  return reviewPlanFile(plan ?? '', request, judging);
}

/** Plans the stack, and reviews the plan. */
async function reviewPlanned(
  stack: Stack,
  { options, env, signing, replaying }: ReviewCommandRequest,
  judging: ReviewOptions,
  { openEngine }: CommandContext,
  progress: Progress,
): Promise<Review> {
  const { engine } = await openEngine(options, stack, env);
  progress.begin('Planning');
  const { planStack } = await import('../deployment/deployment.ts');
  const planned = await planStack(stack, engine, env, [], (event) => progress.onEvent(event));
  await signing?.ofPlan(stack, planned);
  return (await stackReviews()).reviewDeployment(stack, planned, judging, env, replaying);
}

/** @param plan path of a plan as JSON or of an archive of Terraform, or `-` */
async function reviewPlanFile(
  plan: string,
  request: ReviewCommandRequest,
  judging: ReviewOptions,
): Promise<Review> {
  const { terminal, stack, signing, replaying } = request;
  const { readPlanFile } = await import('../open/read-plan-file.ts');
  const file = plan === '-' ? '-' : resolve(terminal.cwd, plan);
  const archive = await (await import('../open/read-plan-archive.ts')).readPlanArchive(file, terminal);
  await signing?.ofFile(stack, file, archive);
  const read = archive?.plan ?? (await readPlanFile(file, terminal.stdin));
  const live = await serviceBelow(read.resources, request, judging, read.address);
  const { reviewReplayed } = await import('../usage/replay-plan.ts');
  return reviewReplayed(read, { ...judging, ...(live && { live }) }, replaying);
}

/**
 * The service that the change is judged on: from the snapshot if there is one, else as it was read.
 *
 * @param reviewed may have names of people that the snapshot has hashed
 * @param plannedAddress the service's address by a plan, where that says it
 */
async function serviceBelow(
  reviewed: object[],
  { options, terminal, key }: ReviewCommandRequest,
  { live, service }: ReviewOptions,
  plannedAddress?: string,
): Promise<LiveService | undefined> {
  const { snapshot, digest } = options;
  if (snapshot === undefined) return live;
  const maxAge = await secondsOf('--max-age', options.maxAge);
  const { possibleNames } = await import('@gatehouse/core/review');
  const how = {
    key,
    digest,
    maxAge,
    now: Date.now(),
    names: possibleNames(reviewed),
    service,
    plannedAddress,
  };
  return (await snapshots()).snapshotService(resolve(terminal.cwd, snapshot), how);
}
