import { alias } from '../../graph/resources/group-alias.ts';
import type { Subject } from '../../graph/subject.ts';
import type { Composed } from './composed.ts';
import { isKept, isOwner, keyOf, ownersOf, type Piece, renamedIn } from './composed-part.ts';
import { liveLists } from './live-lists.ts';
import type { PlanResources } from './planned-resource.ts';

/** What is there before and after all that a plan does. */
export interface Settled {
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
  piece: Piece;
}

/**
 * Works out what remains of what is written and deleted. A service keeps one thing of a name, whatever writes it.
 *
 * @param isWhole whether all that groups and entities have is known
 */
export function settle(
  pieces: Piece[],
  { deletesLast, isWhole }: Pick<PlanResources, 'deletesLast'> & { isWhole: boolean },
): Settled {
  const unsettled: Subject[] = [];
  const before = new Map<string, Piece>();
  for (const piece of pieces) {
    if (piece.old === undefined) continue;
    const known = before.get(piece.old.key);
    const isNewer = known?.resource.isLeftover && !piece.resource.isLeftover;
    if (known === undefined || isNewer) before.set(piece.old.key, piece);
  }
  const winners: Piece[] = [];
  for (const acts of Map.groupBy(pieces.flatMap(actsOf), ({ key }) => key).values()) {
    const { winner, isUnsettled } = remaining(acts, deletesLast);
    if (winner === undefined) continue;
    winners.push(winner);
    if (isUnsettled && winner.made !== undefined) unsettled.push(winner.made.subject);
  }
  const { there, orphaned, remade: mounts } = withoutLostMounts(pieces, winners);
  const remade = new Set([...mounts, ...remadeOwners(pieces)]);
  const present = new Set(there.map(({ made }) => made?.key));
  const gone = new Set(pieces.flatMap(({ old }) => (old && !present.has(old.key) ? [old.key] : [])));
  // What is written anew has the new id.
  const isLost = (key: string, piece: Piece) => gone.has(key) || (remade.has(key) && isKept(piece));
  const hanging = there.filter(
    (piece) => piece.made !== undefined && !ownersOf(piece.made).some((key) => isLost(key, piece)),
  );
  const { left, lost, unsettled: twice } = liveLists(pieces, there, isWhole);
  unsettled.push(...twice);
  return {
    before: [...before.values()].flatMap(({ old }) => old ?? []),
    after: onePerGroup(hanging, unsettled).flatMap(
      (piece) => (piece.made && left(piece.made, (key) => isLost(key, piece))) ?? [],
    ),
    lost,
    orphaned,
    remade,
    unsettled,
  };
}

function actsOf(piece: Piece): Act[] {
  const { old, made } = piece;
  const isDeleted = old !== undefined && (made?.key !== old.key || isDeletedLast(piece));
  const acts: Act[] = isDeleted ? [{ key: old.key, does: 'delete', piece }] : [];
  if (made !== undefined) acts.push({ key: made.key, does: isKept(piece) ? 'keep' : 'write', piece });
  return acts;
}

/** Made anew under the same name before the old one is deleted. A mount cannot be: its path is taken. */
function isDeletedLast({ resource: { replaced }, made }: Piece): boolean {
  return replaced !== undefined && replaced !== 'delete-first' && made !== undefined && !isMount(made);
}

function remaining(
  acts: Act[],
  deletesLast: boolean | undefined,
): { winner?: Piece | undefined; isUnsettled?: boolean } {
  const that = (wanted: Act['does']) => acts.flatMap(({ does, piece }) => (does === wanted ? piece : []));
  const [keeps, writes, deletes] = [that('keep'), that('write'), that('delete')];
  const last = writes.at(-1);
  if (deletes.length === 0) {
    const kept = keeps.find(({ resource }) => !resource.isLeftover) ?? keeps[0];
    return { winner: last ?? kept, isUnsettled: writes.length > 1 };
  }
  if (last === undefined) return {};
  if (isMount(last.made)) return { winner: last };
  const isLast = (piece: Piece) =>
    writes.length === 1 && piece === last
      ? piece.resource.replaced === 'create-first'
      : deletesLast && piece.made === undefined && piece.resource.replaced === undefined;
  return deletes.some(isLast) ? {} : { winner: last, isUnsettled: true };
}

