/** A payload of every field of docs/inside/specification.md A1, as a platform sends it at post_plan. */
export function samplePayload(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    payload_version: 1,
    stage: 'post_plan',
    access_token: '4QEuyyxug1f2rw.atlasv1.iDyxqhXGVZ0ykes',
    capabilities: { outcomes: true },
    configuration_version_download_url:
      'https://platform.example.com/api/v2/configuration-versions/cv-1/download',
    configuration_version_id: 'cv-1',
    is_speculative: false,
    organization_name: 'example',
    plan_json_api_url: 'https://platform.example.com/api/v2/plans/plan-1/json-output',
    run_app_url: 'https://platform.example.com/app/example/dev/runs/run-1',
    run_created_at: '2026-12-01T12:00:00.000Z',
    run_created_by: 'alice',
    run_id: 'run-1',
    run_message: 'Triggered',
    task_result_callback_url: 'https://platform.example.com/api/v2/task-results/5ea8d46c/callback',
    task_result_enforcement_level: 'mandatory',
    task_result_id: 'taskrs-1',
    vcs_branch: 'main',
    vcs_commit_url: 'https://git.example.com/commit/1',
    vcs_pull_request_url: null,
    vcs_repo_url: 'https://git.example.com/repo',
    workspace_app_url: 'https://platform.example.com/app/example/dev',
    workspace_id: 'ws-1',
    workspace_name: 'dev',
    workspace_working_directory: '/login',
    ...change,
  };
}

export function without(payload: Record<string, unknown>, field: string): Record<string, unknown> {
  const { [field]: _, ...rest } = payload;
  return rest;
}
