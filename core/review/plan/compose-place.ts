import type { Change } from '../../model/change.ts';
import { emptyGraph, type Graph, type OtherAccess } from '../../model/graph.ts';
import { method } from '../../model/resources/auth-method.ts';
import { group } from '../../model/resources/external-group.ts';
import { alias } from '../../model/resources/group-alias.ts';
import { policy } from '../../model/resources/policy.ts';
import { resourceNamed } from '../../model/resources/resources.ts';
import { type Subject, subjectText } from '../../model/subject.ts';
import { nameKey } from '../../model/values/name-key.ts';
import { type Composed, composed, ownersOf, type Part } from './composed-part.ts';
import { declaredValues } from './declared-values.ts';
import { holdsHidden } from './hidden-values.ts';
import type { Identities } from './identities.ts';
import { readable, untold } from './judged-fields.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';
import { typeInPlan } from './resource-types.ts';
import { type Piece, settle } from './settle-writes.ts';

/** Addresses of the resources that make a subject, by its text. */
export type Origins = Map<string, string[]>;

/** The one resource that makes a subject, and what is its field; undefined where there are several or none. */
export function originOf(origins: Origins, subject: Subject): string | undefined {
  const [address, ...others] = origins.get(subjectText(subject)) ?? [];
  return others.length > 0 ? undefined : address;
}

/** Composes the resources of one place to the graphs before and after. */
export function composePlace(
  { resources, outside }: { resources: PlannedResource[]; outside: PlannedResource[] },
  { deletesLast, declared }: Pick<PlanResources, 'deletesLast' | 'declared'>,
  identities: Identities,
): { change: Change; origins: Origins } {
  const origins: Origins = new Map();
  const change: Change = {
    before: emptyGraph(),
    after: emptyGraph(),
    replaced: [],
    rotated: [],
    unknown: [],
  };
  const unknown = new Subjects();
  const pieces: Piece[] = [];
  for (const resource of resources) {
    if (typeInPlan(resource.type).isInert) continue;
    const piece = pieceOf(resource, identities, declared, unknown);
    pieces.push(piece);
    const subject = piece.made?.subject;
    if (subject === undefined) continue;
    const text = subjectText(subject);
    origins.set(text, [...(origins.get(text) ?? []), resource.address]);
    if (resource.replaced !== undefined && resource.type === method.type) change.replaced.push(subject);
    change.rotated.push(...resource.rotated.map(() => ({ ...subject, field: 'oidcClientSecret' })));
  }
  const keys = new Set(pieces.flatMap(({ old, made }) => [old?.key, made?.key]));
  for (const resource of outside) {
    const known = resource.before && composed(resource, resource.before, 'before', identities);
    if (known === undefined || keys.has(known.key) || known.list === 'others') continue;
    keys.add(known.key);
    pieces.push({ resource, old: known, made: known });
  }
  const { before, after, orphaned, remade, unsettled } = settle(pieces, { deletesLast });
  // Deleted by one resource and made by another, it is replaced as well.
  for (const { key, list, subject } of after) {
    const isKnown = change.replaced.some(({ name }) => name === subject.name);
    if (list === method.list && remade.has(key) && !isKnown) change.replaced.push(subject);
  }
  for (const subject of unsettled) unknown.add(subject);
  openReferences(pieces, after, unknown);
  hiddenLinks(pieces, [...before, ...after], unknown);
  overwritten(pieces, after, unknown);
  filledIn(pieces, [...before, ...after], unknown);
  fill(change.before, before);
  fill(change.after, withoutLostMembers(before, after));
  if (orphaned.length > 0) change.orphaned = orphaned;
  change.unknown = unknown.list();
  return { change, origins };
}

