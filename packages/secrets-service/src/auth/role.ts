import { roleFields, roleRefusals, wireNameIn } from '@gatehouse/core/graph';
import type { LoginRole } from '@gatehouse/core/login';
import type { Mount } from '../mounts/mount.ts';
import {
  emptyValues,
  listField,
  type RequestFields,
  textField,
  type WireFields,
  wireFields,
  writtenFields,
} from '../protocol/fields.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { Collection } from '../storage/storage.ts';
import { tidyPolicies } from '../tokens/create-token.ts';

type OrNull<Values> = {
  [Name in keyof Values]: Name extends `token_${string}`
    ? Values[Name]
    : Values[Name] extends object
      ? Values[Name] | null
      : Values[Name];
};

/** A stored role. Times are seconds. Unset lists and maps are null, except those of tokens. */
export type StoredRole = OrNull<WireFields<typeof roleFields>> & {
  /** Token fields written by their older names, which reads then return too. */
  older: string[];
};

/** Current names of token fields by their older ones: `policies` → `token_policies`. */
const olderNames = new Map(
  wireFields(roleFields).flatMap(([name, { older }]) => (older === undefined ? [] : [[older, name]])),
);

const unwritten: StoredRole = {
  ...(Object.fromEntries(
    wireFields(roleFields).map(([name, { type, default: byDefault }]) => {
      const empty = emptyValues[type];
      const isNull = typeof empty === 'object' && !name.startsWith('token_');
      return [name, byDefault ?? (isNull ? null : empty)];
    }),
  ) as OrNull<WireFields<typeof roleFields>>),
  role_type: 'oidc',
  older: [],
};

export const rolesOf = ({ uuid }: Mount) => new Collection<StoredRole>('auth', uuid, 'role');

export function roleData({ older, ...role }: StoredRole): Record<string, unknown> {
  const again = older.map((name) => [name, role[olderNames.get(name) as keyof typeof role]]);
  return { ...role, ...Object.fromEntries(again) };
}

const ownNames = Object.entries(roleFields).map(([own]) => [own, wireNameIn(roleFields, own)] as const);

/** A role as `packages/core/src/login` judges it. */
export function loginRole(name: string, role: StoredRole): LoginRole {
  const fields = ownNames.map(([own, wire]) => [own, role[wire as keyof StoredRole] ?? undefined]);
  return { name, ...(Object.fromEntries(fields) as Omit<LoginRole, 'name'>) };
}

const tokenTypes = ['default', 'service', 'batch'];

/**
 * The role after a write. Omitted fields are kept, except `role_type` and `bound_claims_type`, which are reset
 * (openbao builtin/credential/jwt/path_role.go).
 *
 * @param maxLeaseTtl of its method, in seconds
 * @throws {RequestRefusal} 400
 */
export function writtenRole(
  body: RequestFields,
  maxLeaseTtl: number,
  existing: StoredRole = unwritten,
): StoredRole {
  const { fields, older } = byNewNames(body, existing.older);
  const type = textField(fields, 'role_type') || 'oidc';
  if (type !== 'jwt' && type !== 'oidc') throw new RequestRefusal(400, `invalid 'role_type': ${type}`);
  const claimsType = textField(fields, 'bound_claims_type') ?? 'string';
  if (claimsType !== 'string' && claimsType !== 'glob') {
    throw new RequestRefusal(400, `invalid 'bound_claims_type': ${claimsType}`);
  }
  // Other modes are unsupported, so refused rather than ignored.
  const callbackMode = textField(fields, 'callback_mode') ?? 'client';
  if (callbackMode !== 'client') throw new RequestRefusal(400, `invalid 'callback_mode': ${callbackMode}`);

  const role: StoredRole = {
    ...existing,
    ...writtenFields(roleFields, fields),
    older,
    role_type: type,
    bound_claims_type: claimsType,
  };
  role.token_type ||= 'default';
  checkToken(role);
  if (role.user_claim === '') throw new RequestRefusal(400, 'a user claim must be defined on the role');
  refuseTogether(role, maxLeaseTtl);
  return role;
}

/** Maps older names such as `policies` and `ttl` to `token_policies` and `token_ttl`, which win over them. */
function byNewNames(body: RequestFields, olderBefore: string[]): { fields: RequestFields; older: string[] } {
  const fields: RequestFields = { ...body };
  const older = [...olderNames].flatMap(([name, present]) => {
    const isNew = Object.hasOwn(body, present);
    const value = body[name];
    if (value === undefined) return olderBefore.includes(name) && !isNew ? [name] : [];
    if (!isNew) {
      // Real servers normalize policies only under the older name.
      fields[present] = name === 'policies' ? tidyPolicies(listField(body, name) ?? []).sort() : value;
    }
    return [name];
  });
  return { fields, older };
}

function checkToken(role: StoredRole): void {
  for (const cidr of role.token_bound_cidrs) {
    if (roleFields.tokenBoundCidrs.check.problem(cidr) === undefined) continue;
    throw new RequestRefusal(
      400,
      `error parsing address ${JSON.stringify(cidr)}: Unable to convert ${JSON.stringify(cidr)} to an IPv4 or IPv6 address, or a UNIX Socket`,
    );
  }
  if (!tokenTypes.includes(role.token_type)) {
    throw new RequestRefusal(400, `invalid 'token_type' value ${JSON.stringify(role.token_type)}`);
  }
  if (role.token_num_uses < 0) throw new RequestRefusal(400, "'token_num_uses' cannot be negative");
}

/** Refuses fields of a role that contradict each other or its auth method. */
function refuseTogether(role: StoredRole, maxLeaseTtl: number): void {
  const judged = loginRole('', role);
  const method = { tune: { maxLeaseTtl } };
  for (const { field, isRefused, words } of roleRefusals) {
    if (words === undefined || !isRefused(judged, method)) continue;
    const isOlder = field === 'ttl' && (role.older.includes('ttl') || role.older.includes('max_ttl'));
    if (isOlder) throw new RequestRefusal(400, 'ttl should not be greater than max ttl');
    throw new RequestRefusal(400, typeof words === 'string' ? words : words(judged, method));
  }
}
