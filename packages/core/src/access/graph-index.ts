import { type Graph, isComplete, type OtherNode } from '../graph/graph.ts';
import { Memberships, type Named, namedKey } from '../graph/memberships.ts';
import type { CredentialSource } from '../graph/nodes/credential-source.ts';
import type { EntityAlias } from '../graph/nodes/other-alias.ts';
import type { OtherMethod } from '../graph/nodes/other-method.ts';
import { keyOfNode, methodOf, ofKind } from '../graph/nodes/other-node.ts';
import type { IssuedTokens } from '../graph/nodes/tokens.ts';
import { PolicyTexts } from '../graph/policies/policy-texts.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { isSame } from '../graph/resources/field.ts';
import type { GroupAlias } from '../graph/resources/group-alias.ts';
import type { Role } from '../graph/resources/role.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { placeOf } from '../login/claims.ts';
import type { LedIntoGroup } from './access-change.ts';
import {
  aliasNode,
  groupAliasesNode,
  type Lookup,
  methodNode,
  type NodeKey,
  type NodeOfGraph,
  roleNode,
  sourceNode,
} from './edges/edge.ts';
import type { OpenEnd } from './edges/open-end.ts';
import { Walk } from './held.ts';
import { type GroupReading, groupReading } from './sign-in/group-reading.ts';

/** Groups of a list whose policies are read for people. */
const mostRead = 20;

/** A graph, with what is looked up in it. */
export class GraphIndex implements Lookup {
  readonly graph: Graph;
  /** By method and name, as the service compares names. */
  readonly roles: Map<string, Role>;
  readonly methods: Map<string, AuthMethod>;
  readonly aliases: Map<string, Graph['aliases'][number]>;
  /** By their keys. */
  readonly others: Map<string, OtherNode>;
  readonly memberships: Memberships;
  /** Paths of auth methods of any kind. */
  readonly mounts: ReadonlyMap<string, { path: string }>;
  /** Auth methods that are read and never written, by their paths. */
  readonly otherMounts: ReadonlyMap<string, OtherMethod>;
  /** Names and issued tokens of entities, by their keys. */
  readonly entityAliases: ReadonlyMap<string, { entity: string }>;
  /** Metadata of groups and entities that have some, by their keys. */
  readonly metadata: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The groups and entities that are in it, and not only named as members or owners of something. */
  readonly standing: ReadonlyMap<string, Named>;
  /** All groups and entities that it names. */
  readonly named: ReadonlyMap<string, Named>;
  /** Entities, and groups that are not among the external groups of the graph. */
  readonly identities: ReadonlyMap<string, Named>;
  /** Keys of all nodes that are in it. */
  readonly here: ReadonlySet<NodeKey>;
  /** Keys of mounts, groups, entities and roles that the change makes: nothing elsewhere can hang on them. */
  fresh: ReadonlySet<NodeKey> = new Set();
  readonly walk: Walk;
  /** How the roles of a method read groups, by its path; an empty text for those that read none. */
  readonly #readings: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(graph: Graph, unseen: readonly Role[] = []) {
    const { identities = [], others = [] } = graph;
    this.graph = graph;
    this.roles = new Map([...graph.roles, ...unseen].map((role) => [roleNode(role.method, role.name), role]));
    this.methods = new Map(graph.methods.map((method) => [method.path, method]));
    this.aliases = new Map(graph.aliases.map((alias) => [aliasNode(alias), alias]));
    this.others = new Map(others.map((node) => [keyOfNode(node), node]));
    this.otherMounts = new Map(ofKind(others, 'otherMethod').map((method) => [method.path, method]));
    this.mounts = new Map(
      [...this.methods.keys(), ...this.otherMounts.keys()].map((path) => [mountKey(path), { path }]),
    );
    this.entityAliases = new Map(
      ofKind(others, 'entityAlias', 'issuedTokens').flatMap((node) => {
        const { entity } = node;
        return entity === undefined ? [] : [[keyOfNode(node), { entity }]];
      }),
    );
    this.metadata = new Map(
      [...graph.groups.map((group) => ({ ...group, kind: 'group' as const })), ...identities].flatMap(
        (named) => (named.metadata === undefined ? [] : [[namedKey(named), named.metadata] as const]),
      ),
    );
    this.memberships = new Memberships(identities);
    const external = new Set(graph.groups.map(({ name }) => namedKey({ kind: 'group', name })));
    this.standing = byKey([
      ...graph.groups.map(({ name }): Named => ({ kind: 'group', name })),
      ...identities.filter(({ isAttached }) => !isAttached),
    ]);
    this.named = new Map([
      ...byKey(identities.flatMap((identity): Named[] => [identity, ...(identity.members ?? [])])),
      ...this.standing,
    ]);
    this.identities = new Map([...this.named].filter(([key]) => !external.has(key)));
    this.here = new Set([
      ...this.roles.keys(),
      ...this.mounts.keys(),
      ...this.aliases.keys(),
      ...this.others.keys(),
      ...this.standing.keys(),
    ]);
    const textOf = (role: Role) => {
      const reading = this.readingOf(role);
      return reading.from && JSON.stringify(reading);
    };
    const byMethod = Map.groupBy(graph.roles, ({ method }) => method);
    this.#readings = new Map([...byMethod].map(([method, roles]) => [method, new Set(roles.map(textOf))]));
    this.walk = new Walk(this.#nodes(), this);
  }

