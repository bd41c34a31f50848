import { aliasNode, methodNode, type NodeKey } from '../access/edges/edge.ts';
import type { GraphIndex } from '../access/graph-index.ts';
import type { Side } from '../access/policy-sides.ts';
import type { Change } from '../graph/change.ts';
import { isComplete } from '../graph/graph.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import type { EntityAlias } from '../graph/nodes/other-alias.ts';
import { keyOfNode, ofKind } from '../graph/nodes/other-node.ts';
import { entity as entityResource } from '../graph/resources/entity.ts';
import { isSame } from '../graph/resources/field.ts';
import { alias as groupAlias } from '../graph/resources/group-alias.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import type { LoggedSignIn } from './folded-log.ts';
import type { GraphSides } from './graph-sides.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import { type GiverDoubt, givenPolicies, type PossibleGiver } from './possible-givers.ts';
import type { SignInDoubt } from './sign-in-doubt.ts';
import type { UsageReason } from './usage-reason.ts';

/** What a change leaves unknown, and which mounts it makes anew. */
export type LeftOpen = Pick<Change, 'unknown' | 'replaced'>;

/** The policies that principals have by their entity and groups. */
interface GroupPolicies {
  sure: Set<string>;
  /** With what is missing. */
  maybe: Map<string, UsageReason>;
  /** Why their policies cannot be told at all. */
  unknown?: SignInDoubt;
}

/** A group that principals may be in; or an entity that they may be, where the log's ids have no names. */
type PossibleIdentity = Named & PossibleGiver;

/**
 * Which groups the principals of a log are in, from the policies that they had by them: what the walk gives each group is
 * compared with what the log shows.
 */
