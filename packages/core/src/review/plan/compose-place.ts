import { mayReach } from '../../access/reached.ts';
import type { Change } from '../../graph/change.ts';
import { emptyGraph, type Graph, type Identity, isComplete } from '../../graph/graph.ts';
import { boundsOfNode, keyOfNode, type OtherNode } from '../../graph/nodes/other-node.ts';
import { type AuthMethod, method } from '../../graph/resources/auth-method.ts';
import { credentials } from '../../graph/resources/credentials.ts';
import { isSame } from '../../graph/resources/field.ts';
import { partWith, resourceNamed, resources } from '../../graph/resources/resources.ts';
import { role } from '../../graph/resources/role.ts';
import { type Subject, subjectKey } from '../../graph/subject.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { toCamelCase } from '../../graph/values/wire.ts';
import type { Composed, Part } from './composed.ts';
import { type ComposedResource, composed, otherNodeIn, ownerKey } from './composed-part.ts';
import type { Identities } from './identities.ts';
import { leftByUpdate, leftInBlocks, readable, untold } from './judged-fields.ts';
import { type LiveService, onService } from './live-parts.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';
import { type Fields, typeInPlan } from './resource-types.ts';
import { settle } from './settle-writes.ts';

/** Addresses of the resources that make a subject, by its key. */
export type Origins = Map<string, string[]>;

/** The one resource that makes a subject, and what is its field; undefined where there are several or none. */
export function originOf(origins: Origins, subject: Subject): string | undefined {
  const [address, ...rest] = origins.get(subjectKey(subject)) ?? [];
  return rest.length > 0 ? undefined : address;
}

/** What is known of a place apart from the resources of the plan. */
interface Known extends Pick<PlanResources, 'deletesLast'> {
  declared: Graph | undefined;
  live: LiveService | undefined;
}

export function composePlace(
  place: { resources: PlannedResource[]; outside: PlannedResource[] },
  { deletesLast, declared, live }: Known,
  identities: Identities,
): { change: Change; origins: Origins } {
  const origins: Origins = new Map();
  const replaced: Subject[] = [];
  const rotated: Subject[] = [];
  const remade: Subject[] = [];
  const remadeOthers: string[] = [];
  const left: Subject[] = [];
  const unknown: Subject[] = [];
  const unread: Subject[] = [];
  const pieces: ComposedResource[] = [];
  for (const resource of place.resources) {
    if (typeInPlan(resource.type).isInert) continue;
    const piece = pieceOf(resource, identities, declared, { unknown, unread });
    pieces.push(piece);
    const subject = piece.planned?.subject;
    if (subject === undefined) continue;
    getOrMake(origins, subjectKey(subject), () => []).push(resource.address);
    if (resource.replaced !== undefined && resource.type === method.type) replaced.push(subject);
    if (resource.replaced !== undefined && isRemade(resource)) {
      remade.push(subject);
      addAll(remadeOthers, keysOfOthers(piece.planned));
    }
    addAll(
      left,
      (piece.left ?? []).map((field) => ({ ...subject, field })),
    );
    const secrets = [...resource.rotated, ...rotatedIn(piece)];
    addAll(
      rotated,
      secrets.map((name) => ({ ...subject, field: toCamelCase(name) })),
    );
  }
  const keys = new Set(pieces.flatMap(({ old, planned }) => [old?.key, planned?.key]));
  for (const resource of place.outside) {
    const known = resource.before && composed(resource, resource.before, 'before', identities);
    if (known === undefined || keys.has(known.key) || known.list === 'others') continue;
    pieces.push({ resource, old: known, planned: known });
  }
  const change = composePieces(pieces, { deletesLast, live, replaced, rotated, unknown });
  const onMadeMount = new Set(change.replaced.map(({ name }) => name));
  const alone = remade.filter(({ method: path = '' }) => !onMadeMount.has(path));
  const additions = {
    remade: [...(change.remade ?? []), ...alone],
    remadeOthers: [...(change.remadeOthers ?? []), ...remadeOthers],
    ...(left.length > 0 && { left }),
  };
  return { change: { ...change, ...additions, ...(unread.length > 0 && { unread }) }, origins };
}

/** Secrets that change in what is written to any path. */
function rotatedIn({ old, planned }: ComposedResource): string[] {
  const boundsIn = (part: Composed | undefined): Fields => {
    const node = otherNodeIn(part);
    return node === undefined ? {} : boundsOfNode(node);
  };
  const before = boundsIn(old);
  const after = boundsIn(planned);
  return credentials.filter((name) => before[name] && after[name] && !isSame(before[name], after[name]));
}

function keysOfOthers(part: Composed | undefined): string[] {
  const node = otherNodeIn(part);
  return node === undefined ? [] : [keyOfNode(node)];
}

/** Whether what is deleted and made again is another one: not where the service draws nothing for it, or the same is given. */
function isRemade({ type, before, after }: PlannedResource): boolean {
  const { drawn = [] } = typeInPlan(type);
  const isDrawn = drawn.some(
    (field) => before?.fields[field] === undefined || !isSame(before.fields[field], after?.fields[field]),
  );
  return type === role.type || isDrawn;
}

