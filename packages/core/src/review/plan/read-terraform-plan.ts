import { dataSources } from '../../graph/resources/data-sources.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { isObject, isUnset } from '../../graph/values/json.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { credentialFlows } from './credential-flows.ts';
import { HiddenValues, hasMark, settleHidden, shown } from './hidden-values.ts';
import {
  driftNote,
  type PassedOne,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
  passedOverTypes,
  retained,
  sideOf,
} from './planned-resource.ts';
import {
  type Fields,
  firstSetBy,
  isWrittenData,
  judgedAs,
  type KnownType,
  knownType,
  rotatedBy,
  secretFields,
} from './resource-types.ts';
import { mayBeOfService } from './service-packages.ts';
import type { TerraformPlan, TerraformResourceChange } from './terraform-plan.ts';
import { TerraformReferences } from './terraform-references.ts';
import { type TerraformServer, TerraformServers } from './terraform-servers.ts';
import { withoutWrites } from './written-role.ts';

interface Context {
  references: TerraformReferences;
  servers: TerraformServers;
  hidden: HiddenValues;
}

/** Reads what Terraform or OpenTofu planned. */
export function readTerraformPlan(plan: TerraformPlan): PlanResources {
  const managed = plan.resource_changes.filter(
    ({ mode, change }) => mode === 'managed' && !change.actions.includes('read'),
  );
  const references = new TerraformReferences(
    plan.configuration?.root_module,
    managed.map(({ address }) => address),
  );
  const servers = new TerraformServers(plan, references);
  const outside = resourcesOutside(plan, servers);
  // With -target, a plan leaves out what it does not look at; its state has them.
  const addresses = new Set(managed.flatMap((entry) => [entry.address, entry.previous_address]));
  const unchanged = outside.managed.filter(({ address }) => !addresses.has(address));
  const { resources, passedOver } = readEntries([...managed, ...unchanged].map(withoutWrites), {
    references,
    servers,
    hidden: new HiddenValues(),
  });
  const flows = credentialFlows(managed, references);
  const drifted = plan.resource_drift.length;
  return {
    tool: 'terraform',
    deletesLast: plan.gatehouse?.deletes_last === true,
    resources,
    passedOver: passedOverTypes([...passedOver, ...actionsOf(plan)]),
    outside: outside.read,
    ...(flows.length > 0 && { flows }),
    ...(servers.address !== undefined && { address: servers.address }),
    incomplete: incompleteIn(plan),
    notes: drifted === 0 ? [] : [driftNote('Terraform', drifted)],
  };
}

/** What a review looks into, and what it passes over. */
function readEntries(entries: readonly TerraformResourceChange[], context: Context) {
  const resources: PlannedResource[] = [];
  const passedOver: PassedOne[] = [];
  for (const entry of entries) {
    const { actions, before, after } = entry.change;
    const isDeleted = actions.includes('delete');
    const { known, isRelocated } = judgedAs(entry.type, [after, before].filter(isObject), isDeleted);
    if (known !== undefined) addAll(resources, readResources(known, entry, context));
    else {
      const ofService = mayBeOfService(entry.type, entry.provider_name);
      passedOver.push({ type: entry.type, ofService, isChanged: !actions.includes('no-op'), isRelocated });
    }
  }
  return { resources, passedOver };
}

/** Actions that a plan has invoked: their effect on the service is unknown. */
function actionsOf({ action_invocations: invocations }: TerraformPlan): PassedOne[] {
  return invocations.map(({ type, provider_name: provider }) => {
    const ofService = type === '' || mayBeOfService(type, provider);
    return { type: `action.${type}`, ofService, isChanged: true };
  });
}

/** Why a plan is not the whole of what would happen. */
function incompleteIn(plan: TerraformPlan): string[] {
  const isWhole =
    plan.complete && plan.deferred_changes.length + plan.deferred_action_invocations.length === 0;
  const outputs = Object.keys(plan.output_changes ?? {}).length;
  const shown =
    plan.resource_changes.length + plan.action_invocations.length + plan.resource_drift.length + outputs;
  return [
    ...(plan.errored ? ['Terraform could not finish this plan.'] : []),
    ...(isWhole && plan.applyable && shown === 0
      ? [
          'Terraform says that this plan can be applied, and it shows no change: something was left out of it.',
        ]
      : []),
    ...(isWhole ? [] : ['Terraform has put off part of this plan: what will be applied later is not in it.']),
  ];
}

function readResources(
  known: KnownType,
  entry: TerraformResourceChange,
  context: Context,
): PlannedResource[] {
  const { address, deposed, change, gatehouse = {} } = entry;
  const { actions } = change;
  const at = context.servers.of(address, gatehouse.provider_config_key);
  const [deletes, creates] = [actions.indexOf('delete'), actions.indexOf('create')];
  const order = deletes < creates ? 'delete-first' : 'create-first';
  const resource: PlannedResource = {
    address: deposed === undefined ? address : `${address} (deposed ${deposed})`,
    ...known,
    ...readSides(known, entry, at, context),
    changes: !actions.includes('no-op'),
    ...(deletes >= 0 && creates >= 0 && { replaced: gatehouse.is_unordered ? 'unordered' : order }),
    ...(deposed !== undefined && { isLeftover: true }),
    ...(at.isUnplaced && { isUnplaced: true }),
    rotated: rotatedFields(change),
    ...firstSetIn(change),
  };
  return actions.includes('forget') && resource.before !== undefined ? retained(resource) : [resource];
}

