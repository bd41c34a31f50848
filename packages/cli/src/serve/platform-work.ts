import type { signerOf } from '@gatehouse/core/statement';
import { GatehouseError, readBudget } from '@gatehouse/core/values';
import {
  type DeploymentEvent,
  isSamePlan,
  parseUrn,
  plannedPreview,
  plannedStep,
  type Stack,
  type StepOperation,
} from '@gatehouse/engine';
import type { Planned, Work } from '@gatehouse/run-tasks';
import { hasChanges } from '../deployment/change-tree.ts';
import { checkPlan } from '../deployment/check-plan.ts';
import { checkReady } from '../deployment/check-ready.ts';
import { applyReviewed, type DeploymentResult, errorsOf, planStack, up } from '../deployment/deployment.ts';
import { type Digest, digest } from '../deployment/digest.ts';
import { baseRevision } from '../open/at-revision.ts';
import { openEngine } from '../open/engines.ts';
import { openEnvironment, requireEnvironment, stackSecrets } from '../open/open-environment.ts';
import { readDeclaring, unsealed } from '../open/open-stack.ts';
import { withServiceToken } from '../open/service-token.ts';
import { reviewSettings } from '../review/review-stack.ts';
import { changeOfSteps, stackIn, stepsOf } from '../statement/reviewed-change.ts';
import { version } from '../terminal/command.ts';
import { stepTitle } from '../terminal/subject-of.ts';
import { requireApplicable } from '../up/take-over.ts';
import { describedStack, runTasksOf } from './described-stack.ts';
import type { PlanReviewer } from './plan-reviewer.ts';
import { plannedChanges } from './planned-changes.ts';
import { asUnreviewed } from './planning.ts';
import { PlansAtHand } from './plans-at-hand.ts';
import { archiveOf, digestOfFiles, type ProjectFiles, requireFiles, withFiles } from './project-files.ts';
import { reviewedToken } from './reviewed-token.ts';
import { readVersionControl } from './version-control.ts';

interface PlatformWorkOptions {
  signer?: ReturnType<typeof signerOf> | undefined;
  plansInPlace?: boolean | undefined;
}

/**
 * Reads, plans and applies the stacks of a project for a platform.
 *
 * @param directory the folder of `Pulumi.yaml`
 * @param env with the tokens for the services, and the passphrase of the stacks
 * @param peopleNamespace where people are identified, and the policies are that they are judged by
 * @param options.signer signs the reviews of plans. Defaults to no one.
 * @param options.plansInPlace plans the files of the folder as they are, without digest or copy, and applies the plan without
 *   planning again: what is planned is only what is scanned where no one changes them meanwhile. Defaults to false.
 */
export function platformWork(
  directory: string,
  env: NodeJS.ProcessEnv,
  reviewer: Pick<PlanReviewer, 'review'>,
  peopleNamespace: string,
  { signer, plansInPlace = false }: PlatformWorkOptions = {},
): Work {
  const plansAtHand = plansInPlace ? new PlansAtHand(directory) : undefined;
  const project: PlatformProject = { directory, env, reviewer, signer, plansAtHand };
  return {
    async describe(name, { withFiles: readsFiles = true } = {}) {
      const [stack, vcs, filesDigest] = await Promise.all([
        readDeclaring(directory, name, env),
        readVersionControl(directory),
        readsFiles && !plansInPlace ? digestOfFiles(directory) : undefined,
      ]);
      const environment = openEnvironment(stack, env);
      return describedStack(stack, environment, { vcs, filesDigest, peopleNamespace });
    },

    async signingKey(name, task) {
      const stack = await readDeclaring(directory, name, env);
      if (!runTasksOf(openEnvironment(stack, env), stack).some((runTask) => runTask.name === task)) {
        throw new GatehouseError('run_task_undeclared', { given: task });
      }
      return stackSecrets(await unsealed(stack, env), 'runTaskKeys')[task];
    },

    archive: (filesDigest) => archiveOf(directory, filesDigest),

    plan(name, { isSpeculative }) {
      const keep = isSpeculative ? undefined : plansAtHand?.planning(name);
      return planned(project, name, isSpeculative, async (plannedStack) => {
        const reviewed = await reviewedPlan(project, plannedStack);
        keep?.(plannedStack.plan);
        return reviewed;
      });
    },

    acceptedReview: (statement, accepted) => acceptedReview(signer, statement, accepted),

    async deployingToken(name, request, spentAt) {
      const { stack, own } = await openToApply(project, name);
      const planNow = () => planned(project, name, false, async ({ plan }) => plan);
      return await reviewedToken(stack, own, request, { plan: planNow, spentAt });
    },

    apply: (name, reviewed, options) => applyPlan(project, name, reviewed, options),
  };
}