/** What is known of pieces apart from what they are. */
interface OfPieces
  extends Pick<Change, 'replaced' | 'rotated' | 'unknown'>,
    Pick<PlanResources, 'deletesLast'> {
  live: LiveService | undefined;
}

/** The change that pieces come to, on top of what the service has where that is known. */
export function composePieces(
  pieces: ComposedResource[],
  { deletesLast, live, replaced, rotated, unknown }: OfPieces,
): Change {
  const { pieces: onTop, taken } = live ? onService(pieces, live) : { pieces, taken: [] };
  const placed = withoutHidden(onTop, pieces);
  const isWhole =
    live !== undefined && isComplete(live.graph, 'groups') && isComplete(live.graph, 'identities');
  const { before, after, lost, orphaned, remade, unsettled } = settle(placed, { deletesLast, isWhole });
  const anew = after.filter(({ key }) => remade.has(key));
  // Deleted by one resource and made by another, it is replaced as well.
  for (const { list, subject } of anew) {
    const isKnown = replaced.some(({ name }) => name === subject.name);
    if (list === method.list && !isKnown) replaced.push(subject);
  }
  const present = new Set(after.map(({ key }) => key));
  const unknownParts = [
    ...unknown,
    ...unsettled,
    ...lost,
    ...placed.flatMap((piece) => untoldIn(piece, present)),
  ];
  const change: Change = {
    before: graphOf(before),
    after: graphOf(after),
    remade: anew.flatMap(({ list, subject }) => (list === method.list ? [] : subject)),
    remadeOthers: anew.flatMap(keysOfOthers),
    ...(unsettled.length > 0 && { unordered: unsettled }),
    replaced,
    rotated,
    orphaned,
    taken,
    unknown: eachOnce(unknownParts),
    missing: live?.missing ?? [],
  };
  const { complete: known } = live?.graph ?? {};
  if (known !== undefined) {
    // A part by a hidden name may be of anything.
    const isNamed = ({ entry, hangsOn }: Composed) =>
      ![...((entry as Partial<Identity>).policies ?? []), hangsOn.mount].some(isHiddenText);
    const unnamed = new Set([...before, ...after].flatMap((one) => (isNamed(one) ? [] : one.list)));
    // Everything on a mount that is made here is made here, too.
    const isNew = ({ path }: AuthMethod) => !change.before.methods.some((one) => one.path === path);
    const ofNewMounts = change.after.methods
      .filter(isNew)
      .map(({ path }) => ({ list: 'roles' as const, method: path }));
    const complete = [...known, ...ofNewMounts].filter(
      ({ list }) => list === 'tokens' || list === 'guards' || !unnamed.has(list),
    );
    change.before.complete = complete;
    change.after.complete = complete;
  }
  return { ...change, unknown: change.unknown.filter((one) => mayReach(change, one)) };
}

/**
 * Where no service tells what a plan hides of before, what is made counts as new: all of its access is gained. What is deleted
 * stays, by its name.
 */
function withoutHidden(placed: ComposedResource[], pieces: readonly ComposedResource[]): ComposedResource[] {
  const hidden = new Set(pieces.flatMap(({ resource, old }) => (resource.isHiddenBefore && old) || []));
  return placed.map((piece) =>
    piece.planned !== undefined && piece.old !== undefined && hidden.has(piece.old)
      ? { ...piece, old: undefined }
      : piece,
  );
}

