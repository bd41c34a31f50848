import { atMethod, wordsOf } from '../../graph/nodes/other-node.ts';
import { alias } from '../../graph/resources/group-alias.ts';
import type { Subject } from '../../graph/subject.ts';
import { addAll } from '../../graph/values/sequences.ts';
import type { Composed } from './composed.ts';
import {
  type ComposedResource,
  isKept,
  isOwner,
  keyOf,
  otherNodeIn,
  ownersOf,
  renamedIn,
} from './composed-part.ts';
import { liveLists } from './live-lists.ts';
import type { PlanResources } from './planned-resource.ts';

/** What is there before and after all that a plan does. */
export interface EndState {
  before: Composed[];
  after: Composed[];
  /** Lists that are written over, with entries of others that the plan does not show. */
  lost: Subject[];
  /** What a plan leaves on a mount that goes. */
  orphaned: Subject[];
  /** Keys of mounts, groups and entities that are deleted and made again: they have another id. */
  remade: ReadonlySet<string>;
  /** Written and deleted by resources that no order ties, or written twice. */
  unsettled: Subject[];
}

/** What a resource does to one thing of the service. */
interface Act {
  key: string;
  does: 'keep' | 'write' | 'delete';
  piece: ComposedResource;
}

/**
 * Works out what remains of what is written and deleted. A service keeps one thing of a name, whatever writes it.
 *
 * @param isWhole whether all that groups and entities have is known
 */
export function settle(
  pieces: ComposedResource[],
  { deletesLast, isWhole }: Pick<PlanResources, 'deletesLast'> & { isWhole: boolean },
): EndState {
  const unsettled: Subject[] = [];
  const before = new Map<string, ComposedResource>();
  for (const piece of pieces) {
    if (piece.old === undefined) continue;
    const known = before.get(piece.old.key);
    const isNewer = known?.resource.isLeftover && !piece.resource.isLeftover;
    if (known === undefined || isNewer) before.set(piece.old.key, piece);
  }
  const winners: ComposedResource[] = [];
  for (const acts of Map.groupBy(pieces.flatMap(actsOf), ({ key }) => key).values()) {
    const { winner, isUnsettled } = remaining(acts, deletesLast);
    if (winner === undefined) continue;
    winners.push(winner);
    if (isUnsettled && winner.planned !== undefined) unsettled.push(winner.planned.subject);
  }
  const { there, orphaned, remade: mounts } = withoutLostMounts(pieces, winners);
  const remade = new Set([...mounts, ...remadeOwners(pieces)]);
  const present = new Set(there.map(({ planned }) => planned?.key));
  const gone = new Set(pieces.flatMap(({ old }) => (old && !present.has(old.key) ? [old.key] : [])));
  // A node that is written anew has the new id.
  const isLost = (key: string, piece: ComposedResource) =>
    gone.has(key) || (remade.has(key) && isKept(piece));
  const hanging = there.filter(
    (piece) => piece.planned !== undefined && !ownersOf(piece.planned).some((key) => isLost(key, piece)),
  );
  const { left, lost, unsettled: twice } = liveLists(pieces, there, isWhole);
  addAll(unsettled, twice);
  return {
    before: [...before.values()].flatMap(({ old }) => old ?? []),
    after: onePerGroup(hanging, unsettled).flatMap(
      (piece) => (piece.planned && left(piece.planned, (key) => isLost(key, piece))) ?? [],
    ),
    lost,
    orphaned,
    remade,
    unsettled,
  };
}

function actsOf(piece: ComposedResource): Act[] {
  const { old, planned } = piece;
  const isDeleted = old !== undefined && (planned?.key !== old.key || isDeletedLast(piece));
  const acts: Act[] = isDeleted ? [{ key: old.key, does: 'delete', piece }] : [];
  if (planned !== undefined) acts.push({ key: planned.key, does: isKept(piece) ? 'keep' : 'write', piece });
  return acts;
}

/** Made anew under the same name before the old one is deleted. A mount cannot be: its path is taken. */
function isDeletedLast({ resource: { replaced }, planned }: ComposedResource): boolean {
  return replaced !== undefined && replaced !== 'delete-first' && planned !== undefined && !isMount(planned);
}

