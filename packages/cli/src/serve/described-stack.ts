import type { Environment, runTaskTiming } from '@gatehouse/core/environment';
import { defaultTiming, type Timing } from '@gatehouse/core/run-task';
import type { Stack } from '@gatehouse/engine';
import type { RunDescription } from '@gatehouse/run-tasks';
import type { readVersionControl } from './version-control.ts';

interface StackCircumstances {
  vcs: Awaited<ReturnType<typeof readVersionControl>>;
  filesDigest: string | undefined;
  peopleNamespace: string;
}

/** A stack, as the runs of a platform describe it. */
export function describedStack(
  stack: Stack,
  environment: Environment | undefined,
  { vcs, filesDigest, peopleNamespace }: StackCircumstances,
): RunDescription {
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
}

function decisionsOf({ confirm, acceptWith: name }: Environment['deployments'], namespace: string) {
  return { confirm, ...(name !== undefined && { acceptWith: { namespace, name } }) };
}

/** The run tasks that are for this stack. */
export function runTasksOf(environment: Environment | undefined, { name }: Stack): Environment['runTasks'] {
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
