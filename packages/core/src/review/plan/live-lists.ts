import type { Identity } from '../../graph/graph.ts';
import { group } from '../../graph/resources/external-group.ts';
import type { Subject } from '../../graph/subject.ts';
import { isOwner, ownerKey, ownersOf, type PlanNode, withValues } from './plan-node.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';
import { renamedBy, type Write } from './write.ts';

/** Lists of a group or an entity that its own resource and what is attached to it write, as the provider names them. */
const lists = ['policies', 'member_group_ids', 'member_entity_ids'] as const;
type List = (typeof lists)[number];

/** What is known of lists apart from the writes. */
export interface KnownOfLists extends Pick<PlanResources, 'deletesLast'> {
  /** All that groups and entities have is known. */
  isWhole: boolean;
}

/** What is in the lists of groups and entities after all writes. */
interface LiveLists {
  /**
   * What a write leaves without entries that are gone; undefined where it only attached these.
   *
   * @param isLost whether a member is not there any more, under the id that a list was kept or written with
   */
  remainsOf(write: Write, isLost: (key: string, isKept: boolean) => boolean): PlanNode | undefined;
  /** Lists that are written over, with entries of others that the plan does not show. */
  lost: Subject[];
  /** Groups and entities with a list that is written twice, in an order that nothing tells. */
  unordered: Subject[];
}

/**
 * Writes the lists as the official provider does (`identityGroupUpdateFields`, `identityGroupPoliciesUpdate` and the like).
 * A group or an entity that changes writes the whole of a list, unless it leaves that to others. What is attached to it
 * writes after that: an exclusive attachment is all that is left, and any other adds its entries to the one live list, or
 * takes those from it that it has no more, no matter who else lists them. An unchanged resource writes nothing.
 *
 * @param remaining the writes whose nodes are there after all
 */
export function liveLists(
  writes: readonly Write[],
  remaining: readonly Write[],
  known: KnownOfLists,
): LiveLists {
  const owners = new Map(
    remaining.flatMap((write) => (isOwner(write.after) ? [[write.after.key, write]] : [])),
  );
  const renamed = renamedBy(writes);
  const ownerOf = (node: PlanNode) => {
    const [key = ''] = node.isAdded ? ownersOf(node) : [node.key];
    return renamed.get(key)?.key ?? key;
  };
  const attachments = Map.groupBy(attachmentsIn(writes, ownerOf), ({ owner }) => owner);
  const entriesByList = new Map<string, Set<string>>();
  const lost: Subject[] = [];
  const unordered: Subject[] = [];
  for (const key of new Set([...owners.keys(), ...attachments.keys()])) {
    const attached = attachments.get(key) ?? [];
    const owner = owners.get(key);
    const subject = owner?.after?.subject ?? (attached[0]?.after ?? attached[0]?.before)?.subject;
    for (const list of lists) {
      const { entries, isLost, isUnordered } = listAfter(list, owner, attached, known);
      entriesByList.set(`${list} ${key}`, entries);
      if (subject === undefined) continue;
      if (isLost) lost.push({ ...subject, field: list === 'policies' ? list : 'members' });
      if (isUnordered) unordered.push(subject);
    }
  }
  const remainsOf: LiveLists['remainsOf'] = (write, isLost) => {
    const { does, resource, after } = write;
    if (after === undefined) return undefined;
    const key = ownerOf(after);
    const isKept = (list: List) =>
      does === 'keep' || isLeft(list, resource.after) || (list !== 'policies' && after.list === group.list);
    return withEntries(after, (list, entry) => {
      const entries = entriesByList.get(`${list} ${key}`);
      return !isLost(entry, isKept(list)) && (entries === undefined || entries.has(entry));
    });
  };
  return { remainsOf, lost, unordered };
}

/** What a write attaches to one group or entity. */
interface Attachment extends Pick<Write, 'resource' | 'does' | 'before' | 'after'> {
  /** The key of the group or entity. */
  owner: string;
}

/** What writes attach. An entry that goes from one owner to another is taken from one, and attached to the other. */
function attachmentsIn(writes: readonly Write[], ownerOf: (node: PlanNode) => string): Attachment[] {
  return writes.flatMap(({ resource, does, before, after }): Attachment[] => {
    if (!(after ?? before)?.isAdded) return [];
    const from = before && ownerOf(before);
    const to = after && ownerOf(after);
    if (from === to || from === undefined || to === undefined)
      return [{ owner: to ?? from ?? '', resource, does, before, after }];
    return [
      { owner: from, resource, does, before },
      { owner: to, resource, does, after },
    ];
  });
}

/** One list after all writes. */
function listAfter(
  list: List,
  owner: Write | undefined,
  attachments: readonly Attachment[],
  { isWhole, deletesLast }: KnownOfLists,
): { entries: Set<string>; isLost: boolean; isUnordered: boolean } {
  const isNew = owner !== undefined && (owner.before === undefined || owner.does === 'replace');
  const isWritten = owner !== undefined && owner.does !== 'keep' && !isLeft(list, owner.resource.after);
  const own = entriesOf(owner?.after, list);
  const stays = isNew || isWritten ? [] : attachments.flatMap(({ before }) => entriesOf(before, list));
  const changes = inOrder(
    attachments.filter(({ does }) => does !== 'keep'),
    deletesLast,
  );
  let entries = new Set([...own, ...stays]);
  for (const change of changes) entries = listWith(entries, list, change, owner);
  const hadOthers =
    !isWhole &&
    !isNew &&
    isLeft(list, owner?.resource.before) &&
    !attachments.some(
      ({ before, resource }) => before !== undefined && isAll(list, resource, resource.before),
    );
  const exclusive = changes.filter(
    ({ resource, after }) => after !== undefined && isAll(list, resource, resource.after),
  );
  // Nothing orders the end of what is attached and the owner's own write.
  const isTaken = changes.some((change) => takesFrom(list, own, change));
  return {
    entries,
    isLost: hadOthers && (isWritten || changes.some((change) => writesAll(list, change))),
    isUnordered: exclusive.length > 1 || (isWritten && isTaken) || isContested(list, changes, deletesLast),
  };
}

