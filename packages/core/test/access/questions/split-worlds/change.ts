import { isDeepStrictEqual } from 'node:util';
import { isGuarding, keptAt, withTarget } from './credentials.ts';
import {
  type Kind,
  notes,
  type Of,
  pick,
  policyKeys,
  type Random,
  type Resource,
  type Resources,
  ranges,
  ruleOf,
  some,
  teams,
  times,
  type World,
} from './world.ts';

/** What becomes of workspace A's half. */
export interface WorldChange {
  before: Resources;
  after: Resources;
  /** Keys of what is deleted and made again. */
  replaced: ReadonlySet<string>;
}

/** What of a kind of resource another value of a row of the table of edges is; undefined where it cannot be. */
type Becomes<K extends Kind> = (
  next: Random,
  one: Of<K>,
  there: { world: World; resources: Resources; key: string },
) => Of<K> | undefined;

/** Changes by the row that they are of. `id`: it is deleted and made again. */
const changes: Record<string, { [K in Kind]?: Becomes<K> | 'id' }> = {
  'method id': { mount: 'id' },
  'otherRole id': { user: 'id' },
  'role groupsClaim': { role: (_, one) => ({ ...one, readsGroups: !one.readsGroups }) },
  'alias group': {
    groupAlias: (next, one, { resources }) => {
      const kind = next(3);
      if (kind === 0) return { ...one, name: pick(next, 'g', 'h', 'i') };
      if (kind === 1) return { ...one, mount: pick(next, ...keysOf(resources, 'mount'), one.mount) };
      return { ...one, group: pick(next, ...keysOf(resources, 'group'), one.group) };
    },
  },
  'entityAlias entity': {
    entityAlias: (next, one, { resources }) => {
      const kind = next(3);
      if (kind === 0) return { ...one, name: pick(next, 'p', 'q', 's') };
      if (kind === 1) return { ...one, mount: pick(next, ...keysOf(resources, 'mount'), one.mount) };
      return { ...one, entity: pick(next, ...keysOf(resources, 'entity'), one.entity) };
    },
  },
  'entityAlias customMetadata': { entityAlias: (next, one) => ({ ...one, note: pick(next, ...notes) }) },
  'group id': { group: 'id' },
  'entity id': { entity: 'id' },
  'group members': { group: (next, one, there) => withMember(next, one, there, 'group') },
  'entity members': { group: (next, one, there) => withMember(next, one, there, 'entity') },
  'group metadata': { group: (next, one) => ({ ...one, team: pick(next, ...teams) }) },
  'entity metadata': { entity: (next, one) => ({ ...one, team: pick(next, ...teams) }) },
  'group policies': {
    group: (next, one) => (one.isAttached ? undefined : withPolicies(next, one)),
    attachment: withPolicies,
  },
  'entity policies': { entity: withPolicies },
  'method config': {
    mount: (_, { trustsSecond, ...one }) =>
      one.type !== 'jwt' || one.trustsService
        ? undefined
        : { ...one, ...(trustsSecond === undefined && { trustsSecond: true }) },
  },
  'method tune': {
    mount: (next, one, { world }) =>
      one.type !== 'jwt' || !world.hasTimes ? undefined : { ...one, longest: pick(next, ...times) },
  },
  'role bounds': {
    role: (next, { subject, org, ...one }) => {
      const isSubject = next(2) === 0;
      const [who, where] = [
        isSubject ? pick(next, undefined, 'p', 'q') : subject,
        isSubject ? org : pick(next, undefined, 'x', 'y'),
      ];
      return { ...one, ...(who && { subject: who }), ...(where && { org: where }) };
    },
  },
  'role ttl': {
    role: (next, one, { world }) => (world.hasTimes ? { ...one, seconds: pick(next, ...times) } : undefined),
  },
  'role policies': {
    role: (next, one) => (next(4) === 0 ? { ...one, hasDefault: !one.hasDefault } : withPolicies(next, one)),
  },
  'role userClaim': {
    role: (_, { userClaim, ...one }) => ({ ...one, ...(userClaim === undefined && { userClaim: 'uid' }) }),
  },
  'role claimMappings': {
    role: (_, { mapsTeam, ...one }) => ({ ...one, ...(mapsTeam === undefined && { mapsTeam: true }) }),
  },
  'otherRole bounds': {
    user: (next, { cidrs: _, ...one }, { resources }) => {
      const at = resources.get(one.mount);
      if (at?.kind !== 'mount' || at.type !== 'approle') return undefined;
      return { ...one, ...(next(3) > 0 && { cidrs: pick(next, ...ranges) }) };
    },
  },
  'otherRole policies': { user: withPolicies },
  'otherRole allowedPolicies': { tokenRole: withPolicies },
  'entity disabled': {
    entity: (_, { isDisabled, ...one }) => ({
      ...one,
      ...(isDisabled === undefined && { isDisabled: true }),
    }),
  },
  'keptCredential signsInBy': {
    place: (next, one, { resources }) => {
      if (next(3) === 0) return { ...one, at: pick(next, ...keptAt.filter((at) => at !== one.at)) };
      return { ...one, secretId: pick(next, ...keysOf(resources, 'secretId')) };
    },
  },
  'identityTokenRole claims': {
    identityRole: (next, { org, ...one }) =>
      next(2) === 0
        ? { ...one, ...(org && { org }), clientId: pick(next, 'x', 'z') }
        : { ...one, ...(org === undefined && { org: pick(next, 'x', 'y') }) },
  },
  'guard groups': { guard: (next, one, { resources }) => withTarget(next, one, resources, 'group') },
  'guard entities': { guard: (next, one, { resources }) => withTarget(next, one, resources, 'entity') },
  'guard methods': { guard: (next, one, { resources }) => withTarget(next, one, resources, 'mount') },
  'guard types': { guard: (next, one, { resources }) => withTarget(next, one, resources, 'type') },
  'policy text': { policy: (next, one, { world }) => ({ ...one, rules: changedRules(next, world, one) }) },
};

