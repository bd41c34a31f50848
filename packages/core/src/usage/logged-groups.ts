import type { GraphIndex } from '../access/graph-index.ts';
import type { Change } from '../graph/change.ts';
import { isComplete } from '../graph/graph.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import { ofKind } from '../graph/nodes/other-node.ts';
import { entity as entityResource } from '../graph/resources/entity.ts';
import { isSame } from '../graph/resources/field.ts';
import { alias as groupAlias } from '../graph/resources/group-alias.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import type { LoggedSignIn } from './folded-log.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import type { SignInDoubt } from './sign-in-doubt.ts';

/** What a change leaves unknown, and which mounts it makes anew. */
export type LeftOpen = Pick<Change, 'unknown' | 'replaced'>;

/** The policies that principals have by their entity and groups. */
export interface GroupPolicies {
  sure: Set<string>;
  /** With what is missing, in words. */
  maybe: Map<string, string>;
  /** Why their policies cannot be told at all. */
  unknown?: SignInDoubt;
}

/** A group that principals may be in; or an entity that they may be, where the log's ids have no names. */
interface Candidate extends Named {
  had: string[];
  /** The change moves who is in it. */
  changesMembers: boolean;
  /** The change leaves its policies unknown. */
  isOpen: boolean;
}

/**
 * Which groups the principals of a log are in, from the policies that they had by them. Groups whose policies changed since
 * count as possible, never as left.
 */
export class LoggedGroups {
  readonly #was: GraphIndex;
  readonly #is: GraphIndex;
  readonly #entities: Readonly<Record<string, string>>;
  readonly #leftOpen: LeftOpen;
  /** Policies of identities at sign-ins of the log, by entity. */
  readonly #signedInWith = new Map<string, Set<string>>();
  /** Whether all groups and entities are known. */
  readonly #isWhole: boolean;
  readonly #groups: Candidate[];
  readonly #identities: Candidate[];

  constructor(
    was: GraphIndex,
    is: GraphIndex,
    entities: Readonly<Record<string, string>>,
    leftOpen: LeftOpen,
    signIns: readonly LoggedSignIn[],
  ) {
    for (const { who } of signIns) {
      const all = this.#signedInWith.get(who.entity) ?? new Set();
      this.#signedInWith.set(who.entity, all);
      for (const policy of who.identityPolicies) all.add(policyKey(policy));
    }
    this.#was = was;
    this.#is = is;
    this.#entities = entities;
    this.#leftOpen = leftOpen;
    this.#isWhole = (['groups', 'aliases', 'identities'] as const).every((list) =>
      isComplete(was.graph, list),
    );
    const groups = [was, is].flatMap(({ graph }) => [
      ...graph.groups.map(({ name }) => name),
      ...graph.aliases.map(({ group }) => group),
      ...ofKind(graph.others, 'otherAlias').map(({ group }) => group),
    ]);
    this.#groups = this.#candidates(groups.map((name) => ({ kind: 'group', name })));
    const external = new Set(this.#groups.map(namedKey));
    const identities = [...was.identities.values(), ...is.identities.values()];
    this.#identities = this.#candidates(identities).filter((one) => !external.has(namedKey(one)));
  }

