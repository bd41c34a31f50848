import type { Change } from '../graph/change.ts';
import { type Complete, type Graph, isComplete } from '../graph/graph.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import { keyOfNode, signedInAt, wordsOf } from '../graph/nodes/other-node.ts';
import { method } from '../graph/resources/auth-method.ts';
import { policy } from '../graph/resources/policy.ts';
import type { Subject } from '../graph/subject.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { addAll } from '../graph/values/sequences.ts';
import { placeOf } from '../login/claims.ts';
import { aliasNode, type NodeKey } from './edges.ts';
import { bothKeys, type GraphIndex, mountKey } from './graph-index.ts';
import { type EdgeNode, type OpenEdge, type Reason, uniqueReasons } from './reasons/reason.ts';
import { isRead, readersOf, readersOfAlias, readsMoreThanIds } from './template-readers.ts';

/** What of a token an attribute decides. */
type Decides = 'who' | 'identity' | 'groups' | 'policies' | 'abilities' | 'templates' | 'rules' | 'lifetime';

/** Undeclared parts that may depend on a node: the lists of a graph that would hold them all. */
const rests = {
  identity: ['groups', 'identities', 'policies', 'guards'],
  /** The identity that people had before they got this one. */
  former: ['groups', 'identities', 'policies', 'others', 'guards'],
  claim: ['aliases'],
  /** What hangs on its accessor. */
  mount: ['aliases', 'others', 'identities', 'guards'],
  templates: ['policies'],
} as const satisfies Record<string, readonly Complete['list'][]>;
export type InfluencedRest = keyof typeof rests;

/** Something outside the graph that a token has by an attribute, or that is not worked out. */
interface Elsewhere {
  /** Absent where it is so however much is known. */
  rest?: InfluencedRest;
  /** Two with the same key are one. */
  key: string;
  reason: Reason;
}

/** One row of the table: what an attribute of a kind of node decides, and what it leads to. */
export interface Influence {
  of: string;
  attribute: string;
  decides: readonly Decides[];
  /** What the attribute may lead to elsewhere. Absent where all that it leads to is in the graph. */
  rest?: InfluencedRest;
  /** What shows it: the source of a server. Defaults to measurements on OpenBao. */
  oracle?: 'source';
  /** A text that occurs in every template that it fills in. Defaults to nothing in particular. */
  readAs?: string;
  /** The same by node, where a change of it has to be found: the parts of a graph tell the others. */
  elsewhere?(index: GraphIndex): Map<string, Elsewhere[]>;
  /** Nodes of the side after that a node led to before. Defaults to nothing. */
  former?(key: string, after: GraphIndex): Elsewhere[];
  /** Only a node that stays has it: who comes by a new one had nothing of it. Defaults to false. */
  ofStaying?: true;
}

/**
 * What reaches what. A token comes by a role to an entity and to groups, from each group to those around it, and has what
 * all of these give. A change of an attribute that leads out of the graph cannot be decided by the graph alone.
 */
