import type { Identity } from '../../graph/graph.ts';
import { group } from '../../graph/resources/external-group.ts';
import type { Subject } from '../../graph/subject.ts';
import type { Composed } from './composed.ts';
import {
  type ComposedResource,
  isKept,
  isOwner,
  ownerKey,
  ownersOf,
  renamedIn,
  withValues,
} from './composed-part.ts';
import type { PlannedSide } from './planned-resource.ts';

/** Lists of a group or an entity that its own resource and what is attached to it write, as the provider names them. */
const lists = ['policies', 'member_group_ids', 'member_entity_ids'] as const;
type List = (typeof lists)[number];

/**
 * Writes the lists as the official provider does (`identityGroupUpdateFields`, `identityGroupPoliciesUpdate` and the like).
 * A group or an entity that changes writes the whole of a list, unless it leaves that to others. What is attached to it
 * writes after that: an exclusive attachment is all that is left, and any other adds its entries to the one live list, or
 * takes those from it that it has no more, no matter who else lists them. An unchanged resource writes nothing.
 *
 * @param there what remains of the pieces
 * @param isWhole whether all that groups and entities have is known
 * @returns `left`: a part without the entries that are gone after all writes, undefined where it only attached these;
 * `lost`: lists that are written over, with entries of others that the plan does not show; `unsettled`: groups and
 * entities with a list that is written twice, in an order that nothing tells
 */
export function liveLists(
  pieces: readonly ComposedResource[],
  there: readonly ComposedResource[],
  isWhole: boolean,
) {
  const owners = new Map(
    there.flatMap((piece) => (isOwner(piece.planned) ? [[piece.planned.key, piece]] : [])),
  );
  const renamed = renamedIn(pieces);
  const ownerOf = (part: Composed) => {
    const [key = ''] = part.isAdded ? ownersOf(part) : [part.key];
    return renamed.get(key)?.key ?? key;
  };
  // An entry that goes from one owner to another is deleted there and made here.
  const attached = Map.groupBy(
    pieces
      .filter(({ old, planned }) => (planned ?? old)?.isAdded)
      .flatMap(({ resource, old, planned }): (ComposedResource & { of: string })[] => {
        const [from, to] = [old, planned].map((part) => part && ownerOf(part));
        if (from === to || from === undefined || to === undefined)
          return [{ of: to ?? from ?? '', resource, old, planned }];
        return [
          { of: from, resource, old },
          { of: to, resource, planned },
        ];
      }),
    ({ of }) => of,
  );
  const after = new Map<string, Set<string>>();
  const [lost, unsettled]: [Subject[], Subject[]] = [[], []];
  for (const key of new Set([...owners.keys(), ...attached.keys()])) {
    const at = attached.get(key) ?? [];
    const owner = owners.get(key);
    const subject = owner?.planned?.subject ?? (at[0]?.planned ?? at[0]?.old)?.subject;
    for (const list of lists) {
      const found = written(list, owner, at, isWhole);
      after.set(`${list} ${key}`, found.entries);
      if (subject === undefined) continue;
      if (found.isLost) lost.push({ ...subject, field: list === 'policies' ? list : 'members' });
      if (found.isUnsettled) unsettled.push(subject);
    }
  }
  const left = (part: Composed, isGone: (key: string) => boolean) => {
    const key = ownerOf(part);
    const stays = (list: List, entry: string) => {
      const known = after.get(`${list} ${key}`);
      return !isGone(entry) && (known === undefined || known.has(entry));
    };
    return withEntries(part, stays);
  };
  return { left, lost, unsettled };
}

/** One list after all writes. */
function written(
  list: List,
  owner: ComposedResource | undefined,
  attachments: readonly ComposedResource[],
  isWhole: boolean,
) {
  const isLeft = (side: PlannedSide | undefined) =>
    side === undefined || side.fields[`external_${list}`] === true || side.unknown.includes(list);
  const isOnly = (resource: ComposedResource['resource'], side: PlannedSide | undefined) =>
    side !== undefined && side.fields['exclusive'] !== false && listOf(resource) === list;
  const isNew = owner !== undefined && (owner.old === undefined || owner.resource.replaced !== undefined);
  const hadOthers =
    !isWhole &&
    !isNew &&
    isLeft(owner?.resource.before) &&
    !attachments.some(({ old, resource }) => old !== undefined && isOnly(resource, resource.before));
  const own = entriesOf(owner?.planned, list);
  const isWritten = owner !== undefined && !isKept(owner) && !isLeft(owner.resource.after);
  const had = isNew || isWritten ? [] : attachments.flatMap(({ old }) => entriesOf(old, list));
  let entries = new Set([...own, ...had]);
  let isOver = isWritten;
  const changed = attachments.filter((piece) => !isKept(piece));
  for (const { resource, old, planned } of changed) {
    const adds = isRefused(list, owner, old) ? [] : entriesOf(planned, list);
    const isAll = isOnly(resource, planned === undefined ? resource.before : resource.after);
    isOver ||= isAll;
    const gone = new Set(entriesOf(old, list));
    entries = new Set([...[...entries].filter((one) => !isAll && !gone.has(one)), ...adds]);
  }
  const writers = changed.filter(
    ({ resource, planned }) => planned !== undefined && isOnly(resource, resource.after),
  );
  // Nothing orders the end of what is attached and the owner's own write.
  const isTaken = changed.some(
    ({ old, planned }) => planned === undefined && entriesOf(old, list).some((one) => own.includes(one)),
  );
  return {
    entries,
    isLost: hadOthers && isOver,
    isUnsettled: writers.length > 1 || (isWritten && isTaken),
  };
}

/** An external group takes no members by hand. */
function isRefused(list: List, owner: ComposedResource | undefined, old: Composed | undefined): boolean {
  return old === undefined && list !== 'policies' && owner?.planned?.list === group.list;
}

/** The list that an attachment is of: `identity group member entity ids`. */
function listOf({ of }: ComposedResource['resource']): string {
  return of.replace(/^identity (?:group|entity) /, '').replaceAll(' ', '_');
}

/** Names of policies, or keys of members. */
function entriesOf(part: Composed | undefined, list: List): string[] {
  return [part?.entry, part?.extra?.entry].flatMap((entry) => {
    const { policies = [], members = [] } = (entry ?? {}) as Partial<Identity>;
    if (list === 'policies') return policies;
    return members.flatMap(({ kind, name }) => (list === `member_${kind}_ids` ? [ownerKey(kind, name)] : []));
  });
}

function withEntries(part: Composed, stays: (list: List, entry: string) => boolean): Composed | undefined {
  const whole = lists.every((list) => entriesOf(part, list).every((entry) => stays(list, entry)));
  if (whole) return part;
  const remaining = withValues(part, ({ policies, members }) => ({
    policies: policies?.filter((name) => stays('policies', name)),
    members: members?.filter(({ kind, name }) => stays(`member_${kind}_ids`, ownerKey(kind, name))),
  }));
  return part.isAdded && lists.every((list) => entriesOf(remaining, list).length === 0)
    ? undefined
    : remaining;
}
