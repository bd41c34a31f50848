import {
  hasEnded,
  payloadVersion,
  type SentPayload,
  sentPayload,
  sign,
  signatureHeaders,
} from '@gatehouse/core/run-task';
import { GatehouseError, hasPlan } from '@gatehouse/core/values';
import { hasUncommittedChanges, plannedFiles, type Run, type RunTask } from './run.ts';
import type { RunFlow } from './run-flow.ts';
import { issueToken, readRun, readTask } from './run-store.ts';
import type { PlatformParts } from './work.ts';

/** Milliseconds for the answer: an integrator stores the request, answers, and works afterwards. */
const answerMs = 10_000;
/** Bytes of the answer; its content does not matter. */
const largestAnswer = 64 * 1024;

/**
 * Sends the run task request of a task once (docs/inside/specification.md A-1), unless it was accepted already or the
 * task has ended.
 *
 * @throws Error if it was not accepted, so that the queue retries it; its message contains no secret
 */
export async function sendRequest(taskId: string, parts: PlatformParts, flow: RunFlow): Promise<void> {
  const { database } = parts;
  const task = await readTask(database, taskId);
  if (task === undefined || hasEnded(task) || task.acceptedAt !== undefined) return;
  const run = await readRun(database, task.run);
  if (run === undefined) return;
  const sent = (trouble?: string) => flow.take(run.id, { type: 'requestSent', task: taskId, trouble });
  let trouble: string | undefined;
  try {
    // Step 4: the token is stored before anyone can use it.
    const token = await issueToken(database, taskId);
    // Step 5.
    trouble = await post(run, task, token, parts);
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'address_refused') {
      await flow.take(run.id, { type: 'requestRefused', task: taskId, message: error.message });
      return;
    }
    // Any failure counts as an attempt, so that a task whose requests fail still ends in time.
    const trouble = error instanceof GatehouseError ? error.message : 'the request could not be made';
    await sent(trouble.replace(/\s*\n\s*/g, ' '));
    throw error;
  }
  // Step 6.
  const after = await sent(trouble);
  const isOver = after?.tasks.some((task) => task.id === taskId && hasEnded(task));
  if (trouble === undefined || isOver) return;
  throw new Error(`the run task ${task.name} was not accepted: ${trouble}`);
}

/**
 * Posts the run task request of a task to its address, signed with the task's key (docs/inside/specification.md A-1).
 *
 * @returns undefined if it was answered with 200, or why it was not accepted
 * @throws GatehouseError `address_refused`, and what `Work.signingKey` throws
 */
export async function post(
  run: Run,
  task: RunTask,
  token: string,
  { outbound, work, address, version, onAnswer }: PlatformParts,
): Promise<string | undefined> {
  const key = await work.signingKey(run.stack, task.name);
  const body = Buffer.from(JSON.stringify(requestPayload(run, task, token, address())));
  const signature = sign(body, key);
  try {
    const { status } = await outbound.request({
      method: 'POST',
      url: URL.parse(task.requestUrl, address())?.href ?? task.requestUrl,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': `gatehouse/${version} (+${address()})`,
        ...Object.fromEntries(signatureHeaders.map((header) => [header, signature])),
      },
      body,
      timeoutMs: answerMs,
      maxBytes: largestAnswer,
    });
    onAnswer(String(status));
    return status === 200 ? undefined : `answered with ${status} instead of 200`;
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'address_unreachable') throw error;
    onAnswer('none');
    return error.parts.what;
  }
}

/**
 * The run task request of a task (docs/inside/specification.md A1). Paths of the API are below `/api/v2/` ("Versioning"
 * 3).
 */
function requestPayload(run: Run, task: RunTask, token: string, address: string): SentPayload {
  const { description } = run;
  return sentPayload.parse({
    payload_version: payloadVersion,
    stage: task.stage,
    access_token: token,
    capabilities: { outcomes: true },
    capabilitites: { outcomes: true },
    configuration_version_download_url: plannedFiles(description)
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
    // Absent if the files differ from those of the commit.
    vcs_commit_url: hasUncommittedChanges(description) ? null : description.vcsCommitUrl,
    vcs_pull_request_url: description.vcsPullRequestUrl,
    vcs_repo_url: description.vcsRepoUrl,
    workspace_app_url: `${address}/ui/runs?stack=${encodeURIComponent(run.stack)}`,
    workspace_id: description.workspaceId,
    workspace_name: description.workspaceName,
    workspace_working_directory: description.workspaceWorkingDirectory,
  });
}
