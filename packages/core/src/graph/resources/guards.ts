import { textsOf } from '../values/loose-values.ts';
import type { ByName } from './field.ts';
import { boundsOf, type GuardTargets, given, type OtherAccess } from './other-access.ts';

/** What it is of, in words, as the official provider calls its type. */
const enforcement = 'identity mfa login enforcement';

/** Fields of a login enforcement that a service answers and that a plan has. */
const fields = [
  'mfa_method_ids',
  'auth_method_accessors',
  'auth_method_types',
  'identity_group_ids',
  'identity_entity_ids',
];

/**
 * Something that takes: multi-factor enforcement, a quota, a governing policy.
 *
 * @param of its type in words: `quota lease count`
 * @param name as the service tells it from others of the type
 */
export function guard(
  of: string,
  name: string,
  side: ByName,
  nameField: string,
  targets: GuardTargets,
): OtherAccess {
  const identity = { type: 'guard', name: `${of} ${name}` };
  const isBound = Object.values(targets).some(({ length }) => length > 0);
  const guards = isBound ? { guards: targets } : {};
  return given(identity, `${of} ${JSON.stringify(name)}`, 'takes', {
    ...boundsOf(side, [nameField]),
    ...guards,
  });
}

/** A login enforcement, as a service answers it; names by ids and accessors, what has none keeps its id. */
export function loginEnforcement(
  name: string,
  wire: ByName,
  nameOf: (kind: 'group' | 'entity' | 'mount', id: string) => string,
): OtherAccess {
  const named = (kind: Parameters<typeof nameOf>[0], field: string) =>
    textsOf(wire[field]).map((id) => nameOf(kind, id));
  const known = Object.fromEntries(fields.flatMap((field) => (field in wire ? [[field, wire[field]]] : [])));
  return guard(enforcement, name, known, 'name', {
    groups: named('group', 'identity_group_ids'),
    entities: named('entity', 'identity_entity_ids'),
    methods: named('mount', 'auth_method_accessors'),
    types: textsOf(wire['auth_method_types']),
  });
}

/** Whether it is one of those that are read from a service. */
export function isLoginEnforcement({ identity }: Pick<OtherAccess, 'identity'>): boolean {
  return identity?.type === 'guard' && identity.name.startsWith(`${enforcement} `);
}

/** The same with other names of what it is bound to. */
export function withTargets(
  one: OtherAccess,
  nameOf: (kind: 'group' | 'entity', name: string) => string,
): OtherAccess {
  if (one.guards === undefined) return one;
  const { groups, entities, ...rest } = one.guards;
  const renamed = {
    groups: groups.map((name) => nameOf('group', name)),
    entities: entities.map((name) => nameOf('entity', name)),
  };
  return { ...one, guards: { ...rest, ...renamed } };
}