  /** What principals have before, or after, when they sign in again. */
  policiesOf(who: LoggedPrincipal, isAfter: boolean, method?: string): GroupPolicies {
    const found: GroupPolicies = { sure: new Set(), maybe: new Map() };
    if (who.entity === '') return found;
    const side = isAfter ? this.#is : this.#was;
    const entity = this.#entities[who.entity];
    const isKnown = entity !== undefined && this.#isWhole;
    const ownIn = (index: GraphIndex) =>
      new Set(entity === undefined ? [] : index.policiesOf('entity', entity));
    const [had, own] = [ownIn(this.#was), ownIn(side)];
    const inside = new Set(who.identityPolicies.map(policyKey));
    const left = isAfter && entity !== undefined ? this.#leftBy(entity) : [];
    for (const policy of own) {
      const from = left.find((one) => side.policiesOf('group', one).includes(policy));
      // The service keeps them in an external group until they sign in again.
      if (from === undefined) found.sure.add(policy);
      else found.maybe.set(policy, `whether they are in group ${from}`);
    }
    // A service does not name those that the token has by itself as well.
    // And a renewal may take groups away that the next sign-in brings again (measured: OpenBao 2.7.2, jwt).
    const signedInWith = this.#signedInWith.get(who.entity) ?? [];
    const seen = new Set([...inside, ...who.tokenPolicies.map(policyKey), ...signedInWith]);
    const reaches = (one: Candidate) =>
      !isKnown || method === undefined || this.#leadsTo(one, entity, method);
    const { possible, isExplained } = this.#possible(inside, seen, had, isKnown, reaches);
    const stays = (one: Candidate) => !isAfter || !(one.changesMembers || one.isOpen);
    const isMember = (one: Candidate) =>
      isKnown &&
      isExplained &&
      one.had.some((policy) => {
        const givers = possible.filter((other) => other.had.includes(policy));
        return inside.has(policy) && !had.has(policy) && givers.length === 1;
      });
    // Others may be in it then.
    const entered = isAfter
      ? this.#all(isKnown).filter((one) => one.changesMembers && !possible.includes(one))
      : [];
    for (const one of [...possible, ...entered]) {
      const words = one.kind === 'group' ? `whether they are in group ${one.name}` : 'which entity they are';
      if (isAfter && one.isOpen)
        found.unknown ??=
          one.kind === 'group' ? { kind: 'group-policies', group: one.name } : { kind: 'entity-unknown' };
      for (const policy of side.policiesOf(one.kind, one.name)) {
        if (stays(one) && isMember(one)) found.sure.add(policy);
        else if (!found.maybe.has(policy)) found.maybe.set(policy, words);
      }
    }
    for (const policy of inside) {
      if (own.has(policy)) continue;
      const givers = had.has(policy) ? [] : possible.filter((one) => one.had.includes(policy));
      const still = givers.filter(
        (one) => stays(one) && side.policiesOf(one.kind, one.name).includes(policy),
      );
      const isElsewhere = !isKnown && givers.length === 0 && !had.has(policy);
      if (isElsewhere || (givers.length > 0 && still.length === givers.length)) found.sure.add(policy);
      else if (!isKnown && !found.maybe.has(policy))
        found.maybe.set(policy, `whether a group elsewhere gives policy ${policy}`);
    }
    for (const policy of found.sure) found.maybe.delete(policy);
    const unknown = isAfter ? this.#entityOpen(entity) : undefined;
    return { ...found, ...(unknown !== undefined && { unknown }) };
  }

  /** External groups that an entity is in, and that the change leads others into. */
  #leftBy(entity: string): string[] {
    const around = this.#is.memberships.around({ kind: 'entity', name: entity }).map(({ key }) => key);
    const inside = new Set(around);
    return this.#groups.flatMap((one) => (one.changesMembers && inside.has(namedKey(one)) ? one.name : []));
  }

  /**
   * Those whose policies the principals had, all of them. Where these do not give all that they had, groups have changed
   * since: then also those that give some of it, or any.
   */
  #possible(
    inside: ReadonlySet<string>,
    seen: ReadonlySet<string>,
    own: ReadonlySet<string>,
    isKnown: boolean,
    reaches: (one: Candidate) => boolean,
  ): { possible: Candidate[]; isExplained: boolean } {
    const all = this.#all(isKnown);
    const isHeld = (one: Candidate) => one.had.every((policy) => inside.has(policy));
    const strict = all.filter(
      (one) => isHeld(one) || (one.had.every((policy) => seen.has(policy)) && reaches(one)),
    );
    const left = [...inside].filter(
      (policy) => !own.has(policy) && !strict.some(({ had }) => had.includes(policy)),
    );
    if (left.length === 0) return { possible: strict, isExplained: true };
    const isGiven = left.every((policy) => all.some(({ had }) => had.includes(policy)));
    if (!isGiven && isKnown) return { possible: all, isExplained: false };
    const loose = all.filter(
      (one) => strict.includes(one) || left.some((policy) => one.had.includes(policy)),
    );
    return { possible: loose, isExplained: false };
  }

