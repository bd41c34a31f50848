import { GraphIndex } from '../access/graph-index.ts';
import { inclusion, populationOf } from '../access/sign-in/population.ts';
import type { Graph, GraphIds, OtherNode } from '../graph/graph.ts';
import type { MethodConfiguration } from '../graph/nodes/other-method.ts';
import { methodOf, ofKind } from '../graph/nodes/other-node.ts';
import { type OtherRole, picksPolicies } from '../graph/nodes/other-role.ts';
import type { SudoPaths } from '../graph/policies/sudo-paths.ts';
import { method as authMethod } from '../graph/resources/auth-method.ts';
import { isSame } from '../graph/resources/field.ts';

import { namesPeople, signedInBy } from '../graph/resources/other-methods.ts';
import { type Role, role as roleResource } from '../graph/resources/role.ts';
import type { Subject } from '../graph/subject.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import type { FoldedLog } from './folded-log.ts';
import { isBuiltIn, isMadeByToken, isNamedBy } from './lineage.ts';
import { type LeftOpen, LoggedGroups } from './logged-groups.ts';
import type { LoggedPrincipal, Making } from './logged-request.ts';
import { type MountMove, pathsToday } from './moved-mounts.ts';
import { boundsIn, methodLimits, signInFields, tokenOf, usedLess } from './role-bounds.ts';
import type { SignedInAt, SignInDoubt } from './sign-in-doubt.ts';

/** A graph with the names behind the ids in a log. */
export interface LoggedService {
  graph: Graph;
  ids?: Partial<GraphIds>;
  /** Paths that need `sudo`, as the server itself says. Defaults to what is known of servers. */
  sudo?: SudoPaths | undefined;
}

/** The policies of principals who sign in anew. */
export interface HeldPolicies {
  sure: string[];
  /** Policies that the log leaves open, each with what is missing, in words. */
  maybe: { policy: string; missing: string }[];
  /** Why they cannot sign in any more, or why that is not known. `open`: nor is what they hold then. */
  signIn?: { answer: 'refused' | 'unknown' | 'open'; doubt: SignInDoubt };
  /** How their token is made anew, where another token makes it; and whether that takes `sudo`. */
  making?: Making & { needsSudo: boolean };
}

/** If more policies than that are open, their combinations are not tried. */
const mostOpen = 6;

/** All that principals may hold, by what is left open; in words what is missing where that is too much to try. */
export function possibleLists({ sure, maybe }: HeldPolicies): string[][] | string {
  if (maybe.length > mostOpen) return maybe[0]?.missing ?? '';
  return Array.from({ length: 2 ** maybe.length }, (_, chosen) => [
    ...sure,
    ...maybe.filter((_, at) => chosen & (1 << at)).map(({ policy }) => policy),
  ]);
}

/**
 * Whom the principals of a log are in a graph, before and after a change: where they signed in, and what they hold when they
 * sign in again. Their groups are those of the log (`identity_policies`), as no service tells the groups of a sign-in that
 * was not made.
 */
export class LoggedPrincipals {
  readonly #was: GraphIndex;
  readonly #is: GraphIndex;
  readonly #leftOpen: LeftOpen;
  readonly #moves: readonly MountMove[];
  readonly #groups: LoggedGroups;
  /** By what tokens of one sign-in share, and by entity. */
  readonly #signedIn = new Map<string, SignedInAt[]>();
  readonly #held = new Map<LoggedPrincipal, { before: HeldPolicies; after: HeldPolicies }>();

  constructor(
    before: LoggedService,
    after: Graph,
    { signIns, moves }: Pick<FoldedLog, 'signIns' | 'moves'>,
    leftOpen: LeftOpen = { unknown: [], replaced: [] },
  ) {
    this.#was = new GraphIndex(before.graph, []);
    this.#is = before.graph === after ? this.#was : new GraphIndex(after, []);
    this.#leftOpen = leftOpen;
    this.#moves = moves.mounts;
    this.#groups = new LoggedGroups(this.#was, this.#is, before.ids?.entity ?? {}, leftOpen, signIns);
    for (const { who, ...at } of signIns) {
      for (const key of [tokenKey(who), entityKey(who)]) {
        const all = this.#signedIn.get(key) ?? [];
        this.#signedIn.set(key, all);
        const one = this.#roleAt(at, who);
        if (!all.some((other) => isSame(other, one))) all.push(one);
      }
    }
  }

