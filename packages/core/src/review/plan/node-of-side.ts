import { otherAlias } from '../../graph/nodes/other-alias.ts';
import { alias } from '../../graph/resources/group-alias.ts';
import type { PlannedAt } from '../../graph/resources/resource.ts';
import { type AnyResource, resources } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import { textOf } from '../../graph/values/loose-values.ts';
import { holdsHidden } from './hidden-values.ts';
import { type Identities, type LedSide, targetNames, type When } from './identities.ts';
import { otherNodeOf } from './other-nodes.ts';
import { otherSubject, ownerTypes, type PlanNode, planNode } from './plan-node.ts';
import type { PlannedSide } from './planned-resource.ts';

/** The node that a resource is on one side. @returns undefined where the plan does not tell what it is */
export function nodeOf(
  resource: LedSide['resource'],
  side: PlannedSide,
  when: When,
  identities: Identities,
): PlanNode | undefined {
  const led = identities.ledTo(resource.type, side, when);
  const described = resources.find(({ type, official: { variant } = {} }) => {
    return type === resource.type && (variant === undefined || variant.is(side.fields[variant.property]));
  });
  const at: LedSide = { resource, side, led, identities };
  const node = described ? describedNode(described, at) : otherNodeOf(at);
  if (node === undefined) return undefined;
  const unknownLists = led.untold.map(() => ({ ...node.subject, field: 'members' }));
  // Of what the plan knows by its id alone: its policies are unknown.
  const unknownOwners = ownerTypes.flatMap((type) => {
    const owner = led.targets[type];
    return owner === undefined || owner.isKnown ? [] : [{ type, name: owner.name, field: 'policies' }];
  });
  return { ...node, unknownParts: [...node.unknownParts, ...unknownLists, ...unknownOwners] };
}

/** A node that a graph has a list of, as its resource is described. */
function describedNode(described: AnyResource, at: LedSide): PlanNode | undefined {
  const { type, list, official, referredAs, methodOf } = described;
  const { resource, side, led } = at;
  const { isShared, fromPlan } = official ?? {};
  const name = nameIn(described, side);
  const names = name === undefined ? undefined : namesAround(described, name, at);
  if (name === undefined || names === undefined || fromPlan === undefined) return undefined;
  const { method: mount = '', group = '', isDeclared } = names;
  const { members } = led;
  const node = planNode({
    identity: {
      type: referredAs ?? type,
      mount: methodOf && mount,
      name: isShared ? resource.address : described.key(name),
    },
    subject: { type, name, ...(methodOf && { method: mount }) },
    list,
    entry: fromPlan(side.fields, { name, mount, group, members }),
    hangsOn: targetNames(led),
  });
  if (type === alias.type) return aliasNode(node, { name, mount, group, members }, isDeclared, at);
  // Members of an external group have its policies as well.
  if (members.length > 0 && !('members' in node.entry))
    return { ...node, members: { kind: 'group', name, policies: [], members } };
  const isDisabled = side.fields['disabled'] === true || holdsHidden(side.fields['disabled']);
  const of = isDisabled ? ownerTypes.find((ownerType) => ownerType === type) : undefined;
  return of === undefined ? node : { ...node, disabling: { kind: 'disabling', of, name } };
}

/** What a resource is called; undefined where the plan does not tell, also whether it is of this kind. */
function nameIn({ official, kept }: AnyResource, { fields, unknown }: PlannedSide): string | undefined {
  const { name: property = '', variant, byDefault } = official ?? {};
  if (variant !== undefined && unknown.includes(variant.property)) return undefined;
  const given = textOf(fields[property]) ?? (unknown.includes(property) ? undefined : byDefault);
  return given === undefined ? undefined : (kept?.(given) ?? given);
}

/** The method and the group that it is of. @returns undefined where neither the plan nor its program tells them */
function namesAround({ type }: AnyResource, name: string, { resource, side, led, identities }: LedSide) {
  const known = { method: led.targets.mount?.name, group: led.targets.group?.name };
  if (led.isWhole) return { ...known, isDeclared: false };
  if (type !== alias.type) return undefined;
  const declared = identities.declaredAlias(side, name, resource.address, known);
  return declared && { ...known, ...declared, isDeclared: true };
}

/** An alias of a group: of a method of another kind, it is no part of a declared graph. */
function aliasNode(
  node: PlanNode,
  { name, mount, group }: PlannedAt,
  isDeclared: boolean,
  { side, identities }: LedSide,
): PlanNode {
  const hanging: PlanNode = { ...node, hangsOn: { mount, group } };
  const kind = identities.kindOf(side, mount);
  if (kind !== undefined && ['method', 'jwt', 'oidc'].includes(kind)) return hanging;
  // If the kind of method is not known, the members of the group are not known.
  const unknownMethod: Subject = { ...node.subject, field: 'method' };
  if (kind === undefined) return isDeclared ? hanging : { ...hanging, unknownParts: [unknownMethod] };
  // Other kinds of auth method know the groups of a person without a role that reads them.
  const entry = otherAlias(name, mount, kind, group);
  return { ...hanging, subject: otherSubject(entry), list: 'others', entry };
}
