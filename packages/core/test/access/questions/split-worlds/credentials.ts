import {
  type Kind,
  type Of,
  pick,
  policyKeys,
  type Random,
  type Resource,
  type Resources,
  some,
} from './world.ts';

// What a token reads and signs in with, and what asks sign-ins for more.

/** Who has `p3` may read a place that keeps a credential, and who has `p5` gets identity tokens. */
export function addCredentials(next: Random, prefix: string, resources: Map<string, Resource>): void {
  const readers = { p3: `${prefix}k/${pick(next, ...keptAt)}`, p5: `identity/oidc/token/${prefix}i` };
  for (const [key, path] of Object.entries(readers)) {
    const reader = resources.get(key);
    if (reader?.kind !== 'policy') continue;
    resources.set(key, { ...reader, rules: [...reader.rules, { path, capabilities: ['read'] }] });
  }
  const org = next(2) === 0 && { org: pick(next, 'x', 'y') };
  resources.set('i', {
    kind: 'identityRole',
    name: `${prefix}i`,
    clientId: pick(next, 'x', 'x', 'z'),
    ...org,
  });
  resources.set('s', { kind: 'mount', path: `${prefix}s`, type: 'jwt', trustsService: true });
  const bound = next(2) === 0 && { org: pick(next, 'x', 'y') };
  resources.set('s-r', {
    kind: 'role',
    mount: 's',
    name: 'r',
    policies: some(next, policyKeys),
    readsGroups: false,
    hasDefault: false,
    ...bound,
  });
  const users = keysWith(resources, ({ kind, ...one }) => kind === 'user' && isAt(resources, one, 'approle'));
  for (const user of users) resources.set(`id-${user}`, { kind: 'secretId', user });
  for (const [at, path] of keptAt.entries()) {
    if (users.length === 0 || next(4) === 0) continue;
    resources.set(`at${at}`, { kind: 'place', at: path, secretId: `id-${pick(next, ...users)}` });
  }
}

/** Where a world keeps credentials, below its mount: nobody writes there. */
export const keptAt = ['s', 'a/s'];

function isAt(resources: Resources, one: object, type: Of<'mount'>['type']): boolean {
  const mount = 'mount' in one ? resources.get(one.mount as string) : undefined;
  return mount?.kind === 'mount' && mount.type === type;
}

function keysWith(resources: Resources, which: (one: Resource) => boolean): string[] {
  return [...resources].flatMap(([key, one]) => (which(one) ? [key] : []));
}

export function addGuard(next: Random, prefix: string, resources: Map<string, Resource>): void {
  const oneOf = (kind: Kind) =>
    some(
      next,
      keysWith(resources, (one) => one.kind === kind),
    );
  const has = () => next(3) === 0;
  const guard: Of<'guard'> = {
    kind: 'guard',
    name: `${prefix}en`,
    groups: has() ? oneOf('group') : [],
    entities: has() && resources.has('e') ? oneOf('entity') : [],
    mounts: has() ? oneOf('mount') : [],
    types: next(6) === 0 ? [pick(next, 'jwt', 'approle')] : [],
  };
  const isEmpty = [guard.groups, guard.entities, guard.mounts, guard.types].every(
    ({ length }) => length === 0,
  );
  resources.set('en', isEmpty ? { ...guard, groups: ['one'] } : guard);
}

const targets = { group: 'groups', entity: 'entities', mount: 'mounts', type: 'types' } as const;

/** One more target or one less: not the last one, which no guard is without. */
export function withTarget(
  next: Random,
  one: Of<'guard'>,
  resources: Resources,
  kind: keyof typeof targets,
): Of<'guard'> | undefined {
  const all =
    kind === 'type'
      ? ['jwt', 'approle']
      : [...resources].flatMap(([key, it]) => (it.kind === kind ? [key] : []));
  if (all.length === 0) return undefined;
  const field = targets[kind];
  const target = pick(next, ...all);
  const less = one[field].filter((other) => other !== target);
  const list = less.length < one[field].length ? less : [...less, target];
  const changed = { ...one, [field]: list };
  return isGuarding(changed) ? changed : undefined;
}

export function isGuarding({ groups, entities, mounts, types }: Of<'guard'>): boolean {
  return groups.length + entities.length + mounts.length + types.length > 0;
}