  roleNamed(method: string, name: string): Role | undefined {
    return this.roles.get(roleNode(method, name));
  }

  readingOf(role: Role): GroupReading {
    return groupReading(role, this.methods.get(role.method));
  }

  /** Whether a role of the method reads groups, or may: where none is here, they are elsewhere. */
  readsGroups(method: string): boolean {
    const readings = this.#readings.get(method);
    if (readings === undefined) return this.mayReadElsewhere(method);
    return [...readings].some((reading) => reading !== '');
  }

  /** Whether the method has no role here, and some elsewhere for all that is known. */
  mayReadElsewhere(method: string): boolean {
    return !this.#readings.has(method) && !isComplete(this.graph, 'roles', method);
  }

  /** All that a group or an entity has: its own, what is attached to it, and those of the groups it is in; in lower case. */
  policiesOf(kind: Named['kind'], name: string): string[] {
    return this.walk.policiesOf(namedKey({ kind, name }));
  }

  /** The policies that a role of the graph gives by itself, in lower case. */
  policiesOfRole({ method, name }: Role): string[] {
    return this.walk.policiesOf(roleNode(method, name));
  }

  /** What a node that no stack declares gives: its own policies, those of its entity or its group, and `default`. */
  policiesOfOther(node: OtherNode | undefined): string[] {
    return node === undefined ? [] : this.walk.policiesOf(keyOfNode(node));
  }

  isFresh(key: NodeKey): boolean {
    return this.fresh.has(key);
  }

  openFrom(keys: readonly NodeKey[]): readonly OpenEnd[] {
    return this.walk.openFrom(keys);
  }

  typeOf(path: string): string {
    return this.methods.get(path)?.type ?? this.otherMounts.get(path)?.type ?? '';
  }

  aliasesAt(path: string): readonly GroupAlias[] {
    this.#aliases ??= Map.groupBy(this.graph.aliases, ({ method }) => method);
    return this.#aliases.get(path) ?? [];
  }
  #aliases: ReadonlyMap<string, readonly GroupAlias[]> | undefined;

  othersAt(path: string): readonly OtherNode[] {
    this.#others ??= Map.groupBy(this.graph.others ?? [], (node) => methodOf(node) ?? '');
    return this.#others.get(path) ?? [];
  }
  #others: ReadonlyMap<string, readonly OtherNode[]> | undefined;