function pieceOf(
  resource: PlannedResource,
  identities: Identities,
  declared: Graph | undefined,
  unknown: Subjects,
): Piece {
  const { type, address } = resource;
  const nameless: Subject = { type: subjectType(type), name: address };
  const isUnplaced = resource.isUnplaced || resource.after?.unknown.includes('namespace');
  if (isUnplaced && resource.changes) unknown.add(nameless);
  const read = resource.before && readable(type, resource.before);
  const before = read?.side;
  const old = before && composed(resource, before, 'before', identities);
  if (resource.after === undefined) {
    if (old === undefined && resource.changes) unknown.add(nameless);
    return { resource, old };
  }
  if (identities.isLost(type, resource.after)) {
    return { resource, old, isOrphaned: true };
  }
  if (resource.after === resource.before) {
    const made = before && composed(resource, before, 'after', identities);
    return { resource, old, made: made?.key === old?.key && made?.on.group === old?.on.group ? old : made };
  }
  const wanted = readable(type, resource.after);
  const same = wanted.unreadable.filter(
    (field) =>
      isSame(resource.before?.fields[field], resource.after?.fields[field]) && resource.before !== undefined,
  );
  const told = untold(
    type,
    before,
    wanted.side,
    [...wanted.unreadable, ...(read?.unreadable ?? [])].filter((field) => !same.includes(field)),
  );
  const { fields } = wanted.side;
  const stays = told.fields.filter(
    ({ wire }) => !(wire in fields) && before !== undefined && wire in before.fields,
  );
  // What is made anew has nothing that could stay.
  const kept = resource.replaced === undefined ? stays.map(({ wire }) => [wire, before?.fields[wire]]) : [];
  const side: PlannedSide = { ...wanted.side, fields: { ...fields, ...Object.fromEntries(kept) } };
  const made =
    composed(resource, side, 'after', identities) ??
    (resource.replaced === undefined && old !== undefined ? { ...old, open: [old.subject] } : undefined);
  if (made === undefined) {
    unknown.add(nameless);
    return { resource, old };
  }
  if (told.isHidden) unknown.add(made.subject);
  const isDeclared =
    declared !== undefined &&
    declaredValues(
      made,
      declared,
      told.fields.map(({ model }) => model),
    );
  if (!isDeclared) for (const { model } of told.fields) unknown.add({ ...made.subject, field: model });
  return { resource, old, made };
}

/** What something that changes refers to, and nobody knows. */
function openReferences(pieces: Piece[], after: Composed[], unknown: Subjects): void {
  const present = new Set(after);
  const keys = new Set(after.map(({ key }) => key));
  const attached = new Set(after.flatMap((one) => (one.isAdded ? ownersOf(one) : [])));
  const elsewhere = new Set(
    pieces
      .filter(({ resource }) => resource.after?.fields['external_policies'] === true)
      .flatMap(({ made }) => made?.key ?? []),
  );
  for (const { resource, old, made } of pieces) {
    // Where it led before bears on who loses what.
    const isLeft =
      old !== undefined &&
      (made === undefined || old.on.group !== made.on.group || old.on.entity !== made.on.entity);
    if (isLeft) for (const subject of old.open) unknown.add(subject);
    if (made === undefined || !present.has(made) || resource.after === resource.before) continue;
    for (const subject of made.open) unknown.add(subject);
    // An alias leads to a group, an attachment and the group itself name it.
    for (const type of ['group', 'entity'] as const) {
      const name = made.on[type] ?? (made.identity.type === type ? made.subject.name : undefined);
      if (name === undefined) continue;
      const [key = ''] = ownersOf({ on: { [type]: name } });
      const isMissing = made.identity.type === alias.type && !keys.has(key) && !attached.has(key);
      if (isMissing || (elsewhere.has(key) && !attached.has(key)))
        unknown.add({ type, name, field: 'policies' });
    }
  }
}

/** Whoever has a policy or a mount by a hidden name may be who gains when one of these changes. */
function hiddenLinks(pieces: Piece[], parts: Composed[], unknown: Subjects): void {
  const changing = new Set(
    pieces.filter(({ resource }) => resource.changes).map(({ resource }) => resource.type),
  );
  if (changing.has(policy.type)) {
    for (const { entry, subject } of parts) {
      const names = 'policies' in entry ? (entry.policies ?? []) : [];
      if (names.some(holdsHidden)) unknown.add({ ...subject, field: 'policies' });
    }
  }
  if (changing.has(method.type)) {
    const paths = new Set(parts.flatMap(({ list, subject }) => (list === method.list ? subject.name : [])));
    for (const {
      subject,
      on: { mount },
    } of parts) {
      if (mount !== undefined && holdsHidden(mount) && !paths.has(mount))
        unknown.add({ ...subject, field: 'method' });
    }
  }
}

/** Flags by which a group or an entity leaves a list to other resources, with the field of the model. */
const leftToOthers = {
  external_policies: 'policies',
  external_member_entity_ids: 'members',
  external_member_group_ids: 'members',
};

/**
 * An attachment that becomes the only one takes away what else the group or entity has: its own, which of the two is left
 * cannot be told, and what it got elsewhere, which a plan shows of a group or entity that does not leave it to others.
 */