/** The node that a resource becomes. Parts that cannot be judged go to `unknown`, and to `unread` if the plan shows them. */
function pieceOf(
  resource: PlannedResource,
  identities: Identities,
  declared: Graph | undefined,
  { unknown, unread }: { unknown: Subject[]; unread: Subject[] },
): ComposedResource {
  const { type, address, replaced, changes } = resource;
  const nameless: Subject = {
    type: resourceNamed(type)?.type ?? typeInPlan(type).addsTo ?? 'other',
    name: address,
  };
  const isUnplaced = resource.isUnplaced || resource.after?.unknown.includes('namespace');
  if (isUnplaced && changes) unknown.push(nameless);
  const read = resource.before && readable(type, resource.before);
  const before = read?.side;
  const old = before && composed(resource, before, 'before', identities);
  if (resource.after === undefined) {
    if (old === undefined && changes) unknown.push(nameless);
    return { resource, old };
  }
  if (identities.isLost(type, resource.after)) return { resource, old, isOrphaned: true };
  if (resource.after === resource.before) {
    // Its owner may have another name then.
    return { resource, old, planned: before && composed(resource, before, 'after', identities) };
  }
  const wanted = readable(type, resource.after);
  const { fields } = wanted.side;
  const unreadable = [...wanted.unreadable, ...(read?.unreadable ?? [])].filter(
    (field) => !isSame(resource.before?.fields[field], resource.after?.fields[field]),
  );
  const untoldPart = untold(
    type,
    before,
    wanted.side,
    unreadable,
    before === undefined || replaced !== undefined,
  );
  const isLed = (wire: string) =>
    typeInPlan(type).at?.includes(wire) === true && identities.pathIn(wanted.side, wire) !== undefined;
  untoldPart.fields = untoldPart.fields.filter(({ wire }) => !isLed(wire));
  // A node that is made anew has nothing that could stay.
  const stays = replaced === undefined && before !== undefined ? before.fields : {};
  const kept = untoldPart.fields.flatMap(({ wire }) =>
    wire in stays && !(wire in fields) ? [[wire, stays[wire]]] : [],
  );
  const isUpdate = replaced === undefined && !resource.mayBeReplaced;
  const left = isUpdate && before !== undefined ? leftByUpdate(type, before, wanted.side) : [];
  const stay = [...kept, ...left.map(({ wire, value }) => [wire, value])];
  const side: PlannedSide = { ...wanted.side, fields: { ...fields, ...Object.fromEntries(stay) } };
  const planned =
    composed(resource, side, 'after', identities) ??
    (replaced === undefined && old !== undefined ? { ...old, unknownParts: [old.subject] } : undefined);
  if (planned === undefined) {
    unknown.push(nameless);
    return { resource, old };
  }
  // Only sign-ins put people into an external group (`identityGroupUpdateFields` of the official provider).
  if (planned.list === 'groups') planned.extra = replaced === undefined ? old?.extra : undefined;
  if (untoldPart.isHidden) unknown.push(planned.subject);
  const names = untoldPart.fields.map(({ model }) => model);
  if (!setDeclared(planned, declared, names)) {
    addAll(
      unknown,
      names.map((field) => ({ ...planned.subject, field })),
    );
    const shown = untoldPart.fields.filter(({ wire }) => wire in fields || unreadable.includes(wire));
    addAll(
      unread,
      shown.map(({ model }) => ({ ...planned.subject, field: model })),
    );
  }
  const leftInside = isUpdate && before !== undefined ? leftInBlocks(type, before, wanted.side) : [];
  return { resource, old, planned, left: [...left.map(({ model }) => model), ...leftInside] };
}

/**
 * Sets fields that a plan does not tell to what the program of the plan declares. A value that it does not declare either is
 * unset.
 *
 * @returns whether it is declared
 */
function setDeclared(part: Composed, declared: Graph | undefined, fields: string[]): boolean {
  const { list, entry, subject } = part;
  const resource = resources.find((one) => one.list === list && one.type === subject.type);
  const found = declared && resource && partWith(declared, resource, subject);
  if (found === undefined) return false;
  for (const field of fields) {
    // An auth method's fields are those of its configuration, but for the mount's own.
    const isConfig = 'config' in entry && field !== 'tune';
    const [to, from] = [entry, found].map((one) => (isConfig ? (one as AuthMethod).config : one)) as [
      Fields,
      Fields,
    ];
    if (from[field] === undefined) delete to[field];
    else to[field] = from[field];
  }
  return true;
}

/** What a change refers to and the plan does not tell, also where it led before. */
function untoldIn({ resource, old, planned }: ComposedResource, present: ReadonlySet<string>): Subject[] {
  const isLeft =
    old?.hangsOn.group !== planned?.hangsOn.group || old?.hangsOn.entity !== planned?.hangsOn.entity;
  const left = old !== undefined && (planned === undefined || isLeft) ? old.unknownParts : [];
  const isThere = planned !== undefined && present.has(planned.key) && resource.after !== resource.before;
  return isThere ? [...left, ...planned.unknownParts] : left;
}

function graphOf(parts: Composed[]): Graph {
  const graph = emptyGraph();
  const add = ({ list, entry }: Part) => {
    const entries: unknown[] = graph[list] ?? [];
    entries.push(entry);
    Object.assign(graph, { [list]: entries });
  };
  const isOwned = ({ list, hangsOn }: Composed) =>
    list === 'others' && (hangsOn.entity !== undefined || hangsOn.group !== undefined);
  for (const part of parts) {
    if (!isOwned(part)) add(part);
    if (part.extra !== undefined) add(part.extra);
  }
  const disabled = new Set(parts.flatMap(({ key, extra }) => (extra?.list === 'others' ? key : [])));
  for (const part of parts.filter(isOwned)) {
    const { list, hangsOn } = part;
    const node = otherNodeIn(part);
    if (node === undefined) continue;
    const isDisabled = hangsOn.entity !== undefined && disabled.has(ownerKey('entity', hangsOn.entity));
    // One object may be in both graphs.
    add({ list, entry: isDisabled ? ofDisabled(node) : { ...node } });
  }
  return graph;
}

/** What leads to an entity that is disabled: it keeps people out, and without it they sign in as another entity. */
function ofDisabled(node: OtherNode): OtherNode {
  const leadsToEntity = node.kind === 'entityAlias' || node.kind === 'issuedTokens';
  return leadsToEntity ? { ...node, isOfDisabled: true } : { ...node };
}

function eachOnce(subjects: Subject[]): Subject[] {
  const keyOf = ({ type, method, name, field }: Subject) => JSON.stringify([type, method, name, field]);
  return [...new Map(subjects.map((subject) => [keyOf(subject), subject])).values()];
}
