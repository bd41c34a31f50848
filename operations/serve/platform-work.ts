import type { RunTaskSettings } from '../../core/model/run-task-settings.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Stack } from '../../engine/stack.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import type { Work } from '../../run-tasks/platform/work.ts';
import { checkReady } from '../check-ready.ts';
import { Approval, errorsOf, planStack, up } from '../deployment.ts';
import { hasChanges } from '../description/change-tree.ts';
import { type Digest, digest } from '../description/digest.ts';
import { openEngine } from '../engines.ts';
import { openEnvironment, stackSecrets } from '../open-environment.ts';
import { isSamePlan } from './same-plan.ts';
import { readVersionControl } from './version-control.ts';

/**
 * Reads, plans and applies the stacks of a project for a platform.
 *
 * @param directory the folder of `Pulumi.yaml`
 * @param env with the token for the service, and the passphrase of the stacks
 */
export function platformWork(directory: string, env: NodeJS.ProcessEnv): Work {
  const open = (name: string) => readStack(directory, name, env);
  const engineOf = async (stack: Stack) => (await openEngine({}, stack, env)).engine;
  return {
    async describe(name) {
      const [stack, vcs] = await Promise.all([open(name), readVersionControl(directory)]);
      return {
        organizationName: stack.project,
        workspaceId: `${stack.project}/${stack.name}`,
        workspaceName: stack.name,
        workspaceWorkingDirectory: vcs.folder,
        configurationVersionId: vcs.commit,
        vcsBranch: vcs.branch,
        vcsCommitUrl: vcs.commitUrl,
        // Runs are started by a person or a pipeline, never by a pull request.
        vcsPullRequestUrl: null,
        vcsRepoUrl: vcs.repoUrl,
        tasks: runTasksOf(stack, env).map(({ name, url, stages, enforcement }) => ({
          name,
          url,
          stages,
          enforcement,
        })),
      };
    },

    async signingKey(name, task) {
      const stack = await open(name);
      if (!runTasksOf(stack, env).some((one) => one.name === task)) {
        throw new GatehouseError({
          code: 'run_task_undeclared',
          what: 'the stack no longer declares this run task',
          given: task,
        });
      }
      return stackSecrets(stack, 'runTaskKeys')[task];
    },

    async plan(name) {
      const stack = await open(name);
      const planned = await planStack(stack, await engineOf(stack), env);
      return { json: digest(stack, planned, { unchanged: true }), hasChanges: hasChanges(planned.steps) };
    },

    async apply(name, approved, { isResumed }) {
      const stack = await open(name);
      await checkReady(stack, env);
      const engine = await engineOf(stack);
      const { outcome, deployment } = await up(
        { stack, refresh: false, targets: [], approval: Approval.given },
        engine,
        {
          onEvent: () => {},
          // Both as JSON, as one comes from a database.
          review: async (plan) =>
            isSamePlan(approved as Digest, JSON.parse(JSON.stringify(digest(stack, plan))), { isResumed }),
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

/** The run tasks that are for this stack. */
function runTasksOf(stack: Stack, env: NodeJS.ProcessEnv): RunTaskSettings[] {
  const { runTasks = [] } = openEnvironment(stack, env) ?? {};
  return runTasks.filter(({ environments }) => environments?.includes(stack.name) ?? true);
}
