import type { Environment, runTaskTiming } from '@gatehouse/core/environment';
import {
  defaultTiming,
  type PlannedChange,
  type PlannedChanges,
  type Timing,
} from '@gatehouse/core/run-task';
import type { signerOf } from '@gatehouse/core/statement';
import { cut, GatehouseError, readBudget } from '@gatehouse/core/values';
import {
  type DeploymentEvent,
  isSamePlan,
  parseUrn,
  plannedPreview,
  plannedStep,
  type Stack,
  type Step,
  type StepOperation,
} from '@gatehouse/engine';
import type { Planned, Work } from '@gatehouse/run-tasks';
import { type ChangeNode, changeTree, countChanges, hasChanges } from '../deployment/change-tree.ts';
import { checkPlan } from '../deployment/check-plan.ts';
import { checkReady } from '../deployment/check-ready.ts';
import { type DeploymentResult, errorsOf, planStack, up } from '../deployment/deployment.ts';
import { differenceLines } from '../deployment/difference-lines.ts';
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
import type { PlanReviewer } from './plan-reviewer.ts';
import { asUnreviewed } from './planning.ts';
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
 * @param options.plansInPlace plans the files of the folder as they are, without digest or copy: what is planned is only what is
 *   scanned where no one changes them meanwhile. Defaults to false.
 */
