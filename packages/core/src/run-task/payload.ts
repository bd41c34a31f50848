import { z } from 'zod';
import { EnforcementLevel } from '../graph/values/enforcement-level.ts';
import { hasPlan, Stage } from '../graph/values/stage.ts';
import { errorsOf, type JsonApiError, unprocessable } from './json-api-error.ts';

/** The only version of the payload (docs/inside/specification.md, "Versioning"). */
export const payloadVersion = 1;

/**
 * `access_token` of the request with which a platform tests an address
 * (docs/inside/measured/run-task-platforms.md#request).
 */
export const verificationToken = 'test-token';

/** ISO 8601 in UTC with milliseconds: `2026-12-01T12:00:00.000Z`. */
const createdAt = z.iso.datetime({ precision: 3 });

const always = {
  payload_version: z.literal(payloadVersion),
  stage: z.enum(Stage),
  access_token: z.string().min(1),
  capabilities: z.strictObject({ outcomes: z.boolean() }),
  /**
   * The spelling of the table in docs/inside/specification.md A1, which go-tfe alone reads
   * (docs/inside/measured/run-task-platforms.md#request).
   */
  capabilitites: z.strictObject({ outcomes: z.boolean() }).optional(),
  configuration_version_download_url: z.string().nullable(),
  configuration_version_id: z.string(),
  is_speculative: z.boolean(),
  organization_name: z.string(),
  run_app_url: z.string(),
  run_created_at: createdAt,
  run_created_by: z.string(),
  run_id: z.string(),
  run_message: z.string(),
  task_result_callback_url: z.url(),
  task_result_enforcement_level: z.enum(EnforcementLevel),
  task_result_id: z.string().min(1),
  vcs_branch: z.string().nullable(),
  vcs_commit_url: z.string().nullable(),
  vcs_pull_request_url: z.string().nullable(),
  vcs_repo_url: z.string().nullable(),
  workspace_app_url: z.string(),
  workspace_id: z.string(),
  workspace_name: z.string(),
  workspace_working_directory: z.string(),
};

/**
 * What we send: exactly the fields of docs/inside/specification.md A1, `plan_json_api_url` where there is a plan and
 * nowhere else.
 */
export const sentPayload = z
  .strictObject({ ...always, plan_json_api_url: z.url().optional() })
  .refine(({ stage, plan_json_api_url }) => hasPlan(stage) === (plan_json_api_url !== undefined), {
    path: ['plan_json_api_url'],
    message: 'comes with post_plan, pre_apply and post_apply, and not with pre_plan',
  });
/** A request as the platform sends it. */
export type SentPayload = z.output<typeof sentPayload>;

const text = z.string().nullish();
const shown = Object.fromEntries(Object.keys(always).map((name) => [name, text])) as {
  [Name in keyof typeof always]: typeof text;
};

/**
 * What we receive: strict in what we act on, lenient in what we only show. Unknown fields are kept, and addresses of
 * the platform are opaque (docs/inside/specification.md, "Versioning" 3).
 */
export const receivedPayload = z.looseObject({
  ...shown,
  payload_version: z.literal(payloadVersion),
  stage: z.enum(Stage),
  access_token: z.string().min(1),
  task_result_callback_url: z.string().min(1),
  task_result_id: z.string().min(1),
  task_result_enforcement_level: z.enum(EnforcementLevel).catch(EnforcementLevel.advisory),
  capabilities: z.looseObject({ outcomes: z.boolean().catch(false) }).nullish(),
  capabilitites: z.looseObject({ outcomes: z.boolean().catch(false) }).nullish(),
  plan_json_api_url: text,
  is_speculative: z.boolean().catch(false),
});
/** A request as the integrator takes it. */
export type ReceivedPayload = z.output<typeof receivedPayload>;

/** Reads a payload. Errors name a place and never a value, which could be the access token. */
export function parsePayload(json: unknown): { payload: ReceivedPayload } | { errors: JsonApiError[] } {
  const result = receivedPayload.safeParse(json);
  if (!result.success) return { errors: errorsOf(result.error) };
  const { stage, plan_json_api_url: plan } = result.data;
  if (hasPlan(stage) && !plan) {
    return { errors: [unprocessable(`plan_json_api_url is missing at ${stage}`, '/plan_json_api_url')] };
  }
  return { payload: result.data };
}

/**
 * Whether a platform only tests the address: it is answered with 200, and no work is started. Platforms send a whole
 * payload, the token alone, or a payload without a stage and with the level `test`
 * (docs/inside/measured/run-task-platforms.md#request).
 *
 * @param json what was received, which need not be a payload
 */
export function isVerification(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  const {
    access_token: token,
    stage,
    task_result_enforcement_level: level,
  } = json as Record<string, unknown>;
  return token === verificationToken || stage === 'test' || level === 'test';
}

/** Whether the platform accepts outcomes, in either spelling of the key (docs/inside/specification.md A1). */
export function acceptsOutcomes({
  capabilities,
  capabilitites,
}: Pick<ReceivedPayload, 'capabilities' | 'capabilitites'>): boolean {
  return capabilities?.outcomes === true || capabilitites?.outcomes === true;
}
