import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonIn } from '../../packages/core/src/graph/values/json.ts';
import { hasPlan, type Stage } from '../../packages/core/src/graph/values/stage.ts';
import type { SentPayload } from '../../packages/core/src/run-task/payload.ts';
import { isFinal, parseResult, type Result } from '../../packages/core/src/run-task/result.ts';
import { sign, signatureHeaders } from '../../packages/core/src/run-task/signature.ts';
import { serveRequests } from './bare-server.ts';

type CallbackAnswer =
  /** 200, or 401 or 422 where the protocol says so. */
  | 'take'
  /** Not accepted, and answered 503. */
  | 'refuse'
  /** Not accepted, and answered 422. */
  | 'reject'
  /** Accepted, but the connection is lost before the answer. */
  | 'lose';

export interface TaskBehavior {
  stage: Stage;
  /** The plan at `plan_json_api_url`; a string is sent as it is. Defaults to an empty Terraform plan. */
  plan?: unknown;
  /** Milliseconds before the plan and each callback are answered. Defaults to 0. */
  slowMs?: number;
  /** @param nth 1 for the first callback of the task */
  onCallback?: (nth: number, result: Result | undefined) => CallbackAnswer;
  onPlan?: () => void;
  /** Fields to replace in the payload, or to add. */
  change?: Record<string, unknown>;
}

interface TakenCallback {
  headers: IncomingHttpHeaders;
  body: string;
  /** Undefined if it is not a valid one. */
  result?: Result;
  /** 0 if the connection was lost. */
  answered: number;
}

export interface TestTask {
  id: string;
  token: string;
  behavior: TaskBehavior;
  payload: SentPayload & Record<string, unknown>;
  callbacks: TakenCallback[];
  /** For each request for the plan, whether it had the token. */
  planRequests: boolean[];
  /** The accepted final results; at most one is right. */
  finals: Result[];
}

const emptyPlan = { format_version: '1.2', terraform_version: '1.9.0', resource_changes: [] };

export type TestPlatform = Awaited<ReturnType<typeof openTestPlatform>>;

/** A platform that sends what it is told, and records what comes back. */
export async function openTestPlatform() {
  const tasks = new Map<string, TestTask>();
  const server = await serveRequests((request, body, response) => answer(tasks, request, body, response));
  const { address } = server;
  return {
    address,
    /** Creates a task; nothing is sent yet. */
    newTask(behavior: TaskBehavior): TestTask {
      const id = `taskrs-${randomBytes(8).toString('hex')}`;
      const token = randomBytes(24).toString('base64url');
      const payload = payloadOf(address, id, token, behavior);
      const task = { id, token, behavior, payload, callbacks: [], planRequests: [], finals: [] };
      tasks.set(id, task);
      return task;
    },
    close: () => server.close(),
  };
}

function payloadOf(
  at: string,
  id: string,
  token: string,
  { stage, change }: TaskBehavior,
): TestTask['payload'] {
  return {
    payload_version: 1,
    stage,
    access_token: token,
    capabilities: { outcomes: true },
    configuration_version_download_url: null,
    configuration_version_id: '',
    is_speculative: false,
    organization_name: 'gatehouse',
    ...(hasPlan(stage) ? { plan_json_api_url: `${at}/api/v2/plans/${id}/json-output` } : {}),
    run_app_url: `${at}/runs/run-${id}`,
    run_created_at: new Date().toISOString(),
    run_created_by: 'gatehouse',
    run_id: `run-${id}`,
    run_message: 'Sent by a test',
    task_result_callback_url: `${at}/api/v2/task-results/${id}/callback`,
    task_result_enforcement_level: 'mandatory',
    task_result_id: id,
    vcs_branch: null,
    vcs_commit_url: null,
    vcs_pull_request_url: null,
    vcs_repo_url: null,
    workspace_app_url: `${at}/workspaces/test`,
    workspace_id: 'ws-test',
    workspace_name: 'test',
    workspace_working_directory: '',
    ...change,
  };
}

async function answer(
  tasks: ReadonlyMap<string, TestTask>,
  { url = '', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const [, plan, callback] =
    /^\/api\/v2\/(?:plans\/([^/]+)\/json-output|task-results\/([^/]+)\/callback)$/.exec(url) ?? [];
  const task = tasks.get(plan ?? callback ?? '');
  if (task === undefined) return end(response, 404);
  // Without `ref`, it does not keep the process alive once the server is closed.
  await sleep(task.behavior.slowMs ?? 0, undefined, { ref: false });
  if (plan !== undefined) givePlan(task, headers, response);
  else takeCallback(task, headers, body.toString(), response);
}

function givePlan(
  { behavior, token, planRequests }: TestTask,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): void {
  const isAllowed = headers.authorization === `Bearer ${token}`;
  planRequests.push(isAllowed);
  behavior.onPlan?.();
  const { plan = emptyPlan } = behavior;
  if (!isAllowed) end(response, 401);
  else end(response, 200, typeof plan === 'string' ? plan : JSON.stringify(plan));
}

function takeCallback(
  task: TestTask,
  headers: IncomingHttpHeaders,
  body: string,
  response: ServerResponse,
): void {
  const parsed = parseResult(jsonIn(body));
  const result = 'result' in parsed ? parsed.result : undefined;
  const callback: TakenCallback = { headers, body, answered: 0, result };
  task.callbacks.push(callback);
  const what = task.behavior.onCallback?.(task.callbacks.length, result) ?? 'take';
  const judged = () => {
    if (headers.authorization !== `Bearer ${task.token}`) return 401;
    if (what === 'refuse') return 503;
    return what === 'reject' || result === undefined || task.finals.length > 0 ? 422 : 200;
  };
  const status = judged();
  if (status === 200 && result !== undefined && isFinal(result.status)) task.finals.push(result);
  if (what === 'lose') return void response.destroy();
  callback.answered = status;
  end(response, status);
}

/** Sends a signed run task request. Without a key the signature is empty. */
export async function sendTask(
  url: string,
  payload: object,
  { key }: { key?: string } = {},
): Promise<{ status: number; body: string }> {
  const body = Buffer.from(JSON.stringify(payload));
  const answer = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(signatureHeaders.map((name) => [name, sign(body, key)])),
    },
    body,
    signal: AbortSignal.timeout(120_000),
  });
  return { status: answer.status, body: await answer.text() };
}

function end(response: ServerResponse, status: number, body?: string): void {
  response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' }).end(body);
}