function withMember(
  next: Random,
  one: Of<'group'>,
  { resources, key }: { resources: Resources; key: string },
  kind: 'group' | 'entity',
): Of<'group'> | undefined {
  const all = keysOf(resources, kind).filter((other) => other !== key);
  if (one.isExternal || all.length === 0) return undefined;
  const member = pick(next, ...all);
  const less = one.members.filter((other) => other !== member);
  return { ...one, members: less.length < one.members.length ? less : [...less, member] };
}

/** Rows of the table of edges that random changes are of. */
export const changedRows: readonly string[] = Object.keys(changes);

/**
 * One thing that workspace A changes, seldom two; also the other way around, so that things are made as well.
 *
 * @param row of the table of edges: the first thing is of it, or is made, or goes
 * @returns undefined where the world has nothing of that
 */
export function changeOf(
  next: Random,
  world: World,
  row: string,
): { world: World; change: WorldChange } | undefined {
  const own = new Set(world.own);
  let change: WorldChange = { before: world.resources, after: world.resources, replaced: new Set() };
  const rows = [row, ...(next(4) === 0 ? [pick(next, ...changedRows)] : [])];
  for (const one of rows) {
    const changed = once(next, world, own, change, one);
    if (changed === undefined && one === row) return undefined;
    change = changed ?? change;
  }
  const changed = { ...world, own };
  const { before, after, replaced } = change;
  if (replaced.size > 0 || next(2) === 0 || !isWhole(changed, after)) return { world: changed, change };
  return { world: changed, change: { before: after, after: before, replaced } };
}

/** The rows that a change is of; of the rest, what is made, goes or is made anew. */
export function rowsOf({ before, after, replaced }: WorldChange): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, wanted] = [before.get(key), after.get(key)];
    const kind = (old ?? wanted)?.kind as Kind;
    if (replaced.has(key)) {
      const ids = Object.entries(changes).filter(([, kinds]) => kinds[kind] === 'id');
      return ids.length > 0 ? ids.map(([row]) => row) : [`${kind} made anew`];
    }
    if (old === undefined) return [`${kind} made`];
    if (wanted === undefined) return [`${kind} gone`];
    const fields = [...new Set([...Object.keys(old), ...Object.keys(wanted)])] as (keyof Resource)[];
    return fields.flatMap((field) =>
      isDeepStrictEqual(old[field], wanted[field]) ? [] : rowOf(kind, field),
    );
  });
}

