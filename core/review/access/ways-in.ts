import type { State } from '../../model/state.ts';
import { type Condition, conditionsOf } from './condition.ts';

/** A class of people or workloads that can sign in, and what they get by it. */
export interface WayIn {
  /** `role`: who fulfils its bounds. `group`: who is in the provider's group of an alias. */
  kind: 'role' | 'group';
  /** Path of the auth method. */
  method: string;
  /** Name of the role or of the alias. */
  name: string;
  /** Name of the external group, of an alias. */
  group?: string;
  /** Sorted. */
  policies: string[];
  /** What a sign-in must fulfil; empty for a group: whoever the provider says is in it. */
  conditions: Condition[];
}

const known = new WeakMap<State, Map<string, WayIn>>();

/** All ways in of a state, by a key that is the same before and after. Worked out once for each state. */
export function waysIn(state: State): Map<string, WayIn> {
  const ways = known.get(state) ?? workedOut(state);
  known.set(state, ways);
  return ways;
}

function workedOut(state: State): Map<string, WayIn> {
  const methods = new Map(state.methods.map((method) => [method.path, method]));
  const groups = new Map(state.groups.map((group) => [group.name, group]));
  const ways = new Map<string, WayIn>();
  const readsGroups = groupReaders(state);
  for (const role of state.roles) {
    const policies = [...(role.policies ?? []), ...(role.tokenNoDefaultPolicy === true ? [] : ['default'])];
    ways.set(keyOf('role', role.method, role.name), {
      kind: 'role',
      method: role.method,
      name: role.name,
      policies: [...new Set(policies)].sort(),
      conditions: conditionsOf(role, methods.get(role.method)),
    });
  }
  for (const { name, method, group } of state.aliases) {
    if (!readsGroups(method)) continue;
    ways.set(keyOf('group', method, name), {
      kind: 'group',
      method,
      name,
      group,
      policies: [...new Set(groups.get(group)?.policies ?? [])].sort(),
      conditions: [],
    });
  }
  return ways;
}

export function keyOf(kind: WayIn['kind'], method: string, name: string): string {
  return JSON.stringify([kind, method, name]);
}

/** Groups count only where a role asks for them. Of a method without roles nothing is known: they are elsewhere. */
function groupReaders({ roles }: State): (method: string) => boolean {
  const withRoles = new Set(roles.map(({ method }) => method));
  const reading = new Set(roles.filter(({ groupsClaim }) => groupsClaim).map(({ method }) => method));
  return (method) => reading.has(method) || !withRoles.has(method);
}
