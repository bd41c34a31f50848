import { alias } from '../../model/resources/group-alias.ts';
import type { Subject } from '../../model/subject.ts';
import { type Composed, keyOf, ownersOf } from './composed-part.ts';
import type { PlannedResource, PlanResources } from './planned-resource.ts';

/** A resource, and what it comes to on both sides. */
export interface Piece {
  resource: PlannedResource;
  old?: Composed | undefined;
  made?: Composed | undefined;
  /** It stays, and its mount goes: nobody comes by it any more. */
  isOrphaned?: true;
}

/** What is there before and after all that a plan does. */
export interface Settled {
  before: Composed[];
  after: Composed[];
  /** What a plan leaves on a mount that goes. */
  orphaned: Subject[];
  /** Keys of mounts that are deleted and made again. */
  remade: ReadonlySet<string>;
  /** Written and deleted by resources that no order ties, or written twice. */
  unsettled: Subject[];
}

/** What is done to one thing of the service, by whom. */
interface Writes {
  keeps: Piece[];
  writes: Piece[];
  deletes: Piece[];
}

/** Works out what remains of what is written and deleted. A service keeps one thing of a name, whoever writes it. */
export function settle(
  pieces: Piece[],
  { deletesLast = false }: Pick<PlanResources, 'deletesLast'>,
): Settled {
  const unsettled: Subject[] = [];
  const before = new Map<string, Piece>();
  for (const piece of pieces) {
    if (piece.old === undefined) continue;
    const known = before.get(piece.old.key);
    const isNewer = known !== undefined && isLeftover(known) && !isLeftover(piece);
    if (known === undefined || isNewer) before.set(piece.old.key, piece);
  }
  const winners: Piece[] = [];
  for (const writes of writesByKey(pieces).values()) {
    const { winner, isUnsettled } = remaining(writes, deletesLast);
    const subject = (winner ?? writes.writes[0] ?? writes.deletes[0])?.made?.subject;
    if (isUnsettled && subject !== undefined) unsettled.push(subject);
    if (winner !== undefined) winners.push(winner);
  }
  const { there, orphaned, remade } = withoutLostMounts(pieces, winners);
  const after = withoutLostOwners(pieces, there);
  return {
    before: [...before.values()].map(({ old }) => old as Composed),
    after: onePerGroup(after, unsettled).map(({ made }) => made as Composed),
    orphaned,
    remade,
    unsettled,
  };
}

function writesByKey(pieces: Piece[]): Map<string, Writes> {
  const byKey = new Map<string, Writes>();
  const at = (key: string): Writes => {
    let found = byKey.get(key);
    if (found === undefined) {
      found = { keeps: [], writes: [], deletes: [] };
      byKey.set(key, found);
    }
    return found;
  };
  for (const piece of pieces) {
    const { old, made } = piece;
    if (made !== undefined) at(made.key)[isKept(piece) ? 'keeps' : 'writes'].push(piece);
    if (old !== undefined && (made?.key !== old.key || isDeletedLast(piece))) at(old.key).deletes.push(piece);
  }
  return byKey;
}

function isLeftover({ resource }: Piece): boolean {
  return resource.isLeftover === true;
}

function isKept({ resource: { before, after } }: Piece): boolean {
  return after === before;
}

/** Made anew under the same name before the old one is deleted. A mount cannot be: its path is taken. */
function isDeletedLast({ resource: { replaced }, made }: Piece): boolean {
  return replaced !== undefined && replaced !== 'delete-first' && made !== undefined && !isMount(made);
}

function remaining(
  { keeps, writes, deletes }: Writes,
  deletesLast: boolean,
): { winner?: Piece | undefined; isUnsettled: boolean } {
  const last = writes.at(-1);
  if (deletes.length === 0)
    return {
      winner: last ?? keeps.find((piece) => !isLeftover(piece)) ?? keeps[0],
      isUnsettled: writes.length > 1,
    };
  if (last === undefined) return { isUnsettled: false };
  if (isMount(last.made)) return { winner: last, isUnsettled: false };
  const isOwn = (piece: Piece) => writes.length === 1 && piece === last;
  const isLast = (piece: Piece) =>
    isOwn(piece)
      ? piece.resource.replaced === 'create-first'
      : deletesLast && piece.made === undefined && piece.resource.replaced === undefined;
  return deletes.some(isLast) ? { isUnsettled: false } : { winner: last, isUnsettled: true };
}

