import type { Graph } from '../../graph/graph.ts';
import { Memberships, type Named, namedKey } from '../../graph/memberships.ts';
import { type Promised, type PromisedTo, principalFrom } from '../../graph/promise-settings.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { Principals } from '../access-change.ts';
import type { PromisedWho, Reason } from '../reasons/reason.ts';
import type { PathView } from '../rule-book.ts';
import {
  GraphPrincipals,
  type PrincipalsThere,
  type SamePolicies,
  type SamePoliciesOfMount,
  type SignIn,
  signInOf,
  verdictOn,
} from './graph-principals.ts';

/** A principal that shows that a promise is broken. */
export interface PromiseWitness {
  who: PromisedWho;
  path: string;
  capability: string;
  /** The pattern that decides there, and the policies that give it. */
  pattern?: string;
  policies?: string[];
  signIn?: SignIn;
}

/** Whether a promise is kept in a graph. `witness`: who has what is promised not to be, or has not what is. */
export type PromiseAnswer =
  | { answer: 'kept' }
  | { answer: 'broken'; witness: PromiseWitness }
  | { answer: 'unknown'; missing: Reason };

/** A token that principals may have: of a role, in some groups; of an entity; of another node. */
interface Token {
  parts: SamePolicies[];
  /** The principals that the promise is about, among those with the same policies. */
  shown: Principals[];
  /** Whether the promise is about them; `unknown` where it is not known whether they are the same people. */
  is: 'meant' | 'unknown';
  /** Whether a sign-in is known that gets it. Only asked of principals that must have something. */
  isOpen?: boolean;
}

type IsWanted = (one: Principals) => boolean;
const any = () => true;
const none = () => false;

/** Answers whether promises are kept in a graph. */
export class Promises {
  readonly #principals: GraphPrincipals;
  readonly #memberships: Memberships;
  readonly #members: ReadonlyMap<string, readonly Named[]>;
  readonly #external: ReadonlySet<string>;
  readonly #unseen: readonly Reason[];

  /**
   * @param now nanoseconds since 1970: rules of policies may expire
   * @param unseen what else may give access and was not read
   */
  constructor(graph: Graph, now: bigint, unseen: readonly Reason[] = []) {
    this.#principals = new GraphPrincipals(graph, now);
    this.#unseen = [...this.#principals.unseen, ...unseen];
    this.#external = new Set(graph.groups.map(({ name }) => nameKey(name)));
    this.#memberships = new Memberships(graph.identities);
    this.#members = new Map((graph.identities ?? []).map((one) => [namedKey(one), one.members ?? []]));
  }