export class LoggedGroups {
  readonly #sides: GraphSides;
  readonly #entities: Readonly<Record<string, string>>;
  readonly #leftOpen: LeftOpen;
  /** Policies of identities at sign-ins of the log, by entity. */
  readonly #signedInWith = new Map<string, Set<string>>();
  /** Whether all groups and entities are known. */
  readonly #isWhole: boolean;
  readonly #groups: readonly PossibleIdentity[];
  /** The service's own groups, and entities: whose members are known where the graph is whole. */
  readonly #identities: readonly PossibleIdentity[];
  readonly #entityAliases: Readonly<Record<Side, ReadonlyMap<string, EntityAlias[]>>>;
  readonly #ledInto: Readonly<Record<Side, Map<NodeKey, ReadonlySet<NodeKey>>>> = {
    before: new Map(),
    after: new Map(),
  };

  constructor(
    sides: GraphSides,
    entities: Readonly<Record<string, string>>,
    leftOpen: LeftOpen,
    signIns: readonly LoggedSignIn[],
  ) {
    for (const { who } of signIns) {
      const policies = getOrMake(this.#signedInWith, who.entity, () => new Set());
      for (const policy of who.identityPolicies) policies.add(policyKey(policy));
    }
    this.#sides = sides;
    this.#entities = entities;
    this.#leftOpen = leftOpen;
    this.#isWhole = (['groups', 'aliases', 'identities'] as const).every((list) =>
      isComplete(sides.before.graph, list),
    );
    const both = [sides.before, sides.after];
    const external = both.flatMap(({ graph }) => [
      ...graph.groups.map(({ name }) => name),
      ...graph.aliases.map(({ group }) => group),
      ...ofKind(graph.others, 'otherAlias').map(({ group }) => group),
    ]);
    this.#groups = this.#possible(external.map((name) => ({ kind: 'group', name })));
    const keys = new Set(this.#groups.map(({ key }) => key));
    const identities = both.flatMap((index) => [...index.identities.values()]);
    this.#identities = this.#possible(identities).filter(({ key }) => !keys.has(key));
    this.#entityAliases = { before: aliasesByEntity(sides.before), after: aliasesByEntity(sides.after) };
  }

  /** Groups of the graph as it is whose policies a token of the log all had. */
  groupsOf({ identityPolicies }: LoggedPrincipal): string[] {
    const inside = new Set(identityPolicies.map(policyKey));
    return [...this.#groups, ...this.#identities].flatMap(({ kind, name, policies: { before } }) =>
      kind === 'group' && before.length > 0 && before.every((policy) => inside.has(policy)) ? name : [],
    );
  }

  /** What principals have before, or after, when they sign in again. */
  policiesOf(who: LoggedPrincipal, side: Side, method?: string): GroupPolicies {
    if (who.entity === '') return { sure: new Set(), maybe: new Map() };
    const entity = this.#entities[who.entity];
    const isKnown = entity !== undefined && this.#isWhole;
    const own = { before: this.#ownPolicies('before', entity), after: this.#ownPolicies('after', entity) };
    const inside = new Set(who.identityPolicies.map(policyKey));
    // A service does not name those that the token has by itself as well.
    // And a renewal may take groups away that the next sign-in brings again (measured: OpenBao 2.7.2, jwt).
    const signedInWith = this.#signedInWith.get(who.entity) ?? [];
    const seen = new Set([...inside, ...who.tokenPolicies.map(policyKey), ...signedInWith]);
    const led = isKnown && method !== undefined ? this.#groupsLedInto(entity, method) : undefined;
    const given = givenPolicies(
      {
        inside,
        seen,
        own,
        isKnown,
        givers: isKnown ? this.#groups : [...this.#groups, ...this.#identities],
        isReached: ({ key }) => led === undefined || led.some((groups) => groups.has(key)),
      },
      side,
    );
    const left = side === 'after' && entity !== undefined ? this.#leftBy(entity) : [];
    const { sure, maybe } = ownOrLeft(own[side], left);
    for (const policy of given.sure) sure.add(policy);
    for (const [policy, doubt] of given.maybe) if (!maybe.has(policy)) maybe.set(policy, missingBy(doubt));
    for (const policy of sure) maybe.delete(policy);
    const unknown = side === 'after' ? this.#doubtAfter(entity, given.givers) : undefined;
    return { sure, maybe, ...(unknown && { unknown }) };
  }

  #ownPolicies(side: Side, entity: string | undefined): Set<string> {
    return new Set(entity === undefined ? [] : this.#sides[side].policiesOf('entity', entity));
  }

  /** External groups that an entity is in, and that the change leads others into. */
  #leftBy(entity: string): readonly PossibleIdentity[] {
    const inside = new Set(this.#sides.after.walk.reached(namedKey({ kind: 'entity', name: entity })));
    return this.#groups.filter(({ changesMembers, key }) => changesMembers && inside.has(key));
  }

  /**
   * The groups that a sign-in of an entity at a method may lead into on one of the sides: by the method, or by others at
   * which the entity has an alias.
   */
  #groupsLedInto(entity: string, method: string): ReadonlySet<NodeKey>[] {
    return (['before', 'after'] as const).flatMap((side) => {
      const index = this.#sides[side];
      const starts = [method, ...index.methodsOf(entity)].map(methodNode);
      return [...starts, namedKey({ kind: 'entity', name: entity })].map((start) =>
        getOrMake(this.#ledInto[side], start, () => groupsBroughtBy(index, start)),
      );
    });
  }

  #possible(named: readonly Named[]): PossibleIdentity[] {
    const { before, after } = this.#sides;
    const remade = new Set(this.#leftOpen.replaced.map(({ name }) => name));
    const ties = { before: tiesIn(before, new Set()), after: tiesIn(after, remade) };
    const withOpenAlias = this.#withOpenAlias();
    return [...new Map(named.map((identity) => [namedKey(identity), identity]))].map(
      ([key, { kind, name }]) => ({
        key,
        kind,
        name,
        policies: { before: before.policiesOf(kind, name), after: after.policiesOf(kind, name) },
        changesMembers: withOpenAlias.has(key) || !isSame(ties.before.get(key), ties.after.get(key)),
        isOpen: this.#leftOpen.unknown.some(
          (subject) => subject.type === kind && nameKey(subject.name) === nameKey(name),
        ),
      }),
    );
  }

  /** Keys of the groups of aliases that the change leaves unknown. */
  #withOpenAlias(): Set<NodeKey> {
    const unknown = this.#leftOpen.unknown.filter(({ type }) => type === groupAlias.type);
    const groups = unknown.flatMap(({ method = '', name }) =>
      [this.#sides.before, this.#sides.after].flatMap(
        ({ aliases }) => aliases.get(aliasNode({ method, name }))?.group ?? [],
      ),
    );
    return new Set(groups.map((name) => namedKey({ kind: 'group', name })));
  }

  /** Whether the change may make another entity of them, or of its policies or those of its groups others. */
  #doubtAfter(entity: string | undefined, givers: readonly PossibleIdentity[]): SignInDoubt | undefined {
    const doubt = this.#entityDoubt(entity);
    if (doubt !== undefined) return doubt;
    const giver = givers.find(({ isOpen }) => isOpen);
    if (giver === undefined) return undefined;
    return giver.kind === 'group'
      ? { kind: 'group-policies', group: giver.name }
      : { kind: 'entity-unknown' };
  }

  #entityDoubt(entity: string | undefined): SignInDoubt | undefined {
    const { before, after } = this.#sides;
    const isOf = (name: string) => entity === undefined || nameKey(name) === nameKey(entity);
    if (this.#leftOpen.unknown.some(({ type, name }) => type === entityResource.type && isOf(name)))
      return { kind: 'entity-open' };
    const key = entity === undefined ? '' : namedKey({ kind: 'entity', name: entity });
    const isGone = before.identities.has(key) && !after.identities.has(key);
    const aliasesOn = (side: Side) =>
      entity === undefined
        ? [...this.#entityAliases[side].values()].flat()
        : this.#entityAliases[side].get(nameKey(entity));
    const isSameEntity = !isGone && isSame(aliasesOn('before'), aliasesOn('after'));
    return isSameEntity ? undefined : { kind: 'entity-changed' };
  }
}

