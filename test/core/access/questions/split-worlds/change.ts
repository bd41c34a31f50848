import { isDeepStrictEqual } from 'node:util';
import {
  type Of,
  pick,
  policyKeys,
  type Random,
  type Resource,
  type Resources,
  roleOf,
  ruleOf,
  some,
  teams,
  type World,
} from './world.ts';

/** What becomes of workspace A's half. */
export interface WorldChange {
  before: Resources;
  after: Resources;
  /** Keys of what is deleted and made again. */
  replaced: ReadonlySet<string>;
}

/** One thing that workspace A changes, seldom two; also the other way around, so that things are made as well. */
export function changeOf(next: Random, world: World): WorldChange {
  let changed: WorldChange = { before: world.resources, after: world.resources, replaced: new Set() };
  const count = next(4) === 0 ? 2 : 1;
  for (let done = 0, tries = 0; done < count && tries < 20; tries++) {
    const more = once(next, world, changed);
    if (more.after !== changed.after || more.replaced.size > changed.replaced.size) done += 1;
    changed = more;
  }
  const { before, after, replaced } = changed;
  if (replaced.size > 0 || next(2) === 0 || !isWhole(world, after)) return changed;
  return { before: after, after: before, replaced };
}

function once(next: Random, { own, ...world }: World, { before, after, replaced }: WorldChange): WorldChange {
  // What only names a policy is as likely as the many policies together.
  const keys = [...own].filter((key) => after.has(key));
  const others = keys.filter((key) => after.get(key)?.kind !== 'policy');
  const from = others.length > 0 && next(5) < 3 ? others : keys;
  const key = pick(next, ...from);
  const resource = after.get(key);
  if (resource === undefined) return { before, after, replaced };
  const made = new Map(after);
  if (resource.kind === 'mount') {
    if (resource.type !== 'jwt') return { before, after, replaced };
    const hangs = [...own].filter((one) => isOn(after.get(one), key));
    const areMade = next(4) > 0;
    const withRoles = hangs.filter((one) => {
      const kind = after.get(one)?.kind;
      return kind === 'entityAlias' || (kind === 'role' && areMade);
    });
    return { before, after, replaced: new Set([...replaced, key, ...withRoles]) };
  }
  if ((resource.kind === 'group' || resource.kind === 'entity') && next(6) === 0)
    return { before, after, replaced: new Set([...replaced, key]) };
  const wanted = changedResource(next, { own, ...world }, after, resource);
  if (isDeepStrictEqual(wanted, resource)) return { before, after, replaced };
  if (wanted === undefined) remove(made, own, key);
  else made.set(key, wanted);
  return { before, after: made, replaced };
}

function isOn(resource: Resource | undefined, mount: string): boolean {
  return resource !== undefined && 'mount' in resource && resource.mount === mount;
}

/** Terraform deletes what refers to it as well, where that is in the same workspace. */
function remove(made: Map<string, Resource>, own: ReadonlySet<string>, key: string): void {
  made.delete(key);
  for (const [other, resource] of made) {
    if (!own.has(other)) continue;
    if ('entity' in resource && resource.entity === key) made.delete(other);
    else if (resource.kind !== 'role' && 'group' in resource && resource.group === key) made.delete(other);
    else if (resource.kind === 'group' && resource.members.includes(key))
      made.set(other, { ...resource, members: resource.members.filter((one) => one !== key) });
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
    ];
    return needed.every((one) => resources.has(one));
  });
}