  /** Whether a sign-in at its method has what a node gives in addition to a role, or to others. */
  isUnited(key: NodeKey): boolean {
    const paths = () => new Set((this.graph.others ?? []).flatMap((node) => methodOf(node) ?? []));
    this.#united ??= new Set([...paths()].flatMap((path) => this.walk.ends(methodNode(path), 'any of')));
    return this.#united.has(key);
  }
  #united: ReadonlySet<NodeKey> | undefined;

  methodsOf(entity: string): readonly string[] {
    this.#aliasesOfEntities ??= Map.groupBy(
      ofKind(this.graph.others, 'entityAlias', 'issuedTokens'),
      (alias) => nameKey(alias.entity ?? ''),
    );
    const aliases = this.#aliasesOfEntities.get(nameKey(entity)) ?? [];
    return [...new Set(aliases.flatMap(({ method }) => method ?? []))];
  }
  #aliasesOfEntities: ReadonlyMap<string, readonly (EntityAlias | IssuedTokens)[]> | undefined;

  /** The groups that a role lets people into: those of its method's aliases, if it reads groups, or may. */
  groupsBy({ method, name, groupsClaim }: Role): LedIntoGroup[] {
    if (!groupsClaim && name !== '') return [];
    // Methods have thousands of roles and of groups: the roles share one list.
    return getOrMake(this.#groupsAt, method, () =>
      this.aliasesAt(method)
        .map(({ name: alias, group: name }) => ({ alias, name, policies: this.policiesOf('group', name) }))
        .filter(({ policies }) => policies.length > 0)
        .map((group, at) => (at < mostRead ? { ...group, rules: this.#rulesOf(group.policies) } : group)),
    );
  }

  #rulesOf(policies: readonly string[]): NonNullable<LedIntoGroup['rules']> {
    return policies.flatMap((policy) =>
      (this.texts.rules(policy) ?? []).map(({ path, capabilities }) => ({ path, capabilities })),
    );
  }

  /** What its policies say. */
  get texts(): PolicyTexts {
    this.#texts ??= new PolicyTexts([...this.graph.policies]);
    return this.#texts;
  }
  #texts: PolicyTexts | undefined;
  readonly #groupsAt = new Map<string, LedIntoGroup[]>();

  /**
   * The provider's groups that a role's bounds require one of, with the policies of each. Empty if a token may be in no group.
   */
  requiredBy(role: Role): { name: string; policies: string[] }[] {
    const { method, groupsClaim, boundClaims = {}, boundClaimsType } = role;
    if (!groupsClaim) return [];
    const [, bound] =
      Object.entries(boundClaims).find(([claim]) => isSame(placeOf(claim), placeOf(groupsClaim))) ?? [];
    const names = [bound ?? []].flat().map(String);
    // A pattern may stand for a group that is not here.
    if (boundClaimsType === 'glob' && names.some((name) => name.includes('*'))) return [];
    return names.map((name) => {
      const group = this.aliases.get(aliasNode({ method, name }))?.group;
      return { name, policies: group === undefined ? [] : this.policiesOf('group', group) };
    });
  }

  /**
   * The provider's groups that each token of a role keeps one of: those that the bounds of all roles of its method require. Who signs in
   * by another one is in what that finds, and no more in the groups of the role before, and its token goes on (openbao
   * vault/identity_store_util.go, `refreshExternalGroupMembershipsByEntityID`): none where one of them reads groups elsewhere, or
   * requires none.
   */
  keptBy({ method }: Role): ReturnType<GraphIndex['requiredBy']> {
    return getOrMake(this.#keptAt, method, () => {
      const { size = 0 } = this.#readings.get(method) ?? {};
      const required = this.graph.roles.flatMap((role) =>
        size === 1 && role.method === method ? [this.requiredBy(role)] : [],
      );
      const isAny = required.some((groups) => groups.length === 0);
      return isAny ? [] : [...new Map(required.flat().map((group) => [group.name, group])).values()];
    });
  }
  readonly #keptAt = new Map<string, ReturnType<GraphIndex['requiredBy']>>();

  /** Everything that edges lead from, by its key. */
  #nodes(): Map<NodeKey, NodeOfGraph> {
    const { graph } = this;
    const nodes = new Map<NodeKey, NodeOfGraph>();
    for (const role of this.roles.values())
      nodes.set(roleNode(role.method, role.name), { kind: 'role', node: role });
    for (const alias of graph.aliases) nodes.set(aliasNode(alias), { kind: 'alias', node: alias });
    for (const node of graph.others ?? []) nodes.set(keyOfNode(node), nodeOfGraph(node));
    for (const source of graph.credentials ?? []) nodes.set(sourceNode(source), nodeOfSource(source));
    const paths = [...graph.roles, ...graph.aliases].map(({ method }) => method);
    const pathsOfOthers = (graph.others ?? []).flatMap((node) => methodOf(node) ?? []);
    for (const path of new Set([...this.methods.keys(), ...paths, ...pathsOfOthers])) {
      nodes.set(methodNode(path), { kind: 'method', node: { path } });
      nodes.set(groupAliasesNode(path), { kind: 'groupAliases', node: { path } });
    }
    const groups = graph.groups.map(({ name, policies }) => ({ kind: 'group' as const, name, policies }));
    const owners = Map.groupBy([...groups, ...(graph.identities ?? [])], namedKey);
    // An entity brings groups of other mounts, and a group may be elsewhere, also where nothing but their aliases is known.
    const aliased: Named[] = [
      ...[...this.entityAliases.values()].map(({ entity }) => ({ kind: 'entity' as const, name: entity })),
      ...[...graph.aliases, ...ofKind(graph.others, 'otherAlias')].map(({ group }) => ({
        kind: 'group' as const,
        name: group,
      })),
    ];
    const elsewhere = [...byKey(aliased)].filter(([key]) => !this.named.has(key));
    for (const [key, { kind, name }] of [...this.named, ...elsewhere]) {
      const policies = (owners.get(key) ?? []).flatMap((owner) => owner.policies);
      nodes.set(key, { kind, node: { kind, name, policies } });
    }
    return nodes;
  }
}

