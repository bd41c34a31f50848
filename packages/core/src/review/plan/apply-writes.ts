import { alias } from '../../graph/resources/group-alias.ts';
import type { Subject } from '../../graph/subject.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { type KnownOfLists, liveLists } from './live-lists.ts';
import { isMount, isOwner, mountKey, movedTo, ownersOf, type PlanNode, type PlanNodes } from './plan-node.ts';
import { typeInPlan } from './resource-types.ts';
import { renamedBy, type Write } from './write.ts';

/** What writes come to. */
export interface AppliedWrites {
  before: PlanNodes;
  after: PlanNodes;
  /** Lists that are written over, with entries of others that the plan does not show. */
  lost: Subject[];
  /** What a plan leaves on a mount that goes. */
  orphaned: Subject[];
  /** Keys of mounts, groups and entities that are deleted and made again: they have another id. */
  remade: ReadonlySet<string>;
  /** Written and deleted by resources that no order ties, or written twice. */
  unordered: Subject[];
}

/** Applies writes to what is there before them, as the provider does. A service keeps one node of a key, whatever writes it. */
export function applyWrites(writes: readonly Write[], known: KnownOfLists): AppliedWrites {
  const { last, unordered } = lastOfEachKey(writes, known.deletesLast);
  const { remaining, orphaned, remade: mounts } = withoutLostMounts(writes, last);
  const missed = deletesAtOldPaths(writes, last);
  const remade = new Set([...mounts, ...remadeOwners(writes)]);
  const present = new Set(remaining.map(({ after }) => after?.key));
  const gone = new Set(
    writes.flatMap(({ before }) => (before && !present.has(before.key) ? before.key : [])),
  );
  // What is written anew has the new id.
  const isLost = (key: string, isKept: boolean) => gone.has(key) || (isKept && remade.has(key));
  const hanging = remaining.filter(
    ({ does, after }) => after !== undefined && !ownersOf(after).some((key) => isLost(key, does === 'keep')),
  );
  const { remainsOf, lost, unordered: lists } = liveLists(writes, remaining, known);
  const { remaining: there, unordered: aliases } = onePerGroup(hanging, writes);
  const after = there.flatMap((write) => remainsOf(write, isLost) ?? []);
  return {
    before: nodesBefore(writes),
    after: new Map(after.map((node) => [node.key, node])),
    lost,
    orphaned,
    remade,
    unordered: [...unordered, ...missed, ...lists, ...aliases],
  };
}

/** What is there before all writes. What an older object names may be the newer one's. */
function nodesBefore(writes: readonly Write[]): PlanNodes {
  const first = new Map<string, Write & { before: PlanNode }>();
  for (const write of writes) {
    const { before, resource } = write;
    if (before === undefined) continue;
    const known = first.get(before.key);
    const isNewer = known?.resource.isLeftover && !resource.isLeftover;
    if (known === undefined || isNewer) first.set(before.key, { ...write, before });
  }
  return new Map([...first].map(([key, { before }]) => [key, before]));
}

/** What a write does to one key. */
interface Operation {
  key: string;
  does: 'keep' | 'put' | 'delete';
  write: Write;
}

/** The write that each key is left with, if one is; and what is left so in no order. */
function lastOfEachKey(writes: readonly Write[], deletesLast: boolean | undefined) {
  const last: Write[] = [];
  const unordered: Subject[] = [];
  for (const operations of Map.groupBy(writes.flatMap(operationsOf), ({ key }) => key).values()) {
    const { write, isUnordered } = lastOf(operations, deletesLast);
    if (write === undefined) continue;
    last.push(write);
    if (isUnordered && write.after !== undefined) unordered.push(write.after.subject);
  }
  return { last, unordered };
}

/** A node under another key is deleted under the one before. */
function operationsOf(write: Write): Operation[] {
  const { does, before, after } = write;
  const isDeleted = before !== undefined && (after?.key !== before.key || isDeletedLast(write));
  return [
    ...(isDeleted ? [{ key: before.key, does: 'delete' as const, write }] : []),
    ...(after ? [{ key: after.key, does: does === 'keep' ? does : ('put' as const), write }] : []),
  ];
}

/**
 * Made anew under the same name before the old one is deleted. A mount cannot be: its path is taken. What is attached has no
 * name on the service: its lists say what is left of it.
 */
function isDeletedLast({ does, resource, after }: Write): boolean {
  if (does !== 'replace' || resource.replaced === 'delete-first') return false;
  return after !== undefined && !after.isAdded && !isMount(after);
}