function changedResource(
  next: Random,
  world: World,
  resources: Resources,
  resource: Exclude<Resource, { kind: 'mount' }>,
): Resource | undefined {
  if (next(resource.kind.endsWith('Alias') ? 2 : 8) === 0) return undefined;
  switch (resource.kind) {
    case 'policy':
      return { ...resource, rules: changedRules(next, world, resource) };
    case 'role':
      return changedRole(next, resource);
    case 'user':
    case 'attachment':
      return { ...resource, policies: changedPolicies(next, resource.policies) };
    case 'entity': {
      const kind = next(3);
      if (kind === 0) return { ...resource, name: `${resource.name}x` };
      if (kind === 1) return { ...resource, team: pick(next, ...teams) };
      return { ...resource, policies: changedPolicies(next, resource.policies) };
    }
    case 'group':
      return changedGroup(next, resources, resource);
    case 'groupAlias': {
      const kind = next(3);
      const named = (type: 'group' | 'mount') => keysOf(resources, type);
      if (kind === 0) return { ...resource, name: pick(next, 'g', 'h', 'i') };
      if (kind === 1) return { ...resource, mount: pick(next, ...named('mount'), resource.mount) };
      return { ...resource, group: pick(next, ...named('group'), resource.group) };
    }
    case 'entityAlias': {
      const kind = next(3);
      if (kind === 0) return { ...resource, name: pick(next, 'p', 'q', 's') };
      if (kind === 1)
        return { ...resource, mount: pick(next, ...keysOf(resources, 'mount'), resource.mount) };
      return { ...resource, entity: pick(next, ...keysOf(resources, 'entity'), resource.entity) };
    }
  }
}

/** JWT mounts and external groups: an alias goes nowhere else. */
function keysOf(resources: Resources, kind: Resource['kind']): string[] {
  return [...resources].flatMap(([key, one]) => {
    if (one.kind !== kind) return [];
    if (one.kind === 'mount' && one.type !== 'jwt') return [];
    return one.kind === 'group' && !one.isExternal ? [] : [key];
  });
}

function changedGroup(next: Random, resources: Resources, group: Of<'group'>): Resource {
  if (next(12) === 0) return { ...group, name: `${group.name}x` };
  if (next(5) === 0) return { ...group, team: pick(next, ...teams) };
  if (!group.isExternal && next(2) === 0) {
    const all = [...keysOf(resources, 'group'), ...keysOf(resources, 'entity')];
    const one = all.length === 0 ? undefined : pick(next, ...all);
    if (one === undefined) return group;
    const members = group.members.includes(one)
      ? group.members.filter((member) => member !== one)
      : [...group.members, one];
    return { ...group, members };
  }
  return group.isAttached ? group : { ...group, policies: changedPolicies(next, group.policies) };
}

function changedRole(next: Random, role: Of<'role'>): Resource {
  const other = roleOf(next, role.mount, role.name);
  const { subject, org, ...rest } = role;
  switch (next(6)) {
    case 0:
      return { ...rest, ...(other.subject && { subject: other.subject }), ...(org && { org }) };
    case 1:
      return { ...rest, ...(subject && { subject }), ...(other.org && { org: other.org }) };
    case 2:
      return { ...role, readsGroups: !role.readsGroups };
    case 3:
      return { ...role, hasDefault: !role.hasDefault };
    default:
      return { ...role, policies: changedPolicies(next, role.policies) };
  }
}

/** One more, one less, or another one. */
function changedPolicies(next: Random, policies: string[]): string[] {
  const kind = next(3);
  const less = policies.filter((_, at) => kind === 0 || at !== next(policies.length));
  return kind === 1 ? less : [...new Set([...less, pick(next, ...policyKeys)])];
}

function changedRules(next: Random, world: World, { rules }: Of<'policy'>) {
  const at = next(rules.length || 1);
  const made = ruleOf(next, world);
  const become = (...these: typeof rules) => [...rules.slice(0, at), ...these, ...rules.slice(at + 1)];
  const old = rules[at];
  if (old === undefined || next(5) === 0) return [...rules, made];
  switch (next(4)) {
    case 0:
      return become();
    case 1:
      return become({ ...old, capabilities: made.capabilities });
    case 2:
      return become({ ...old, path: made.path });
    default: {
      const { limits: _, ...bare } = old;
      if (!world.hasLimits) return become({ ...old, capabilities: some(next, ['read', 'update', 'list']) });
      return become({ ...bare, ...(made.limits && { limits: made.limits }) });
    }
  }
}
