import type { Change } from '../../graph/change.ts';
import type { Graph } from '../../graph/graph.ts';
import { type AuthMethod, method as authMethod } from '../../graph/resources/auth-method.ts';
import { isSame, sortedJson } from '../../graph/resources/field.ts';
import { type Role, role } from '../../graph/resources/role.ts';
import type { Subject } from '../../graph/subject.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { AccessChange } from '../access-change.ts';
import { type AccessDecision, decideAccess } from './change.ts';

/** A role, or all of a mount, that is gone, and its new equal under another name. */
interface Renaming {
  before: { method: string; role?: string };
  after: { method: string; role?: string };
}

/**
 * The changes of access, where a role that is gone and one that is new say which is the other: `otherName`. It is proved by
 * deciding the change once more, on a state before it that has the new names: then nothing becomes of these principals. In any
 * doubt, both stay as they are. The answers stay the same.
 */
export function withOtherNames(change: Change, decided: AccessDecision, now: bigint): AccessChange[] {
  const { changes } = decided;
  const renamings = renamingsOf(change, changes);
  if (renamings.length === 0) return changes;
  const again = decideAccess({ ...change, before: renamed(change.before, renamings) }, now);
  const isProved = (renaming: Renaming) =>
    again.uncertain.length === 0 && !again.changes.some((each) => isOf(each, renaming.after));
  const names = renamings.filter(isProved).flatMap((renaming) => otherNames(changes, renaming));
  const byChange = new Map(names);
  return changes.map((each) => {
    const otherName = byChange.get(each);
    return otherName === undefined ? each : { ...each, otherName };
  });
}

function renamingsOf(change: Change, changes: readonly AccessChange[]): Renaming[] {
  const { before, after, unknown, unordered = [], unread = [] } = change;
  const kinds = new Set(changes.map(({ kind }) => kind));
  if (!kinds.has('opened') || !kinds.has('closed')) return [];
  if (unknown.length + unordered.length + unread.length > 0) return [];
  const texts = [...before.policies, ...after.policies].map(({ text }) => text);
  // The service keeps the name of the role in the metadata of the alias; at another mount, everyone gets another entity.
  const roles = texts.some((text) => /metadata\.role\b/i.test(text)) ? [] : renamedRoles(before, after);
  const mounts = texts.some((text) => text.includes('{{')) ? [] : movedMounts(before, after);
  return [...roles, ...mounts].filter((renaming) => !isInDoubt(renaming, change, changes));
}

/** Roles that are on one side only, and equal to one alone that is on the other side only. */
function renamedRoles(before: Graph, after: Graph): Renaming[] {
  const stays = new Set(
    before.methods.flatMap((method) => (isSame(method, methodAt(after, method.path)) ? [method.path] : [])),
  );
  const isAtKept = ({ method }: Role) => stays.has(method);
  const gone = absentFrom(after.roles, before.roles, roleKey).filter(isAtKept);
  const added = absentFrom(before.roles, after.roles, roleKey).filter(isAtKept);
  const contentOf = ({ name: _, ...content }: Role) => content;
  return onlyPairs(gone, added, contentOf, contentOf).map(([role, other]) => ({
    before: { method: role.method, role: role.name },
    after: { method: other.method, role: other.name },
  }));
}

/** Mounts that are on one side only, and equal to one alone on the other, with the same roles and aliases of groups. */
function movedMounts(before: Graph, after: Graph): Renaming[] {
  const isAt =
    (path: string) =>
    ({ method }: { method: string }) =>
      method === path;
  const contentIn =
    ({ roles, aliases }: Graph) =>
    ({ path, ...method }: AuthMethod) => [
      method,
      ...[roles, aliases].map((list) =>
        list
          .filter(isAt(path))
          .map(({ method: _, ...part }) => sortedJson(part))
          .sort(),
      ),
    ];
  const gone = absentFrom(after.methods, before.methods, ({ path }) => path);
  const added = absentFrom(before.methods, after.methods, ({ path }) => path);
  return onlyPairs(gone, added, contentIn(before), contentIn(after)).map(([mount, other]) => ({
    before: { method: mount.path },
    after: { method: other.path },
  }));
}

