import { type Graph, isComplete, type OtherNode } from '../graph/graph.ts';
import { Memberships, type Named, namedKey } from '../graph/memberships.ts';
import type { OtherMethod } from '../graph/nodes/other-method.ts';
import {
  boundsOfNode,
  entityOfNode,
  groupOfNode,
  identityOf,
  keyOfNode,
  metadataOfNode,
  ofKind,
  policiesOfNode,
  wordsOf,
} from '../graph/nodes/other-node.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { type ByName, isSame, sortedJson } from '../graph/resources/field.ts';
import type { Role } from '../graph/resources/role.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { textsOf } from '../graph/values/loose-values.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { addAll } from '../graph/values/sequences.ts';
import { matchesGlob } from '../login/bound-claims.ts';
import { placeOf } from '../login/claims.ts';
import type { AccessChange } from './access-change.ts';

/** A graph, with what is looked up in it. */
export class GraphIndex {
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
  readonly entityAliases: ReadonlyMap<string, { entity: string; method: string | undefined; words: string }>;
  /** Aliases of groups at methods of any kind. */
  readonly groupAliases: ReadonlyMap<string, { group: string }>;
  /** What sign-ins by a credential say of themselves, by what it is. */
  readonly signInMetadata: ReadonlyMap<string, { name: string; metadata: Readonly<Record<string, string>> }>;
  /** Metadata of groups and entities that have some, by their keys. */
  readonly metadata: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The groups and entities that are in it, and not only named as members or owners of something. */
  readonly standing: ReadonlyMap<string, Named>;
  /** All groups and entities that it names. */
  readonly named: ReadonlyMap<string, Named>;
  /** Entities, and groups that are not among the external groups of the graph. */
  readonly identities: ReadonlyMap<string, Named>;
  /** Keys of mounts, groups, entities and roles that the change makes: nothing elsewhere can hang on them. */
  fresh: ReadonlySet<string> = new Set();
  readonly #own = new Map<string, string[]>();
  readonly #known = new Map<string, string[]>();
  /** The claims that the roles of a method read groups from, by its path; an empty text for those that read none. */
  readonly #claims: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(graph: Graph, unseen: readonly Role[] = []) {
    const { identities = [], others = [] } = graph;
    this.graph = graph;
    this.roles = new Map([...graph.roles, ...unseen].map((role) => [keyOf(role.method, role.name), role]));
    this.methods = new Map(graph.methods.map((method) => [method.path, method]));
    this.aliases = new Map(graph.aliases.map((alias) => [keyOf(alias.method, alias.name), alias]));
    this.others = new Map(others.map((node) => [keyOfNode(node), node]));
    this.otherMounts = new Map(ofKind(others, 'otherMethod').map((method) => [method.path, method]));
    this.mounts = new Map(
      [...this.methods.keys(), ...this.otherMounts.keys()].map((path) => [mountKey(path), { path }]),
    );
    this.entityAliases = new Map(
      ofKind(others, 'entityAlias', 'issuedTokens').flatMap((node) => {
        const { entity, method } = node;
        return entity === undefined ? [] : [[keyOfNode(node), { entity, method, words: wordsOf(node) }]];
      }),
    );
    this.groupAliases = new Map([
      ...this.aliases,
      ...ofKind(others, 'otherAlias').map((node) => [keyOfNode(node), node] as const),
    ]);
    this.signInMetadata = new Map(
      others.flatMap((node) => {
        const metadata = metadataOfNode(node);
        return metadata === undefined
          ? []
          : [[sortedJson(identityOf(node)), { name: wordsOf(node), metadata }] as const];
      }),
    );
    this.metadata = new Map(
      [...graph.groups.map((group) => ({ ...group, kind: 'group' as const })), ...identities].flatMap(
        (one) => (one.metadata === undefined ? [] : [[namedKey(one), one.metadata] as const]),
      ),
    );
    this.memberships = new Memberships(identities);
    for (const { name, policies } of graph.groups) this.#add({ kind: 'group', name }, policies);
    const external = new Set(this.#own.keys());
    for (const identity of identities) this.#add(identity, identity.policies);
    this.standing = byKey([
      ...graph.groups.map(({ name }): Named => ({ kind: 'group', name })),
      ...identities.filter(({ isAttached }) => !isAttached),
    ]);
    this.named = new Map([
      ...byKey(identities.flatMap((identity): Named[] => [identity, ...(identity.members ?? [])])),
      ...this.standing,
    ]);
    this.identities = new Map([...this.named].filter(([key]) => !external.has(key)));
    const claimOf = ({ groupsClaim }: Role) => (groupsClaim ? JSON.stringify(placeOf(groupsClaim)) : '');
    const byMethod = Map.groupBy(graph.roles, ({ method }) => method);
    this.#claims = new Map([...byMethod].map(([method, roles]) => [method, new Set(roles.map(claimOf))]));
  }

