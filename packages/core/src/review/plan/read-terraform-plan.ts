import { isDeepStrictEqual } from 'node:util';
import { dataSources } from '../../graph/resources/data-sources.ts';
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

export function readTerraformPlan(plan: TerraformPlan): PlanResources {
  const managed = plan.resource_changes.filter(
    ({ mode, change }) => mode === 'managed' && !change.actions.includes('read'),
  );
  const references = new TerraformReferences(
    plan.configuration?.root_module,
    managed.map(({ address }) => address),
  );
  const servers = new TerraformServers(plan, references);
  const context: Context = { references, servers, hidden: new HiddenValues() };
  const outside = resourcesOutside(plan, servers);
  // With -target, a plan leaves out what it does not look at; its state has them.
  const planned = new Set(managed.flatMap((entry) => [entry.address, entry.previous_address]));
  const left = outside.managed.filter(({ address }) => !planned.has(address));
  const resources: PlannedResource[] = [];
  const passedOver: PassedOne[] = [];
  for (const entry of [...managed, ...left].map(withoutWrites)) {
    const { actions, before, after } = entry.change;
    const { known, isRelocated } = judgedAs(
      entry.type,
      [after, before].filter(isObject),
      actions.includes('delete'),
    );
    if (known !== undefined) {
      addAll(resources, readResources(known, entry, context));
    } else {
      const ofService = mayBeOfService(entry.type, entry.provider_name);
      passedOver.push({ type: entry.type, ofService, isChanged: !actions.includes('no-op'), isRelocated });
    }
  }
  // The effect of an action on the service is unknown.
  for (const { type, provider_name: provider } of plan.action_invocations) {
    const ofService = type === '' || mayBeOfService(type, provider);
    passedOver.push({ type: `action.${type}`, ofService, isChanged: true });
  }
  const isWhole =
    plan.complete && plan.deferred_changes.length + plan.deferred_action_invocations.length === 0;
  const flows = credentialFlows(managed, references);
  const drifted = plan.resource_drift.length;
  const outputs = Object.keys(plan.output_changes ?? {}).length;
  const shows = plan.resource_changes.length + plan.action_invocations.length + drifted + outputs;
  return {
    tool: 'terraform',
    deletesLast: plan.gatehouse?.deletes_last === true,
    resources,
    passedOver: passedOverTypes(passedOver),
    outside: outside.read,
    ...(flows.length > 0 && { flows }),
    incomplete: [
      ...(plan.errored ? ['Terraform could not finish this plan.'] : []),
      ...(isWhole && plan.applyable && shows === 0
        ? [
            'Terraform says that this plan can be applied, and it shows no change: something was left out of it.',
          ]
        : []),
      ...(isWhole
        ? []
        : ['Terraform has put off part of this plan: what will be applied later is not in it.']),
    ],
    notes: drifted === 0 ? [] : [driftNote('Terraform', drifted)],
  };
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
  const empty = (given: unknown): PlannedSide | undefined =>
    isObject(given) ? sideOf({}, server, namespace) : undefined;
  const before = empty(change.before);
  const after = isNoOp ? before : empty(change.after);
  const untold = isNoOp ? undefined : change.after_unknown;
  const raw: Fields[] = [
    { ...(isObject(change.before) && change.before), ...gatehouse.before },
    { ...(isObject(change.after) && change.after), ...gatehouse.after },
  ];
  const covered = new Set<string>();
  const names = new Set([...raw, isObject(untold) ? untold : {}].flatMap(Object.keys));
  for (const name of names) {
    if (secretFields.has(name)) continue;
    const [old, wanted] = raw.map((one) => one[name] ?? null);
    const marks = [change.before_sensitive, change.after_sensitive ?? change.before_sensitive].map((mark) =>
      markOf(mark, name),
    );
    // A value that is hidden on one side only, and equal on the other, is no secret any more.
    const isSame = before !== undefined && after !== undefined && isDeepStrictEqual(old, wanted);
    const isOpen = isSame && !marks.every(hasMark);
    const read = (value: unknown, mark: unknown) => {
      if (isWrittenData(type, name)) return hidden.hideJson(value);
      if (isOpen || !hasMark(mark)) return shown(value);
      covered.add(name);
      return hidden.hide(value, mark);
    };
    if (before !== undefined && old !== null) before.fields[name] = read(old, marks[0]);
    if (after === undefined || after === before) continue;
    const unknown = markOf(untold, name);
    if (!hasMark(unknown)) {
      if (wanted !== null) after.fields[name] = read(wanted, marks[1]);
      continue;
    }
    // A block that is unknown in part was given, though the configuration lists no dynamic ones.
    if (unknown === true && references.isGiven(address, name) === false) continue;
    after.unknown.push(name);
    // The names of its blocks are known.
    if (unknown !== true && type === 'inert') after.fields[name] = read(wanted, marks[1]);
    const targets = references.of(address, name);
    if (targets.length > 0) after.references[name] = targets;
  }
  settleHidden(type, covered, before, after);
  return { before, after };
}

function rotatedFields({ before, after, after_unknown }: TerraformResourceChange['change']): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return rotatedBy(
    (name) =>
      hasMark(markOf(after_unknown, name)) || !isDeepStrictEqual(before[name] ?? null, after[name] ?? null),
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
