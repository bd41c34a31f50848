import type { z } from 'zod';
import { type ErrorText, GatehouseError } from '../../graph/values/errors.ts';
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
  return new GatehouseError('plan_too_large', { allowed: `at most ${largestPlan / 1024 / 1024} MiB` });
}

/** Reads a plan that is JSON already. @throws GatehouseError as `readPlan` */
export function planResources(json: unknown): PlanResources {
  if (!isObject(json)) throw planUnknown('plan_unknown.json');
  requireShallow(json, 'the plan');
  if ('format_version' in json) return readTerraformPlan(terraformDocument(json));
  if (Array.isArray(json['steps']) || 'changeSummary' in json) {
    return readPulumiPreview(checked(pulumiPreview, json, 'pulumi preview --json'));
  }
  if ('plan_format_version' in json) throw planUnknown('plan_unknown.redacted');
  throw planUnknown(whatElse(json));
}

/** What does not begin as JSON, or ends too early. */
const forms: [RegExp, Exclude<Extract<ErrorText, `plan_unreadable${string}`>, 'plan_unreadable.format'>][] = [
  [/^$/, 'plan_unreadable.empty'],
  // A zip, gzip, and what Terraform wrote before 0.12.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: archives begin with them
  [/^(?:PK[\x03\x05]|\x1f[\x8b\ufffd]|tfplan)/, 'plan_unreadable.archive'],
  [
    /^(?:(?:Terraform|OpenTofu) (?:will perform|used the selected)|No changes\. |Previewing update)/m,
    'plan_unreadable.text',
  ],
  [/^[[{]/, 'plan_unreadable.truncated'],
];

/** Reads the JSON of a plan. @throws GatehouseError `plan_unreadable`, `plan_unknown` (a log); neither quotes it */
export function parsePlanJson(text: string): unknown {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  try {
    return JSON.parse(trimmed);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    // `terraform plan -json` and `pulumi up --json` write one object a line.
    const [first = '', second = ''] = trimmed.split('\n', 2);
    const head = objectIn(first);
    if (head !== undefined && objectIn(second) !== undefined) {
      throw planUnknown('snapshot' in head ? 'plan_unknown.snapshot' : 'plan_unknown.log');
    }
    const [, form = 'plan_unreadable'] = forms.find(([pattern]) => pattern.test(trimmed)) ?? [];
    throw new GatehouseError(form, { allowed: howToMake });
  }
}

const ofPlan =
  /^(?:planned_values|resource_\w+|output_changes|action_\w+|deferred_\w+|prior_state|configuration|applyable|complete|errored)$/;

function terraformDocument(json: Record<string, unknown>) {
  const version = String(json['format_version']);
  const [, major = ''] = /^(\d+)\.\d+$/.exec(version) ?? [];
  if (major === '' || Number(major) < 1) {
    throw new GatehouseError('plan_unknown.old', {
      allowed: 'format_version 1.x: Terraform 1.1 or newer, OpenTofu',
    });
  }
  if (Number(major) > 1) {
    throw new GatehouseError('plan_newer', {
      given: `format_version ${version}`,
      allowed: 'format_version 1.x',
    });
  }
  // A plan leaves out what is empty, each of these too (hashicorp/terraform internal/command/jsonplan/plan.go).
  if (!Object.keys(json).some((name) => ofPlan.test(name))) {
    const isState = Object.keys(json).every((name) =>
      /^(?:format_version|terraform_version|values|checks)$/.test(name),
    );
    throw planUnknown(isState ? 'plan_unknown.state' : 'plan_unknown.neither');
  }
  return checked(terraformPlan, json, 'terraform show -json');
}

function checked<Schema extends z.ZodType>(schema: Schema, json: unknown, tool: string): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new GatehouseError('plan_unreadable.format', {
    // Names of a plan's own making may hold anything: only where, not what.
    where: issue?.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('.') ?? '',
    allowed: howToMake,
    values: { tool },
  });
}

type PlanUnknown = Extract<ErrorText, `plan_unknown${string}`>;

function whatElse(json: Record<string, unknown>): PlanUnknown {
  if ('snapshot' in json) return 'plan_unknown.snapshot';
  if ('deployment' in json) return 'plan_unknown.stack_export';
  if ('resourcePlans' in json) return 'plan_unknown.update_plan';
  if ('terraform_version' in json) return 'lineage' in json ? 'plan_unknown.state_file' : 'plan_unknown.old';
  if ('diagnostics' in json) return 'plan_unknown.failed';
  if ('AWSTemplateFormatVersion' in json || 'Resources' in json) return 'plan_unknown.cloudformation';
  return 'plan_unknown';
}

function planUnknown(text: PlanUnknown): GatehouseError {
  return new GatehouseError(text, { allowed: howToMake });
}
