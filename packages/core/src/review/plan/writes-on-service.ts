import { isComplete, type OtherNode } from '../../graph/graph.ts';
import { isLoginEnforcement } from '../../graph/nodes/guard.ts';
import type { Subject } from '../../graph/subject.ts';
import { nodesOf } from './graph-nodes.ts';
import { createdOver, replacedOver, updatedOver } from './left-by-writes.ts';
import type { LiveService } from './live-service.ts';
import { otherNodeIn, type PlanNode, type PlanNodes, withNewNames } from './plan-node.ts';
import { type PlannedResource, sideOf } from './planned-resource.ts';
import { renamedBy, type Write } from './write.ts';

/** A service below a plan. */
interface Service {
  live: LiveService;
  nodes: PlanNodes;
  /** What the plan renames. */
  renamed: PlanNodes;
}

/**
 * Puts the writes of a plan on top of what its service has: the service's own is what is before, what the plan does not name
 * is kept, and a name that is taken is written over.
 *
 * @returns the writes, and what the plan makes though it is there already
 */
export function onService(
  writes: readonly Write[],
  live: LiveService,
): { writes: Write[]; taken: Subject[] } {
  const service: Service = { live, nodes: nodesOf(live.graph), renamed: renamedBy(writes) };
  const placed = writes.flatMap((write) => eachOnNode(write, service));
  const onLists = placed.filter(isOnList);
  const named = new Set(onLists.flatMap(({ before, after }) => [before?.key, after?.key]));
  const untouched = [...service.nodes.values()].filter(({ key }) => !named.has(key));
  return {
    writes: [
      ...placed.flatMap((write) => onNode(write, service) ?? []),
      ...untouched.map((node) => keptOf(node, service)),
    ],
    taken: onLists.flatMap((write) => takenBy(write, service)),
  };
}

/** What is made anew under another name that is taken deletes one node of the service, and writes over the other. */
function eachOnNode(write: Write, { nodes }: Service): Write[] {
  const { does, before, after } = write;
  const isOnTaken =
    before !== undefined && after !== undefined && before.key !== after.key && nodes.has(after.key);
  if (does !== 'replace' || !isOnTaken) return [write];
  return [
    { ...write, does: 'delete', after: undefined },
    { ...write, does: 'create', before: undefined },
  ];
}

/** Whether a service lists what a write is of. */
function isOnList({ before, after }: Write): boolean {
  const other = otherNodeIn(before ?? after);
  return other === undefined || isReadable(other);
}

/** Whether what no stack declares is read from a service. */
function isReadable(node: OtherNode): boolean {
  if (node.kind === 'guard') return isLoginEnforcement(node);
  return ['otherMethod', 'otherRole', 'entityAlias', 'otherAlias'].includes(node.kind);
}

/** A write, as it meets the node that the service has. @returns undefined for what the service does not have and the plan keeps */
function onNode(write: Write, service: Service): Write | undefined {
  const { resource, does, before, after } = write;
  // What the plan says is all that is known.
  if (!isOnList(write)) {
    const isDone = resource.type === 'endpoint' && does === 'keep';
    return isDone && isComplete(service.live.graph, 'others') ? undefined : write;
  }
  if ((before ?? after)?.isAdded) return write;
  if (before === undefined) {
    const taken = after && service.nodes.get(after.key);
    return after && taken ? { ...write, before: taken, after: createdOver(taken, after, resource) } : write;
  }
  const there = thereBefore(before, service);
  if (there === undefined) {
    if (!isListed(before, service)) return write;
    // It is gone: a plan that keeps it keeps nothing, and one that changes it makes it.
    return does === 'keep' ? undefined : { ...write, before: undefined };
  }
  const stays = withNewNames(there, service.renamed);
  if (does === 'keep') return { ...write, before: there, after: after && stays };
  const applied = does === 'replace' ? replacedOver : updatedOver;
  return { ...write, before: there, after: after && applied(stays, before, after, resource) };
}

/** What is there before the plan: of a snapshot and a plan, the plan is newer. */
function thereBefore(before: PlanNode, { live, nodes }: Service): PlanNode | undefined {
  const there = live.isSnapshot && !before.isNameOnly ? before : nodes.get(before.key);
  return there && withConfiguration(there, before);
}

/** A mount is read without its configuration: that is what the plan says of it before. */
function withConfiguration(there: PlanNode, before: PlanNode): PlanNode {
  const entry = otherNodeIn(there);
  const planned = otherNodeIn(before);
  if (entry?.kind !== 'otherMethod' || planned?.kind !== 'otherMethod') return there;
  const lifetime = { ...planned.lifetime, ...entry.lifetime };
  return {
    ...there,
    entry: {
      ...entry,
      bounds: { ...planned.bounds, ...entry.bounds },
      ...(Object.keys(lifetime).length > 0 && { lifetime }),
      ...(planned.metadata && { metadata: planned.metadata }),
    },
  };
}

/** Whether the service would list a node if it were there. */
function isListed(node: PlanNode, { live }: Service): boolean {
  const list = otherNodeIn(node)?.kind === 'guard' ? 'guards' : node.list;
  return isComplete(live.graph, list, list === 'roles' ? node.hangsOn.mount : undefined);
}

/** What a write makes though the service has it. Every service has the policy `default`. */
function takenBy({ before, after }: Write, { nodes }: Service): Subject[] {
  if (before !== undefined || after === undefined || !nodes.has(after.key)) return [];
  return after.list === 'policies' && after.subject.name === 'default' ? [] : [after.subject];
}

const side = sideOf({});
/** Whatever made what the plan does not name. */
const elsewhere: PlannedResource = {
  address: '',
  type: 'inert',
  of: '',
  changes: false,
  rotated: [],
  before: side,
  after: side,
};

function keptOf(node: PlanNode, { renamed }: Service): Write {
  return { resource: elsewhere, does: 'keep', before: node, after: withNewNames(node, renamed) };
}
