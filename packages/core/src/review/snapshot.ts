import { z } from 'zod';
import { type Complete, emptyGraph, type Graph, type GraphIds, type ServiceGraph } from '../graph/graph.ts';
import { withTargets } from '../graph/nodes/guard.ts';
import type { EntityAlias } from '../graph/nodes/other-alias.ts';
import type { OtherNode } from '../graph/nodes/other-node.ts';
import type { OtherRole } from '../graph/nodes/other-role.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { listNamed, namesPerson, roleNouns } from '../graph/resources/other-methods.ts';
import { hmacOf, sha256Of } from '../graph/values/digest.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { jsonIn } from '../graph/values/json.ts';
import { defined } from '../graph/values/loose-values.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { plainName } from '../graph/values/visible.ts';

/** What a snapshot is of. */
export interface SnapshotSource {
  /** When the service was read, RFC 3339. */
  at: string;
  server: string;
  /** Empty for the root's. */
  namespace: string;
}

/** A snapshot that was read. */
export interface Snapshot extends SnapshotSource, ServiceGraph {
  /** Names of people are as the service has them. */
  hasNames: boolean;
  /** A key or a digest from elsewhere showed that the file is as it was written. */
  isVerified: boolean;
}

const texts = z.array(z.string());
const bounds = z.record(z.string(), z.unknown());
const atMethod = { method: z.string(), name: z.string() };
const bounded = {
  bounds,
  lifetime: bounds.optional(),
  metadata: z.record(z.string(), z.string()).optional(),
};
const opaque = z.literal(true).optional();
const entityAlias = z.strictObject({ kind: z.literal('entityAlias'), ...atMethod, entity: z.string() });

/** What no stack declares, as a service has it: kinds of plans alone are in no snapshot. */
const otherNode = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('otherMethod'),
    path: z.string(),
    type: z.string(),
    policies: texts,
    picks: opaque,
    isOpaque: opaque,
    ...bounded,
  }),
  z.strictObject({
    kind: z.literal('otherRole'),
    ...atMethod,
    type: z.string(),
    noun: z.enum(roleNouns),
    who: z.string().optional(),
    policies: texts,
    isOpaque: opaque,
    ...bounded,
  }),
  z.strictObject({ kind: z.literal('program'), ...atMethod }),
  entityAlias,
  z.strictObject({ kind: z.literal('otherAlias'), ...atMethod, type: z.string(), group: z.string() }),
  z.strictObject({
    kind: z.literal('issuedTokens'),
    policies: texts,
    entity: z.string().optional(),
    method: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('guard'),
    type: z.string(),
    name: z.string(),
    bounds,
    lifetime: bounds.optional(),
    targets: z.strictObject({ groups: texts, entities: texts, methods: texts, types: texts }).optional(),
  }),
  z.strictObject({ kind: z.literal('disabling'), of: z.enum(['group', 'entity']), name: z.string() }),
]);

/** What hands out credentials: places of plans that keep one are in no snapshot. */
const source = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('identityTokenRole'),
    name: z.string(),
    clientId: z.string().optional(),
    template: z.string().optional(),
    key: z.string().optional(),
    isUnsigned: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal('pkiRole'), mount: z.string(), name: z.string(), signs: bounds }),
  z.strictObject({
    kind: z.literal('pkiEngine'),
    mount: z.string(),
    authorities: texts.optional(),
    hasAll: z.literal(true).optional(),
  }),
  z.strictObject({
    kind: z.literal('acmeOrders'),
    mount: z.string(),
    signs: bounds,
    isForServers: z.literal(true).optional(),
  }),
]);
const nodes = {
  methods: z.looseObject({ path: z.string(), type: z.string(), config: z.looseObject({}) }),
  roles: z.looseObject({ method: z.string(), name: z.string() }),
  groups: z.looseObject({ name: z.string(), policies: texts }),
  aliases: z.looseObject({ name: z.string(), method: z.string(), group: z.string() }),
  policies: z.looseObject({ name: z.string(), text: z.string() }),
  identities: z.looseObject({
    kind: z.enum(['group', 'entity']),
    name: z.string(),
    policies: texts,
    members: z.array(z.looseObject({ kind: z.enum(['group', 'entity']), name: z.string() })).optional(),
  }),
  others: otherNode,
  credentials: source,
};
type NodeList = keyof typeof nodes;
const lists = Object.keys(nodes) as NodeList[];

const header = z.object({
  snapshot: z.literal(2),
  at: z.iso.datetime(),
  server: z.string(),
  namespace: z.string(),
  names: z.enum(['plain', 'hashed']),
  /** Tells a key apart from another one, and nothing of it. */
  key: z.string().optional(),
  complete: z.array(
    z.object({
      list: z.enum([...lists, 'messages', 'tokens', 'guards', 'namespaces']),
      method: z.string().optional(),
    }),
  ),
  missing: texts,
  sudo: texts.optional(),
});
const nodeLine = z.object({ list: z.enum(lists), node: z.unknown() });
const plainLine = z.object({ list: z.literal('plainAliases'), node: entityAlias });
const idLine = z.object({ of: z.enum(['mount', 'group', 'entity']), id: z.string(), name: z.string() });

