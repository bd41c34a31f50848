import {
  type Graph,
  type Identity,
  isComplete,
  type OtherNode,
  type ResourceKey,
  type ServiceGraph,
} from '../../graph/graph.ts';
import { isLoginEnforcement, withTargets } from '../../graph/nodes/guard.ts';
import type { EntityAlias } from '../../graph/nodes/other-alias.ts';
import {
  entityOfNode,
  groupOfNode,
  identityOf,
  lifetimeOfNode,
  methodOf,
  policiesOfNode,
  wordsOf,
} from '../../graph/nodes/other-node.ts';
import { message } from '../../graph/resources/custom-message.ts';
import { group } from '../../graph/resources/external-group.ts';
import { type ByName, canonicalFields, isSame } from '../../graph/resources/field.ts';

import { givingPolicies } from '../../graph/resources/policy.ts';
import { partsIn, resources } from '../../graph/resources/resources.ts';
import { type Subject, subjectOf } from '../../graph/subject.ts';
import { isObject } from '../../graph/values/json.ts';
import { defined, objectOf } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { Composed } from './composed.ts';
import {
  type ComposedResource,
  isKept,
  keyOf,
  type OwnerType,
  otherNodeIn,
  ownerKey,
  ownerTypes,
  renamedIn,
  withValues,
} from './composed-part.ts';
import { holdsHidden } from './hidden-values.ts';
import { type PlannedResource, sideOf } from './planned-resource.ts';
import { typeInPlan } from './resource-types.ts';

/** What a service has, where a plan changes it. */
export interface LiveService extends ServiceGraph {
  /** Namespace that was read. Empty for the root's. */
  namespace: string;
  /** Read before the plan was made: what the plan says of a thing before is newer. Defaults to false. */
  isSnapshot?: true;
  /** Other namespaces that were read, too. Defaults to none. */
  otherNamespaces?: readonly LiveService[];
  /** What a reader should know of it. */
  notes?: string[];
}

/**
 * A service with the entities that a plan names, also those that have nothing yet: by what the plan gives them, people have it
 * together with what their sign-ins give.
 */
export function withNamedEntities(live: LiveService, resources: readonly PlannedResource[]): LiveService {
  const { plainAliases = [], ids, graph } = live;
  if (plainAliases.length === 0) return live;
  const sides = resources.flatMap(({ before, after }) => [before?.fields, after?.fields]);
  const named = new Set(textsBelow(sides).map((text) => nameKey(ids.entity[text] ?? text)));
  const isNamed = ({ entity, name }: EntityAlias) => named.has(nameKey(entity)) || named.has(nameKey(name));
  const aliases = plainAliases.filter(isNamed);
  const entities = aliases.map(({ entity }) => ({
    kind: 'entity' as const,
    name: entity,
    policies: [],
  }));
  const identities = [...(graph.identities ?? []), ...entities];
  return {
    ...live,
    graph: { ...graph, identities, others: [...(graph.others ?? []), ...aliases] },
  };
}

/** All texts of a value, however deep. */
function textsBelow(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsBelow) : [];
}

/**
 * Puts what a plan does on top of what its service has: the service's own is what is before, what the plan does not name
 * stays, and a name that is taken is written over.
 *
 * @returns the pieces, and what the plan makes though it is there already
 */
export function onService(
  pieces: readonly ComposedResource[],
  live: LiveService,
): { pieces: ComposedResource[]; taken: Subject[] } {
  const there = new Map(partsOf(live.graph).map((part) => [part.key, part]));
  const taken: Subject[] = [];
  const named = new Set<string>();
  const renamed = renamedIn(pieces);
  const placed = pieces.flatMap((piece): ComposedResource[] => {
    const { resource, old, planned } = piece;
    const node = otherNodeIn(old ?? planned);
    // No list of a service has it: what the plan says is all that is known.
    if (node !== undefined && !isReadable(node)) {
      const isDone = resource.type === 'endpoint' && isKept(piece);
      return isDone && isComplete(live.graph, 'others') ? [] : [piece];
    }
    for (const { key = '' } of [old ?? {}, planned ?? {}]) named.add(key);
    if ((old ?? planned)?.isAdded) return [piece];
    if (old === undefined) {
      const found = planned && there.get(planned.key);
      if (planned === undefined || found === undefined) return [piece];
      // Every service has it.
      if (planned.list !== 'policies' || planned.subject.name !== 'default') taken.push(planned.subject);
      return [{ ...piece, old: found, planned: writtenOver(found, planned, writtenIn(resource)) }];
    }
    const read = live.isSnapshot && !resource.isHiddenBefore ? old : there.get(old.key);
    const found = read && withConfiguration(read, old);
    // It is gone: a plan that leaves it leaves nothing, and one that changes it makes it.
    if (found === undefined) {
      const ofList = node?.kind === 'guard' ? 'guards' : old.list;
      if (!isComplete(live.graph, ofList, ofList === 'roles' ? old.hangsOn.mount : undefined)) return [piece];
      return isKept(piece) ? [] : [{ ...piece, old: undefined }];
    }
    const stays = withNames(found, renamed);
    if (isKept(piece)) return [{ ...piece, old: found, planned: planned && stays }];
    return [{ ...piece, old: found, planned: planned && withHidden(planned, old, stays, resource) }];
  });
  const left = [...there.values()].filter(({ key }) => !named.has(key));
  const all = [
    ...placed,
    ...left.map(
      (part): ComposedResource => ({ resource: kept, old: part, planned: withNames(part, renamed) }),
    ),
  ];
  return { pieces: all, taken };
}

