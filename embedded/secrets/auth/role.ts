import type { LoginRole } from '../../../core/login/login-role.ts';
import { wireNameIn } from '../../../core/model/resources/field.ts';
import { roleFields } from '../../../core/model/resources/role.ts';
import type { Mount } from '../mounts/mount.ts';
import { emptyValues, type Wire, wireFields } from '../protocol/fields.ts';
import { Collection } from '../storage/storage.ts';

type OrNull<Values> = {
  [Name in keyof Values]: Name extends `token_${string}`
    ? Values[Name]
    : Values[Name] extends object
      ? Values[Name] | null
      : Values[Name];
};

/** A stored role. Times are seconds. Unset lists and maps are null, except those of tokens. */
export type Role = OrNull<Wire<typeof roleFields>> & {
  /** Token fields written by their older names, which reads then return too. */
  older: string[];
};

/** Current names of token fields by their older ones: `policies` → `token_policies`. */
export const olderNames = new Map(
  wireFields(roleFields).flatMap(([name, { older }]) => (older === undefined ? [] : [[older, name]])),
);

/** Values of a new role. */
export const unwritten = {
  ...Object.fromEntries(
    wireFields(roleFields).map(([name, { type, default: byDefault }]) => {
      const empty = emptyValues[type];
      const isNull = typeof empty === 'object' && !name.startsWith('token_');
      return [name, byDefault ?? (isNull ? null : empty)];
    }),
  ),
  role_type: 'oidc',
  older: [],
} as unknown as Role;

/** The roles of a mount, by name. */
export const rolesOf = ({ uuid }: Mount) => new Collection<Role>('auth', uuid, 'role');

/** A role as reads return it. */
export function roleData({ older, ...role }: Role): Record<string, unknown> {
  const again = older.map((name) => [name, role[olderNames.get(name) as keyof typeof role]]);
  return { ...role, ...Object.fromEntries(again) };
}

const ownNames = Object.entries(roleFields).map(([own]) => [own, wireNameIn(roleFields, own)] as const);

/** A role as `core/login` judges it. */
export function loginRole(name: string, role: Role): LoginRole {
  const fields = ownNames.map(([own, wire]) => [own, role[wire as keyof Role] ?? undefined]);
  return { name, ...(Object.fromEntries(fields) as Omit<LoginRole, 'name'>) };
}