function remaining(
  acts: Act[],
  deletesLast: boolean | undefined,
): { winner?: ComposedResource | undefined; isUnsettled?: boolean } {
  const that = (wanted: Act['does']) => acts.flatMap(({ does, piece }) => (does === wanted ? piece : []));
  const [keeps, writes, deletes] = [that('keep'), that('write'), that('delete')];
  const last = writes.at(-1);
  if (deletes.length === 0) {
    const kept = keeps.find(({ resource }) => !resource.isLeftover) ?? keeps[0];
    return { winner: last ?? kept, isUnsettled: writes.length > 1 };
  }
  if (last === undefined) return {};
  if (isMount(last.planned)) return { winner: last };
  const isLast = (piece: ComposedResource) =>
    writes.length === 1 && piece === last
      ? piece.resource.replaced === 'create-first'
      : deletesLast && piece.planned === undefined && piece.resource.replaced === undefined;
  return deletes.some(isLast) ? {} : { winner: last, isUnsettled: true };
}

/** What hangs on a mount goes with it, also to another path. */
function withoutLostMounts(
  pieces: ComposedResource[],
  winners: ComposedResource[],
): Pick<EndState, 'orphaned' | 'remade'> & { there: ComposedResource[] } {
  const present = new Set(winners.map(({ planned }) => planned?.key));
  const gone = new Set<string>();
  const remade = new Set<string>();
  const renamed = renamedIn(pieces);
  for (const { old, planned, resource } of pieces) {
    if (!isMount(old)) continue;
    if (present.has(old.key)) {
      if (planned === undefined || resource.replaced !== undefined) remade.add(old.key);
    } else if (!renamed.has(old.key)) gone.add(old.key);
  }
  const orphaned = pieces.flatMap(({ isOrphaned, old }) => (isOrphaned && old ? [old.subject] : []));
  const there = winners.flatMap((piece): ComposedResource[] => {
    const { planned } = piece;
    const mount = planned?.hangsOn.mount;
    if (planned === undefined || mount === undefined) return [piece];
    const key = mountKey(mount);
    if (gone.has(key) || (remade.has(key) && isKept(piece))) {
      orphaned.push(planned.subject);
      return [];
    }
    const to = renamed.get(key)?.identity.name;
    if (to === undefined || !isKept(piece)) return [piece];
    const there = atMount(planned, to);
    return present.has(there.key) ? [] : [{ ...piece, planned: there }];
  });
  return { there, orphaned, remade };
}

/** Parts of a mount that has moved to another path. */
function atMount(part: Composed, to: string): Composed {
  const { entry, subject, hangsOn } = part;
  const identity = { ...part.identity, mount: to };
  const there = { ...part, identity, key: keyOf(identity), hangsOn: { ...hangsOn, mount: to } };
  const node = otherNodeIn(part);
  if (node === undefined) {
    const moved = { ...entry, method: to } as Composed['entry'];
    return { ...there, subject: { ...subject, method: to }, entry: moved };
  }
  const moved = atMethod(node, to);
  return { ...there, subject: { ...subject, name: wordsOf(moved) }, entry: moved };
}

function isMount(one: Composed | undefined): one is Composed {
  return one !== undefined && one.key === mountKey(one.identity.name);
}

function mountKey(name: string): string {
  return keyOf({ type: 'mount', name });
}

/** Keys of groups and entities that are deleted before they are made again under their name. */
function remadeOwners(pieces: ComposedResource[]): string[] {
  const [gone, written] = [new Set<string>(), new Set<string>()];
  for (const piece of pieces) {
    const { old, planned, resource } = piece;
    if (isOwner(old) && (planned?.key !== old.key || resource.replaced !== undefined)) gone.add(old.key);
    if (isOwner(planned) && !isKept(piece)) written.add(planned.key);
  }
  return [...gone].filter((key) => written.has(key));
}

/** A service keeps one alias of a group in effect: the last one written. */
function onePerGroup(there: ComposedResource[], unsettled: Subject[]): ComposedResource[] {
  const isAlias = ({ planned }: ComposedResource) => planned?.identity.type === alias.type;
  const dropped = new Set<ComposedResource>();
  for (const rivals of Map.groupBy(there.filter(isAlias), ({ planned }) => planned?.hangsOn.group).values()) {
    const written = rivals.filter(
      (piece) => !isKept(piece) && piece.old?.hangsOn.group !== piece.planned?.hangsOn.group,
    );
    if (written.length === 0) continue;
    if (written.length > 1)
      addAll(
        unsettled,
        written.flatMap(({ planned }) => planned?.subject ?? []),
      );
    else for (const rival of rivals) if (!written.includes(rival)) dropped.add(rival);
  }
  return there.filter((piece) => !dropped.has(piece));
}