/** The project of a platform, and what plans it. */
interface PlatformProject {
  /** The folder of `Pulumi.yaml`. */
  directory: string;
  env: NodeJS.ProcessEnv;
  reviewer: Pick<PlanReviewer, 'review'>;
  signer: PlatformWorkOptions['signer'];
  /** Where the files of the folder are planned as they are. */
  plansAtHand: PlansAtHand | undefined;
}

/** A stack, and variables with the token that applies. */
async function openToApply({ directory, env }: PlatformProject, name: string) {
  const stack = await readDeclaring(directory, name, env);
  return { stack, own: await withServiceToken(stack, env) };
}

/** Plans a stack from copies of its files, for as long as the answer takes. */
async function planned<Answer>(
  project: PlatformProject,
  name: string,
  isSpeculative: boolean,
  answer: (planned: PlannedStack) => Promise<Answer>,
): Promise<Answer> {
  const { directory, env, plansAtHand } = project;
  const planWith = async (files: ProjectFiles | undefined) => {
    const { stack, own: applying } = await openToApply(project, name);
    const planning = { stack, given: env, env: applying, isSpeculative, files };
    return await asUnreviewed(planning, async ({ env: own, contained, limits }) => {
      const { engine } = await openEngine({ contained }, stack, own);
      const plan = await requireFiles(planStack(stack, engine, own), stack);
      return await answer({ stack, applying, files, limits, plan });
    });
  };
  return await (plansAtHand !== undefined ? planWith(undefined) : withFiles(directory, planWith));
}

/** A plan as a run has it, with its review. */
async function reviewedPlan(
  { reviewer, signer }: PlatformProject,
  { stack, applying, files, limits, plan }: PlannedStack,
): Promise<Planned> {
  const warnings = limits.map((message) => ({ message, severity: 'warning' as const, urn: undefined }));
  const diagnostics = [...plan.diagnostics, ...warnings];
  const json = { ...digest(stack, { ...plan, diagnostics }, { unchanged: true }), files: files?.list };
  // Findings and checks about the person who applies it concern their token.
  const reviewed = await reviewOf(plan, stack, { reviewer, signer, env: applying });
  const { changes, summary } = plannedChanges(plan.steps);
  return {
    json,
    filesDigest: files?.digest,
    hasChanges: hasChanges(plan.steps),
    summary,
    ...reviewed,
    changes: { ...changes, files: files?.list, limits },
  };
}

async function acceptedReview(
  signer: PlatformWorkOptions['signer'],
  statement: string,
  accepted: Parameters<Work['acceptedReview']>[1],
): Promise<string> {
  if (signer === undefined) return statement;
  try {
    return await signer.accept(statement, accepted);
  } catch (error) {
    // The key was replaced meanwhile: the decision itself says who accepted.
    if (error instanceof GatehouseError) return statement;
    throw error;
  }
}

/** Applies a reviewed plan: the one at hand, or, if planning again gives the same one, that. */
async function applyPlan(
  project: PlatformProject,
  name: string,
  reviewed: unknown,
  { isResumed, onProgress }: Parameters<Work['apply']>[2],
): ReturnType<Work['apply']> {
  const { stack, own } = await openToApply(project, name);
  const { engine } = await openEngine({}, stack, own);
  await checkReady(stack, own);
  const { steps } = reviewed as Digest;
  const atHand = isResumed ? undefined : project.plansAtHand?.take(name, { steps });
  const request = { stack, refresh: false, targets: [] };
  // The plan that is made again reports its steps, too.
  let isReviewed = atHand !== undefined;
  const onEvent = (event: DeploymentEvent) => {
    const line = isReviewed ? progressLine(event) : undefined;
    if (line !== undefined) onProgress?.(line);
  };
  const { outcome, deployment } =
    atHand !== undefined
      ? await applyReviewed(atHand, request, engine, { onEvent })
      : await up({ ...request, approval: 'given' }, engine, {
          onEvent,
          review: async (plan) => {
            isReviewed = isSamePlan(steps, plan.steps.map(plannedStep), { isResumed });
            if (isReviewed) requireApplicable([], [], (await checkPlan(stack, plan, own)).failures);
            return isReviewed;
          },
          confirm: async () => true,
        });
  if (outcome === 'succeeded') return { succeeded: true, message: 'Applied.' };
  const message =
    outcome === 'refused'
      ? 'The reviewed plan is out of date, so nothing was changed.'
      : ['Apply failed:', ...errorsOf(deployment)].join('\n  ');
  return { succeeded: false, message };
}

