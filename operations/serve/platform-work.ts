import type { RunTaskSettings } from '../../core/model/run-task-settings.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Stack } from '../../engine/stack.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import type { Work } from '../../run-tasks/platform/work.ts';
import { checkReady } from '../check-ready.ts';
import { Approval, planStack, up } from '../deployment.ts';
import { hasChanges } from '../description/change-tree.ts';
import { type Digest, digest } from '../description/digest.ts';
import type { EngineRequest, OpenEngine } from '../engines.ts';
import { openEnvironment, stackSecrets } from '../open-environment.ts';
import { isSamePlan } from './same-plan.ts';
import { readVersionControl } from './version-control.ts';

export interface PlatformWorkArgs {
  /** The folder of `Pulumi.yaml`. Its stacks are what runs are of. */
  directory: string;
  /** With the token for the service, and the passphrase of the stacks. */
  env: NodeJS.ProcessEnv;
  openEngine: OpenEngine;
  /** Which engine; chosen as for `up` where it is left out. */
  engine?: EngineRequest;
}

/** What a platform does for runs of a project's stacks: read them, plan them, apply what was planned. */
export function platformWork({ directory, env, openEngine, engine: request = {} }: PlatformWorkArgs): Work {
  const open = (name: string) => readStack(directory, name, env);
  const engineOf = async (stack: Stack) => (await openEngine(request, stack, env)).engine;
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
        // A run is begun by a person or a pipeline, never by a pull request.
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
      return {
        json: digest(stack, planned, { unchanged: true }),
        hasChanges: hasChanges(planned.steps),
      };
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
          // Both as they are written: one of them has been to a database and back.
          review: async (plan) =>
            isSamePlan(approved as Digest, JSON.parse(JSON.stringify(digest(stack, plan))), { isResumed }),
          confirm: async () => true,
        },
      );
      if (outcome === 'succeeded') return { succeeded: true, message: 'Applied.' };
      if (outcome === 'refused') {
        const message = 'The approved plan is out of date, so nothing was changed.';
        return { succeeded: false, message };
      }
      const errors = deployment.diagnostics.filter(({ severity }) => severity === 'error');
      const message = ['Apply failed:', ...errors.map((one) => one.message.trim())].join('\n  ');
      return { succeeded: false, message };
    },
  };
}

/** The run tasks that are for this stack. */
function runTasksOf(stack: Stack, env: NodeJS.ProcessEnv): RunTaskSettings[] {
  const { runTasks = [] } = openEnvironment(stack, env) ?? {};
  return runTasks.filter(({ environments }) => environments?.includes(stack.name) ?? true);
}
