import { isDeepStrictEqual } from 'node:util';
import {
  type Fields,
  PassedOverCount,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
  type ReviewedType,
} from './planned-resource.ts';
import { reviewedTerraformType, secretFields } from './resource-types.ts';
import type { TerraformPlan, TerraformResourceChange } from './terraform-plan.ts';
import { TerraformReferences } from './terraform-references.ts';

/** Actions that take an object out of the plan's hands and leave it where it is (`removed` blocks). */
const forgets = ['forget'];

/** Reads the resources of a Terraform plan. */
export function readTerraformPlan(plan: TerraformPlan): PlanResources {
  const passedOver = new PassedOverCount();
  const resources: PlannedResource[] = [];
  const managed = plan.resource_changes.filter(
    ({ mode, change }) => mode === 'managed' && !change.actions.includes('read'),
  );
  const references = new TerraformReferences(
    plan.configuration?.root_module,
    managed.map(({ address }) => address),
  );
  for (const entry of managed) {
    const type = reviewedTerraformType(entry.type);
    const isChanged = !entry.change.actions.includes('no-op');
    if (type === undefined) passedOver.add(entry.type, entry.type.startsWith('vault_'), isChanged);
    else if (isInternalGroup(type, entry)) passedOver.add(`${entry.type} (internal)`, true, isChanged);
    else resources.push(readResource(type, entry, references));
  }
  return {
    tool: 'terraform',
    resources,
    passedOver: passedOver.list(),
    known: knownBefore(plan),
    incomplete: [
      ...(plan.errored ? ['Terraform could not finish this plan.'] : []),
      ...(plan.complete && plan.deferred_changes.length === 0
        ? []
        : ['Terraform has put off part of this plan: what will be applied later is not in it.']),
    ],
    notes:
      plan.resource_drift.length === 0
        ? []
        : [
            `Resources that were changed outside of Terraform since it last looked: ${plan.resource_drift.length}. The review starts from what is there now.`,
          ],
  };
}

function isInternalGroup(type: ReviewedType, { change }: TerraformResourceChange): boolean {
  if (type !== 'group') return false;
  return [change.before, change.after].filter(isObject).every((side) => side['type'] !== 'external');
}

function readResource(
  type: ReviewedType,
  { address, deposed, change }: TerraformResourceChange,
  references: TerraformReferences,
): PlannedResource {
  const { actions } = change;
  const isNoOp = actions.includes('no-op');
  const before = isObject(change.before)
    ? sideOf(change.before, change.before_sensitive, undefined, isNoOp)
    : undefined;
  const forgotten = actions.some((action) => forgets.includes(action));
  const after = isNoOp
    ? before
    : isObject(change.after)
      ? sideOf(change.after, change.after_sensitive, change.after_unknown, isNoOp)
      : forgotten
        ? before
        : undefined;
  if (after !== undefined && after !== before) {
    after.unknown = after.unknown.filter((field) => references.isGiven(address, field) !== false);
    for (const field of after.unknown) {
      const targets = references.of(address, field);
      if (targets.length > 0) after.references[field] = targets;
    }
  }
  keepUnchangedSecrets(change, before, after);
  return {
    address: deposed === undefined ? address : `${address} (deposed ${deposed})`,
    type,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    changes: !isNoOp,
    replaced: actions.includes('delete') && actions.includes('create'),
    rotated: rotatedFields(change),
  };
}

/** The fields that a plan tells openly. A value with a sensitive or an unknown part is none of them. */
function sideOf(values: Fields, sensitive: unknown, unknownValues: unknown, isNoOp: boolean): PlannedSide {
  const fields: Fields = {};
  const unknown: string[] = [];
  const names = new Set([
    ...Object.keys(values),
    ...(isObject(unknownValues) ? Object.keys(unknownValues) : []),
  ]);
  for (const name of names) {
    if (secretFields.has(name)) continue;
    const isUnknown = isObject(unknownValues) && hasMark(unknownValues[name]);
    if (isUnknown || isMarked(sensitive, name)) unknown.push(name);
    else if (values[name] !== null && values[name] !== undefined) fields[name] = values[name];
  }
  return { fields, unknown: isNoOp ? [] : unknown, references: {} };
}

/** What is hidden and stays as it is has nothing to be judged: it is left out on both sides. */
function keepUnchangedSecrets(
  { before, after }: TerraformResourceChange['change'],
  old: PlannedSide | undefined,
  wanted: PlannedSide | undefined,
): void {
  if (!isObject(before) || !isObject(after) || old === undefined || wanted === undefined) return;
  const isSame = (field: string) => field in after && isDeepStrictEqual(before[field], after[field]);
  const same = wanted.unknown.filter((field) => isSame(field) && after[field] !== null);
  wanted.unknown = wanted.unknown.filter((field) => !same.includes(field));
}

/** The secret that changes. A write-only one is never in a plan: the number beside it tells. */
function rotatedFields({ before, after, after_unknown }: TerraformResourceChange['change']): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const changes = (name: string) =>
    (isObject(after_unknown) && hasMark(after_unknown[name])) ||
    !isDeepStrictEqual(before[name] ?? null, after[name] ?? null);
  const telling = [...secretFields, 'oidc_client_secret_wo_version'];
  return telling.some(changes) ? ['oidc_client_secret'] : [];
}

/** Accessors of mounts and ids of groups that data sources have read. */
function knownBefore({ prior_state }: TerraformPlan): PlanResources['known'] {
  const accessors: Record<string, string> = {};
  const groups: Record<string, string> = {};
  const pending: unknown[] = [prior_state?.values?.root_module];
  while (pending.length > 0) {
    const module = pending.pop();
    if (!isObject(module)) continue;
    if (Array.isArray(module['child_modules'])) pending.push(...module['child_modules']);
    const resources = Array.isArray(module['resources']) ? module['resources'] : [];
    for (const resource of resources.filter(isObject)) {
      const values = resource['values'];
      if (resource['mode'] !== 'data' || !isObject(values)) continue;
      if (resource['type'] === 'vault_auth_backend') addText(accessors, values['accessor'], values['path']);
      if (resource['type'] === 'vault_identity_group')
        addText(groups, values['group_id'] ?? values['id'], values['group_name'] ?? values['name']);
    }
  }
  return { accessors, groups };
}

function addText(record: Record<string, string>, key: unknown, value: unknown): void {
  if (typeof key === 'string' && typeof value === 'string' && key !== '') record[key] = value;
}

function isMarked(marks: unknown, name: string): boolean {
  return marks === true || (isObject(marks) && Object.hasOwn(marks, name) && hasMark(marks[name]));
}

/** Whether a tree of marks has a true in it. */
function hasMark(mark: unknown): boolean {
  if (mark === true) return true;
  return typeof mark === 'object' && mark !== null && Object.values(mark).some(hasMark);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