/** A stack's plan, and what it was made with. */
interface PlannedStack {
  stack: Stack;
  /** Variables with the token that applies. */
  applying: NodeJS.ProcessEnv;
  files: ProjectFiles | undefined;
  /** What it was planned without, in sentences. */
  limits: string[];
  plan: DeploymentResult;
}

interface GateReviewContext {
  reviewer: Pick<PlanReviewer, 'review'>;
  signer: ReturnType<typeof signerOf> | undefined;
  /** With the token that applies. */
  env: NodeJS.ProcessEnv;
}

/**
 * Whether principals gain access by a plan, as its review says, and that review, signed. A plan that cannot be reviewed may
 * bring anything.
 *
 * @throws GatehouseError `would_take_over`, `would_fail`
 */
async function reviewOf(
  plan: DeploymentResult,
  stack: Stack,
  { reviewer, signer, env }: GateReviewContext,
): Promise<Pick<Planned, 'gains' | 'life' | 'gate' | 'gained' | 'lost' | 'review'>> {
  const { options } = await reviewSettings(stack, env, { budget: readBudget });
  const { failures } = await checkPlan(stack, plan, env);
  const stated = signer && (await statedOf(plan, stack, env));
  const planToReview = { plan: plannedPreview(plan), options, failOn: 'error' as const, stated };
  try {
    const { taken, gains, life, gate, gained, lost, statement } = await reviewer.review(
      planToReview,
      new AbortController().signal,
    );
    requireApplicable(taken, [], failures);
    const review = signer &&
      statement && {
        digest: statement.subject[0].digest.sha256,
        statement: await signer.sign(statement),
      };
    return { gains, life, gate, gained, lost, ...(review && { review }) };
  } catch (error) {
    if (!(error instanceof GatehouseError) || isRefusal(error)) throw error;
    return { gains: 'unknown', life: 'unknown', gained: [error.message] };
  }
}

/** What the gate states of a plan that it reviews: it has looked at the service itself. */
async function statedOf(plan: DeploymentResult, stack: Stack, env: NodeJS.ProcessEnv) {
  const base = await baseRevision(stack.directory, env);
  return {
    change: changeOfSteps(stackIn(stack, requireEnvironment(stack, env).service), stepsOf(plan)),
    circumstances: {
      version: version(),
      now: new Date(),
      judgedOn: { source: 'service' as const },
      ...(base !== undefined && { base }),
    },
  };
}

function isRefusal({ code }: GatehouseError): boolean {
  return code === 'would_take_over' || code === 'would_fail';
}

/** What was done, by operation. A replacement is shown by its parts. */
const done: Partial<Record<StepOperation, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  'create-replacement': 'created the new',
  'delete-replaced': 'deleted the old',
  import: 'imported',
  'import-replacement': 'imported the new',
  discard: 'discarded',
};

/** One line about a resource that was changed, or could not be; undefined for what the log of an apply leaves out. */
function progressLine(event: DeploymentEvent): string | undefined {
  if (event.type !== 'step-done' && event.type !== 'step-failed') return undefined;
  const { op, urn } = event.step;
  if (parseUrn(urn).type === 'pulumi:pulumi:Stack') return undefined;
  const resource = stepTitle(event.step);
  // Its error is the reason of the run.
  if (event.type === 'step-failed') return `failed to ${op} ${resource}`;
  return done[op] && `${done[op]} ${resource}`;
}
