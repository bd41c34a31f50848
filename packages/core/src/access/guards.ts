import { namedKey } from '../graph/memberships.ts';
import type { GuardTargets } from '../graph/nodes/guard.ts';
import { type OtherNode, ofKind } from '../graph/nodes/other-node.ts';
import { ownAlias } from '../graph/nodes/other-role.ts';
import { nameKey } from '../graph/values/name-key.ts';
import type { Also } from './access-change.ts';
import { type GraphIndex, mountKey } from './graph-index.ts';
import type { GuardedSignIns } from './reasons/also-change.ts';

/**
 * Sign-ins that a guard asked for more, and that it does not ask any more: they left what it is bound to. A guard holds ids and
 * accessors, so what is deleted and made again under its name is none of its own.
 *
 * @param old as it is before the change
 */
export function unguarded(was: GraphIndex, is: GraphIndex, old: OtherNode, wanted: OtherNode): Also[] {
  if (old.kind !== 'guard' || wanted.kind !== 'guard') return [];
  if (old.targets === undefined || wanted.targets === undefined) return [];
  const left = targetsLeft(is, old.targets, wanted.targets);
  const after = signInsOf(is);
  const found = [...signInsOf(was)].filter(([key, before]) => {
    const still = after.get(key) ?? { method: before.method };
    return (
      isGuarded(was, old.targets, before) &&
      mayStillSignIn(was, is, key, before) &&
      !isGuarded(is, left, still)
    );
  });
  if (found.length === 0) return [];
  const isKnown = found.some(([, { method }]) => method !== undefined && is.mounts.has(mountKey(method)));
  const what = { kind: 'unguarded' as const, signIns: found.map(([, one]) => one) };
  return [{ about: 'bounds', gains: isKnown ? 'some' : 'unknown', losses: 'none', what }];
}

/** What a guard is bound to after a change: not to what is new under a name that it was bound to before. */
function targetsLeft(is: GraphIndex, old: GuardTargets, wanted: GuardTargets): GuardTargets {
  const kept = (list: keyof GuardTargets, keyOf: (name: string) => string) =>
    wanted[list].filter((name) => !(is.fresh.has(keyOf(name)) && old[list].includes(name)));
  return {
    groups: kept('groups', (name) => namedKey({ kind: 'group', name })),
    entities: kept('entities', (name) => namedKey({ kind: 'entity', name })),
    methods: kept('methods', mountKey),
    types: wanted.types,
  };
}

function isGuarded(
  side: GraphIndex,
  targets: GuardTargets | undefined,
  { method, named }: GuardedSignIns,
): boolean {
  if (targets === undefined) return false;
  const isOf = (list: readonly string[], name: string) => list.some((one) => nameKey(one) === nameKey(name));
  if (method !== undefined && (isOf(targets.methods, method) || targets.types.includes(typeAt(side, method))))
    return true;
  if (named === undefined) return false;
  const around = new Set(side.memberships.around(named).map(({ key }) => key));
  const isWithin = targets.groups.some((name) => around.has(namedKey({ kind: 'group', name })));
  return isWithin || isOf(named.kind === 'group' ? targets.groups : targets.entities, named.name);
}

function typeAt(side: GraphIndex, path: string): string {
  return side.methods.get(path)?.type ?? side.otherMounts.get(path)?.type ?? '';
}

/** Sign-ins that a graph tells apart, by what stays theirs: the name that a method has for them. */
function signInsOf(side: GraphIndex): Map<string, GuardedSignIns> {
  const { graph, named } = side;
  const found = new Map<string, GuardedSignIns>();
  const placed = new Set<string>();
  const add = (key: string, one: GuardedSignIns) => {
    found.set(key, one);
    if (one.named !== undefined) placed.add(namedKey(one.named));
  };
  for (const alias of ofKind(graph.others, 'entityAlias', 'otherAlias')) {
    const { method } = alias;
    const name = nameKey(alias.name);
    if (alias.kind === 'otherAlias') {
      add(aliasKey('group', method, name), groupSignIns(method, name, alias.group));
      continue;
    }
    add(aliasKey('entity', method, name), {
      method,
      alias: name,
      named: { kind: 'entity', name: alias.entity },
    });
  }
  for (const { method, name, group } of graph.aliases)
    if (side.readsGroups(method))
      add(aliasKey('group', method, nameKey(name)), groupSignIns(method, name, group));
  for (const [path] of side.mounts) {
    const method = path.slice(mountKey('').length);
    add(path, { method });
  }
  // By aliases that are elsewhere.
  for (const [key, one] of named) if (!placed.has(key)) found.set(key, { named: one });
  return found;
}

function groupSignIns(method: string, alias: string, group: string): GuardedSignIns {
  return { method, alias, named: { kind: 'group', name: group } };
}

function aliasKey(kind: string, method: string, name: string): string {
  return JSON.stringify([kind, method, name]);
}

/** Not where the method goes, or the user of that name. */
function mayStillSignIn(was: GraphIndex, is: GraphIndex, key: string, { method }: GuardedSignIns): boolean {
  if (method === undefined) return true;
  if (was.mounts.has(mountKey(method)) && !is.mounts.has(mountKey(method))) return false;
  const hasUser = ({ graph }: GraphIndex) =>
    ofKind(graph.others, 'otherRole').some((role) => {
      const alias = ownAlias(role);
      return alias !== undefined && aliasKey('entity', role.method, alias) === key;
    });
  return !hasUser(was) || hasUser(is);
}