/** Pairs of two lists with equal content, where no other of either list has it too. */
function onlyPairs<Item>(
  before: readonly Item[],
  after: readonly Item[],
  contentBefore: (item: Item) => unknown,
  contentAfter: (item: Item) => unknown,
): [Item, Item][] {
  const equalAfter = Map.groupBy(after, (item) => sortedJson(contentAfter(item)));
  const equalBefore = Map.groupBy(before, (item) => sortedJson(contentBefore(item)));
  return [...equalBefore].flatMap(([content, items]) => {
    const equalItems = equalAfter.get(content) ?? [];
    const [item] = items;
    const [other] = equalItems;
    if (item === undefined || other === undefined || items.length + equalItems.length !== 2) return [];
    return [[item, other] as [Item, Item]];
  });
}

/** Whether an entity hangs on the mount, a text is not known, or the change says more of it than two graphs can. */
function isInDoubt(renaming: Renaming, change: Change, changes: readonly AccessChange[]): boolean {
  const { before, after, replaced, remade = [], left = [], orphaned = [], rotated, taken = [] } = change;
  const sides = [renaming.before, renaming.after];
  const isAbout = ({ type, name, method }: Subject) =>
    sides.some((side) =>
      type === authMethod.type
        ? name === side.method
        : method === side.method && (side.role === undefined || isRole(name, side.role)),
    );
  // A role is renamed by making another one.
  const remadeOthers = remade.filter(({ type }) => type !== role.type);
  const subjects = [replaced, remadeOthers, left, orphaned, rotated, taken].flat();
  if (subjects.some(isAbout)) return true;
  const own = changes.filter((each) => sides.some((side) => isOf(each, side)));
  if (own.some(({ unread, uncertain }) => unread.length + uncertain.length > 0)) return true;
  const isAtMount = ({ others = [] }: Graph) =>
    others.some((node) => 'method' in node && sides.some(({ method }) => method === node.method));
  return renaming.before.role === undefined && (isAtMount(before) || isAtMount(after));
}

/** The graph with the new names. */
function renamed(graph: Graph, renamings: readonly Renaming[]): Graph {
  const mounts = new Map(
    renamings.flatMap(({ before, after }) =>
      before.role === undefined ? [[before.method, after.method]] : [],
    ),
  );
  const roles = new Map(
    renamings.flatMap(({ before, after }) =>
      before.role === undefined || after.role === undefined
        ? []
        : [[roleKey({ method: before.method, name: before.role }), after.role]],
    ),
  );
  const at = (path: string) => mounts.get(path) ?? path;
  return {
    ...graph,
    methods: graph.methods.map((method) => ({ ...method, path: at(method.path) })),
    roles: graph.roles.map((role) => ({
      ...role,
      method: at(role.method),
      name: roles.get(roleKey(role)) ?? role.name,
    })),
    aliases: graph.aliases.map((alias) => ({ ...alias, method: at(alias.method) })),
  };
}

/** The changes of what is gone and of what is new, each with the name of the other. */
function otherNames(
  changes: readonly AccessChange[],
  { before, after }: Renaming,
): [AccessChange, NonNullable<AccessChange['otherName']>][] {
  const closed = changes.filter((each) => each.kind === 'closed' && isOf(each, before));
  const opened = changes.filter((each) => each.kind === 'opened' && isOf(each, after));
  const isRenamedRole = before.role !== undefined;
  return closed.flatMap((one) => {
    const same = opened.filter(
      ({ principals: { kind, name } }) =>
        kind === one.principals.kind && (isRenamedRole || name === one.principals.name),
    );
    const doubles = closed.filter(({ principals }) => isSame(principals, one.principals));
    const [other] = same;
    if (other === undefined || same.length + doubles.length !== 2) return [];
    return [
      [one, nameOf(other)],
      [other, nameOf(one)],
    ];
  });
}

function nameOf({ principals: { method, name } }: AccessChange): { method: string; name: string } {
  return { method, name };
}

/** Whether a change is about the role, or about anyone who signs in at the mount. */
function isOf({ principals }: AccessChange, { method, role }: Renaming['before']): boolean {
  if (principals.method !== method) return false;
  return role === undefined || (principals.kind === 'role' && isRole(principals.name, role));
}

function isRole(name: string, role: string | undefined): boolean {
  return role !== undefined && nameKey(name) === nameKey(role);
}

function roleKey({ method, name }: Pick<Role, 'method' | 'name'>): string {
  return JSON.stringify([method, nameKey(name)]);
}

function methodAt({ methods }: Graph, path: string): AuthMethod | undefined {
  return methods.find((method) => method.path === path);
}

/** Those of some items that a list does not have. */
function absentFrom<Item>(
  list: readonly Item[],
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const keys = new Set(list.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
}