function overwritten(pieces: Piece[], after: Composed[], unknown: Subjects): void {
  // The provider then writes its own list over what was left to others.
  for (const { resource, made } of pieces) {
    const { before, after: wanted } = resource;
    for (const [field, of] of Object.entries(leftToOthers)) {
      const isTaken = before?.fields[field] === true && wanted !== undefined && wanted.fields[field] !== true;
      if (isTaken && made !== undefined) unknown.add({ ...made.subject, field: of });
    }
  }
  const own = new Map(after.map((one) => [one.key, one]));
  const owners = new Map(pieces.map(({ made, resource }) => [made?.key, resource]));
  for (const { resource, old, made } of pieces) {
    const { of, before, after } = resource;
    const isOnly = before !== after && after?.fields['exclusive'] !== false;
    if (!isOnly || !made?.isAdded) continue;
    const { subject } = made;
    const [key = ''] = ownersOf(made);
    // As the field of the owner is called: `policies`, `member_entity_ids`.
    const field = of.replace(/^identity (?:group|entity) /, '').replaceAll(' ', '_');
    const owner = owners.get(key);
    const wasOnly =
      before !== undefined &&
      before.fields['exclusive'] !== false &&
      old !== undefined &&
      ownersOf(old)[0] === key;
    const isShown = owner !== undefined && owner.before?.fields[`external_${field}`] !== true;
    const left = new Set(heldIn(made, field));
    if ((!wasOnly && !isShown) || heldIn(own.get(key), field).some((one) => !left.has(one)))
      unknown.add({ ...subject, field: field === 'policies' ? field : 'members' });
  }
}

/** An entity or a group that is deleted leaves the groups that it is in. */
function withoutLostMembers(before: Composed[], after: Composed[]): Composed[] {
  const present = new Set(after.map(({ key }) => key));
  const lost = new Set(before.flatMap(({ key }) => (present.has(key) ? [] : key)));
  if (lost.size === 0) return after;
  const isLost = ({ kind, name }: { kind: 'group' | 'entity'; name: string }) =>
    ownersOf({ on: { [kind]: name } }).some((key) => lost.has(key));
  const left = (entry: Part['entry']): Part['entry'] =>
    'members' in entry && entry.members !== undefined
      ? { ...entry, members: entry.members.filter((one) => !isLost(one)) }
      : entry;
  return after.map((one) => ({
    ...one,
    entry: left(one.entry),
    ...(one.more && { more: { ...one.more, entry: left(one.more.entry) } }),
  }));
}

/** The policies or members of a group or an entity. */
function heldIn(one: Composed | undefined, field: string): string[] {
  if (one === undefined) return [];
  const { entry: own, more } = one;
  if (field === 'policies') return 'policies' in own ? (own.policies ?? []) : [];
  const members = [own, more?.entry].flatMap((entry) =>
    entry !== undefined && 'members' in entry ? (entry.members ?? []) : [],
  );
  return members.filter(({ kind }) => field === `member_${kind}_ids`).map(({ name }) => nameKey(name));
}

/** What templates of policies say of a group, where that changes. */
function filledIn(pieces: Piece[], parts: Composed[], unknown: Subjects): void {
  const changed = pieces.filter(
    ({ resource: { type, before, after, replaced }, made }) =>
      type === group.type &&
      made !== undefined &&
      before !== undefined &&
      (replaced !== undefined ||
        ['name', 'metadata'].some((field) => !isSame(before.fields[field], after?.fields[field]))),
  );
  if (changed.length === 0) return;
  const isRead = parts.some(({ entry }) => 'text' in entry && entry.text.includes('identity.groups.'));
  if (isRead) for (const { made } of changed) if (made) unknown.add({ ...made.subject, field: 'metadata' });
}

function fill(graph: Graph, parts: Composed[]): void {
  const add = ({ list, entry }: Part) => {
    const entries: unknown[] = graph[list] ?? [];
    entries.push(entry);
    Object.assign(graph, { [list]: entries });
  };
  const owned: { entry: OtherAccess; on: Composed['on'] }[] = [];
  for (const { on, more, ...part } of parts) {
    const { entry } = part;
    if ('effect' in entry && (on.entity ?? on.group) !== undefined) owned.push({ entry, on });
    else add(part);
    if (more !== undefined) add(more);
  }
  const disabled = new Set(parts.flatMap(({ key, more }) => (more?.list === 'others' ? key : [])));
  for (const { entry, on } of owned) {
    // It keeps people out. Without it they sign in as another entity.
    const isDisabled = ownersOf({ on: { entity: on.entity } }).some((key) => disabled.has(key));
    // One object may be in both graphs.
    add({ list: 'others', entry: isDisabled ? { ...entry, effect: 'either' } : { ...entry } });
  }
}

/** Subjects, each once. */
class Subjects {
  readonly #byText = new Map<string, Subject>();

  add(subject: Subject): void {
    const { type, method, name, field } = subject;
    this.#byText.set(JSON.stringify([type, method, name, field]), subject);
  }

  list(): Subject[] {
    return [...this.#byText.values()];
  }
}

function subjectType(type: PlannedResource['type']): Subject['type'] {
  return resourceNamed(type)?.type ?? typeInPlan(type).addsTo ?? 'other';
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