function nodeOfGraph(node: OtherNode): NodeOfGraph {
  switch (node.kind) {
    case 'otherRole':
      return { kind: 'otherRole', node };
    case 'otherMethod':
      return { kind: 'otherMethod', node };
    case 'otherAlias':
      return { kind: 'otherAlias', node };
    case 'entityAlias':
      return { kind: 'entityAlias', node };
    case 'issuedTokens':
      return { kind: 'issuedTokens', node };
    case 'guard':
      return { kind: 'guard', node };
    default:
      return { kind: 'other', node };
  }
}

function nodeOfSource(node: CredentialSource): NodeOfGraph {
  switch (node.kind) {
    case 'identityTokenRole':
      return { kind: node.kind, node };
    case 'pkiRole':
      return { kind: node.kind, node };
    case 'pkiEngine':
      return { kind: node.kind, node };
    case 'acmeOrders':
      return { kind: node.kind, node };
    case 'keptCredential':
      return { kind: node.kind, node };
  }
}

/** The key of the mount at a path, among those of nodes that a change makes. */
export const mountKey = methodNode;

function byKey(all: readonly Named[]): Map<string, Named> {
  return new Map(all.map(({ kind, name }) => [namedKey({ kind, name }), { kind, name }]));
}

/** Keys of both graphs of a change, each once. */
export function bothKeys<Key>(before: ReadonlyMap<Key, unknown>, after: ReadonlyMap<Key, unknown>): Key[] {
  return [...new Set([...before.keys(), ...after.keys()])];
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names.map(policyKey))].sort();
}