function readSides(
  { type }: KnownType,
  { address, change, gatehouse = {} }: TerraformResourceChange,
  { server, namespace }: TerraformServer,
  { references, hidden }: Context,
): Pick<PlannedResource, 'before' | 'after'> {
  const isNoOp = change.actions.includes('no-op');
  const empty = (values: unknown): PlannedSide | undefined =>
    isObject(values) ? sideOf({}, server, namespace) : undefined;
  const before = empty(change.before);
  const after = isNoOp ? before : empty(change.after);
  const unknownMarks = isNoOp ? undefined : change.after_unknown;
  const valuesBefore: Fields = { ...(isObject(change.before) && change.before), ...gatehouse.before };
  const valuesAfter: Fields = { ...(isObject(change.after) && change.after), ...gatehouse.after };
  const covered = new Set<string>();
  const names = new Set(
    [valuesBefore, valuesAfter, isObject(unknownMarks) ? unknownMarks : {}].flatMap(Object.keys),
  );
  for (const name of names) {
    if (secretFields.has(name)) continue;
    const valueBefore = valuesBefore[name] ?? null;
    const valueAfter = valuesAfter[name] ?? null;
    const markBefore = markOf(change.before_sensitive, name);
    const markAfter = markOf(change.after_sensitive ?? change.before_sensitive, name);
    // A value that is hidden on one side only, and equal on the other, is no secret any more.
    const isSame = before !== undefined && after !== undefined && isEqualData(valueBefore, valueAfter);
    const isOpen = isSame && !(hasMark(markBefore) && hasMark(markAfter));
    const read = (value: unknown, mark: unknown) => {
      if (isWrittenData(type, name)) return hidden.hideJson(value);
      if (isOpen || !hasMark(mark)) return shown(value);
      covered.add(name);
      return hidden.hide(value, mark);
    };
    if (before !== undefined && valueBefore !== null) before.fields[name] = read(valueBefore, markBefore);
    if (after === undefined || after === before) continue;
    const unknownMark = markOf(unknownMarks, name);
    if (!hasMark(unknownMark)) {
      if (valueAfter !== null) after.fields[name] = read(valueAfter, markAfter);
      continue;
    }
    // A block that is unknown in part was given, though the configuration lists no dynamic ones.
    if (unknownMark === true && references.isGiven(address, name) === false) continue;
    after.unknown.push(name);
    // The names of its blocks are known.
    if (unknownMark !== true && type === 'inert') after.fields[name] = read(valueAfter, markAfter);
    const targets = references.of(address, name);
    if (targets.length > 0) after.references[name] = targets;
  }
  settleHidden(type, covered, before, after);
  return { before, after };
}

function rotatedFields({ before, after, after_unknown }: TerraformResourceChange['change']): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return rotatedBy(
    (name) => hasMark(markOf(after_unknown, name)) || !isEqualData(before[name] ?? null, after[name] ?? null),
  );
}

function firstSetIn({ before, after, after_unknown }: TerraformResourceChange['change']) {
  if (!isObject(before) || !isObject(after)) return {};
  return firstSetBy(before, (name) => hasMark(markOf(after_unknown, name)) || !isUnset(after[name]));
}

function markOf(marks: unknown, name: string): unknown {
  return marks === true || (isObject(marks) && Object.hasOwn(marks, name) ? marks[name] : undefined);
}

/**
 * What the state before a plan tells in addition to the plan's own resources: what data sources have read, which is managed
 * elsewhere, and what is managed here, as entries of a plan that change nothing.
 */
function resourcesOutside({ prior_state }: TerraformPlan, servers: TerraformServers) {
  const read: PlannedResource[] = [];
  const managed: TerraformResourceChange[] = [];
  const pending: unknown[] = [prior_state?.values?.root_module];
  while (pending.length > 0) {
    const module = pending.pop();
    if (!isObject(module)) continue;
    if (Array.isArray(module['child_modules'])) addAll(pending, module['child_modules']);
    const resources = Array.isArray(module['resources']) ? module['resources'] : [];
    for (const resource of resources.filter(isObject)) {
      const { address, type, mode, values, sensitive_values: sensitive } = resource;
      if (typeof type !== 'string' || !isObject(values)) continue;
      if (mode === 'data') {
        const at = typeof address === 'string' ? address : `data.${type}`;
        addAll(read, readData(type, at, values, servers));
      } else if (typeof address === 'string' && resource['deposed_key'] === undefined && knownType(type)) {
        const change = { actions: ['no-op'], before: values, after: values, before_sensitive: sensitive };
        managed.push({ address, mode: 'managed', type, change });
      }
    }
  }
  return { read, managed };
}

function readData(type: string, address: string, values: Fields, servers: TerraformServers) {
  const found = Object.hasOwn(dataSources, type) ? (dataSources[type]?.(values) ?? []) : [];
  return found.map(({ type: of, fields: given }): PlannedResource => {
    const { server, namespace } = servers.of(address);
    const side = sideOf(shown({ namespace: values['namespace'], ...given }), server, namespace);
    return { address, type: of, of: 'data source', before: side, after: side, changes: false, rotated: [] };
  });
}