/**
 * A live graph as JSON Lines: what it is of, then one node a line, sorted. It holds no secret. With the digest of the text,
 * and how many nodes it has.
 *
 * @param key with which names of people are hashed and the file is signed; without one, names are as they are
 */
export function snapshotOf(
  live: ServiceGraph,
  source: SnapshotSource,
  key?: string,
  withNames = false,
): { text: string; digest: string; nodes: number } {
  const isHashed = key !== undefined && !withNames;
  const { graph, ids, plainAliases = [] } = isHashed ? renamed(live, hashWith(key)) : live;
  const nodes = lists.flatMap((list) => (graph[list] ?? []).map((node) => sortedJson({ list, node })));
  const lines = [
    ...nodes,
    ...plainAliases.map((node) => sortedJson({ list: 'plainAliases', node })),
    ...Object.entries(ids).flatMap(([of, names]) =>
      Object.entries(names).map(([id, name]) => sortedJson({ of, id, name })),
    ),
  ].sort();
  const first = JSON.stringify({
    snapshot: 2,
    ...source,
    names: isHashed ? 'hashed' : 'plain',
    ...(key !== undefined && { key: keyIdOf(key) }),
    complete: graph.complete ?? [],
    missing: live.missing,
    ...(live.sudo && { sudo: live.sudo }),
  });
  const unsigned = `${[first, ...lines].join('\n')}\n`;
  const mac = key === undefined ? '' : `${JSON.stringify({ mac: macOf(unsigned, key) })}\n`;
  const text = `${unsigned}${mac}`;
  return { text, digest: digestOf(text), nodes: nodes.length };
}

/** The digest that a report names a snapshot by. */
function digestOf(text: string): string {
  return `sha256:${sha256Of(text)}`;
}

/** What checks a snapshot, and opens it. */
export interface SnapshotKey {
  key?: string | undefined;
  /** `sha256:…`, as reported when the file was written. */
  digest?: string | undefined;
  /** Names that may be hashed in the file: those that match are put back. Defaults to none. */
  names?: Iterable<string>;
}

/**
 * Reads a snapshot. With a key, its signature is checked.
 *
 * @throws GatehouseError `snapshot_unreadable`, `snapshot_changed`, `snapshot_of_another_key`
 */
export function readSnapshot(text: string, { key, digest, names = [] }: SnapshotKey = {}): Snapshot {
  const [first = '', ...rest] = text.trimEnd().split('\n');
  const about = header.safeParse(jsonIn(first));
  if (!about.success) throw unreadable('its first line is not that of a snapshot of format 2');
  const { at, server, namespace, complete, missing, sudo } = about.data;
  if (digest !== undefined && digest !== digestOf(text)) throw changed('its digest is another one');
  if (key !== undefined) requireMac(text, key, about.data.key);
  const isSigned = about.data.key !== undefined;
  const graph: Graph = { ...emptyGraph(), complete: complete as Complete[] };
  const ids: Record<keyof GraphIds, Record<string, string>> = { mount: {}, group: {}, entity: {} };
  const plainAliases: EntityAlias[] = [];
  for (const [index, line] of (isSigned ? rest.slice(0, -1) : rest).entries()) {
    const json = jsonIn(line);
    if (!addNode(graph, json) && !addId(ids, json) && !addPlain(plainAliases, json))
      throw unreadable(`line ${index + 2} is no node${kindWords(json)}`);
  }
  const isHashed = about.data.names === 'hashed';
  const known = { graph, ids, plainAliases, missing };
  const content = isHashed && key !== undefined ? renamed(known, unhashed(key, names)) : known;
  return {
    at,
    server,
    namespace,
    hasNames: !isHashed || key !== undefined,
    ...(isHashed && key === undefined ? withoutPeople(content) : content),
    ...(sudo && { sudo }),
    isVerified: digest !== undefined || key !== undefined,
  };
}

function addNode(graph: Graph, json: unknown): boolean {
  const line = nodeLine.safeParse(json);
  if (!line.success) return false;
  const { list, node } = line.data;
  if (!nodes[list].safeParse(node).success) return false;
  const entries: unknown[] = graph[list] ?? [];
  entries.push(node);
  Object.assign(graph, { [list]: entries });
  return true;
}

function addId(ids: Record<keyof GraphIds, Record<string, string>>, json: unknown): boolean {
  const { data } = idLine.safeParse(json);
  if (data !== undefined) ids[data.of][data.id] = data.name;
  return data !== undefined;
}