/** What hangs on a mount goes with it, and moves with it. */
function withoutLostMounts(
  pieces: Piece[],
  winners: Piece[],
): Pick<Settled, 'orphaned' | 'remade'> & { there: Piece[] } {
  const present = new Set(winners.map(({ made }) => made?.key));
  const gone = new Set<string>();
  const remade = new Set<string>();
  const moved = new Map<string, string>();
  for (const { old, made, resource } of pieces) {
    if (old === undefined || !isMount(old)) continue;
    const isSameMount = made !== undefined && resource.replaced === undefined;
    if (!present.has(old.key)) {
      if (isSameMount) moved.set(old.key, made.identity.name);
      else gone.add(old.key);
    } else if (!isSameMount) remade.add(old.key);
  }
  const orphaned: Subject[] = pieces.flatMap(({ isOrphaned, old }) =>
    isOrphaned && old ? [old.subject] : [],
  );
  if (gone.size === 0 && remade.size === 0 && moved.size === 0) return { there: winners, orphaned, remade };
  const taken = new Set(winners.map(({ made }) => made?.key));
  const there = winners.flatMap((piece): Piece[] => {
    const { made: { on: { mount = undefined } = {}, subject } = {} } = piece;
    if (mount === undefined || subject === undefined) return [piece];
    const key = mountKey(mount);
    if (gone.has(key) || (remade.has(key) && isKept(piece))) {
      orphaned.push(subject);
      return [];
    }
    const to = moved.get(key);
    if (to === undefined || !isKept(piece) || piece.made === undefined) return [piece];
    const made = movedTo(piece.made, mount, to);
    return taken.has(made.key) ? [] : [{ ...piece, made }];
  });
  return { there, orphaned, remade };
}

function movedTo(made: Composed, from: string, to: string): Composed {
  const { entry, subject, on } = made;
  const identity = { ...made.identity, mount: to };
  const moved = { ...made, identity, key: keyOf(identity), on: { ...on, mount: to } };
  if ('method' in entry) {
    return { ...moved, subject: { ...subject, method: to }, entry: { ...entry, method: to } };
  }
  if (!('effect' in entry)) return made;
  const name = entry.name.replace(`auth/${from}`, `auth/${to}`);
  return { ...moved, subject: { type: 'other', name }, entry: { ...entry, name } };
}

function isMount(one: Composed | undefined): boolean {
  return one !== undefined && one.key === mountKey(one.identity.name);
}

function mountKey(name: string): string {
  return keyOf({ type: 'mount', name });
}

/** An alias and an attachment go with their group, or their entity. */
function withoutLostOwners(pieces: Piece[], there: Piece[]): Piece[] {
  const present = new Set(there.map(({ made }) => made?.key));
  const lost = new Set(
    pieces.flatMap(({ old }) => (old === undefined || present.has(old.key) ? [] : old.key)),
  );
  return there.filter(({ made }) => made !== undefined && !ownersOf(made).some((owner) => lost.has(owner)));
}

/** A service keeps one alias of a group in effect: the one that is written last. */
function onePerGroup(there: Piece[], unsettled: Subject[]): Piece[] {
  const isAlias = ({ made }: Piece) => made?.identity.type === alias.type;
  const dropped = new Set<Piece>();
  for (const rivals of Map.groupBy(there.filter(isAlias), ({ made }) => made?.on.group ?? '').values()) {
    if (rivals.length < 2) continue;
    const [newest, ...more] = rivals.filter(
      (piece) => !isKept(piece) && piece.old?.on.group !== piece.made?.on.group,
    );
    if (newest === undefined) continue;
    if (more.length > 0) unsettled.push(...[newest, ...more].map(({ made }) => (made as Composed).subject));
    else for (const rival of rivals) if (rival !== newest) dropped.add(rival);
  }
  return dropped.size === 0 ? there : there.filter((piece) => !dropped.has(piece));
}
