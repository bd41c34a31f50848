import type { Change } from '../../graph/change.ts';
import type { ResourceType } from '../../graph/resources/resources.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { changeOf } from './compose-place.ts';
import { nodesOf } from './graph-nodes.ts';
import type { LiveService } from './live-service.ts';
import type { PlanNode } from './plan-node.ts';
import { sideOf } from './planned-resource.ts';
import type { Write } from './write.ts';

/** Puts a change from one declared graph to another on top of what their service has, as a plan is put there. */
export function changeOnService(change: Change, live: LiveService): Change {
  const there = nodesOf(live.graph);
  const before = nodesOf(change.before);
  const after = nodesOf(change.after);
  // Members of an external group and what is disabled are not declared, and stay.
  const onNode = (node: PlanNode | undefined): PlanNode | undefined => {
    const { members, disabling } = (node && there.get(node.key)) ?? {};
    return node && { members, disabling, ...node };
  };
  const remade = new Set(change.replaced.map(({ name }) => name));
  const keys = new Set([...before.keys(), ...after.keys()]);
  const writes = [...keys].map((key) =>
    writeBetween(onNode(before.get(key)), onNode(after.get(key)), remade),
  );
  const composed = changeOf(writes, { ...change, deletesLast: undefined, live });
  composed.before.messages = change.before.messages;
  composed.after.messages = change.after.messages;
  return composed;
}

/**
 * The write that makes one declared node of another.
 *
 * @param remade paths of mounts that are made anew
 */
function writeBetween(
  before: PlanNode | undefined,
  after: PlanNode | undefined,
  remade: ReadonlySet<string>,
): Write {
  const node = after ?? before;
  const isReplaced = after?.list === 'methods' && remade.has(after.subject.name);
  const isOnMade = remade.has(node?.hangsOn.mount ?? '');
  const isKept = !isOnMade && !isReplaced && isEqualData(before, after);
  const sideBefore = before && sideOf({ ...before.entry });
  const operation = isReplaced ? 'replace' : before === undefined ? 'create' : 'update';
  return {
    resource: {
      address: '',
      type: node?.subject.type as ResourceType,
      of: '',
      rotated: [],
      changes: !isKept,
      before: sideBefore,
      after: isKept ? sideBefore : after && sideOf({ ...after.entry }),
      ...(isReplaced && { replaced: 'delete-first' }),
    },
    does: isKept ? 'keep' : after === undefined ? 'delete' : operation,
    before,
    after: isKept ? before : after,
  };
}