export const influences: readonly Influence[] = [
  {
    of: 'method',
    attribute: 'id',
    decides: ['identity', 'groups'],
    rest: 'mount',
    elsewhere: ({ mounts, fresh }) =>
      leading(mounts, (key, { path }) => {
        const reason = openEnd('aliases', { kind: 'method', name: path });
        return fresh.has(key) ? [] : [{ rest: 'mount', key, reason }];
      }),
  },
  {
    of: 'otherRole',
    attribute: 'id',
    decides: ['identity'],
    rest: 'former',
    ofStaying: true,
    elsewhere: (index) =>
      leading(index.others, (key, node) => {
        if (node.kind !== 'otherRole' || index.fresh.has(key)) return [];
        const reason = openEnd('former-entity', { kind: 'other', name: wordsOf(node) });
        const isLinked = [...index.entityAliases.values()].some((alias) => alias.method === node.method);
        return [isLinked ? { key, reason } : { rest: 'former', key, reason }];
      }),
  },
  {
    of: 'role',
    attribute: 'groupsClaim',
    decides: ['groups'],
    rest: 'claim',
    ofStaying: true,
    elsewhere: (index) => {
      // All roles of a method that read one claim lead to the same groups.
      const byClaim = new Map<string, Elsewhere[]>();
      return leading(index.roles, (_, { method, groupsClaim }) => {
        if (!groupsClaim) return [];
        const reason = openEnd('group-aliases', { kind: 'method', name: method });
        const claim = JSON.stringify([method, placeOf(groupsClaim)]);
        return getOrMake(byClaim, claim, () => [
          { rest: 'claim', key: claim, reason },
          ...ofAliases(index, method, claim),
        ]);
      });
    },
  },
  {
    of: 'alias',
    attribute: 'group',
    decides: ['groups'],
    rest: 'identity',
    elsewhere: (index) => leading(index.groupAliases, (key) => restsFrom(index, key)),
  },
  {
    of: 'entityAlias',
    attribute: 'entity',
    decides: ['identity'],
    rest: 'identity',
    elsewhere: (index) => leading(index.entityAliases, (key) => restsFrom(index, key)),
    former: (key, index) => {
      const { words: name = key } = index.entityAliases.get(key) ?? {};
      return [{ rest: 'former', key, reason: openEnd('former', { kind: 'other', name }) }];
    },
  },
  {
    of: 'entityAlias',
    attribute: 'customMetadata',
    decides: ['templates'],
    rest: 'templates',
    readAs: '.custom_metadata.',
  },
  {
    of: 'identity',
    attribute: 'id',
    decides: ['identity', 'groups'],
    rest: 'identity',
    // No one is in one that is made before an alias or a list of members leads there.
    elsewhere: (index) =>
      leading(index.standing, (key, named) =>
        index.fresh.has(key) ? restsAround(index, named) : restsFrom(index, key),
      ),
  },
  {
    of: 'identity',
    attribute: 'members',
    decides: ['groups', 'templates'],
    rest: 'identity',
    elsewhere: (index) =>
      leading(index.named, (key, named) => (index.fresh.has(key) ? [] : restsAround(index, named))),
  },
  {
    of: 'identity',
    attribute: 'metadata',
    decides: ['templates'],
    rest: 'templates',
    ofStaying: true,
    elsewhere: (index) => leading(index.standing, (_, named) => filledBy(index, named, 'metadata')),
  },
  {
    of: 'others',
    attribute: 'metadata',
    decides: ['templates'],
    rest: 'templates',
    elsewhere: (index) => leading(index.signInMetadata, (key, of) => filledAtSignIn(index, key, of)),
  },
  { of: 'method', attribute: 'config', decides: ['who'] },
  { of: 'method', attribute: 'tune', decides: ['lifetime', 'abilities'] },
  { of: 'role', attribute: 'bounds', decides: ['who'] },
  { of: 'role', attribute: 'ttl', decides: ['lifetime'] },
  { of: 'role', attribute: 'tokenLimits', decides: ['abilities'] },
  { of: 'role', attribute: 'policies', decides: ['policies'] },
  { of: 'role', attribute: 'userClaim', decides: ['identity'], rest: 'former' },
  { of: 'role', attribute: 'claimMappings', decides: ['templates'], rest: 'templates' },
  { of: 'otherRole', attribute: 'bounds', decides: ['who'] },
  { of: 'otherRole', attribute: 'tokenLimits', decides: ['abilities'] },
  { of: 'otherRole', attribute: 'policies', decides: ['policies'] },
  {
    of: 'mount',
    attribute: 'policies',
    decides: ['policies'],
    oracle: 'source',
  },
  { of: 'tokenRole', attribute: 'allowedPolicies', decides: ['policies'] },
  { of: 'identity', attribute: 'policies', decides: ['policies'] },
  { of: 'guard', attribute: 'targets', decides: ['who'] },
  { of: 'entity', attribute: 'disabled', decides: ['who'] },
  { of: 'policy', attribute: 'text', decides: ['rules'] },
];

function leading<Node>(
  nodes: ReadonlyMap<string, Node>,
  elsewhere: (key: string, node: Node) => Elsewhere[],
): Map<string, Elsewhere[]> {
  return new Map([...nodes].map(([key, node]) => [key, elsewhere(key, node)]));
}

