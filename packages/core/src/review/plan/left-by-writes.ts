import type { Identity } from '../../graph/graph.ts';
import { lifetimeOfNode, policiesOfNode } from '../../graph/nodes/other-node.ts';
import { group } from '../../graph/resources/external-group.ts';
import { type ByName, canonicalFields, isSame } from '../../graph/resources/field.ts';
import { givingPolicies } from '../../graph/resources/policy.ts';
import type { Subject } from '../../graph/subject.ts';
import { isObject } from '../../graph/values/json.ts';
import { defined, objectOf } from '../../graph/values/loose-values.ts';
import { toCamelCase } from '../../graph/values/wire.ts';
import { holdsHidden } from './hidden-values.ts';
import { type OwnerType, otherNodeIn, ownerTypes, type PlanNode } from './plan-node.ts';
import type { PlannedResource } from './planned-resource.ts';
import { typeInPlan } from './resource-types.ts';

/** What is there after a create under a name that is taken: every field stays that it does not send (docs/inside/measured/policies.md#writes). */
export function createdOver(there: PlanNode, after: PlanNode, resource: PlannedResource): PlanNode {
  const sent = sentToPath(resource);
  const other = otherNodeIn(there);
  const planned = otherNodeIn(after);
  if (other === undefined || planned === undefined || !('bounds' in other) || !('bounds' in planned)) {
    const { members, disabling } = there;
    const entry = { ...there.entry, ...after.entry } as PlanNode['entry'];
    return withListsOf(there, { ...defined({ members, disabling }), ...after, entry }, resource);
  }
  const stays = (fields: ByName) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !sent.includes(field)));
  const bounds = { ...stays(other.bounds), ...planned.bounds };
  const lifetime = { ...stays(lifetimeOfNode(other) ?? {}), ...lifetimeOfNode(planned) };
  if (!('policies' in planned)) return { ...after, entry: { ...planned, bounds, lifetime } };
  const hasPolicies = planned.policies.length > 0 || givingPolicies.some((field) => sent.includes(field));
  const policies = hasPolicies ? planned.policies : [...policiesOfNode(other)];
  return { ...after, entry: { ...planned, policies, bounds, lifetime } };
}

/** Fields that a write to any path sends, also as nothing. Other resources leave out what is nothing. */
function sentToPath({ type, after }: PlannedResource): string[] {
  const data = after?.fields['data_json'] ?? after?.fields['data'];
  return type === 'endpoint' && isObject(data) ? Object.keys(data) : [];
}

/**
 * What is there after an update: what the plan hides and does not change, and what it leaves to others, is as on the service.
 *
 * @param there what the service has
 * @param before what the plan takes for there
 */
export function updatedOver(
  there: PlanNode,
  before: PlanNode,
  after: PlanNode,
  resource: PlannedResource,
): PlanNode {
  const shown = withHiddenOf(there, before, after, resource);
  const entry: ByName = { ...shown.entry };
  const entryBefore: ByName = { ...before.entry };
  const entryThere: ByName = { ...there.entry };
  // A block that does not change is not sent.
  for (const block of Object.keys(typeInPlan(resource.type).blocks ?? {}))
    if (isSame(entryBefore[block], entry[block])) entry[block] = entryThere[block];
  const updated: PlanNode = { ...shown, entry: defined(entry) as PlanNode['entry'] };
  const unknownParts = [...after.unknownParts, ...unsent(there, before, updated, resource)];
  return withListsOf(there, { ...updated, unknownParts }, resource);
}

/**
 * What is there after a replacement: nothing that the plan does not send. What is set on the service in fields that the plan
 * never had may be what the service sets by itself, also the next time: whether it stays is unknown.
 */
export function replacedOver(
  there: PlanNode,
  before: PlanNode,
  after: PlanNode,
  resource: PlannedResource,
): PlanNode {
  const replaced = withHiddenOf(there, before, after, resource);
  const fieldsOf = ({ entry }: PlanNode) => {
    const { bounds, lifetime }: { bounds?: unknown; lifetime?: unknown } = entry as ByName;
    return Object.keys({ ...objectOf(bounds), ...objectOf(lifetime) });
  };
  const given = new Set([before, after].flatMap(fieldsOf));
  const unknown = fieldsOf(replaced).filter((field) => !given.has(field));
  const unknownParts = unknown.map((field) => ({ ...after.subject, field: toCamelCase(field) }));
  return { ...replaced, unknownParts: [...after.unknownParts, ...unknownParts] };
}