/** A mount is read without its configuration: that is what the plan says of it before. */
function withConfiguration(found: Composed, old: Composed): Composed {
  const entry = otherNodeIn(found);
  const before = otherNodeIn(old);
  if (entry?.kind !== 'otherMethod' || before?.kind !== 'otherMethod') return found;
  const lifetime = { ...before.lifetime, ...entry.lifetime };
  return {
    ...found,
    entry: {
      ...entry,
      bounds: { ...before.bounds, ...entry.bounds },
      ...(Object.keys(lifetime).length > 0 && { lifetime }),
      ...(before.metadata && { metadata: before.metadata }),
    },
  };
}

/** Parts that depend on a renamed one. */
function withNames(part: Composed, renamed: ReadonlyMap<string, Composed>): Composed {
  if (renamed.size === 0) return part;
  const nameOf = (type: OwnerType, name: string) => renamed.get(ownerKey(type, name))?.subject.name ?? name;
  const ownerOf = ({ group: inGroup, entity }: Omit<Composed['hangsOn'], 'mount'>) =>
    defined({
      group: inGroup && nameOf('group', inGroup),
      entity: entity && nameOf('entity', entity),
    });
  const named = withValues(part, ({ members, ...entry }) => ({
    ...ownerOf(entry),
    members: members?.map((one) => ({ ...one, name: nameOf(one.kind, one.name) })),
  }));
  const node = otherNodeIn(named);
  const bound = node?.kind === 'guard' ? { entry: withTargets(node, nameOf) } : {};
  return { ...named, ...bound, hangsOn: { ...part.hangsOn, ...ownerOf(part.hangsOn) } };
}

/** Whether what no stack declares is read from a service. */
function isReadable(node: OtherNode): boolean {
  if (node.kind === 'guard') return isLoginEnforcement(node);
  return ['otherMethod', 'otherRole', 'entityAlias', 'otherAlias'].includes(node.kind);
}

const side = sideOf({});
const kept: PlannedResource = {
  address: '',
  type: 'inert',
  of: '',
  changes: false,
  rotated: [],
  before: side,
  after: side,
};

/**
 * What a write leaves of what is there: every field that it does not give (docs/inside/measured/policies.md#writes).
 */
function writtenOver(found: Composed, planned: Composed, written: readonly string[]): Composed {
  const before = otherNodeIn(found);
  const after = otherNodeIn(planned);
  if (before !== undefined && after !== undefined && 'bounds' in before && 'bounds' in after) {
    const stays = (fields: ByName) =>
      Object.fromEntries(Object.entries(fields).filter(([field]) => !written.includes(field)));
    const bounds = { ...stays(before.bounds), ...after.bounds };
    const lifetime = { ...stays(lifetimeOfNode(before) ?? {}), ...lifetimeOfNode(after) };
    if (!('policies' in after)) return { ...planned, entry: { ...after, bounds, lifetime } };
    const hasPolicies = after.policies.length > 0 || givingPolicies.some((field) => written.includes(field));
    const policies = hasPolicies ? after.policies : [...policiesOfNode(before)];
    return { ...planned, entry: { ...after, policies, bounds, lifetime } };
  }
  const extra = found.extra && { extra: found.extra };
  return { ...extra, ...planned, entry: { ...found.entry, ...planned.entry } as Composed['entry'] };
}

/** Fields that a write to any path gives, also as nothing. Other resources leave out what is nothing. */
function writtenIn({ type, after }: PlannedResource): string[] {
  const data = after?.fields['data_json'] ?? after?.fields['data'];
  return type === 'endpoint' && isObject(data) ? Object.keys(data) : [];
}

/** With what a plan hides and does not change, and what it leaves to others, as it is on the service. */
function withHidden(planned: Composed, old: Composed, found: Composed, resource: PlannedResource): Composed {
  const { fields = {} } = resource.after ?? {};
  const [entry, was, is] = [planned, old, found].map((one): ByName => ({ ...one.entry })) as [
    ByName,
    ByName,
    ByName,
  ];
  if ('bounds' in entry)
    for (const part of ['bounds', 'lifetime'])
      entry[part] = boundsOn(resource, objectOf(entry[part]), objectOf(was[part]), objectOf(is[part]));
  for (const [field, value] of Object.entries(entry)) {
    const isUntold = holdsHidden(value) && JSON.stringify(value) === JSON.stringify(was[field]);
    if (isUntold && field in is) entry[field] = is[field];
  }
  if (fields['external_policies'] === true) entry['policies'] = is['policies'];
  // A block that does not change is not sent.
  for (const block of Object.keys(typeInPlan(resource.type).blocks ?? {}))
    if (isSame(was[block], entry[block])) entry[block] = is[block];
  const whole = { ...planned, entry: defined(entry) as Composed['entry'] };
  whole.unknownParts = [...planned.unknownParts, ...unsent(resource, old, whole, found)];
  // The provider writes no members of an external group: sign-ins do.
  const isExternal = planned.list === group.list;
  const left = ownerTypes.filter((kind) => isExternal || fields[`external_member_${kind}_ids`] === true);
  return left.length === 0 ? whole : withMembers(whole, found, left);
}