const fieldRows: Partial<Record<Kind, Record<string, string | string[]>>> = {
  policy: { rules: 'policy text' },
  mount: { trustsSecond: 'method config', longest: 'method tune' },
  role: {
    readsGroups: 'role groupsClaim',
    hasDefault: 'role policies',
    subject: 'role bounds',
    org: 'role bounds',
    mapsTeam: 'role claimMappings',
    seconds: 'role ttl',
  },
  user: { policies: 'otherRole policies', cidrs: 'otherRole bounds' },
  place: { secretId: 'keptCredential signsInBy', at: 'keptCredential signsInBy' },
  identityRole: { clientId: 'identityTokenRole claims', org: 'identityTokenRole claims' },
  guard: {
    groups: 'guard groups',
    entities: 'guard entities',
    mounts: 'guard methods',
    types: 'guard types',
  },
  tokenRole: { policies: 'otherRole allowedPolicies' },
  group: {
    policies: 'group policies',
    members: ['group members', 'entity members'],
    team: 'group metadata',
  },
  attachment: { policies: 'group policies' },
  groupAlias: { name: 'alias group', mount: 'alias group', group: 'alias group' },
  entity: { policies: 'entity policies', team: 'entity metadata', isDisabled: 'entity disabled' },
  entityAlias: {
    name: 'entityAlias entity',
    mount: 'entityAlias entity',
    entity: 'entityAlias entity',
    note: 'entityAlias customMetadata',
  },
};

function rowOf(kind: Kind, field: string): string | string[] {
  return fieldRows[kind]?.[field] ?? `${kind} ${field}`;
}

/** The change backwards, where it can be. */
export function backwards(world: World, { before, after, replaced }: WorldChange): WorldChange | undefined {
  return replaced.size > 0 || !isWhole(world, before) || !isWhole(world, after)
    ? undefined
    : { before: after, after: before, replaced };
}

function once(
  next: Random,
  world: World,
  own: Set<string>,
  { before, after, replaced }: WorldChange,
  row: string,
): WorldChange | undefined {
  const kinds = changes[row] ?? {};
  const keys = [...after].flatMap(([key, one]) => (kinds[one.kind] === undefined ? [] : key));
  if (keys.length === 0) return undefined;
  const key = pick(next, ...keys);
  const resource = after.get(key) as Resource;
  const becomes = kinds[resource.kind];
  if (becomes === 'id') {
    const anew = resource.kind === 'mount' ? anewWith(next, own, after, key, resource) : [key];
    if (anew.length === 0) return undefined;
    own.add(key);
    return { before, after, replaced: new Set([...replaced, ...anew]) };
  }
  const remaining = new Map(after);
  const goes = resource.kind.endsWith('Alias') || resource.kind === 'place' || resource.kind === 'guard';
  const isGone = next(goes ? 3 : 8) === 0 && resource.kind !== 'mount';
  if (isGone) {
    own.add(key);
    remove(remaining, own, key);
    return { before, after: remaining, replaced };
  }
  const wanted =
    renamed(next, resource) ?? (becomes as Becomes<Kind>)(next, resource, { world, resources: after, key });
  if (wanted === undefined || isDeepStrictEqual(wanted, resource)) return undefined;
  own.add(key);
  remaining.set(key, wanted);
  // Another path is another resource.
  const isMoved = resource.kind === 'place' && wanted.kind === 'place' && wanted.at !== resource.at;
  return { before, after: remaining, replaced: new Set([...replaced, ...(isMoved ? [key] : [])]) };
}

/** A group or an entity gets another name, seldom. */
function renamed(next: Random, resource: Resource): Resource | undefined {
  if (next(12) > 0 || !(resource.kind === 'group' || resource.kind === 'entity')) return undefined;
  return { ...resource, name: `${resource.name}x` };
}

