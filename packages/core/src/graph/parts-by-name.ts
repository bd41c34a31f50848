import type { AuthMethod } from './resources/auth-method.ts';
import type { Role } from './resources/role.ts';

export function methodAt(methods: readonly AuthMethod[], path: string): AuthMethod | undefined {
  return grouped(methods, byPath).get(path)?.[0];
}

/** The role of this very name. */
export function roleNamed(roles: readonly Role[], named: { method: string; name: string }): Role | undefined {
  return grouped(roles, byMethodAndName).get(byMethodAndName(named))?.[0];
}

export function rolesOf(roles: readonly Role[], method: string): readonly Role[] {
  return grouped(roles, byMethod).get(method) ?? [];
}

const byPath = ({ path }: { path: string }) => path;
const byMethod = ({ method }: { method: string }) => method;
const byMethodAndName = ({ method, name }: { method: string; name: string }) =>
  JSON.stringify([method, name]);

const known = new WeakMap<object, Map<object, Map<string, unknown[]>>>();

/** What is in a list by a key, worked out once for each list: rules ask for one part of thousands after another. */
function grouped<Part>(list: readonly Part[], keyOf: (part: Part) => string): Map<string, Part[]> {
  const byKey = known.get(list) ?? new Map<object, Map<string, unknown[]>>();
  known.set(list, byKey);
  const parts = byKey.get(keyOf) ?? Map.groupBy(list, keyOf);
  byKey.set(keyOf, parts);
  return parts as Map<string, Part[]>;
}
