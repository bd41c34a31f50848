import type { Change } from '../../model/change.ts';
import { emptyState, type State } from '../../model/state.ts';
import { type Subject, subjectText } from '../../model/subject.ts';
import { nameKey } from '../../model/values/name-key.ts';
import { type Composed, composed } from './composed-part.ts';
import { declaredValues } from './declared-values.ts';
import { holdsHidden } from './hidden-values.ts';
import type { Identities } from './identities.ts';
import { readable, untold } from './judged-fields.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';
import { nameOf, type Piece, settle } from './settle-writes.ts';

/** Addresses of the resources that make a subject, by its text. */
export type Origins = Map<string, string[]>;

/** The one resource that makes a subject, and what is its field; undefined where there are several or none. */
export function originOf(origins: Origins, subject: Subject): string | undefined {
  const [address, ...others] = origins.get(subjectText(subject)) ?? [];
  return others.length > 0 ? undefined : address;
}

/** Composes the resources of one place to the states before and after. */
export function composePlace(
  { resources, outside }: { resources: PlannedResource[]; outside: PlannedResource[] },
  { deletesLast, declared }: Pick<PlanResources, 'deletesLast' | 'declared'>,
  identities: Identities,
): { change: Change; origins: Origins } {
  const origins: Origins = new Map();
  const change: Change = {
    before: emptyState(),
    after: emptyState(),
    replaced: [],
    rotated: [],
    unknown: [],
  };
  const unknown = new Subjects();
  const pieces: Piece[] = [];
  for (const resource of resources) {
    if (resource.type === 'inert') continue;
    const piece = pieceOf(resource, identities, declared, unknown);
    pieces.push(piece);
    const subject = piece.made?.subject;
    if (subject === undefined) continue;
    const text = subjectText(subject);
    origins.set(text, [...(origins.get(text) ?? []), resource.address]);
    if (resource.replaced !== undefined && resource.type === 'method') change.replaced.push(subject);
    change.rotated.push(...resource.rotated.map(() => ({ ...subject, field: 'oidcClientSecret' })));
  }
  const keys = new Set(pieces.flatMap(({ old, made }) => [old?.key, made?.key]));
  for (const resource of outside) {
    const known = resource.before && composed(resource, resource.before, 'before', identities);
    if (known === undefined || keys.has(known.key) || resource.type === 'backend') continue;
    keys.add(known.key);
    pieces.push({ resource, old: known, made: known });
  }
  const { before, after, orphaned, remade, unsettled } = settle(pieces, { deletesLast });
  // Deleted by one resource and made by another, it is replaced as well.
  for (const { part, subject } of after) {
    const isKnown = change.replaced.some(({ name }) => name === subject.name);
    if (part.list === 'methods' && remade.has(part.entry.path) && !isKnown) change.replaced.push(subject);
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
  declared: State | undefined,
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
  if ((type === 'alias' || type === 'entityAlias') && identities.isLost(resource.after)) {
    return { resource, old, isOrphaned: true };
  }
  if (resource.after === resource.before) {
    const made = before && composed(resource, before, 'after', identities);
    return { resource, old, made: made?.key === old?.key && made?.group === old?.group ? old : made };
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
  const groups = new Map(
    after
      .filter(({ part }) => part.list === 'groups' || part.list === 'holders')
      .filter(({ key }) => key.startsWith('["group"'))
      .map((one) => [nameKey(one.subject.name), one]),
  );
  const attached = new Set(
    after
      .filter(({ key, part }) => key.startsWith('["holder"') && part.list === 'holders')
      .map(({ subject }) => nameOf(subject)),
  );
  const elsewhere = new Set(
    pieces
      .filter(({ resource }) => resource.after?.fields['external_policies'] === true)
      .flatMap(({ made }) => (made === undefined ? [] : [nameOf(made.subject)])),
  );
  for (const { resource, old, made } of pieces) {
    // Where it led before bears on who loses what.
    const isLeft =
      old !== undefined && (made === undefined || old.group !== made.group || old.entity !== made.entity);
    if (isLeft) for (const subject of old.open) unknown.add(subject);
    if (made === undefined || !present.has(made) || resource.after === resource.before) continue;
    for (const subject of made.open) unknown.add(subject);
    const { type, name } = made.subject;
    // An alias leads to a group, an attachment and the group itself name it.
    const group = made.group ?? (type === 'group' ? name : undefined);
    const entity = made.entity ?? (type === 'entity' ? name : undefined);
    for (const [kind, of] of [
      ['group', group],
      ['entity', entity],
    ] as const) {
      if (of === undefined) continue;
      const key = nameOf({ type: kind, name: of });
      const isMissing =
        kind === 'group' && made.key.startsWith('["alias"') && !groups.has(nameKey(of)) && !attached.has(key);
      if (isMissing || (elsewhere.has(key) && !attached.has(key))) {
        unknown.add({ type: kind, name: of, field: 'policies' });
      }
    }
  }
}

/** Whoever has a policy or a mount by a hidden name may be who gains when one of these changes. */
function hiddenLinks(pieces: Piece[], parts: Composed[], unknown: Subjects): void {
  const changing = new Set(
    pieces.filter(({ resource }) => resource.changes).map(({ resource }) => resource.type),
  );
  if (changing.has('policy')) {
    for (const { part, subject } of parts) {
      const names = 'policies' in part.entry ? (part.entry.policies ?? []) : [];
      if (names.some(holdsHidden)) unknown.add({ ...subject, field: 'policies' });
    }
  }
  if (changing.has('method')) {
    const paths = new Set(parts.map(({ part }) => (part.list === 'methods' ? part.entry.path : undefined)));
    for (const { subject, mount } of parts) {
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
    const { type, of, before, after } = resource;
    const isOnly = before !== after && after?.fields['exclusive'] !== false;
    if (!isOnly || made === undefined || !/^(?:group|entity)(?:Policies|Members)$/.test(type)) continue;
    const { subject } = made;
    const key = JSON.stringify([
      subject.type,
      subject.type === 'group' ? nameKey(subject.name) : subject.name,
    ]);
    // As the field of the owner is called: `policies`, `member_entity_ids`.
    const field = of.replace(/^identity (?:group|entity) /, '').replaceAll(' ', '_');
    const owner = owners.get(key);
    const wasOnly =
      before !== undefined &&
      before.fields['exclusive'] !== false &&
      old?.group === made.group &&
      old?.entity === made.entity;
    const isShown = owner !== undefined && owner.before?.fields[`external_${field}`] !== true;
    const left = new Set(heldIn(made, field));
    if ((!wasOnly && !isShown) || heldIn(own.get(key), field).some((one) => !left.has(one)))
      unknown.add({ ...subject, field: field === 'policies' ? field : 'members' });
  }
}

/** An entity or a group that is deleted leaves the groups that it is in. */
function withoutLostMembers(before: Composed[], after: Composed[]): Composed[] {
  const named = (parts: Composed[]) =>
    new Set(
      parts.flatMap(({ key, subject }) => (/^\["(?:group|entity)"/.test(key) ? [nameOf(subject)] : [])),
    );
  const present = named(after);
  const lost = new Set([...named(before)].filter((name) => !present.has(name)));
  if (lost.size === 0) return after;
  const left = <P extends Composed['part'] | undefined>(part: P): P => {
    if (part?.list !== 'holders' || part.entry.members === undefined) return part;
    const members = part.entry.members.filter(({ kind, name }) => !lost.has(nameOf({ type: kind, name })));
    return { ...part, entry: { ...part.entry, members } };
  };
  return after.map((one) => ({ ...one, part: left(one.part), ...(one.more && { more: left(one.more) }) }));
}

/** The policies or members of a group or an entity. */
function heldIn(one: Composed | undefined, field: string): string[] {
  if (one === undefined) return [];
  const { part, more } = one;
  if (field === 'policies') return 'policies' in part.entry ? (part.entry.policies ?? []) : [];
  const members = [part.entry, more?.entry].flatMap((entry) =>
    entry !== undefined && 'members' in entry ? (entry.members ?? []) : [],
  );
  return members.filter(({ kind }) => field === `member_${kind}_ids`).map(({ name }) => nameKey(name));
}

/** What templates of policies say of a group, where that changes. */
function filledIn(pieces: Piece[], parts: Composed[], unknown: Subjects): void {
  const changed = pieces.filter(
    ({ resource: { type, before, after, replaced }, made }) =>
      type === 'group' &&
      made !== undefined &&
      before !== undefined &&
      (replaced !== undefined ||
        ['name', 'metadata'].some((field) => !isSame(before.fields[field], after?.fields[field]))),
  );
  if (changed.length === 0) return;
  const isRead = parts.some(
    ({ part }) => part.list === 'policies' && part.entry.text.includes('identity.groups.'),
  );
  if (isRead) for (const { made } of changed) if (made) unknown.add({ ...made.subject, field: 'metadata' });
}

function fill(state: State, parts: Composed[]): void {
  const add = ({ list, entry }: Composed['part']) => {
    const entries = (state[list] ?? []) as unknown[];
    entries.push(entry);
    Object.assign(state, { [list]: entries });
  };
  const isOwned = ({ part, entity, group }: Composed) =>
    part.list === 'others' && (entity !== undefined || group !== undefined);
  for (const one of parts) {
    if (!isOwned(one)) add(one.part);
    if (one.more !== undefined) add(one.more);
  }
  const disabled = new Set(
    parts.flatMap(({ subject, more }) =>
      subject.type === 'entity' && more !== undefined ? [nameKey(subject.name)] : [],
    ),
  );
  for (const { part, entity } of parts.filter(isOwned)) {
    if (part.list !== 'others') continue;
    // It keeps people out. Without it they sign in as another entity.
    const isDisabled = entity !== undefined && disabled.has(nameKey(entity));
    // One object may be in both states.
    add({ list: 'others', entry: { ...part.entry, ...(isDisabled && { effect: 'either' as const }) } });
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
  switch (type) {
    case 'method':
    case 'role':
    case 'group':
    case 'alias':
    case 'policy':
    case 'message':
    case 'entity':
      return type;
    case 'groupPolicies':
    case 'groupMembers':
      return 'group';
    case 'entityPolicies':
      return 'entity';
    default:
      return 'other';
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
