import { emptyGraph, type Graph, type Identity, type OtherNode } from '../../graph/graph.ts';
import { entityOfNode, groupOfNode, identityOf, methodOf } from '../../graph/nodes/other-node.ts';
import { message } from '../../graph/resources/custom-message.ts';
import { partsIn, resources } from '../../graph/resources/resources.ts';
import { subjectOf } from '../../graph/subject.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import { otherNodeIn, otherSubject, ownerKey, type PlanNode, type PlanNodes, planNode } from './plan-node.ts';

/** All that a graph has, by key; messages are in no review of access. */
export function nodesOf(graph: Graph): PlanNodes {
  const external = new Set(graph.groups.map(({ name }) => nameKey(name)));
  const isWithin = ({ kind, name }: Identity) => kind === 'group' && external.has(nameKey(name));
  const nodes = new Map<string, PlanNode>();
  const add = (node: PlanNode) => nodes.set(node.key, node);
  for (const resource of resources.filter(({ type }) => type !== message.type))
    for (const entry of partsIn(graph, resource)) {
      // Who is in an external group goes with the group.
      if ('kind' in entry && isWithin(entry)) continue;
      const subject = subjectOf(resource, entry);
      const { type, list, referredAs = type } = resource;
      const identity = { type: referredAs, mount: subject.method, name: resource.key(subject.name) };
      const hangsOn = { mount: subject.method, ...('group' in entry && { group: entry.group }) };
      add(planNode({ identity, subject, list, entry, hangsOn }));
    }
  for (const entry of graph.identities ?? []) {
    const owner = isWithin(entry) ? nodes.get(ownerKey('group', entry.name)) : undefined;
    if (owner !== undefined) owner.members = entry;
  }
  for (const entry of graph.others ?? []) {
    const disabled = entry.kind === 'disabling' ? nodes.get(ownerKey(entry.of, entry.name)) : undefined;
    if (entry.kind === 'disabling' && disabled !== undefined) disabled.disabling = entry;
    else add(nodeOfOther(entry));
  }
  return nodes;
}

function nodeOfOther(entry: OtherNode): PlanNode {
  const mount = entry.kind === 'otherMethod' ? undefined : methodOf(entry);
  const hangsOn = { mount, group: groupOfNode(entry), entity: entityOfNode(entry) };
  return planNode({
    identity: identityOf(entry),
    subject: otherSubject(entry),
    list: 'others',
    entry,
    hangsOn,
  });
}

/** The graph of all that is there. What hangs on a group or an entity comes last. */
export function graphOf(nodes: PlanNodes): Graph {
  const graph = emptyGraph();
  const add = ({ list, entry }: Pick<PlanNode, 'list' | 'entry'>) => {
    const entries: unknown[] = graph[list] ?? [];
    entries.push(entry);
    Object.assign(graph, { [list]: entries });
  };
  const isOwned = ({ list, hangsOn }: PlanNode) =>
    list === 'others' && (hangsOn.entity !== undefined || hangsOn.group !== undefined);
  for (const node of nodes.values()) {
    if (!isOwned(node)) add(node);
    if (node.members !== undefined) add({ list: 'identities', entry: node.members });
    if (node.disabling !== undefined) add({ list: 'others', entry: node.disabling });
  }
  for (const node of nodes.values()) {
    const other = otherNodeIn(node);
    if (other === undefined || !isOwned(node)) continue;
    const { entity } = node.hangsOn;
    const isOfDisabled =
      entity !== undefined && nodes.get(ownerKey('entity', entity))?.disabling !== undefined;
    // One object may be in both graphs.
    add({ list: node.list, entry: isOfDisabled ? ofDisabled(other) : { ...other } });
  }
  return graph;
}

/** What leads to an entity that is disabled: it keeps people out, and without it they sign in as another entity. */
function ofDisabled(node: OtherNode): OtherNode {
  const leadsToEntity = node.kind === 'entityAlias' || node.kind === 'issuedTokens';
  return leadsToEntity ? { ...node, isOfDisabled: true } : { ...node };
}