  /** Whether a sign-in by a method, or by another one that the entity has an alias of, may lead into a group. */
  #leadsTo({ name }: Candidate, entity: string, method: string): boolean {
    const sides = [this.#was.graph, this.#is.graph];
    const own = sides.flatMap(({ others }) =>
      ofKind(others, 'entityAlias').flatMap((alias) =>
        nameKey(alias.entity) === nameKey(entity) ? alias.method : [],
      ),
    );
    const leading = sides.flatMap(({ aliases, others }) =>
      [...aliases, ...ofKind(others, 'otherAlias')].flatMap((alias) =>
        nameKey(alias.group) === nameKey(name) ? alias.method : [],
      ),
    );
    return leading.some((path) => path === method || own.includes(path));
  }

  /** Members of the service's own groups are known, where the graph is whole. */
  #all(isKnown: boolean): Candidate[] {
    return isKnown ? this.#groups : [...this.#groups, ...this.#identities];
  }

  #candidates(named: Named[]): Candidate[] {
    return [...new Map(named.map((one) => [namedKey(one), one])).values()].map(({ kind, name }) => ({
      kind,
      name,
      had: this.#was.policiesOf(kind, name),
      changesMembers:
        this.#hasOpenAlias({ kind, name }) ||
        !isSame(this.#tiesOf(this.#was, { kind, name }), this.#tiesOf(this.#is, { kind, name })),
      isOpen: this.#isLeftOpen({ kind, name }),
    }));
  }

  /** What leads people into a group: its aliases; and where the graph does not know who they are, its members. */
  #tiesOf({ graph }: GraphIndex, { kind, name }: Named): unknown[] {
    if (kind === 'entity') return [(graph.identities ?? []).some((one) => isNamed(one, kind, name))];
    const remade = new Set(this.#leftOpen.replaced.map((one) => one.name));
    const at = (method: string) => [method, remade.has(method) && graph === this.#is.graph];
    return [
      ...graph.aliases.flatMap((one) =>
        nameKey(one.group) === nameKey(name) ? [[...at(one.method), one.name]] : [],
      ),
      ...ofKind(graph.others, 'otherAlias').flatMap((alias) =>
        nameKey(alias.group) === nameKey(name) ? [[...at(alias.method), nameKey(alias.name)]] : [],
      ),
      ...(graph.identities ?? []).flatMap((one) =>
        isNamed(one, kind, name) ? (one.members ?? []).map((member) => [namedKey(member)]) : [],
      ),
    ]
      .map((one) => JSON.stringify(one))
      .sort();
  }

  #isLeftOpen({ kind, name }: Named): boolean {
    return this.#leftOpen.unknown.some((one) => one.type === kind && nameKey(one.name) === nameKey(name));
  }

  #hasOpenAlias({ kind, name }: Named): boolean {
    const unknown = this.#leftOpen.unknown.filter(({ type }) => type === groupAlias.type);
    const aliases = [this.#was, this.#is].flatMap(({ graph }) => graph.aliases);
    return (
      kind === 'group' &&
      unknown.some((one) =>
        aliases.some(
          (alias) =>
            alias.name === one.name && alias.method === one.method && nameKey(alias.group) === nameKey(name),
        ),
      )
    );
  }

  /** Whether the change may make another entity of them, or of its policies others. */
  #entityOpen(entity: string | undefined): SignInDoubt | undefined {
    const isOf = (name: string | undefined) =>
      entity === undefined || nameKey(name ?? '') === nameKey(entity);
    if (this.#leftOpen.unknown.some(({ type, name }) => type === entityResource.type && isOf(name)))
      return { kind: 'entity-open' };
    const key = entity === undefined ? '' : namedKey({ kind: 'entity', name: entity });
    const isGone = this.#was.identities.has(key) && !this.#is.identities.has(key);
    const aliases = ({ graph }: GraphIndex) =>
      ofKind(graph.others, 'entityAlias').filter((alias) => isOf(alias.entity));
    const isSameEntity = !isGone && isSame(aliases(this.#was), aliases(this.#is));
    return isSameEntity ? undefined : { kind: 'entity-changed' };
  }
}

function isNamed(one: Named, kind: Named['kind'], name: string): boolean {
  return one.kind === kind && nameKey(one.name) === nameKey(name);
}