/** Fields that the plan does not change, and the service has otherwise: the official plugin leaves them so, ours does not. */
function unsent({ type, replaced }: PlannedResource, ...sides: [Composed, Composed, Composed]): Subject[] {
  const { fields = {} } = typeInPlan(type);
  const [was = {}, wanted = {}, is = {}] = sides.map(({ entry }) => canonicalFields(fields, entry));
  return Object.entries(fields).flatMap(([field, { sent }]) => {
    const isLeft = sent === 'changed' && replaced === undefined && isSame(was[field], wanted[field]);
    return isLeft && !isSame(wanted[field], is[field]) ? [{ ...sides[1].subject, field }] : [];
  });
}

/** Members of these kinds are left to others: they are as the service has them. */
function withMembers(planned: Composed, found: Composed, left: readonly OwnerType[]): Composed {
  const membersOf = ({ entry, extra }: Composed) =>
    [entry, extra?.entry].flatMap((one) => (one as Partial<Identity> | undefined)?.members ?? []);
  const members = [
    ...membersOf(planned).filter(({ kind }) => !left.includes(kind)),
    ...membersOf(found).filter(({ kind }) => left.includes(kind)),
  ];
  if (planned.list === 'identities')
    return { ...planned, entry: { ...planned.entry, members } as Composed['entry'] };
  const { extra: _, ...rest } = planned;
  if (members.length === 0) return rest;
  const { name } = planned.subject;
  return { ...rest, extra: { list: 'identities', entry: { kind: 'group', name, policies: [], members } } };
}

/**
 * Values that a plan hides and does not change stay as they are. Values that it never gave, or that the service draws, stay
 * too: a role that is read does not have them. Values that the plan shows are written again.
 */
function boundsOn(
  resource: PlannedResource,
  planned: ByName = {},
  old: ByName = {},
  found: ByName = {},
): ByName {
  const written = writtenIn(resource);
  const { drawn = [] } = typeInPlan(resource.type);
  const entries = Object.entries({ ...found, ...planned }).flatMap(([field, value]): [string, unknown][] => {
    if (!(field in planned)) return field in old || written.includes(field) ? [] : [[field, value]];
    const isSame = JSON.stringify(value) === JSON.stringify(old[field]);
    if (!isSame || !(holdsHidden(value) || drawn.includes(field))) return [[field, value]];
    return field in found ? [[field, found[field]]] : [];
  });
  return Object.fromEntries(entries);
}

/** All that a graph has, as a plan's parts are. */
export function partsOf(graph: Graph): Composed[] {
  const external = new Set(graph.groups.map(({ name }) => nameKey(name)));
  // The content of an external group goes with the group.
  const isWithin = ({ kind, name }: Identity) => kind === 'group' && external.has(nameKey(name));
  const standing = resources
    .filter(({ type }) => type !== message.type)
    .flatMap((resource) =>
      partsIn(graph, resource).flatMap((entry): Composed[] => {
        if ('kind' in entry && isWithin(entry)) return [];
        const subject = subjectOf(resource, entry);
        const { type, list, referredAs = type } = resource;
        const identity = { type: referredAs, mount: subject.method, name: resource.key(subject.name) };
        const hangsOn = { mount: subject.method, ...('group' in entry && { group: entry.group }) };
        return [partOf(identity, { subject, list, entry, hangsOn })];
      }),
    );
  const byKey = new Map(standing.map((part) => [part.key, part]));
  for (const entry of graph.identities ?? []) {
    const owner = isWithin(entry) && byKey.get(ownerKey('group', entry.name));
    if (owner) owner.extra = { list: 'identities', entry };
  }
  const otherParts = (graph.others ?? []).flatMap((entry): Composed[] => {
    const identity = identityOf(entry);
    const disabled = entry.kind === 'disabling' && byKey.get(ownerKey(entry.of, entry.name));
    if (disabled) {
      disabled.extra = { list: 'others', entry };
      return [];
    }
    return [
      partOf(identity, {
        subject: { type: 'other', name: wordsOf(entry) },
        list: 'others',
        entry,
        hangsOn: {
          mount: entry.kind === 'otherMethod' ? undefined : methodOf(entry),
          group: groupOfNode(entry),
          entity: entityOfNode(entry),
        },
      }),
    ];
  });
  return [...standing, ...otherParts];
}

function partOf(identity: ResourceKey, rest: Omit<Composed, 'identity' | 'key' | 'unknownParts'>): Composed {
  return { identity, key: keyOf(identity), unknownParts: [], ...rest };
}
