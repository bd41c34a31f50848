import { type Named, namedKey } from '../graph/memberships.ts';
import { keyOfNode, type OtherNode, ofKind } from '../graph/nodes/other-node.ts';
import { ownAlias } from '../graph/nodes/other-role.ts';
import { nameKey } from '../graph/values/name-key.ts';
import type { Also, Leaving } from './access-change.ts';
import { methodNode, type NodeKey } from './edges/edge.ts';
import { type GraphIndex, mountKey } from './graph-index.ts';
import type { Leavings } from './leaving.ts';
import type { GuardedSignIns } from './reasons/also-change.ts';

/**
 * Sign-ins that a guard asked for more, and that it does not ask any more: they left what it is bound to. A guard holds ids and
 * accessors, so what is deleted and made again under its name is none of its own.
 */
export function unguarded(
  before: GraphIndex,
  after: GraphIndex,
  guardBefore: OtherNode,
  guardAfter: OtherNode,
  left: Leavings,
): Also[] {
  if (guardBefore.kind !== 'guard' || guardAfter.kind !== 'guard') return [];
  if (guardBefore.targets === undefined || guardAfter.targets === undefined) return [];
  const boundBefore = new Set(before.walk.ends(keyOfNode(guardBefore), 'guards'));
  // Not to what is new under a name that it was bound to before.
  const boundAfter = new Set(
    after.walk
      .ends(keyOfNode(guardAfter), 'guards')
      .filter((key) => !(after.isFresh(key) && boundBefore.has(key))),
  );
  const signInsAfter = signInsOf(after);
  const leaving = [...signInsOf(before)].filter(
    ([key, signIns]) =>
      isGuarded(before, boundBefore, signIns) &&
      mayStillSignIn(before, after, key, signIns) &&
      !isGuarded(
        after,
        boundAfter,
        (leavingOf(signIns, left) ? undefined : signInsAfter.get(key)) ?? ofMethod(signIns),
      ),
  );
  if (leaving.length === 0) return [];
  const isKnown = leaving.some(
    ([, signIns]) =>
      signIns.method !== undefined &&
      after.mounts.has(mountKey(signIns.method)) &&
      leavingOf(signIns, left)?.missing === undefined,
  );
  const what = { kind: 'unguarded' as const, signIns: leaving.map(([, signIns]) => signIns) };
  return [{ about: 'bounds', gains: isKnown ? 'some' : 'unknown', losses: 'none', what }];
}

/** That people can leave the group that tells sign-ins apart, by another sign-in; undefined where they cannot. */
function leavingOf({ method, named }: GuardedSignIns, left: Leavings): Leaving | undefined {
  return named?.kind === 'group' && method !== undefined ? left.get(method) : undefined;
}

const ofMethod = ({ method }: GuardedSignIns): GuardedSignIns => ({ method });

/** Whether a guard is bound to the method of sign-ins, or its type, or to who signs in, or a group around them. */
function isGuarded({ walk }: GraphIndex, bound: ReadonlySet<NodeKey>, { method, named }: GuardedSignIns) {
  const starts = [
    ...(method === undefined ? [] : [methodNode(method)]),
    ...(named === undefined ? [] : [namedKey(named)]),
  ];
  return starts.some((start) => walk.reached(start).some((key) => bound.has(key)));
}

/** Sign-ins that a graph tells apart, by what stays theirs: the name that a method has for them. */
function signInsOf(index: GraphIndex): Map<string, GuardedSignIns> {
  const byAlias = signInsByAlias(index);
  const placed = new Set(byAlias.map(([, { named }]) => namedKey(named)));
  return new Map<string, GuardedSignIns>([
    ...byAlias,
    ...[...index.mounts].map(([key, { path }]) => [key, { method: path }] as const),
    // By aliases that are elsewhere.
    ...[...index.named].flatMap(([key, named]) => (placed.has(key) ? [] : [[key, { named }] as const])),
  ]);
}

function signInsByAlias(index: GraphIndex): [key: string, GuardedSignIns & { named: Named }][] {
  const { aliases, others } = index.graph;
  const read = aliases.filter(({ method }) => index.readsGroups(method));
  return [
    ...ofKind(others, 'entityAlias', 'otherAlias').map((alias) =>
      alias.kind === 'otherAlias'
        ? signInsOfAlias(alias, { kind: 'group', name: alias.group })
        : signInsOfAlias(alias, { kind: 'entity', name: alias.entity }),
    ),
    ...read.map((alias) => signInsOfAlias(alias, { kind: 'group', name: alias.group })),
  ];
}

function signInsOfAlias(
  { method, name }: { method: string; name: string },
  named: Named,
): [key: string, GuardedSignIns & { named: Named }] {
  const alias = nameKey(name);
  return [aliasKey(named.kind, method, alias), { method, alias, named }];
}

function aliasKey(kind: Named['kind'], method: string, name: string): string {
  return JSON.stringify([kind, method, name]);
}

/** Not where the method goes, or the user of that name. */
function mayStillSignIn(
  before: GraphIndex,
  after: GraphIndex,
  key: string,
  { method }: GuardedSignIns,
): boolean {
  if (method === undefined) return true;
  if (before.mounts.has(mountKey(method)) && !after.mounts.has(mountKey(method))) return false;
  const hasUser = ({ graph }: GraphIndex) =>
    ofKind(graph.others, 'otherRole').some((role) => {
      const alias = ownAlias(role);
      return alias !== undefined && aliasKey('entity', role.method, alias) === key;
    });
  return !hasUser(before) || hasUser(after);
}