/** Which of the writes of one key it is left with: none, where a delete is known to be the last. */
function lastOf(
  operations: readonly Operation[],
  deletesLast: boolean | undefined,
): { write?: Write | undefined; isUnordered?: boolean } {
  const writesThat = (does: Operation['does']) =>
    operations.flatMap((operation) => (operation.does === does ? operation.write : []));
  const keeps = writesThat('keep');
  const puts = writesThat('put');
  const deletes = writesThat('delete');
  const put = puts.at(-1);
  if (deletes.length === 0) {
    const kept = keeps.find(({ resource }) => !resource.isLeftover) ?? keeps[0];
    return { write: put ?? kept, isUnordered: puts.length > 1 };
  }
  if (put === undefined) return {};
  if (isMount(put.after)) return { write: put };
  const isLast = (write: Write) => {
    if (puts.length === 1 && write === put) return write.resource.replaced === 'create-first';
    return deletesLast && write.after === undefined && write.resource.replaced === undefined;
  };
  return deletes.some(isLast) ? {} : { write: put, isUnordered: true };
}

/** What hangs on a mount goes with it, also to another path. */
function withoutLostMounts(writes: readonly Write[], last: readonly Write[]) {
  const present = new Set(last.map(({ after }) => after?.key));
  const renamed = renamedBy(writes);
  const gone = new Set<string>();
  const remade = new Set<string>();
  for (const { does, before, after } of writes) {
    if (!isMount(before)) continue;
    if (!present.has(before.key)) {
      if (!renamed.has(before.key)) gone.add(before.key);
    } else if (after === undefined || does === 'replace') remade.add(before.key);
  }
  const orphaned = writes.flatMap(({ isOrphaned, before }) => (isOrphaned && before ? before.subject : []));
  const remaining = last.flatMap((write): Write[] => {
    const { does, after } = write;
    const mount = after?.hangsOn.mount;
    if (after === undefined || mount === undefined) return [write];
    const key = mountKey(mount);
    if (gone.has(key) || (remade.has(key) && does === 'keep')) {
      orphaned.push(after.subject);
      return [];
    }
    const path = renamed.get(key)?.identity.name;
    if (path === undefined || does !== 'keep') return [write];
    const moved = movedTo(after, path);
    return present.has(moved.key) ? [] : [{ ...write, after: moved }];
  });
  return { remaining, orphaned, remade };
}

/**
 * What is deleted by its path while its mount moves to another one. The delete finds nothing once the mount has moved, and then
 * it is there under the new path.
 */
function deletesAtOldPaths(writes: readonly Write[], last: readonly Write[]): Subject[] {
  const present = new Set(last.map(({ after }) => after?.key));
  const renamed = renamedBy(writes);
  return writes.flatMap(({ resource, before }) => {
    const mount = before?.hangsOn.mount;
    const path = mount && renamed.get(mountKey(mount))?.identity.name;
    if (before === undefined || path === undefined || present.has(before.key)) return [];
    const references = Object.values(typeInPlan(resource.type).references ?? {});
    const isById = references.some(({ by }) => by === 'accessor');
    return isById || present.has(movedTo(before, path).key) ? [] : [before.subject];
  });
}

/** Keys of groups and entities that are deleted before they are made again under their name. */
function remadeOwners(writes: readonly Write[]): string[] {
  const deleted = new Set<string>();
  const put = new Set<string>();
  for (const { does, before, after } of writes) {
    if (isOwner(before) && (after?.key !== before.key || does === 'replace')) deleted.add(before.key);
    if (isOwner(after) && does !== 'keep') put.add(after.key);
  }
  return [...deleted].filter((key) => put.has(key));
}

/**
 * A service keeps one alias of a group in effect: the last one written. One that is made anew before the old one goes has taken the
 * place of another by then, though nothing is left of it.
 */
function onePerGroup(remaining: readonly Write[], writes: readonly Write[]) {
  const isAlias = ({ after }: Write) => after?.identity.type === alias.type;
  const isPut = ({ does, before, after }: Write) =>
    does === 'replace' || (does !== 'keep' && before?.hangsOn.group !== after?.hangsOn.group);
  const groupOf = ({ after }: Write) => after?.hangsOn.group;
  const there = new Set(remaining);
  const taking = Map.groupBy(
    writes.filter(
      (write) => isAlias(write) && isPut(write) && (there.has(write) || write.does === 'replace'),
    ),
    groupOf,
  );
  const dropped = new Set<Write>();
  const unordered: Subject[] = [];
  for (const [group, rivals] of Map.groupBy(remaining.filter(isAlias), groupOf)) {
    const put = taking.get(group) ?? [];
    if (put.length > 1) {
      addAll(
        unordered,
        put.flatMap(({ after }) => after?.subject ?? []),
      );
    } else if (put.length === 1) for (const rival of rivals) if (!put.includes(rival)) dropped.add(rival);
  }
  return { remaining: remaining.filter((write) => !dropped.has(write)), unordered };
}