/** A node with what the plan hides and does not change, and what it never gave, as it is on the service. */
function withHiddenOf(
  there: PlanNode,
  before: PlanNode,
  after: PlanNode,
  resource: PlannedResource,
): PlanNode {
  const entry: ByName = { ...after.entry };
  const entryBefore: ByName = { ...before.entry };
  const entryThere: ByName = { ...there.entry };
  if ('bounds' in entry)
    for (const part of ['bounds', 'lifetime'])
      entry[part] = boundsOver(
        resource,
        objectOf(entryThere[part]),
        objectOf(entryBefore[part]),
        objectOf(entry[part]),
      );
  for (const [field, value] of Object.entries(entry)) {
    const isUntold = holdsHidden(value) && JSON.stringify(value) === JSON.stringify(entryBefore[field]);
    if (isUntold && field in entryThere) entry[field] = entryThere[field];
  }
  return { ...after, entry: defined(entry) as PlanNode['entry'] };
}

/**
 * Values that a plan hides and does not change stay as they are. Values that it never gave, or that the service draws, stay
 * too: a role that is read does not have them. Values that the plan shows are written again.
 */
function boundsOver(
  resource: PlannedResource,
  there: ByName = {},
  before: ByName = {},
  after: ByName = {},
): ByName {
  const sent = sentToPath(resource);
  const { drawn = [] } = typeInPlan(resource.type);
  const entries = Object.entries({ ...there, ...after }).flatMap(([field, value]): [string, unknown][] => {
    if (!(field in after)) return field in before || sent.includes(field) ? [] : [[field, value]];
    const isUnchanged = JSON.stringify(value) === JSON.stringify(before[field]);
    if (!isUnchanged || !(holdsHidden(value) || drawn.includes(field))) return [[field, value]];
    return field in there ? [[field, there[field]]] : [];
  });
  return Object.fromEntries(entries);
}

/** Fields that the plan does not change, and the service has otherwise: the official plugin leaves them so, ours does not. */
function unsent(there: PlanNode, before: PlanNode, after: PlanNode, { type }: PlannedResource): Subject[] {
  const { fields = {} } = typeInPlan(type);
  const [isThere, was, written] = [there, before, after].map(({ entry }) => canonicalFields(fields, entry));
  return Object.entries(fields).flatMap(([field, { sent }]) => {
    const isLeft = sent === 'changed' && isSame(was?.[field], written?.[field]);
    return isLeft && !isSame(written?.[field], isThere?.[field]) ? [{ ...after.subject, field }] : [];
  });
}

/** A node with the lists that its resource leaves to others as the service has them. */
function withListsOf(there: PlanNode, after: PlanNode, { after: side }: PlannedResource): PlanNode {
  const { fields = {} } = side ?? {};
  const { policies } = there.entry as Partial<Identity>;
  const isLeft = fields['external_policies'] === true && policies !== undefined;
  const entry = isLeft ? ({ ...after.entry, policies } as PlanNode['entry']) : after.entry;
  // The provider writes no members of an external group: sign-ins do.
  const isExternal = after.list === group.list;
  const kinds = ownerTypes.filter((kind) => isExternal || fields[`external_member_${kind}_ids`] === true);
  return kinds.length === 0 ? { ...after, entry } : withMembersOf(there, { ...after, entry }, kinds);
}

/** Members of these kinds are left to others: they are as the service has them. */
function withMembersOf(there: PlanNode, after: PlanNode, kinds: readonly OwnerType[]): PlanNode {
  const members = [
    ...membersIn(after).filter(({ kind }) => !kinds.includes(kind)),
    ...membersIn(there).filter(({ kind }) => kinds.includes(kind)),
  ];
  if (after.list === 'identities')
    return { ...after, entry: { ...after.entry, members } as PlanNode['entry'] };
  const { members: _, ...rest } = after;
  if (members.length === 0) return rest;
  return { ...rest, members: { kind: 'group', name: after.subject.name, policies: [], members } };
}

/** Who is in a group. */
function membersIn({ entry, members }: PlanNode): NonNullable<Identity['members']> {
  return [entry, members].flatMap((part) => (part as Partial<Identity> | undefined)?.members ?? []);
}