/** A newer version may know more kinds of nodes. */
function kindWords(json: unknown): string {
  const { data } = z
    .object({ list: z.literal('others'), node: z.object({ kind: z.string() }) })
    .safeParse(json);
  const known: readonly string[] = otherNode.options.map(({ shape }) => shape.kind.value);
  return data === undefined || known.includes(data.node.kind)
    ? ''
    : ` that this version knows: it is of kind ${JSON.stringify(data.node.kind)}`;
}

function addPlain(plainAliases: EntityAlias[], json: unknown): boolean {
  const { data } = plainLine.safeParse(json);
  if (data !== undefined) plainAliases.push(data.node);
  return data !== undefined;
}

/** Names of people cannot be compared with those of a plan: what the service has of them is not known completely. */
function withoutPeople({ graph, missing, ...rest }: ServiceGraph): ServiceGraph {
  const complete = (graph.complete ?? []).filter(
    ({ list, method }) => list !== 'identities' && list !== 'guards' && (list !== 'others' || method),
  );
  return {
    ...rest,
    graph: { ...graph, complete },
    missing: [
      ...missing,
      'who the people of the snapshot are: their names are hashed, and the key is not here',
    ],
  };
}

/** A service graph in which people have other names: entities, their aliases, and users. */
function renamed(
  { graph, ids, plainAliases = [], missing }: ServiceGraph,
  rename: (name: string) => string,
): ServiceGraph {
  const identities = (graph.identities ?? []).map((identity) => ({
    ...identity,
    ...(identity.kind === 'entity' && { name: rename(identity.name) }),
    ...(identity.members && {
      members: identity.members.map((inner) =>
        inner.kind === 'entity' ? { ...inner, name: rename(inner.name) } : inner,
      ),
    }),
  }));
  const renamedAlias = (alias: EntityAlias): EntityAlias => ({
    ...alias,
    name: rename(alias.name),
    entity: rename(alias.entity),
  });
  const renamedNode = (node: OtherNode): OtherNode => {
    switch (node.kind) {
      case 'guard':
        return withTargets(node, (kind, name) => (kind === 'entity' ? rename(name) : name));
      case 'entityAlias':
        return renamedAlias(node);
      case 'disabling':
        return node.of === 'entity' ? { ...node, name: rename(node.name) } : node;
      case 'issuedTokens':
        return node.entity === undefined ? node : { ...node, entity: rename(node.entity) };
      case 'otherRole':
        return namesPerson(node.noun) ? renamedPerson(node, rename(node.name)) : node;
      default:
        return node;
    }
  };
  const entity = Object.fromEntries(Object.entries(ids.entity).map(([id, name]) => [id, rename(name)]));
  return {
    graph: { ...graph, identities, others: (graph.others ?? []).map(renamedNode) },
    ids: { ...ids, entity },
    plainAliases: plainAliases.map(renamedAlias),
    missing,
  };
}

/** A user of another name. The words for one name it as it is, without quotes. */
function renamedPerson({ who: _, ...node }: OtherRole, name: string): OtherRole {
  const who = listNamed(node.type, node.noun).who?.(name, node.bounds);
  const words = who?.replace(plainName(name), () => name);
  return { ...node, name, ...defined({ who: words }) };
}

function hashWith(key: string): (name: string) => string {
  return (name) => `~${hmacOf(nameKey(name), key).slice(0, 20)}`;
}

function unhashed(key: string, names: Iterable<string>): (name: string) => string {
  const hash = hashWith(key);
  const known = new Map([...names].map((name) => [hash(name), name]));
  return (name) => known.get(name) ?? name;
}

function keyIdOf(key: string): string {
  return hmacOf('gatehouse snapshot', key).slice(0, 8);
}

function macOf(text: string, key: string): string {
  return hmacOf(text, key);
}

function requireMac(text: string, key: string, keyId: string | undefined): void {
  if (keyId === undefined) throw changed('it was written without a key, and one is given');
  if (keyId !== keyIdOf(key)) {
    throw new GatehouseError('snapshot_of_another_key');
  }
  const [, signed = '', last = ''] = /^([\s\S]*\n)([^\n]+)\n?$/.exec(text) ?? [];
  const { mac } = z.object({ mac: z.string() }).safeParse(jsonIn(last)).data ?? { mac: '' };
  // Digests are compared: how long that takes says nothing of the signature that would fit.
  if (sha256Of(mac) !== sha256Of(macOf(signed, key))) throw changed('its signature does not fit');
}

function unreadable(why: string): GatehouseError {
  return new GatehouseError('snapshot_unreadable', {
    allowed: 'a file that gatehouse snapshot wrote',
    values: { reason: why },
  });
}

function changed(why: string): GatehouseError {
  return new GatehouseError('snapshot_changed', { values: { reason: why } });
}
