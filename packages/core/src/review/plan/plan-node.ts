import type { Graph, GraphList, Identity, OtherNode, ResourceKey } from '../../graph/graph.ts';
import { type Disabling, withTargets } from '../../graph/nodes/guard.ts';
import { atMethod, wordsOf } from '../../graph/nodes/other-node.ts';
import type { Subject } from '../../graph/subject.ts';
import { defined } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';

/** A node of a service, as a plan or a graph tells it, under its key: of one key, a service keeps one. */
export interface PlanNode {
  identity: ResourceKey;
  /** The identity as a text. */
  key: string;
  /** How reports name it. */
  subject: Subject;
  list: GraphList;
  entry: Required<Graph>[GraphList][number];
  /** Names of what it hangs on, and goes with. */
  hangsOn: { mount?: string | undefined; group?: string | undefined; entity?: string | undefined };
  /** It adds to what it hangs on, and is nothing by itself. */
  isAdded?: true;
  /** A plan tells its name alone. */
  isNameOnly?: true;
  /** What it refers to and the plan does not tell; it cannot be judged when it changes. */
  unknownParts: Subject[];
  /** Who is in it, for an external group: no resource of the group itself writes that. */
  members?: Identity | undefined;
  /** It keeps a group or an entity from signing in. */
  disabling?: Disabling | undefined;
}

/** Nodes of a service by their keys: all that is there at one time. */
export type PlanNodes = ReadonlyMap<string, PlanNode>;

/** A node under the key of its identity. Nothing else makes one. */
export function planNode(
  node: Omit<PlanNode, 'key' | 'unknownParts'> & Partial<Pick<PlanNode, 'unknownParts'>>,
): PlanNode {
  return { unknownParts: [], ...node, key: keyOf(node.identity) };
}

function keyOf({ type, mount, name }: ResourceKey): string {
  return JSON.stringify([type, mount ?? null, name]);
}

/** How reports name what no stack declares. */
export function otherSubject(node: OtherNode): Subject {
  return { type: 'other', name: wordsOf(node) };
}

/** What no stack declares, where a node is such a thing. */
export function otherNodeIn(node: PlanNode | undefined): OtherNode | undefined {
  return node?.list === 'others' ? (node.entry as NonNullable<Graph['others']>[number]) : undefined;
}

/** Types of what others hang on by its id. */
export const ownerTypes = ['group', 'entity'] as const;
export type OwnerType = (typeof ownerTypes)[number];

export function isOwner(node: PlanNode | undefined): node is PlanNode {
  return ownerTypes.some((type) => type === node?.identity.type);
}

export function ownerKey(type: OwnerType, name: string): string {
  return keyOf({ type, name: nameKey(name) });
}

/** Keys of the group and the entity that a node hangs on. */
export function ownersOf({ hangsOn }: PlanNode): string[] {
  return ownerTypes.flatMap((type) => (hangsOn[type] === undefined ? [] : ownerKey(type, hangsOn[type])));
}

export function mountKey(path: string): string {
  return keyOf({ type: 'mount', name: path });
}

export function isMount(node: PlanNode | undefined): node is PlanNode {
  return node !== undefined && node.key === mountKey(node.identity.name);
}

/** Lists of a group or an entity, and the owners that an alias leads to. */
type Values = Partial<Pick<Identity, 'policies' | 'members'> & { entity: string; group: string }>;

/** A node with other values in its entry, and in who is in it. */
export function withValues(node: PlanNode, valuesOf: (entry: Values) => Values): PlanNode {
  const changed = <Entry extends object>(entry: Entry): Entry => ({
    ...entry,
    ...defined(valuesOf(entry as Values)),
  });
  const { entry, members } = node;
  return { ...node, entry: changed(entry), ...(members && { members: changed(members) }) };
}

/** A node that is at a mount, where that has moved to another path. */
export function movedTo(node: PlanNode, path: string): PlanNode {
  const identity = { ...node.identity, mount: path };
  const hangsOn = { ...node.hangsOn, mount: path };
  const other = otherNodeIn(node);
  if (other !== undefined) {
    const entry = atMethod(other, path);
    return planNode({ ...node, identity, hangsOn, subject: otherSubject(entry), entry });
  }
  const entry = { ...node.entry, method: path } as PlanNode['entry'];
  return planNode({ ...node, identity, hangsOn, subject: { ...node.subject, method: path }, entry });
}

/** A node whose owners, members and targets have the names that they have after renames. */
export function withNewNames(node: PlanNode, renamed: PlanNodes): PlanNode {
  if (renamed.size === 0) return node;
  const nameOf = (type: OwnerType | 'mount', name: string) => {
    const after =
      type === 'mount' ? renamed.get(mountKey(name))?.identity : renamed.get(ownerKey(type, name))?.subject;
    return after?.name ?? name;
  };
  const ownersIn = ({ group, entity }: Pick<PlanNode['hangsOn'], OwnerType>) =>
    defined({ group: group && nameOf('group', group), entity: entity && nameOf('entity', entity) });
  const named = withValues(node, ({ members, ...entry }) => ({
    ...ownersIn(entry),
    members: members?.map((member) => ({ ...member, name: nameOf(member.kind, member.name) })),
  }));
  const other = otherNodeIn(named);
  const bound = other?.kind === 'guard' ? { entry: withTargets(other, nameOf) } : {};
  return { ...named, ...bound, hangsOn: { ...node.hangsOn, ...ownersIn(node.hangsOn) } };
}