  roleNamed(method: string, name: string): Role | undefined {
    return this.roles.get(keyOf(method, name));
  }

  /** Whether a role of the method reads groups, or may: where none is here, they are elsewhere. */
  readsGroups(method: string): boolean {
    const claims = this.#claims.get(method);
    return claims === undefined ? this.mayReadElsewhere(method) : [...claims].some((claim) => claim !== '');
  }

  /** Whether the method has no role here, and some elsewhere for all that is known. */
  mayReadElsewhere(method: string): boolean {
    return !this.#claims.has(method) && !isComplete(this.graph, 'roles', method);
  }

  /** All that a group or an entity has: its own, what is attached to it, and those of the groups it is in; in lower case. */
  policiesOf(kind: Named['kind'], name: string): string[] {
    const key = namedKey({ kind, name });
    return getOrMake(this.#known, key, () => {
      const reached = [key, ...this.memberships.around({ kind, name }).map((outer) => outer.key)];
      return unique(reached.flatMap((one) => this.#own.get(one) ?? []));
    });
  }

  /** The groups that a role lets people into: those of its method's aliases, if it reads groups, or may. */
  groupsBy({ method, name, groupsClaim }: Role): AccessChange['groups'] {
    if (!groupsClaim && name !== '') return [];
    this.#aliases ??= Map.groupBy(this.graph.aliases, (alias) => alias.method);
    return (this.#aliases.get(method) ?? [])
      .map(({ group }) => ({ name: group, policies: this.policiesOf('group', group) }))
      .filter(({ policies }) => policies.length > 0);
  }
  #aliases: Map<string, Graph['aliases']> | undefined;

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
      const group = this.aliases.get(keyOf(method, name))?.group;
      return { name, policies: group === undefined ? [] : this.policiesOf('group', group) };
    });
  }

  /**
   * The same where each of its tokens keeps them; none where another role of the method reads no groups, or others: who signs
   * in by that is in the groups of the role before no more, and its token goes on (openbao
   * vault/identity_store_util.go, `refreshExternalGroupMembershipsByEntityID`).
   */
  keptBy(role: Role): ReturnType<GraphIndex['requiredBy']> {
    const { size = 0 } = this.#claims.get(role.method) ?? {};
    return size > 1 ? [] : this.requiredBy(role);
  }

  #add(named: Named, policies: string[]): void {
    addAll(
      getOrMake(this.#own, namedKey(named), () => []),
      policies,
    );
  }
}

/** The key of the mount at a path, among those of nodes that a change makes. */
export function mountKey(path: string): string {
  return `mount ${path}`;
}

function byKey(all: readonly Named[]): Map<string, Named> {
  return new Map(all.map(({ kind, name }) => [namedKey({ kind, name }), { kind, name }]));
}

function keyOf(method: string, name: string): string {
  return JSON.stringify([method, nameKey(name)]);
}

/** Keys of both graphs of a change, each once. */
export function bothKeys<Key>(one: ReadonlyMap<Key, unknown>, other: ReadonlyMap<Key, unknown>): Key[] {
  return [...new Set([...one.keys(), ...other.keys()])];
}

/** The policies that a role gives by itself, in lower case. */
export function policiesOfRole(role: Role): string[] {
  return unique([...(role.policies ?? []), ...(role.tokenNoDefaultPolicy === true ? [] : ['default'])]);
}

/** What a node that no stack declares gives: its own, what its entity or its group has, and `default`; in lower case. */
export function policiesOfOther(side: GraphIndex, node: OtherNode | undefined): string[] {
  if (node === undefined) return [];
  const bounds = boundsOfNode(node);
  const entity = entityOfNode(node);
  const group = groupOfNode(node);
  // A token of any method has it, unless its role says otherwise.
  const hasDefault = node.kind === 'otherRole' && bounds['token_no_default_policy'] !== true;
  return unique([
    ...policiesOfNode(node),
    ...(node.kind === 'otherRole' ? askedByPattern(side, bounds) : []),
    ...(hasDefault ? ['default'] : []),
    ...(entity === undefined ? [] : side.policiesOf('entity', entity)),
    ...(group === undefined ? [] : side.policiesOf('group', group)),
  ]);
}

/** The policies that are here and that a creator of a token may ask for by a pattern of a token role. */
function askedByPattern({ graph }: GraphIndex, bounds: ByName): string[] {
  const listOf = (field: string) => textsOf(bounds[field]).map(policyKey);
  const allowed = listOf('allowed_policies_glob');
  if (allowed.length === 0) return [];
  const refused = [...listOf('disallowed_policies'), ...listOf('disallowed_policies_glob')];
  return graph.policies
    .map(({ name }) => policyKey(name))
    .filter(
      (name) =>
        allowed.some((pattern) => matchesGlob(pattern, name)) &&
        !refused.some((pattern) => matchesGlob(pattern, name)),
    );
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names.map(policyKey))].sort();
}