/** What an entity has, but for what it has by groups that it may leave: the service keeps it there until it signs in again. */
function ownOrLeft(
  own: ReadonlySet<string>,
  left: readonly PossibleIdentity[],
): Pick<GroupPolicies, 'sure' | 'maybe'> {
  const sure = new Set<string>();
  const maybe = new Map<string, UsageReason>();
  for (const policy of own) {
    const giver = left.find(({ policies }) => policies.after.includes(policy));
    if (giver === undefined) sure.add(policy);
    else maybe.set(policy, missingBy({ giver }));
  }
  return { sure, maybe };
}

function missingBy(doubt: GiverDoubt<PossibleIdentity>): UsageReason {
  if ('elsewhere' in doubt) return { kind: 'given-elsewhere', policy: doubt.elsewhere };
  const { kind, name } = doubt.giver;
  return kind === 'group' ? { kind: 'in-group', group: name } : { kind: 'entity' };
}

function aliasesByEntity({ graph }: GraphIndex): Map<string, EntityAlias[]> {
  return Map.groupBy(ofKind(graph.others, 'entityAlias'), ({ entity }) => nameKey(entity));
}

/** The groups that a node brings to whatever entity signs in, by the provider's groups. */
function groupsBroughtBy(index: GraphIndex, start: NodeKey): ReadonlySet<NodeKey> {
  const { walk } = index;
  const brought = walk.reached(start).flatMap((node) => walk.ends(node, 'any of'));
  const isOfEntity = (end: NodeKey) =>
    walk.reached(end).some((node) => walk.namedAt(node)?.kind === 'entity');
  return new Set(brought.filter((end) => !isOfEntity(end)).flatMap((end) => walk.reached(end)));
}

/** What leads people into each group: its aliases, and its members. Of an entity, that it is there. */
function tiesIn(index: GraphIndex, remade: ReadonlySet<string>): Map<NodeKey, string[]> {
  const ties = new Map<NodeKey, Set<string>>();
  const tie = (named: Named, key: NodeKey) => getOrMake(ties, namedKey(named), () => new Set()).add(key);
  const lead = (method: string, name: string, key: NodeKey) =>
    tie({ kind: 'group', name }, JSON.stringify([key, remade.has(method)]));
  for (const alias of index.graph.aliases) lead(alias.method, alias.group, aliasNode(alias));
  for (const alias of ofKind(index.graph.others, 'otherAlias'))
    lead(alias.method, alias.group, keyOfNode(alias));
  for (const identity of index.graph.identities ?? []) {
    if (identity.kind === 'entity') tie(identity, '');
    else for (const member of identity.members ?? []) tie(identity, namedKey(member));
  }
  return new Map([...ties].map(([key, keys]) => [key, [...keys].sort()]));
}