/** A mount that is made anew, with what hangs on it in the same workspace; roles may be made again by its next plan only. */
function anewWith(
  next: Random,
  own: ReadonlySet<string>,
  resources: Resources,
  key: string,
  { type }: Of<'mount'>,
): string[] {
  if (type !== 'jwt') return [];
  const areMade = next(4) > 0;
  const hangs = [...own].filter((one) => {
    const there = resources.get(one);
    if (there === undefined || !('mount' in there) || there.mount !== key) return false;
    return there.kind === 'entityAlias' || (there.kind === 'role' && areMade);
  });
  return [key, ...hangs];
}

/** Terraform deletes what refers to it as well, where that is in the same workspace. */
function remove(resources: Map<string, Resource>, own: ReadonlySet<string>, key: string): void {
  resources.delete(key);
  for (const [other, resource] of resources) {
    if (!own.has(other)) continue;
    if ('entity' in resource && resource.entity === key) resources.delete(other);
    else if (resource.kind !== 'role' && 'group' in resource && resource.group === key)
      resources.delete(other);
    else if ('user' in resource && resource.user === key) remove(resources, own, other);
    else if ('secretId' in resource && resource.secretId === key) resources.delete(other);
    else if (resource.kind === 'group' && resource.members.includes(key))
      resources.set(other, { ...resource, members: resource.members.filter((one) => one !== key) });
    else if (resource.kind === 'guard') {
      const without = (list: string[]) => list.filter((one) => one !== key);
      const { groups, entities } = resource;
      const left = { ...resource, groups: without(groups), entities: without(entities) };
      if (isGuarding(left)) resources.set(other, left);
      else resources.delete(other);
    }
  }
}

/** Whether nothing of workspace B refers to what is not there. */
function isWhole({ own }: World, resources: Resources): boolean {
  return [...resources].every(([key, resource]) => {
    if (own.has(key)) return true;
    const needed = [
      ...('entity' in resource ? [resource.entity] : []),
      ...('group' in resource ? [resource.group] : []),
      ...('mount' in resource ? [resource.mount] : []),
      ...('members' in resource ? resource.members : []),
      ...('user' in resource ? [resource.user] : []),
      ...('secretId' in resource ? [resource.secretId] : []),
      ...(resource.kind === 'guard' ? [...resource.groups, ...resource.entities, ...resource.mounts] : []),
    ];
    return needed.every((one) => resources.has(one));
  });
}

/** JWT mounts and external groups: an alias goes nowhere else. */
function keysOf(resources: Resources, kind: Kind): string[] {
  return [...resources].flatMap(([key, one]) => {
    if (one.kind !== kind) return [];
    if (one.kind === 'mount' && (one.type !== 'jwt' || one.trustsService)) return [];
    return one.kind === 'group' && !one.isExternal ? [] : [key];
  });
}

/** One more, one less, or another one. */
function withPolicies<One extends { policies: string[] }>(next: Random, one: One): One {
  const kind = next(3);
  const { policies } = one;
  const less = policies.filter((_, at) => kind === 0 || at !== next(policies.length));
  return { ...one, policies: kind === 1 ? less : [...new Set([...less, pick(next, ...policyKeys)])] };
}

function changedRules(next: Random, world: World, { rules }: Of<'policy'>) {
  const at = next(rules.length || 1);
  const rule = ruleOf(next, world);
  const become = (...these: typeof rules) => [...rules.slice(0, at), ...these, ...rules.slice(at + 1)];
  const old = rules[at];
  if (old === undefined || next(5) === 0) return [...rules, rule];
  switch (next(4)) {
    case 0:
      return become();
    case 1:
      return become({ ...old, capabilities: rule.capabilities });
    case 2:
      return become({ ...old, path: rule.path });
    default: {
      const { limits: _, ...bare } = old;
      if (!world.hasLimits) return become({ ...old, capabilities: some(next, ['read', 'update', 'list']) });
      return become({ ...bare, ...(rule.limits && { limits: rule.limits }) });
    }
  }
}