/** What hangs on a mount goes with it, also to another path. */
function withoutLostMounts(
  pieces: Piece[],
  winners: Piece[],
): Pick<Settled, 'orphaned' | 'remade'> & { there: Piece[] } {
  const present = new Set(winners.map(({ made }) => made?.key));
  const gone = new Set<string>();
  const remade = new Set<string>();
  const renamed = renamedIn(pieces);
  for (const { old, made, resource } of pieces) {
    if (!isMount(old)) continue;
    if (present.has(old.key)) {
      if (made === undefined || resource.replaced !== undefined) remade.add(old.key);
    } else if (!renamed.has(old.key)) gone.add(old.key);
  }
  const orphaned = pieces.flatMap(({ isOrphaned, old }) => (isOrphaned && old ? [old.subject] : []));
  const there = winners.flatMap((piece): Piece[] => {
    const { made } = piece;
    const mount = made?.on.mount;
    if (made === undefined || mount === undefined) return [piece];
    const key = mountKey(mount);
    if (gone.has(key) || (remade.has(key) && isKept(piece))) {
      orphaned.push(made.subject);
      return [];
    }
    const to = renamed.get(key)?.identity.name;
    if (to === undefined || !isKept(piece)) return [piece];
    const there = atMount(made, mount, to);
    return present.has(there.key) ? [] : [{ ...piece, made: there }];
  });
  return { there, orphaned, remade };
}

/** What is of a mount, once that has another path. */
function atMount(made: Composed, from: string, to: string): Composed {
  const { list, entry, subject, on } = made;
  const identity = { ...made.identity, mount: to };
  const there = { ...made, identity, key: keyOf(identity), on: { ...on, mount: to } };
  if (list !== 'others') {
    return { ...there, subject: { ...subject, method: to }, entry: { ...entry, method: to } };
  }
  const name = subject.name.replace(`" of auth/${from} `, () => `" of auth/${to} `);
  return { ...there, subject: { ...subject, name }, entry: { ...entry, identity, name, method: to } };
}

function isMount(one: Composed | undefined): one is Composed {
  return one !== undefined && one.key === mountKey(one.identity.name);
}

function mountKey(name: string): string {
  return keyOf({ type: 'mount', name });
}

/** Keys of groups and entities that are deleted before they are made again under their name. */
function remadeOwners(pieces: Piece[]): string[] {
  const [gone, written] = [new Set<string>(), new Set<string>()];
  for (const piece of pieces) {
    const { old, made, resource } = piece;
    if (isOwner(old) && (made?.key !== old.key || resource.replaced !== undefined)) gone.add(old.key);
    if (isOwner(made) && !isKept(piece)) written.add(made.key);
  }
  return [...gone].filter((key) => written.has(key));
}

/** A service keeps one alias of a group in effect: the last one written. */
function onePerGroup(there: Piece[], unsettled: Subject[]): Piece[] {
  const isAlias = ({ made }: Piece) => made?.identity.type === alias.type;
  const dropped = new Set<Piece>();
  for (const rivals of Map.groupBy(there.filter(isAlias), ({ made }) => made?.on.group).values()) {
    const written = rivals.filter((piece) => !isKept(piece) && piece.old?.on.group !== piece.made?.on.group);
    if (written.length === 0) continue;
    if (written.length > 1) unsettled.push(...written.flatMap(({ made }) => made?.subject ?? []));
    else for (const rival of rivals) if (!written.includes(rival)) dropped.add(rival);
  }
  return there.filter((piece) => !dropped.has(piece));
}
