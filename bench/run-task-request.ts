import { Stage } from '../core/model/values/stage.ts';
import { sign } from '../core/run-task/signature.ts';

export const runTaskKey = 'a key of the bench';

/** A signed run task request after planning, with so many bytes, from the platform at `origin`. */
export function runTaskRequest(
  origin: string,
  id: string,
  bytes: number,
): { body: Buffer; signature: string } {
  const payload = {
    payload_version: 1,
    stage: Stage.postPlan,
    access_token: `token-of-${id}`,
    capabilities: { outcomes: true },
    configuration_version_download_url: null,
    configuration_version_id: null,
    is_speculative: false,
    organization_name: 'bench',
    plan_json_api_url: `${origin}/plans/${id}`,
    run_app_url: `${origin}/runs/${id}`,
    run_created_at: '2026-12-01T12:00:00.000Z',
    run_created_by: 'bench',
    run_id: `run-${id}`,
    run_message: '',
    task_result_callback_url: `${origin}/callbacks/${id}`,
    task_result_enforcement_level: 'mandatory',
    task_result_id: id,
    vcs_branch: 'main',
    vcs_commit_url: null,
    vcs_pull_request_url: null,
    vcs_repo_url: null,
    workspace_app_url: `${origin}/workspaces/bench`,
    workspace_id: 'ws-bench',
    workspace_name: 'bench',
    workspace_working_directory: null,
  };
  const bare = JSON.stringify(payload).length;
  const body = Buffer.from(JSON.stringify({ ...payload, run_message: words.slice(0, bytes - bare) }));
  return { body, signature: sign(body, runTaskKey) };
}

/** Text that compresses like a person's: words in no repeating order. */
const words = Array.from({ length: 20_000 }, (_, at) =>
  (Math.imul(at + 1, 2_654_435_761) >>> 19).toString(36),
).join(' ');
