import { isEmpty } from '../values/json.ts';
import { type ByName, type Field, wireNameIn } from './field.ts';
import { type RoleFields, roleFields } from './role.ts';

/**
 * The whole body of a role on the wire, for roles that the official resource cannot hold (typed bound claims); others are written
 * by the plugin (packages/engine/src/plugins/vault/auth-backend-role.ts). Each field is as a service reads it back: a write of
 * it leaves nothing of what the role was before, and a read of it finds no difference
 * (packages/core/test/graph/resources/role-body.both.test.ts). A leeway, `max_age` or token type that is not given has the
 * service's own value for "not set".
 */
export function roleBody(role: RoleFields): ByName {
  const body: ByName = {};
  for (const [name, field] of Object.entries(roleFields) as [keyof RoleFields, Field][]) {
    if (field.liveOnly) continue;
    const given = role[name];
    body[wireNameIn(roleFields, name)] = isEmpty(given) ? emptyOf(field) : written(field, given);
  }
  return body;
}

function written({ canonical, isSet, type }: Field, value: unknown): unknown {
  // Bound claims are compared as texts of JSON; a service keeps them as they are given.
  if (type === 'claims' || canonical === undefined) return value;
  const whole = canonical(value as never);
  return isSet && Array.isArray(whole) ? [...new Set(whole)] : whole;
}

function emptyOf({ type, default: byDefault }: Field): unknown {
  if (byDefault !== undefined) return byDefault;
  if (type === 'texts') return [];
  if (type === 'textsByName' || type === 'claims') return {};
  if (type === 'flag') return false;
  return type === 'text' ? '' : 0;
}
