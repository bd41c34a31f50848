import type { z } from 'zod';
import { GatehouseError } from '../../graph/values/errors.ts';
import { isObject, objectIn } from '../../graph/values/json.ts';
import { requireShallow } from '../../graph/values/nesting.ts';
import type { PlanResources } from './planned-resource.ts';
import { pulumiPreview } from './pulumi-preview.ts';
import { readPulumiPreview } from './read-pulumi-preview.ts';
import { readTerraformPlan } from './read-terraform-plan.ts';
import { terraformPlan } from './terraform-plan.ts';

/** Bytes: a plan of 50,000 resources has less. Reading takes several times as much memory. */
export const largestPlan = 64 * 1024 * 1024;

const howToMake =
  'a plan as JSON: pulumi preview --json, gatehouse preview --json, or terraform show -json PLAN (tofu the same)';

/**
 * Reads a plan, whatever tool made it.
 *
 * @throws GatehouseError `plan_too_large`, `plan_unreadable` (no JSON, cut off, or not as its tool writes it),
 * `plan_unknown` (of another tool, or no plan), `plan_newer` (of a format that is not known yet), `nested_too_deep`. None
 * of them holds anything of the plan's content.
 */
export function readPlan(text: string): PlanResources {
  if (text.length > largestPlan) throw planTooLarge();
  return planResources(parsePlanJson(text));
}

/** The error of a plan that is over the limit. */
export function planTooLarge(): GatehouseError {
  return new GatehouseError({
    code: 'plan_too_large',
    what: 'the plan is too large to be reviewed',
    allowed: `at most ${largestPlan / 1024 / 1024} MiB`,
    fix: 'Split the stack or workspace, or plan only what bears on sign-in (--target, -target).',
  });
}

/** Reads a plan that is JSON already. @throws GatehouseError as `readPlan` */
export function planResources(json: unknown): PlanResources {
  if (!isObject(json)) throw planUnknown('not a plan, but other JSON');
  requireShallow(json, 'the plan');
  if ('format_version' in json) return readTerraformPlan(terraformDocument(json));
  if (Array.isArray(json['steps']) || 'changeSummary' in json) {
    return readPulumiPreview(checked(pulumiPreview, json, 'pulumi preview --json'));
  }
  if ('plan_format_version' in json)
    throw planUnknown(
      'the redacted plan of a platform, which leaves values out',
      'Fetch the full one: `json-output` of the plan, in place of `json-output-redacted`.',
    );
  throw planUnknown(whatElse(json));
}

/** Reads the JSON of a plan. @throws GatehouseError `plan_unreadable`, `plan_unknown` (a log); neither quotes it */
export function parsePlanJson(text: string): unknown {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  try {
    return JSON.parse(trimmed);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    // `terraform plan -json` and `pulumi up --json` write one object a line.
    const [first = '', second = ''] = trimmed.split('\n', 2);
    if (objectIn(first) !== undefined && objectIn(second) !== undefined) {
      throw planUnknown('a log with one JSON object per line, not a plan');
    }
    throw new GatehouseError({
      code: 'plan_unreadable',
      what: /^[[{]/.test(trimmed)
        ? 'the plan is truncated JSON, or something else was written into it'
        : 'the plan is not JSON',
      allowed: howToMake,
      fix: 'Write it to a file with > and nothing else: warnings belong on standard error.',
    });
  }
}

function terraformDocument(json: Record<string, unknown>) {
  const version = String(json['format_version']);
  const [, major = ''] = /^(\d+)\.\d+$/.exec(version) ?? [];
  if (major === '' || Number(major) < 1) {
    throw new GatehouseError({
      code: 'plan_unknown',
      what: 'this plan is of a format older than 1.0, or of none',
      allowed: 'format_version 1.x: Terraform 1.1 or newer, OpenTofu',
    });
  }
  if (Number(major) > 1) {
    throw new GatehouseError({
      code: 'plan_newer',
      what: 'this plan is of a newer format than this Gatehouse knows',
      given: `format_version ${version}`,
      allowed: 'format_version 1.x',
      fix: 'Update Gatehouse. Until then the change cannot be judged.',
    });
  }
  // A plan leaves out lists that are empty. One that is only refreshed, or only invokes an action, says that instead.
  if (!Object.keys(json).some((name) => /^(?:planned_values|resource_|action_|deferred_)/.test(name)))
    throw planUnknown('a Terraform state, not a plan: it does not say what changes');
  return checked(terraformPlan, json, 'terraform show -json');
}

function checked<Schema extends z.ZodType>(schema: Schema, json: unknown, tool: string): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new GatehouseError({
    code: 'plan_unreadable',
    what: `the plan is not in the format of ${tool}`,
    // Names of a plan's own making may hold anything: only where, not what.
    where: issue?.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('.') ?? '',
    allowed: howToMake,
  });
}

function whatElse(json: Record<string, unknown>): string {
  if ('deployment' in json) return 'an exported stack, not a plan: it does not say what changes';
  if ('resourcePlans' in json)
    return 'this is an update plan (pulumi preview --save-plan), which says too little';
  if ('terraform_version' in json && 'lineage' in json) return 'a Terraform state file, not a plan';
  if ('AWSTemplateFormatVersion' in json || 'Resources' in json) return 'this is a CloudFormation template';
  return 'JSON, but not a plan of a known tool';
}

function planUnknown(what: string, fix?: string): GatehouseError {
  return new GatehouseError({ code: 'plan_unknown', what, allowed: howToMake, ...(fix && { fix }) });
}
