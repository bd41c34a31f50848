import { hasPlan } from '../../core/model/values/stage.ts';
import { payloadVersion, type SentPayload, sentPayload } from '../../core/run-task/payload.ts';
import { hasUncommittedChanges, type Run, type RunTask } from './run.ts';

/** The run task request of a task (interface.md A1). Paths of the API are below `/api/v2/` ("Versioning" 3). */
export function requestPayload(run: Run, task: RunTask, token: string, address: string): SentPayload {
  const { description } = run;
  return sentPayload.parse({
    payload_version: payloadVersion,
    stage: task.stage,
    access_token: token,
    capabilities: { outcomes: true },
    capabilitites: { outcomes: true },
    configuration_version_download_url: description.commit
      ? `${address}/api/v2/configuration-versions/${run.id}/download`
      : null,
    configuration_version_id: description.configurationVersionId,
    is_speculative: run.isSpeculative,
    organization_name: description.organizationName,
    ...(hasPlan(task.stage) ? { plan_json_api_url: `${address}/api/v2/plans/${run.id}/json-output` } : {}),
    run_app_url: `${address}/ui/runs/${run.id}`,
    run_created_at: new Date(run.createdAt).toISOString(),
    run_created_by: run.createdBy,
    run_id: run.id,
    run_message: run.message,
    task_result_callback_url: `${address}/api/v2/task-results/${task.id}/callback`,
    task_result_enforcement_level: task.enforcement,
    task_result_id: task.id,
    vcs_branch: description.vcsBranch,
    // Not the page of a commit that has other files.
    vcs_commit_url: hasUncommittedChanges(description) ? null : description.vcsCommitUrl,
    vcs_pull_request_url: description.vcsPullRequestUrl,
    vcs_repo_url: description.vcsRepoUrl,
    workspace_app_url: `${address}/ui/runs?stack=${encodeURIComponent(run.stack)}`,
    workspace_id: description.workspaceId,
    workspace_name: description.workspaceName,
    workspace_working_directory: description.workspaceWorkingDirectory,
  });
}