  decide(promise: Promised): PromiseAnswer {
    const { always, on: pattern, can } = promise;
    const capabilities = new Set(always === undefined ? can.flatMap(covering) : can);
    const found: { [Kind in PromiseAnswer['answer']]?: PromiseAnswer } = {};
    const missing = this.#principals.visit(pattern, (view) => {
      for (const capability of capabilities) {
        if (found.broken !== undefined) return;
        if ((capability === 'list') !== (view.asks === 'list')) continue;
        const failures =
          always === undefined
            ? this.#allowed(promise, view, capability)
            : this.#refused(always, view, capability);
        for (const one of failures) found[one.answer] ??= one;
      }
    });
    // Unread parts may give access, and take none away.
    const unsure = missing ?? (always === undefined ? this.#unseen[0] : undefined);
    const otherwise: PromiseAnswer =
      unsure === undefined ? { answer: 'kept' } : { answer: 'unknown', missing: unsure };
    return found.broken ?? found.unknown ?? otherwise;
  }

  /** `only` and `never`: tokens that have, or may have, what they must not. */
  *#allowed(promise: Promised, view: PathView, capability: string): Generator<PromiseAnswer> {
    for (const { parts, shown, is } of this.#tokensFor(promise, this.#principals.at(view))) {
      const { can, unread, pattern, givers } = verdictOn(view, parts, capability);
      if (can === 'no') continue;
      if (can === 'yes' && is === 'meant') {
        const by = { ...(pattern !== undefined && { pattern }), policies: givers };
        yield { answer: 'broken', witness: { ...this.#witness(shown, view.path, capability), ...by } };
      } else {
        const missing =
          can === 'unknown'
            ? textsMissing(unread, whoOf(shown))
            : ({ kind: 'same-people', who: whoOf(shown), capability, path: view.path } as const);
        yield { answer: 'unknown', missing };
      }
    }
  }

  /** `always`: whom no token lets, or may not let. On each path, one of the sign-ins of each is enough, without a limit. */
  *#refused(wanted: readonly string[], view: PathView, capability: string): Generator<PromiseAnswer> {
    const there = this.#principals.at(view);
    for (const text of wanted) {
      const who = { promised: text };
      const tokens = tokensOf(principalFrom(text), there);
      const verdicts = tokens.map((token) => ({ token, ...verdictOn(view, token.parts, capability) }));
      const able = verdicts.filter(({ can, limits }) => can === 'yes' && limits.length === 0);
      if (able.some(({ token }) => token.isOpen)) continue;
      const limitedOne = able[0] ?? verdicts.find(({ can }) => can !== 'no');
      if (limitedOne === undefined) {
        const { path } = view;
        const shown = tokens[0] && this.#witness(tokens[0].shown, path, capability);
        yield { answer: 'broken', witness: { ...shown, who, path, capability } };
      } else {
        const { pattern = '', limits } = limitedOne;
        const yes: Reason =
          able.length > 0 ? { kind: 'sign-in-unknown', who } : { kind: 'limits-met', who, pattern, limits };
        yield {
          answer: 'unknown',
          missing: limitedOne.can === 'yes' ? yes : textsMissing(limitedOne.unread, who),
        };
      }
    }
  }

  #witness(shown: Principals[], path: string, capability: string): PromiseWitness {
    const signIn = this.#signIn(shown);
    return { who: whoOf(shown), path, capability, ...(signIn && { signIn }) };
  }

  #signIn(shown: Principals[]): SignIn | undefined {
    const [first] = shown;
    if (first === undefined) return undefined;
    const group = shown.find(({ kind }) => kind === 'alias');
    if (group === undefined) return signInOf(first, []);
    return signInOf(group, first.readsGroups ? [first] : this.#principals.rolesTo(group));
  }

  /**
   * All tokens that must not have it. For each role it is enough to look at it alone, with each group, and, for a promise
   * about a group, with that one and each other group (see `Reach.whoCan`: whatever other groups a token has, it can
   * only lose).
   */
  #tokensFor(
    { only, never = [] }: Promised,
    { mounts, identities, otherPrincipals }: PrincipalsThere,
  ): Token[] {
    const named = (only ?? never).map(principalFrom);
    const isNamed = (one: Principals) => named.some((wanted) => isOf(wanted, one));
    if (only !== undefined || named.some(({ kind }) => kind === 'everybody')) {
      // All but the named; of `never: [anyone]`, all.
      const isMeant = (one: Principals) => isNamed(one) === (only === undefined);
      // The tokens of an entity are of whom the entity is.
      const isStranger = (one: Principals) => only === undefined || !this.#isWithin(one.partOf ?? one, named);
      return [
        ...mounts.flatMap((mount) => tokensAt(mount, isMeant, isMeant)),
        ...[...identities, ...otherPrincipals].flatMap((same) =>
          shownOf([same], isStranger).map((part) =>
            tokenOf([part], this.#isWithoutAlias(same) ? 'unknown' : 'meant'),
          ),
        ),
      ];
    }
    return [
      ...mounts.flatMap((mount) => [...tokensAt(mount, isNamed, any), ...tokensWithGroup(mount, isNamed)]),
      ...shownOf(identities, (one) => this.#isWithin(one, named)).map((part) => tokenOf([part], 'meant')),
      // Members of another internal group are not known here; one of other groups alone adds to those.
      ...shownOf(identities, (one) => !this.#isWithin(one, named) && this.#groupsIn(one) === undefined).map(
        (part) => tokenOf([part], 'unknown'),
      ),
    ];
  }

  /** Whether they are of external groups whose aliases are not here: who is in these is not known. */
  #isWithoutAlias({ principals }: SamePolicies): boolean {
    return principals.every(({ kind, name }) => kind === 'group' && this.#external.has(nameKey(name)));
  }

  /** Whether an entity, or all who are in an internal group, are in groups that are named, or are in it by these. */
  #isWithin(one: Principals, named: PromisedTo[]): boolean {
    if (named.some((by) => by.kind === 'group' && this.#isIn(one, by.name))) return true;
    const inside = this.#groupsIn(one);
    return (
      inside?.every((group) => named.some((by) => by.kind === 'group' && nameKey(by.name) === group)) === true
    );
  }

  /** Whether a group or an entity is a group of this name, or in it. */
  #isIn({ kind, name }: Principals, group: string): boolean {
    if (kind !== 'group' && kind !== 'entity') return false;
    return this.#memberships.isWithin({ kind, name }, { kind: 'group', name: group });
  }

  /** The external groups that an internal one consists of; undefined where others are in it, or no one is known to be. */
  #groupsIn({ kind, name }: Principals): string[] | undefined {
    if (kind !== 'group') return undefined;
    const found: string[] = [];
    const reached = new Set([nameKey(name)]);
    for (const one of reached) {
      const members = this.#members.get(namedKey({ kind, name: one })) ?? [];
      if (one !== nameKey(name) && this.#principals.hasGroup(one)) found.push(one);
      else if (members.length === 0) return undefined;
      for (const member of members) {
        if (member.kind === 'entity') return undefined;
        reached.add(nameKey(member.name));
      }
    }
    return found;
  }
}

/** Capabilities that one stands for: to patch is to write, and a scan is a list of everything below. */
const including: Record<string, string[]> = { update: ['patch'], list: ['scan'] };
const covering = (capability: string) => [capability, ...(including[capability] ?? [])];

/** Principals with the same policies, and one of them that is wanted. */
interface Shown {
  same: SamePolicies;
  one: Principals;
}

function shownOf(all: readonly SamePolicies[], isWanted: IsWanted): Shown[] {
  return all.flatMap((same) => {
    const one = same.principals.find(isWanted);
    return one === undefined ? [] : [{ same, one }];
  });
}

function tokenOf(shown: readonly Shown[], is: Token['is']): Token {
  return { is, parts: shown.map(({ same }) => same), shown: shown.map(({ one }) => one) };
}

/** Each role alone, and with each group of its mount; groups alone where the roles are not known. */
function tokensAt({ roles, groups }: SamePoliciesOfMount, isRole: IsWanted, isGroup: IsWanted): Token[] {
  const inGroup = shownOf(groups, isGroup);
  const tokens =
    roles.length === 0
      ? inGroup.map((group) => [group])
      : shownOf(roles, isRole).flatMap((role) => [[role], ...inGroup.map((group) => [role, group])]);
  return tokens.map((shown) => tokenOf(shown, 'meant'));
}

/** Each group that is wanted with each role, alone and with each other group. */
function tokensWithGroup({ roles, groups }: SamePoliciesOfMount, isGroup: IsWanted): Token[] {
  const [byRole, anyGroups] = [shownOf(roles, any).map((role) => [role]), shownOf(groups, any)];
  return shownOf(groups, isGroup).flatMap((group) =>
    (roles.length === 0 ? [[]] : byRole).flatMap((role) =>
      [[], ...anyGroups.filter(({ same }) => same !== group.same).map((other) => [other])].map((other) =>
        tokenOf([...role, group, ...other], 'meant'),
      ),
    ),
  );
}

/**
 * The tokens of principals that must have something: of each of their roles, and of a group by each role that reads
 * groups. No sign-in gives the policy root.
 */
function tokensOf(wanted: PromisedTo, { mounts, identities, otherPrincipals }: PrincipalsThere): Token[] {
  const tokens = (of: SamePolicies, isOpen: IsWanted, ...withParts: SamePolicies[]): Token[] => {
    const meant = of.principals.filter((one) => isOf(wanted, one));
    const firstOpen = meant.find(isOpen);
    const one = firstOpen ?? meant[0];
    const parts = [...withParts, of];
    if (one === undefined || parts.some(({ policies }) => policies.includes('root'))) return [];
    return [{ is: 'meant', parts, shown: [one], isOpen: firstOpen !== undefined }];
  };
  return [
    ...mounts.flatMap(({ roles, groups }) => {
      const reading = roles.filter(({ principals }) => principals.some(({ readsGroups }) => readsGroups));
      return [
        ...roles.flatMap((role) => tokens(role, (one) => signInOf(one, []) !== undefined)),
        ...groups.flatMap((group) =>
          roles.length === 0
            ? tokens(group, none)
            : reading.flatMap((role) =>
                tokens(group, (one) => signInOf(one, role.principals) !== undefined, role),
              ),
        ),
      ];
    }),
    ...identities.flatMap((same) => tokens(same, none)),
    ...otherPrincipals.flatMap((same) => tokens(same, any)),
  ];
}

function isOf(wanted: PromisedTo, { kind, name, method, group }: Principals): boolean {
  if (wanted.kind === 'everybody') return true;
  if (wanted.kind === 'group') return kind === 'alias' && nameKey(wanted.name) === nameKey(group ?? name);
  if (kind !== 'role' || nameKey(wanted.name) !== nameKey(name)) return false;
  return wanted.method === undefined || wanted.method === method;
}

function whoOf(shown: readonly Principals[]): PromisedWho {
  return { principals: shown.map(({ by }) => by) };
}

function textsMissing(policies: readonly string[], who: PromisedWho): Reason {
  return { kind: 'text-missing', policies: [...policies], who };
}