/** Attachments in the order in which they change, as far as a plan tells. */
function inOrder(changes: readonly Attachment[], deletesLast: boolean | undefined): readonly Attachment[] {
  if (!deletesLast) return changes;
  const isLast = ({ does }: Attachment) => does === 'delete';
  return [...changes.filter((change) => !isLast(change)), ...changes.filter(isLast)];
}

/** A list after a write of what is attached to it. */
function listWith(
  entries: ReadonlySet<string>,
  list: List,
  { resource, does, before, after }: Attachment,
  owner: Write | undefined,
): Set<string> {
  const had = new Set(entriesOf(before, list));
  const without = (from: ReadonlySet<string>) => new Set([...from].filter((entry) => !had.has(entry)));
  const deleted = (from: ReadonlySet<string>) =>
    isAll(list, resource, resource.before) ? new Set<string>() : without(from);
  const added = isRefused(list, owner, before) ? [] : entriesOf(after, list);
  const put = (to: ReadonlySet<string>) =>
    new Set([...(isAll(list, resource, resource.after) ? [] : to), ...added]);
  if (after === undefined) return deleted(entries);
  if (before === undefined) return put(entries);
  if (does !== 'replace') return put(without(entries));
  return resource.replaced === 'create-first' ? deleted(put(entries)) : put(deleted(entries));
}

/** Whether the end of an attachment may take entries that a list has by its owner. */
function takesFrom(
  list: List,
  own: readonly string[],
  { resource, does, before, after }: Attachment,
): boolean {
  const isEnd = after === undefined || (does === 'replace' && resource.replaced !== 'create-first');
  if (before === undefined || !isEnd || isAll(list, resource, after && resource.after)) return false;
  const ended = new Set(entriesOf(before, list));
  const given = new Set(entriesOf(after, list));
  const endsAll = isAll(list, resource, resource.before);
  return own.some((entry) => (endsAll || ended.has(entry)) && !given.has(entry));
}

/** Whether what an attachment takes is given by another one, or by itself, and nothing orders the two. */
function isContested(list: List, changes: readonly Attachment[], deletesLast: boolean | undefined): boolean {
  const giving = Map.groupBy(
    changes.flatMap((change) => entriesOf(change.after, list).map((entry) => ({ entry, change }))),
    ({ entry }) => entry,
  );
  return changes.some((change) => {
    const { does, resource, before, after } = change;
    if (deletesLast && does === 'delete') return false;
    const isReplaced = does === 'replace' && before !== undefined && after !== undefined;
    const replaced = isReplaced ? resource.replaced : undefined;
    const endsAll = isReplaced && isAll(list, resource, resource.before);
    const taken = endsAll || writesAll(list, change) ? [...giving.keys()] : entriesOf(before, list);
    const own = new Set(entriesOf(after, list));
    return taken.some((entry) => {
      const isGivenByOther = giving.get(entry)?.some((other) => other.change !== change) === true;
      if (!own.has(entry)) return isGivenByOther;
      // The end of what is made anew takes what it gives as well.
      return replaced === 'unordered' || (replaced === 'create-first' && isGivenByOther);
    });
  });
}

/** Whether a resource leaves a list to others, or is not there. */
function isLeft(list: List, side: PlannedSide | undefined): boolean {
  return side === undefined || side.fields[`external_${list}`] === true || side.unknown.includes(list);
}

/** Whether all of a list is what a resource attaches to it. */
function isAll(list: List, { of }: PlannedResource, side: PlannedSide | undefined): boolean {
  // The list that an attachment is of: `identity group member entity ids`.
  const attachedTo = of.replace(/^identity (?:group|entity) /, '').replaceAll(' ', '_');
  return side !== undefined && side.fields['exclusive'] !== false && attachedTo === list;
}

/** Whether nothing is left of a list but what a write gives. */
function writesAll(list: List, { resource, after }: Attachment): boolean {
  return isAll(list, resource, after === undefined ? resource.before : resource.after);
}

/** An external group takes no members by hand. */
function isRefused(list: List, owner: Write | undefined, before: PlanNode | undefined): boolean {
  return before === undefined && list !== 'policies' && owner?.after?.list === group.list;
}

/** Names of policies, or keys of members. */
function entriesOf(node: PlanNode | undefined, list: List): string[] {
  return [node?.entry, node?.members].flatMap((entry) => {
    const { policies = [], members = [] } = (entry ?? {}) as Partial<Identity>;
    if (list === 'policies') return policies;
    return members.flatMap(({ kind, name }) => (list === `member_${kind}_ids` ? [ownerKey(kind, name)] : []));
  });
}

function withEntries(node: PlanNode, stays: (list: List, entry: string) => boolean): PlanNode | undefined {
  const isWhole = lists.every((list) => entriesOf(node, list).every((entry) => stays(list, entry)));
  if (isWhole) return node;
  const remaining = withValues(node, ({ policies, members }) => ({
    policies: policies?.filter((name) => stays('policies', name)),
    members: members?.filter(({ kind, name }) => stays(`member_${kind}_ids`, ownerKey(kind, name))),
  }));
  return node.isAdded && lists.every((list) => entriesOf(remaining, list).length === 0)
    ? undefined
    : remaining;
}