  /**
   * The auth method and role of the sign-in that began a token: as the log has it by the token itself, else by the entity, else
   * by the name. Undefined where several fit, or none.
   */
  signedInAt(who: LoggedPrincipal): SignedInAt | undefined {
    const then = this.#signedInThen(who);
    return then && this.#ofToday(then);
  }

  /** A method that was moved has its roles at its new path; where the graph has both paths, it may be either. */
  #ofToday(then: SignedInAt): SignedInAt | undefined {
    if (this.#moves.length === 0) return then;
    const methods = pathsToday(`auth/${then.method}`, this.#moves).flatMap((path) =>
      path.startsWith('auth/') ? path.slice('auth/'.length) : [],
    );
    const [now, ...several] = methods.filter((method) => this.#hasMethod(method));
    if (now === undefined) return then;
    return several.length > 0 || this.#hasMethod(then.method) ? undefined : { ...then, method: now };
  }

  #hasMethod(path: string): boolean {
    return [this.#was, this.#is].some(
      (side) =>
        methodIn(side, path) !== undefined ||
        side.graph.roles.some(({ method }) => method === path) ||
        (side.graph.others ?? []).some((node) => methodOf(node) === path),
    );
  }

  #signedInThen(who: LoggedPrincipal): SignedInAt | undefined {
    const { lineage } = who;
    if (lineage?.isElsewhere) return undefined;
    if (lineage !== undefined && lineage.method !== 'token') return this.#roleAt(lineage, who);
    if (lineage?.making !== undefined) return this.signedInAt(lineage.making.by);
    const isOfSignIn = !isMadeByToken(who);
    const [one, ...differing] = this.#signedIn.get(isOfSignIn ? tokenKey(who) : '') ?? [];
    if (one !== undefined && differing.length === 0) return one;
    const [only, ...rest] = who.entity === '' ? [] : (this.#signedIn.get(entityKey(who)) ?? []);
    if (only !== undefined && rest.length === 0 && (!isOfSignIn || isNamedBy(who, only.method))) return only;
    const [named, ...several] = isOfSignIn && one === undefined ? this.#named(who) : [];
    return several.length > 0 ? undefined : named;
  }

