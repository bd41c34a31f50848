import { createHash } from 'node:crypto';
import type { Principals } from '../access/access-change.ts';
import { aliasNode, type NodeKey } from '../access/edges/edge.ts';
import type { GraphIndex } from '../access/graph-index.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import { keyOfNode, methodOf, type OtherNode, ofKind } from '../graph/nodes/other-node.ts';
import { sortedJson } from '../graph/resources/field.ts';
import type { GroupAlias } from '../graph/resources/group-alias.ts';
import type { Role } from '../graph/resources/role.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';

/** `sha256:…` of a value, whatever the order of its maps. */
export function digest(value: unknown): string {
  return `sha256:${createHash('sha256').update(sortedJson(value)).digest('hex')}`;
}

/** What leads people to a group or an entity, by itself or by others within it. */
interface LeadingNodes {
  aliases: GroupAlias[];
  others: OtherNode[];
}

/** All that decides who principals are, without what they have. */
export class GrantConditions {
  readonly #index: GraphIndex;
  readonly #leading = new Map<NodeKey, LeadingNodes>();

  constructor(index: GraphIndex) {
    this.#index = index;
    const { aliases, others = [] } = index.graph;
    for (const alias of aliases) this.#lead(aliasNode(alias), ({ aliases: leading }) => leading.push(alias));
    for (const node of others) {
      // A token that was issued lets no one else in.
      if (node.kind !== 'issuedTokens')
        this.#lead(keyOfNode(node), ({ others: leading }) => leading.push(node));
    }
  }

  /** A digest that changes with everything that decides who they are. */
  of(principals: Principals): string {
    return digest(this.#valuesOf(principals)).slice(0, 23);
  }

  #lead(key: NodeKey, add: (leading: LeadingNodes) => void): void {
    for (const reached of this.#index.walk.reached(key))
      if (this.#index.walk.namedAt(reached) !== undefined)
        add(getOrMake(this.#leading, reached, () => ({ aliases: [], others: [] })));
  }

  #valuesOf({ kind, name, method, group, node }: Principals): unknown[] {
    const { graph } = this.#index;
    if (kind === 'role') {
      const isNamed = (role: Role) => role.method === method && nameKey(role.name) === nameKey(name);
      return [
        graph.methods.find(({ path }) => path === method),
        graph.roles.filter(isNamed).map(roleWithoutPolicies),
      ];
    }
    if (kind === 'other') return node === undefined ? [] : this.#valuesOfNode(node);
    return this.#valuesOfIdentity({ kind: kind === 'entity' ? kind : 'group', name: group ?? name });
  }

  #valuesOfNode(node: OtherNode): unknown[] {
    const mounts = ofKind(this.#index.graph.others, 'otherMethod').filter(
      ({ path }) => path === methodOf(node),
    );
    return [...new Set<OtherNode>([node, ...mounts])].map(withoutPolicies);
  }

  #valuesOfIdentity(named: Named): unknown[] {
    const { graph } = this.#index;
    const { aliases, others } = this.#leading.get(namedKey(named)) ?? { aliases: [], others: [] };
    const paths = new Set(aliases.map(({ method }) => method));
    return [
      aliases,
      this.#membersOf(named),
      graph.methods.filter(({ path }) => paths.has(path)),
      graph.roles.filter((role) => paths.has(role.method) && role.groupsClaim).map(roleWithoutPolicies),
      others.map(withoutPolicies),
    ];
  }

  /** All who are in a group, however deep. */
  #membersOf(named: Named): string[] {
    this.#identities ??= Map.groupBy(this.#index.graph.identities ?? [], namedKey);
    const reached = new Set([namedKey(named)]);
    for (const key of reached)
      for (const { members = [] } of this.#identities.get(key) ?? [])
        for (const member of members) reached.add(namedKey(member));
    reached.delete(namedKey(named));
    return [...reached].sort();
  }
  #identities: ReadonlyMap<NodeKey, readonly { members?: readonly Named[] }[]> | undefined;
}

function roleWithoutPolicies({ policies: _, ...rest }: Role): unknown {
  return rest;
}

function withoutPolicies(node: OtherNode): unknown {
  if (!('policies' in node)) return node;
  const { policies: _, ...rest } = node;
  return rest;
}
