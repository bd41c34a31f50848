import { isDeepStrictEqual } from 'node:util';
import { endpointToken, roleToken } from '../../model/resources/role.ts';
import { isObject } from '../../model/values/json.ts';
import { HiddenValues, hasMark, settleHidden, shown } from './hidden-values.ts';
import {
  type Fields,
  PassedOverCount,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
} from './planned-resource.ts';
import {
  isUnderstood,
  type KnownType,
  knownType,
  secretFields,
  terraformName,
  typeInPlan,
} from './resource-types.ts';
import { resourcesOutside } from './terraform-outside.ts';
import type { TerraformPlan, TerraformResourceChange } from './terraform-plan.ts';
import { TerraformReferences } from './terraform-references.ts';
import { type TerraformServer, TerraformServers } from './terraform-servers.ts';
import { writtenRole } from './written-role.ts';

const endpointName = terraformName(endpointToken);

/** What reading the resources of a Terraform plan needs. */
interface Context {
  references: TerraformReferences;
  servers: TerraformServers;
  hidden: HiddenValues;
}

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
  const servers = new TerraformServers(plan, references);
  const context: Context = { references, servers, hidden: new HiddenValues() };
  const outside = resourcesOutside(plan, servers);
  // With -target, a plan leaves out what it does not look at; its state has them.
  const planned = new Set(managed.flatMap((entry) => [entry.address, entry.previous_address]));
  const left = outside.managed.filter(({ address }) => !planned.has(address));
  for (const entry of [...managed, ...left].map(withoutDeletion).map(asWrittenRole)) {
    const { actions, before, after } = entry.change;
    const type = knownType(entry.type);
    const isChanged = !actions.includes('no-op');
    const sides = [after, before].filter(isObject);
    if (type !== undefined && isUnderstood(type, sides[0] ?? {}, actions.includes('delete'))) {
      resources.push(...readResources(type, entry, context));
    } else passedOver.add(entry.type, entry.type.startsWith('vault_'), isChanged);
  }
  // Nobody knows what an action does to the service.
  for (const { type, provider_name: provider } of plan.action_invocations) {
    passedOver.add(`action.${type}`, /^vault_|^$/.test(type) || provider.endsWith('/vault'), true);
  }
  return {
    tool: 'terraform',
    deletesLast: plan.gatehouse?.deletes_last === true,
    resources,
    passedOver: passedOver.list(),
    outside: outside.read,
    incomplete: [
      ...(plan.errored ? ['Terraform could not finish this plan.'] : []),
      ...(plan.complete && plan.deferred_changes.length + plan.deferred_action_invocations.length === 0
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

/** What a write to any path leaves on the service, as it may be told to, is forgotten. */
function withoutDeletion(entry: TerraformResourceChange): TerraformResourceChange {
  const { actions, before } = entry.change;
  const isLeft = entry.type === endpointName && isObject(before) && before['disable_delete'];
  if (isLeft !== true) return entry;
  const done = actions.map((action) => (action === 'delete' ? 'forget' : action));
  return { ...entry, change: { ...entry.change, actions: done } };
}

/** A role that is written whole, by a write to any path, is a role. */
function asWrittenRole(entry: TerraformResourceChange): TerraformResourceChange {
  const { before, after } = entry.change;
  if (entry.type !== endpointName) return entry;
  const [old, wanted] = [before, after].map((side) => (isObject(side) ? writtenRole(side) : null));
  if (old === undefined || wanted === undefined) return entry;
  const told = { before: old, after: wanted, after_unknown: {}, before_sensitive: {}, after_sensitive: {} };
  return { ...entry, type: terraformName(roleToken), change: { ...entry.change, ...told } };
}

function readResources(
  known: KnownType,
  { address, deposed, change, gatehouse = {} }: TerraformResourceChange,
  context: Context,
): PlannedResource[] {
  const { actions } = change;
  const isNoOp = actions.includes('no-op');
  const server = context.servers.of(address, gatehouse.provider_config_key);
  const [before, read] = readSides(known, { address, change, gatehouse }, server, context);
  const [deletes, creates] = [actions.indexOf('delete'), actions.indexOf('create')];
  const isForgotten = actions.includes('forget');
  const resource: PlannedResource = {
    address: deposed === undefined ? address : `${address} (deposed ${deposed})`,
    ...known,
    ...(before === undefined ? {} : { before }),
    ...(read === undefined ? {} : { after: read }),
    changes: !isNoOp,
    ...(deletes < 0 || creates < 0
      ? {}
      : {
          replaced: gatehouse.is_unordered
            ? 'unordered'
            : deletes < creates
              ? 'delete-first'
              : 'create-first',
        }),
    ...(deposed === undefined ? {} : { isLeftover: true as const }),
    ...(server.isUnplaced === undefined ? {} : { isUnplaced: true as const }),
    rotated: rotatedFields(change),
  };
  // What is forgotten stays on the service, beside what is made in its stead.
  if (!isForgotten || before === undefined) return [resource];
  const { before: _before, ...made } = resource;
  return [{ ...resource, after: before }, ...(read === undefined ? [] : [{ ...made, rotated: [] }])];
}

function readSides(
  { type }: KnownType,
  { address, change, gatehouse }: Pick<TerraformResourceChange, 'address' | 'change' | 'gatehouse'>,
  { server, namespace }: TerraformServer,
  { references, hidden }: Context,
): [before: PlannedSide | undefined, after: PlannedSide | undefined] {
  const isNoOp = change.actions.includes('no-op');
  const side = (): PlannedSide => ({ server, namespace, fields: {}, unknown: [], references: {} });
  const before = isObject(change.before) ? side() : undefined;
  const after = isNoOp ? before : isObject(change.after) ? side() : undefined;
  const untold = isNoOp ? undefined : change.after_unknown;
  const covered = new Set<string>();
  const raw = [
    { ...(isObject(change.before) && change.before), ...gatehouse?.before },
    { ...(isObject(change.after) && change.after), ...gatehouse?.after },
  ] as Fields[];
  const isUntold = (name: string) => hasMark(markOf(untold, name));
  const names = new Set([...raw, isObject(untold) ? untold : {}].flatMap((one) => Object.keys(one)));
  for (const name of names) {
    if (secretFields.has(name)) continue;
    const [old, wanted] = raw.map((one) => one[name] ?? null);
    const marks = [change.before_sensitive, change.after_sensitive ?? change.before_sensitive].map((mark) =>
      markOf(mark, name),
    );
    // What is hidden on one side only, and the same on the other, is no secret any more.
    const isSame = before !== undefined && after !== undefined && isDeepStrictEqual(old, wanted);
    const isOpen = isSame && !marks.every(hasMark);
    const read = (value: unknown, mark: unknown) => {
      if (typeInPlan(type).isWrite && /^(?:write_)?data/.test(name)) return hidden.hideJson(value);
      if (isOpen || !hasMark(mark)) return shown(value);
      covered.add(name);
      return hidden.hide(value, mark);
    };
    if (before !== undefined && old !== null) before.fields[name] = read(old, marks[0]);
    if (after === undefined || after === before) continue;
    // A block of which only a part is unknown was given, though the configuration lists no dynamic ones.
    const isUnknown =
      isUntold(name) && (markOf(untold, name) !== true || references.isGiven(address, name) !== false);
    if (isUnknown) {
      after.unknown.push(name);
      const targets = references.of(address, name);
      if (targets.length > 0) after.references[name] = targets;
    } else if (wanted !== null && !isUntold(name)) after.fields[name] = read(wanted, marks[1]);
  }
  settleHidden(type, covered, before, after);
  return [before, after];
}

/** The secret that changes. A write-only one is never in a plan: the number beside it tells. */
function rotatedFields({ before, after, after_unknown }: TerraformResourceChange['change']): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const changes = (name: string) =>
    hasMark(markOf(after_unknown, name)) || !isDeepStrictEqual(before[name] ?? null, after[name] ?? null);
  const telling = [...secretFields, 'oidc_client_secret_wo_version'];
  return telling.some(changes) ? ['oidc_client_secret'] : [];
}

function markOf(marks: unknown, name: string): unknown {
  return marks === true || (isObject(marks) && Object.hasOwn(marks, name) ? marks[name] : undefined);
}