  /** Where the log leaves out the type of a method, the graph may have it. */
  #roleAt({ method, role: named, type = '' }: NamedSignIn, { metadata }: LoggedPrincipal): SignedInAt {
    const known = type === '' ? this.#typeOf(method) : type;
    const role = named === '' ? signedInBy(known, '', metadata) : named;
    return { method, role, ...(namesPeople(known) && { isPerson: true as const }) };
  }

  #typeOf(method: string): string {
    for (const { graph, methods } of [this.#was, this.#is]) {
      const type = methods.get(method)?.type;
      const typed = ofKind(graph.others, 'otherMethod', 'otherRole', 'otherAlias');
      const known = type ?? typed.find((node) => methodOf(node) === method)?.type;
      if (known !== undefined) return known;
    }
    return '';
  }

  /** What they hold when they sign in again, before and after the change. */
  held(who: LoggedPrincipal): { before: HeldPolicies; after: HeldPolicies } {
    const known = this.#held.get(who);
    if (known !== undefined) return known;
    const at = this.signedInAt(who);
    const held = { before: this.#heldIn(who, at, false), after: this.#heldIn(who, at, true) };
    this.#held.set(who, held);
    return held;
  }

  #heldIn(who: LoggedPrincipal, at: SignedInAt | undefined, isAfter: boolean): HeldPolicies {
    // No sign-in gives such a token, and no policy limits it.
    if (who.tokenPolicies.includes('root')) return { sure: ['root'], maybe: [] };
    if (isBuiltIn(who.policies)) return { sure: [...who.policies], maybe: [] };
    const token = this.#tokenIn(who, at, isAfter);
    const { sure, maybe, unknown } = this.#groups.policiesOf(who, isAfter, at?.method);
    const policies = new Set([...token.policies.map(policyKey), ...sure]);
    const signIn =
      token.signIn?.answer === 'refused' || unknown === undefined ? token.signIn : unsure(unknown);
    return {
      sure: [...policies].sort(),
      maybe: [...maybe].flatMap(([policy, missing]) => (policies.has(policy) ? [] : { policy, missing })),
      ...(signIn && { signIn }),
      ...(token.making && { making: token.making }),
    };
  }

  /** What a token has by itself, once it is made anew in the same way: by a sign-in, or by another token. */
  #tokenIn(who: LoggedPrincipal, at: SignedInAt | undefined, isAfter: boolean): OwnPolicies {
    const making = who.lineage?.making;
    if (making === undefined && isMadeByToken(who)) return this.#tokenAfter(who, undefined, isAfter);
    if (making === undefined) return this.#tokenAfter(who, at, isAfter);
    const { by, inherits, isOrphan } = making;
    const own = who.tokenPolicies.map(policyKey);
    const maker = this.#heldIn(by, this.signedInAt(by), isAfter);
    const held = this.#tokenIn(by, this.signedInAt(by), isAfter).policies.map(policyKey);
    const isFromRoot = by.tokenPolicies.includes('root');
    const parts = {
      ...(maker.signIn && { signIn: maker.signIn }),
      making: { ...making, needsSudo: isOrphan },
    };
    const tokenRole = { method: 'token', role: making.role };
    const limits = roleIn(isAfter ? this.#is : this.#was, tokenRole);
    // A token role without policies of its own lets its users ask for theirs.
    if (making.role !== '' && !(limits !== undefined && isOpen(limits))) {
      const { policies, signIn } = this.#tokenAfter({ ...who, lineage: undefined }, tokenRole, isAfter);
      const given =
        limits !== undefined && 'kind' in limits && !limits.isOpaque ? limits.policies : undefined;
      if (given === undefined) return { ...parts, policies, ...(signIn && { signIn }) };
      const isGiven = own.every((one) => one === 'default' || given.map(policyKey).includes(one));
      const doubt = { kind: 'token-role-lacks' as const, role: making.role };
      const refused = { answer: 'refused' as const, doubt };
      return {
        ...parts,
        policies: inherits ? withDefaultOf(own, given) : own,
        ...(signIn && { signIn }),
        ...(!inherits && !isGiven && { signIn: refused }),
      };
    }
    if (isFromRoot) return { ...parts, policies: own };
    if (inherits) return { ...parts, policies: withDefaultOf(own, held) };
    const isSubset = own.every((one) => one === 'default' || held.includes(one));
    return { ...parts, policies: own, making: { ...parts.making, needsSudo: isOrphan || !isSubset } };
  }

  #policiesBefore(who: LoggedPrincipal, at: SignedInAt | undefined): readonly string[] {
    const had = at && roleIn(this.#was, at);
    return had === undefined ? who.tokenPolicies : givenBy(this.#was, had, who);
  }

  #tokenAfter(who: LoggedPrincipal, at: SignedInAt | undefined, isAfter: boolean): OwnPolicies {
    const policies = this.#policiesBefore(who, at);
    if (!isAfter) return { policies };
    if (!this.#hasSameRest()) return { policies, signIn: unsure({ kind: 'other-changes' }) };
    // A token that another token made has no more than that one has.
    if (at === undefined || (at.method === 'token' && at.role === '')) {
      return this.#hasSameSignIns() ? { policies } : { policies, signIn: unsure({ kind: 'origin' }) };
    }
    const [had, has] = [roleIn(this.#was, at), roleIn(this.#is, at)];
    const [from, to] = [methodIn(this.#was, at.method), methodIn(this.#is, at.method)];
    const isSameMethod = isSame([from, ...settingsIn(this.#was, at)], [to, ...settingsIn(this.#is, at)]);
    const { method } = at;
    const refused = (doubt: SignInDoubt) => ({ policies, signIn: { answer: 'refused' as const, doubt } });
    const unproved = (doubt: SignInDoubt) => ({ policies, signIn: unsure(doubt) });
    const unknown = (doubt: SignInDoubt) => ({ policies, signIn: { answer: 'unknown' as const, doubt } });
    if (from !== undefined && to === undefined) return refused({ kind: 'method-gone', method });
    if (had !== undefined && has === undefined) return refused({ kind: 'role-gone', at });
    if (this.#leftOpen.replaced.some((one) => one.name === at.method))
      return unproved({ kind: 'method-remade', method });
    if (this.#leftOpen.unknown.some((one) => bearsOn(one, at))) return unproved({ kind: 'role-open', at });
    if (has === undefined) return isSameMethod ? { policies } : unknown({ kind: 'method-changed', method });
    if (had === undefined) return unknown({ kind: 'role-new', at });
    const given = givenBy(this.#is, has, who);
    if (isSame(had, has) && isSameMethod) return { policies: given };
    if (!this.#isSameToken(had, has, at))
      return { ...unproved({ kind: 'role-gives-others', at }), policies: given };
    if (this.#isIncluded(had, has, at)) return { policies: given };
    return { ...unknown({ kind: 'role-bounds', at }), policies: given };
  }

  /** Whether a sign-in is as the same entity, with the same groups. */
  #isSameToken(had: Role | OtherRole, has: Role | OtherRole, { method }: SignedInAt): boolean {
    if ('kind' in had || 'kind' in has) return 'kind' in had && 'kind' in has;
    const [from, to] = [this.#was, this.#is].map((side) => side.methods.get(method)?.config.providerConfig);
    return isSame(from, to) && isSame(tokenOf(had), tokenOf(has));
  }

  /** Whether all who could sign in still can. */
  #isIncluded(had: Role | OtherRole, has: Role | OtherRole, { method }: SignedInAt): boolean {
    const [from, to] = [this.#was, this.#is].map((side) => side.methods.get(method));
    if ('kind' in had || 'kind' in has) {
      const [was, is] = [this.#was, this.#is].map((side) => [
        methodIn(side, method),
        ...settingsIn(side, { method }),
      ]);
      return isSame(boundsIn(had), boundsIn(has)) && isSame(was, is);
    }
    const isWithin = inclusion(populationOf(had, from), populationOf(has, to)).answer === 'yes';
    return (
      isWithin &&
      isSame(methodLimits(from), methodLimits(to)) &&
      isSame(signInFields(had), signInFields(has)) &&
      !usedLess(had, has)
    );
  }

  /** Whether nothing that gives tokens differs between the graphs. */
  #hasSameSignIns(): boolean {
    const [was, is] = [this.#was.graph, this.#is.graph];
    this.#areSignInsSame ??=
      this.#leftOpen.replaced.length === 0 &&
      !this.#leftOpen.unknown.some(({ type }) => type === roleResource.type || type === authMethod.type) &&
      (was === is ||
        (isSame(was.roles, is.roles) &&
          isSame(was.methods, is.methods) &&
          isSame(was.others ?? [], is.others ?? [])));
    return this.#areSignInsSame;
  }
  #areSignInsSame: boolean | undefined;

  /** Whether what is no role, mount or alias is the same: writes to any path, multi-factor enforcement, what is disabled. */
  #hasSameRest(): boolean {
    const rest = ({ graph }: GraphIndex) => (graph.others ?? []).filter(({ kind }) => !judged.includes(kind));
    this.#isRestSame ??= isSame(rest(this.#was), rest(this.#is));
    return this.#isRestSame;
  }
  #isRestSame: boolean | undefined;

  /** Roles of a graph at methods that name their tokens so: the path, then a hyphen and the alias's name, or nothing. */
  #named(who: LoggedPrincipal): SignedInAt[] {
    const found = new Map<string, SignedInAt>();
    for (const { graph } of [this.#was, this.#is]) {
      const paths = [
        ...graph.methods.map(({ path }) => path),
        ...(graph.others ?? []).flatMap((node) => methodOf(node) ?? []),
      ];
      for (const method of new Set(paths)) {
        if (!isNamedBy(who, method)) continue;
        const at = this.#roleAt({ method, role: '' }, who);
        if (at.role !== '' && [this.#was, this.#is].some((side) => roleIn(side, at))) found.set(method, at);
      }
    }
    return [...found.values()];
  }
}

/** A sign-in as the log has it. */
type NamedSignIn = Pick<SignedInAt, 'method' | 'role'> & { type?: string };

/** What a token has by itself, and what its making depends on. */
type OwnPolicies = { policies: readonly string[] } & Pick<HeldPolicies, 'signIn' | 'making'>;

/** With the policy `default` where a token had it, and without it where that was left out. */
function withDefaultOf(own: readonly string[], given: readonly string[]): string[] {
  const rest = given.filter((one) => one !== 'default');
  return own.includes('default') ? [...rest, 'default'] : rest;
}

/** Whether a token role leaves it to its users which of their own policies a token has. */
const isOpen = (role: Role | OtherRole) => 'kind' in role && !role.isOpaque && role.policies.length === 0;

function roleIn({ graph }: GraphIndex, at: SignedInAt): Role | OtherRole | undefined {
  const isAt = ({ method, name }: Role | OtherRole) =>
    nameKey(method) === nameKey(at.method) && nameKey(name) === nameKey(at.role);
  return graph.roles.find(isAt) ?? ofKind(graph.others, 'otherRole').find(isAt);
}

/** Principals that are looked at by themselves; issued tokens sign in nowhere. */
const judged: readonly OtherNode['kind'][] = [
  'otherRole',
  'otherMethod',
  'configuration',
  'entityAlias',
  'otherAlias',
  'issuedTokens',
];

const unsure = (doubt: SignInDoubt) => ({ answer: 'open' as const, doubt });

/** The policies that a role gives a token; if claims or the caller choose them, those of the log. */
function givenBy(side: GraphIndex, role: Role | OtherRole, who: LoggedPrincipal): readonly string[] {
  if ('kind' in role)
    return picksPolicies(role) || role.isOpaque ? who.tokenPolicies : side.policiesOfOther(role);
  return role.tokenPoliciesTemplateClaims ? who.tokenPolicies : side.policiesOfRole(role);
}

function methodIn({ methods, otherMounts }: GraphIndex, path: string): unknown {
  return methods.get(path) ?? otherMounts.get(path);
}

/** How another method is set up: whom it trusts. */
function settingsIn(
  { graph }: GraphIndex,
  { method: path }: Pick<SignedInAt, 'method'>,
): MethodConfiguration[] {
  return ofKind(graph.others, 'configuration').filter(({ method }) => method === path);
}

/** Whether something unknown bears on a sign-in: its role, its method, or a role that has no name yet. */
function bearsOn({ type, name, method, field }: Subject, at: SignedInAt): boolean {
  if (type === authMethod.type) return name === at.method && field !== 'oidcClientSecret';
  if (type !== roleResource.type) return false;
  return nameKey(name) === nameKey(at.role) && (method === undefined || method === at.method);
}

/** The same for tokens of one sign-in: groups may change while a token lives. */
function tokenKey({ name, entity, metadata, tokenPolicies }: LoggedPrincipal): string {
  return JSON.stringify([name, entity, metadata, tokenPolicies]);
}

const entityKey = ({ entity }: LoggedPrincipal) => `entity ${entity}`;