export function platformWork(
  directory: string,
  env: NodeJS.ProcessEnv,
  reviewer: Pick<PlanReviewer, 'review'>,
  peopleNamespace: string,
  { signer, plansInPlace = false }: PlatformWorkOptions = {},
): Work {
  const openDeclaring = (name: string) => readDeclaring(directory, name, env);
  /** With the token that applies. */
  const openToApply = async (name: string) => {
    const stack = await openDeclaring(name);
    return { stack, own: await withServiceToken(stack, env) };
  };
  const withPlannedFiles = <Answer>(use: (files: ProjectFiles | undefined) => Promise<Answer>) =>
    plansInPlace ? use(undefined) : withFiles(directory, use);
  const planned = <Answer>(
    name: string,
    isSpeculative: boolean,
    answer: (planned: PlannedStack) => Promise<Answer>,
  ): Promise<Answer> =>
    withPlannedFiles(async (files) => {
      const { stack, own: applying } = await openToApply(name);
      const planning = { stack, given: env, env: applying, isSpeculative, files };
      return await asUnreviewed(planning, async ({ env: own, contained, limits }) => {
        const { engine } = await openEngine({ contained }, stack, own);
        const plan = await requireFiles(planStack(stack, engine, own), stack);
        return await answer({ stack, applying, files, limits, plan });
      });
    });
  return {
    async describe(name, { withFiles: readsFiles = true } = {}) {
      const [stack, vcs, filesDigest] = await Promise.all([
        openDeclaring(name),
        readVersionControl(directory),
        readsFiles && !plansInPlace ? digestOfFiles(directory) : undefined,
      ]);
      const environment = openEnvironment(stack, env);
      return {
        organizationName: stack.project,
        workspaceId: `${stack.project}/${stack.name}`,
        workspaceName: stack.name,
        ...vcs,
        filesDigest,
        // Runs are started by a person or a pipeline, never by a pull request.
        vcsPullRequestUrl: null,
        namespace: environment?.service.namespace,
        tasks: runTasksOf(environment, stack).map((task) => ({
          name: task.name,
          url: task.url,
          stages: task.stages,
          enforcement: task.enforcement,
          timing: timingOf(task, environment?.deployments),
        })),
        decisions: environment && decisionsOf(environment.deployments, peopleNamespace),
      };
    },

    async signingKey(name, task) {
      const stack = await openDeclaring(name);
      if (!runTasksOf(openEnvironment(stack, env), stack).some((one) => one.name === task)) {
        throw new GatehouseError('run_task_undeclared', { given: task });
      }
      return stackSecrets(await unsealed(stack, env), 'runTaskKeys')[task];
    },

    archive: (filesDigest) => archiveOf(directory, filesDigest),

    async plan(name, { isSpeculative }) {
      return await planned(name, isSpeculative, async ({ stack, applying, files, limits, plan }) => {
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
      });
    },

    async acceptedReview(statement, accepted) {
      if (signer === undefined) return statement;
      try {
        return await signer.accept(statement, accepted);
      } catch (error) {
        // The key was replaced meanwhile: the decision itself says who accepted.
        if (error instanceof GatehouseError) return statement;
        throw error;
      }
    },

    async deployingToken(name, asked, spentAt) {
      const { stack, own } = await openToApply(name);
      const planNow = () => planned(name, false, async ({ plan }) => plan);
      return await reviewedToken(stack, own, asked, { plan: planNow, spentAt });
    },

    async apply(name, approved, { isResumed, onProgress }) {
      const { stack, own } = await openToApply(name);
      const { engine } = await openEngine({}, stack, own);
      await checkReady(stack, own);
      // The plan that is made again reports its steps, too.
      let isApproved = false;
      const { outcome, deployment } = await up(
        { stack, refresh: false, targets: [], approval: 'given' },
        engine,
        {
          onEvent: (event) => {
            const line = isApproved ? progressLine(event) : undefined;
            if (line !== undefined) onProgress?.(line);
          },
          review: async (plan) => {
            const steps = plan.steps.map(plannedStep);
            isApproved = isSamePlan((approved as Digest).steps, steps, { isResumed });
            if (isApproved) requireApplicable([], [], (await checkPlan(stack, plan, own)).failures);
            return isApproved;
          },
          confirm: async () => true,
        },
      );
      if (outcome === 'succeeded') return { succeeded: true, message: 'Applied.' };
      const message =
        outcome === 'refused'
          ? 'The approved plan is out of date, so nothing was changed.'
          : ['Apply failed:', ...errorsOf(deployment)].join('\n  ');
      return { succeeded: false, message };
    },
  };
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

interface Reviewing {
  reviewer: Pick<PlanReviewer, 'review'>;
  signer: ReturnType<typeof signerOf> | undefined;
  /** With the token that applies. */
  env: NodeJS.ProcessEnv;
}

function decisionsOf({ confirm, acceptWith: name }: Environment['deployments'], namespace: string) {
  return { confirm, ...(name !== undefined && { acceptWith: { namespace, name } }) };
}

/** The run tasks that are for this stack. */
function runTasksOf(environment: Environment | undefined, { name }: Stack): Environment['runTasks'] {
  const { runTasks = [] } = environment ?? {};
  return runTasks.filter(({ environments }) => environments?.includes(name) ?? true);
}

/** The task's own settings go before those for all tasks. */
function timingOf(
  task: Environment['runTasks'][number],
  all: Partial<Environment['deployments']> = {},
): Timing {
  const ms = (name: keyof typeof runTaskTiming) => {
    const seconds = task[name] ?? all[name];
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const { finalStatusMs, retryForMs, retryPauseMs } = defaultTiming;
  const totalMs = ms('totalTimeout');
  return {
    finalStatusMs: ms('timeout') ?? finalStatusMs,
    ...(totalMs === undefined ? {} : { totalMs }),
    retryForMs: ms('retryFor') ?? retryForMs,
    retryPauseMs: ms('retryPause') ?? retryPauseMs,
  };
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
  { reviewer, signer, env }: Reviewing,
): Promise<Pick<Planned, 'gains' | 'life' | 'gate' | 'gained' | 'lost' | 'review'>> {
  const { options } = await reviewSettings(stack, env, { budget: readBudget });
  const { failures } = await checkPlan(stack, plan, env);
  const stated = signer && (await statedOf(plan, stack, env));
  const asked = { plan: plannedPreview(plan), options, failOn: 'error' as const, stated };
  try {
    const { taken, gains, life, gate, gained, lost, statement } = await reviewer.review(
      asked,
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

/** Resources that are listed. The plan itself has all; its page is for people. */
const mostListed = 500;

/** Lines of property differences that are listed, of all resources together. */
const mostDifferences = 2000;

/** What a plan changes, for the page of its run, and in a few words. */
function plannedChanges(steps: Step[]): { changes: PlannedChanges; summary: string | undefined } {
  let found = 0;
  let lines = 0;
  const changing = new Map<ChangeNode['kind'], string[]>();
  const listed = (nodes: ChangeNode[]): PlannedChange[] =>
    nodes.flatMap(({ kind, title, changes, children }) => {
      const isListed = found < mostListed;
      found += 1;
      if (kind !== 'same') changing.set(kind, [...(changing.get(kind) ?? []), title]);
      const differences = lines < mostDifferences ? differenceLines(changes) : [];
      lines += differences.length;
      const below = listed(children);
      return isListed
        ? [{ kind, title, ...(differences.length > 0 && { differences }), children: below }]
        : [];
    });
  const resources = listed(changeTree(steps));
  const unlisted = Math.max(0, found - mostListed);
  const counts = countChanges(steps);
  return { changes: { counts, resources, unlisted }, summary: summaryOf(changing) || undefined };
}

/** `1 to update: role web; 3 to create: role a, role b, …`; empty if nothing changes. */
function summaryOf(changing: ReadonlyMap<string, string[]>): string {
  return [...changing]
    .map(([kind, titles]) => {
      const leftOut = titles.length > 2 ? ', …' : '';
      const named = titles.slice(0, 2).map((title) => cut(title, 60));
      return `${titles.length} to ${kind}: ${named.join(', ')}${leftOut}`;
    })
    .join('; ');
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
