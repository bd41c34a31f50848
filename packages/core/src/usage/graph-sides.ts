import type { GraphIndex } from '../access/graph-index.ts';
import type { Side } from '../access/policy-sides.ts';
import type { OtherMethod } from '../graph/nodes/other-method.ts';
import { ofKind } from '../graph/nodes/other-node.ts';
import type { OtherRole } from '../graph/nodes/other-role.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { signsInByItself } from '../graph/resources/other-methods.ts';
import type { Role } from '../graph/resources/role.ts';
import { nameKey } from '../graph/values/name-key.ts';
import type { SignedInAt } from './sign-in-doubt.ts';

/** The graph before a change and after it; one index where nothing changes. */
export type GraphSides = Readonly<Record<Side, GraphIndex>>;

/** The role or user that a sign-in names; undefined where the graph does not have it. */
export function roleIn(index: GraphIndex, { method, role }: SignedInAt): Role | OtherRole | undefined {
  const isNamed = (other: OtherRole) => isOfOne(other) && nameKey(other.name) === nameKey(role);
  return index.roleNamed(method, role) ?? ofKind(index.othersAt(method), 'otherRole').find(isNamed);
}

/** Whether one is signed in by it, as no one is by a group or a team that they are in. */
export const isOfOne = ({ noun }: OtherRole): boolean => signsInByItself(noun);

export function methodIn(
  { methods, otherMounts }: GraphIndex,
  path: string,
): AuthMethod | OtherMethod | undefined {
  return methods.get(path) ?? otherMounts.get(path);
}

/** Everything that decides who signs in at a method, but for its roles: itself, and how another one is set up. */
export function methodSettings(index: GraphIndex, path: string): unknown[] {
  return [methodIn(index, path), ...ofKind(index.othersAt(path), 'configuration')];
}
