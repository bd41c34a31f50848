import { isComplete } from '../graph/graph.ts';
import { keyOfNode } from '../graph/nodes/other-node.ts';
import { picksPolicies } from '../graph/nodes/other-role.ts';
import { isSame } from '../graph/resources/field.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { defined } from '../graph/values/loose-values.ts';
import { addAll } from '../graph/values/sequences.ts';
import { type Leaving, type Principals, principalsWith } from './access-change.ts';
import { aliasNode, groupAliasesNode, methodNode, type NodeKey, roleNode } from './edges/edge.ts';
import type { PolicyLists } from './grants.ts';
import { bothKeys, type GraphIndex } from './graph-index.ts';
import { directly } from './held.ts';
import type { Leavings } from './leaving.ts';
import type { Giver } from './reasons/giver.ts';

/** A token has the policies of one of the roles, and of any of the groups. */
export interface PrincipalsOfMount {
  roles: Principals[];
  groups: Principals[];
  /** Groups that its tokens may newly go without, by another sign-in of the same person. */
  left: Principals[];
  /** Tokens that others make with one policy of the groups. */
  made: Principals[];
  /** Whether a role reads groups after the change, or may. */
  readsGroups: boolean;
  /** Whether its tokens have the entity of who makes them, of any mount. */
  isMade?: boolean;
}

/** By the path of an auth method. */
type Mounts = ReadonlyMap<string, PrincipalsOfMount>;

/** Where a role's own bounds keep each of its tokens in a group, before and after, and all roles of its method are known. */
export function addRequired(mounts: Mounts, before: GraphIndex, after: GraphIndex): void {
  const aliases = aliasesIn(mounts);
  for (const [path, { roles }] of mounts) {
    const isKnown = [before, after].every(({ graph }) => isComplete(graph, 'roles', path));
    const sets = new Map<string, Principals[]>();
    for (const role of isKnown ? roles : []) {
      const key = roleNode(path, role.name);
      const needed = after.walk.ends(key, 'only if');
      const required = needed.flatMap((end) => aliases.get(end) ?? []);
      const isKept = isSame(before.walk.ends(key, 'only if'), needed) && required.length === needed.length;
      if (isKept && required.length > 0)
        role.required = getOrMake(sets, JSON.stringify(needed), () => required);
    }
  }
}

/** Groups of other mounts, as the entity of a sign-in brings them, or the maker of a token. */
export function addBrought(mounts: Mounts, before: GraphIndex, after: GraphIndex, left: Leavings): void {
  const aliases = aliasesIn(mounts);
  const leavings = new Map([...left].map(([path, one]) => [groupAliasesNode(path), one]));
  for (const [path, mount] of mounts) {
    const isOwn = (source: NodeKey) => source === methodNode(path) || source === groupAliasesNode(path);
    const starts = [methodNode(path), ...mount.roles.flatMap(({ node }) => (node ? keyOfNode(node) : []))];
    const sourcesBefore = broughtTo(before, starts);
    const sourcesAfter = broughtTo(after, starts);
    mount.isMade = mount.roles.some(({ node }) => node?.kind === 'otherRole' && picksPolicies(node));
    for (const source of bothKeys(sourcesBefore, sourcesAfter)) {
      const ends = new Set([...before.walk.ends(source, 'any of'), ...after.walk.ends(source, 'any of')]);
      const groups = [...ends].flatMap((end) => aliases.get(end) ?? []);
      const leaving = leavings.get(source);
      if (leaving !== undefined)
        addAll(mount.left, leftBy(leaving, groups, isOwn(source) ? undefined : path));
      if (isOwn(source)) continue;
      const entitiesBefore = sourcesBefore.get(source) ?? none;
      const entitiesAfter = sourcesAfter.get(source) ?? none;
      addAll(mount.groups, broughtBy(entitiesBefore, entitiesAfter, groups, path));
    }
  }
}

type Entities = ReadonlySet<NodeKey>;
const none: Entities = new Set();

/** Groups as entities bring them before and after: they stay where one does on both sides, and come and go with all others. */
function broughtBy(
  before: Entities,
  after: Entities,
  groups: readonly Principals[],
  at: string,
): Principals[] {
  if (before.has(directly) || after.has(directly)) return [...groups];
  const isOnly = (some: Entities, others: Entities) => [...some].some((entity) => !others.has(entity));
  const isKept = [...before].some((entity) => after.has(entity));
  const isGone = isOnly(before, after);
  const isNew = isOnly(after, before);
  return [
    ...(isKept ? groups : []),
    ...groups.flatMap((group) => [
      ...(isGone ? [linked(group, at, { after: [] })] : []),
      ...(isNew ? [linked(group, at, { before: [] })] : []),
    ]),
  ];
}

/** The provider's groups of all mounts, by the keys of their aliases. */
function aliasesIn(mounts: Mounts): Map<NodeKey, Principals> {
  return new Map(
    [...mounts].flatMap(([method, { groups }]) =>
      groups.flatMap((group) =>
        group.kind === 'alias' ? [[aliasNode({ method, name: group.name }), group] as const] : [],
      ),
    ),
  );
}

/** What brings something to tokens of any of these starts, each with the entities by which. */
function broughtTo({ walk }: GraphIndex, starts: readonly NodeKey[]): Map<NodeKey, Set<NodeKey>> {
  const bySource = new Map<NodeKey, Set<NodeKey>>();
  for (const start of starts)
    for (const [source, entities] of walk.bringing(start))
      for (const entity of entities) getOrMake(bySource, source, () => new Set()).add(entity);
  return bySource;
}

function linked(group: Principals, at: string, side: Partial<PolicyLists>): Principals {
  const { before, after } = group.starts ?? {};
  const starts = defined({ before: side.before ? undefined : before, after: side.after ? undefined : after });
  return principalsWith('changed', { ...group, by: giverAt(group, at), ...side, starts });
}

/** Those of some groups that a change leaves with something to tokens, and that these may go without. */
function leftBy(left: Leaving, groups: readonly Principals[], at: string | undefined): Principals[] {
  return groups
    .filter(({ before, after }) => before.length > 0 && after.length > 0)
    .map((group) => {
      const starts = defined({ before: group.starts?.before });
      return principalsWith('changed', { ...group, by: giverAt(group, at), after: [], left, starts });
    });
}

function giverAt({ by }: Principals, at: string | undefined): Giver {
  return by.kind === 'alias' && at !== undefined ? { ...by, at } : by;
}
