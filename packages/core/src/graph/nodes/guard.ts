import type { ByName } from '../resources/field.ts';
import { textsOf } from '../values/loose-values.ts';
import { type Bounds, boundsOf } from './bounds.ts';

/** Whose sign-ins a guard asks for more than a password or a token: who is, or is in, none of these is not asked. */
export interface GuardTargets {
  groups: readonly string[];
  entities: readonly string[];
  /** Paths of auth methods. */
  methods: readonly string[];
  /** Types of auth methods. */
  types: readonly string[];
}

/** Something that takes access away while it is there: multi-factor enforcement, a quota, a governing policy. */
export interface Guard extends Bounds {
  kind: 'guard';
  /** Its type in words, as the official provider calls it: `quota lease count`. */
  type: string;
  /** As the service tells it from others of the type. */
  name: string;
  /** Defaults to none that are known. */
  targets?: GuardTargets;
}

/** A group or an entity that is kept from signing in. */
export interface Disabling {
  kind: 'disabling';
  of: 'group' | 'entity';
  name: string;
}

/** The type of login enforcements, which a service answers. */
const enforcement = 'identity mfa login enforcement';

/** Fields of a login enforcement that a service answers and that a plan has. */
const enforcementFields = [
  'mfa_method_ids',
  'auth_method_accessors',
  'auth_method_types',
  'identity_group_ids',
  'identity_entity_ids',
];

/**
 * @param fields by names on the wire
 * @param nameField the field that has its name
 */
export function guard(
  type: string,
  name: string,
  fields: ByName,
  nameField: string,
  targets: GuardTargets,
): Guard {
  const isBound = Object.values(targets).some(({ length }) => length > 0);
  return { kind: 'guard', type, name, ...boundsOf(fields, [nameField]), ...(isBound && { targets }) };
}

/** A login enforcement, as a service answers it; names by ids and accessors, what has none keeps its id. */
export function loginEnforcement(
  name: string,
  wire: ByName,
  nameOf: (kind: 'group' | 'entity' | 'mount', id: string) => string,
): Guard {
  const named = (kind: Parameters<typeof nameOf>[0], field: string) =>
    textsOf(wire[field]).map((id) => nameOf(kind, id));
  const known = enforcementFields.flatMap((field) => (field in wire ? [[field, wire[field]] as const] : []));
  return guard(enforcement, name, Object.fromEntries(known), 'name', {
    groups: named('group', 'identity_group_ids'),
    entities: named('entity', 'identity_entity_ids'),
    methods: named('mount', 'auth_method_accessors'),
    types: textsOf(wire['auth_method_types']),
  });
}

/** Whether it is one of those that are read from a service. */
export function isLoginEnforcement({ type }: Guard): boolean {
  return type === enforcement;
}

/** A guard with other names of the groups, entities and methods that it is bound to. */
export function withTargets(
  bound: Guard,
  nameOf: (kind: 'group' | 'entity' | 'mount', name: string) => string,
): Guard {
  const { targets } = bound;
  if (targets === undefined) return bound;
  return {
    ...bound,
    targets: {
      ...targets,
      groups: targets.groups.map((name) => nameOf('group', name)),
      entities: targets.entities.map((name) => nameOf('entity', name)),
      methods: targets.methods.map((path) => nameOf('mount', path)),
    },
  };
}