/** What the groups and the entity may have elsewhere that edges lead to from a node, and the node itself. */
function restsFrom(index: GraphIndex, start: NodeKey): Elsewhere[] {
  return index.walk.reached(start).flatMap((key) => ownRest(index, index.walk.namedAt(key)));
}

function restsAround(index: GraphIndex, inner: Named): Elsewhere[] {
  const own = namedKey(inner);
  return index.walk
    .reached(own)
    .flatMap((key) => (key === own ? [] : ownRest(index, index.walk.namedAt(key))));
}

/** What the groups have that a claim leads to, once it is read. */
function ofAliases(index: GraphIndex, method: string, claim: string): Elsewhere[] {
  return index.graph.aliases
    .filter((alias) => alias.method === method)
    .flatMap((alias) => restsFrom(index, aliasNode(alias)))
    .map((rest) => ({ ...rest, key: `${claim} ${rest.key}` }));
}

/** Nothing elsewhere hangs on what the change makes, but for policies that read it by its name. */
function ownRest(index: GraphIndex, one: Named | undefined): Elsewhere[] {
  if (one === undefined) return [];
  const key = namedKey(one);
  if (index.fresh.has(key)) return filledByName(index, one);
  return [{ rest: 'identity', key, reason: openEnd('identity', one) }, ...knownReaders(index, one)];
}

/** Policies that a group or an entity fills in: those that are not here, and those that are. */
function filledBy(index: GraphIndex, one: Named, what?: 'metadata'): Elsewhere[] {
  const metadata = index.metadata.get(namedKey(one)) ?? {};
  const key = `${namedKey(one)} ${JSON.stringify(metadata)}`;
  const reason = openEnd('metadata', one);
  const read = what && Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value] as const);
  const known = (read ?? [[]]).flatMap(([name, value]) => knownReaders(index, one, name, value));
  return [{ rest: 'templates', key, reason }, ...known];
}

/** Policies that what the change makes or renames fills in, by its name or its metadata. What has its id is new as well. */
function filledByName(index: GraphIndex, one: Named): Elsewhere[] {
  const metadata = index.metadata.get(namedKey(one));
  const key = `name of ${namedKey(one)} ${JSON.stringify(metadata ?? {})}`;
  const reason = openEnd(metadata === undefined ? 'name' : 'name-and-metadata', one);
  const known = readersOf(index.graph, one).filter((name) => readsMoreThanIds(index.graph, name));
  return [{ rest: 'templates', key, reason }, ...known.map((name) => fillingIn(one, name))];
}

/** Policies that are filled in by what a sign-in says of itself, as the metadata of its alias. */
function filledAtSignIn(
  index: GraphIndex,
  key: string,
  { name, metadata }: { name: string; metadata: Readonly<Record<string, string>> },
): Elsewhere[] {
  const node = { kind: 'other' as const, name };
  const known = Object.entries(metadata).flatMap(([field, value]) =>
    readersOfAlias(index.graph, field).map((policy) => ({
      key: `${key} ${field} ${value} fills in ${policy}`,
      reason: { kind: 'filled-in' as const, policy, by: node, what: 'metadata' as const },
    })),
  );
  const reason = openEnd('metadata', node);
  return [{ rest: 'templates', key: `${key} ${JSON.stringify(metadata)}`, reason }, ...known];
}

function fillingIn(one: Named, name: string, value = ''): Elsewhere {
  return {
    key: `${namedKey(one)} ${value} fills in ${name}`,
    reason: { kind: 'filled-in', policy: name, by: { kind: one.kind, name: one.name } },
  };
}

function knownReaders(index: GraphIndex, one: Named, what?: string, value = ''): Elsewhere[] {
  return readersOf(index.graph, one, what).map((name) => fillingIn(one, name, value));
}

function openEnd(edge: OpenEdge, { kind, name }: EdgeNode): Reason {
  return { kind: 'open-end', edge, node: { kind, name } };
}

/** What a change reaches beyond the graphs, or in them without being worked out. */
export interface Reached {
  /** Edges that lead out of the graphs. */
  elsewhere: Reason[];
  /** Parts of the graphs that are not worked out. */
  uncertain: Reason[];
}

