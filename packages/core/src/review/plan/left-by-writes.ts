import type { Identity } from '../../graph/graph.ts';
import { lifetimeOfNode, policiesOfNode } from '../../graph/nodes/other-node.ts';
import { group } from '../../graph/resources/external-group.ts';
import { type ByName, canonicalFields, isSame } from '../../graph/resources/field.ts';
import { givingPolicies } from '../../graph/resources/policy.ts';
import type { Subject } from '../../graph/subject.ts';
import { isObject } from '../../graph/values/json.ts';
import { defined, objectOf } from '../../graph/values/loose-values.ts';
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
    return { ...defined({ members, disabling }), ...after, entry };
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
  const { fields = {} } = resource.after ?? {};
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
  if (fields['external_policies'] === true) entry['policies'] = entryThere['policies'];
  // A block that does not change is not sent.
  for (const block of Object.keys(typeInPlan(resource.type).blocks ?? {}))
    if (isSame(entryBefore[block], entry[block])) entry[block] = entryThere[block];
  const updated: PlanNode = { ...after, entry: defined(entry) as PlanNode['entry'] };
  updated.unknownParts = [...after.unknownParts, ...unsent(there, before, updated, resource)];
  // The provider writes no members of an external group: sign-ins do.
  const isExternal = after.list === group.list;
  const left = ownerTypes.filter((kind) => isExternal || fields[`external_member_${kind}_ids`] === true);
  return left.length === 0 ? updated : withMembersOf(there, updated, left);
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
function unsent(
  there: PlanNode,
  before: PlanNode,
  after: PlanNode,
  { type, replaced }: PlannedResource,
): Subject[] {
  if (replaced !== undefined) return [];
  const { fields = {} } = typeInPlan(type);
  const [isThere, was, written] = [there, before, after].map(({ entry }) => canonicalFields(fields, entry));
  return Object.entries(fields).flatMap(([field, { sent }]) => {
    const isLeft = sent === 'changed' && isSame(was?.[field], written?.[field]);
    return isLeft && !isSame(written?.[field], isThere?.[field]) ? [{ ...after.subject, field }] : [];
  });
}

/** Members of these kinds are left to others: they are as the service has them. */
function withMembersOf(there: PlanNode, after: PlanNode, left: readonly OwnerType[]): PlanNode {
  const members = [
    ...membersIn(after).filter(({ kind }) => !left.includes(kind)),
    ...membersIn(there).filter(({ kind }) => left.includes(kind)),
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