/** What a change adds to tokens that stay, or takes from them, and the graphs do not tell: the closure over the table. */
export function reached(was: GraphIndex, is: GraphIndex): Reached {
  const elsewhere: Reason[] = [];
  const uncertain: Reason[] = [];
  const isLacking = (list: Complete['list']) => ![was, is].every(({ graph }) => isComplete(graph, list));
  const add = ({ rest, reason }: Elsewhere) => {
    if (rest === undefined) uncertain.push(reason);
    else if (rests[rest].some(isLacking)) elsewhere.push(reason);
  };
  for (const { elsewhere: leads, former, ofStaying } of influences) {
    if (leads === undefined) continue;
    const [old, wanted] = [leads(was), leads(is)];
    /** Lists that were compared, by those before: many nodes may lead to one list. */
    const compared = new Map<Elsewhere[], Set<Elsewhere[]>>();
    for (const key of bothKeys(old, wanted)) {
      if (ofStaying && !(old.has(key) && wanted.has(key))) continue;
      const before = old.get(key) ?? former?.(key, is) ?? [];
      const after = wanted.get(key) ?? [];
      const comparedWith = getOrMake(compared, before, () => new Set());
      if (comparedWith.has(after)) continue;
      comparedWith.add(after);
      for (const one of [...without(before, after), ...without(after, before)]) add(one);
    }
  }
  addAll(elsewhere, lostWith(was, is));
  return { elsewhere: uniqueReasons(elsewhere), uncertain: uniqueReasons(uncertain) };
}

function without(these: readonly Elsewhere[], those: readonly Elsewhere[]): Elsewhere[] {
  const keys = new Set(those.map(({ key }) => key));
  return these.filter(({ key }) => !keys.has(key));
}

/**
 * Who signs in at a mount that is made anew is another entity: what was there, others make again, and what the old one was
 * denied, the new one is not.
 */
function lostWith(was: GraphIndex, is: GraphIndex): Reason[] {
  const partsAt = ({ graph: { roles, others = [] } }: GraphIndex) =>
    Map.groupBy(
      [
        ...roles.map((role) => ({ path: role.method, key: `role ${nameKey(role.name)}` })),
        ...others.map((node) => ({ path: signedInAt(node) ?? '', key: keyOfNode(node) })),
      ],
      ({ path }) => path,
    );
  const stays = partsAt(is);
  return [...partsAt(was)].flatMap(([path, parts]) => {
    const left = new Set(stays.get(path)?.map(({ key }) => key));
    const isLost = is.fresh.has(mountKey(path)) && parts.some(({ key }) => !left.has(key));
    return isLost ? [openEnd('made-again', { kind: 'method', name: path })] : [];
  });
}

/**
 * Whether what is not known of a subject may reach a token. What only fills in templates does not where all policies are
 * known and none reads it; an attribute without a row may reach everything.
 */
export function mayReach({ before, after, unknown }: Change, { field }: Subject): boolean {
  const rows = influences.filter(({ attribute }) => attribute === field);
  const isFilling =
    rows.length > 0 && rows.every(({ decides }) => decides.every((one) => one === 'templates'));
  if (!isFilling || unknown.some(({ type }) => type === policy.type)) return true;
  const isUnread = (graph: Graph) =>
    isComplete(graph, 'policies') && !rows.some(({ readAs = '' }) => isRead(graph, readAs));
  return ![before, after].every(isUnread);
}

/** Keys of what a change makes, or makes anew: its id is not that of anything before. */
export function madeBy(
  was: GraphIndex,
  is: GraphIndex,
  { replaced = [], remade = [], remadeOthers = [] }: Partial<Change>,
): Set<string> {
  return new Set([
    ...[...is.mounts.keys(), ...is.standing.keys()].filter(
      (key) => !was.mounts.has(key) && !was.named.has(key),
    ),
    ...[...replaced, ...remade].flatMap(({ type, name }) => {
      const kind = (['group', 'entity'] as const).find((candidate) => candidate === type);
      if (kind !== undefined) return namedKey({ kind, name });
      return type === method.type ? mountKey(name) : name;
    }),
    ...remadeOthers.map((key) => {
      const node = is.others.get(key);
      return node?.kind === 'otherMethod' ? mountKey(node.path) : key;
    }),
  ]);
}
