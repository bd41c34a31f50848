import { GraphIndex, policiesOfOther, policiesOfRole } from '../access/graph-index.ts';
import { inclusion, populationOf } from '../access/sign-in/population.ts';
import { type Graph, type GraphIds, isComplete, type OtherAccess } from '../model/graph.ts';
import { isSame } from '../model/resources/field.ts';
import type { Role } from '../model/resources/role.ts';
import { nameKey, policyKey } from '../model/values/name-key.ts';
import type { LoggedPrincipal } from './audit-line.ts';
import type { LoggedSignIn } from './log-fold.ts';

/** A graph with the names behind the ids in a log. */
export interface LoggedService {
  graph: Graph;
  ids?: Partial<GraphIds>;
}

/** The policies of principals who sign in anew. */
export interface HeldPolicies {
  sure: string[];
  /** Policies that the log leaves open, each with what is missing, in words. */
  maybe: { policy: string; missing: string }[];
  /** Why they cannot sign in any more, or why that is not known, in words. */
  signIn?: { answer: 'refused' | 'unknown'; words: string };
}

/** Where principals signed in. */
export interface SignedInAt {
  method: string;
  role: string;
}

/**
 * Whom the principals of a log are in a graph, before and after a change: where they signed in, and what they hold when they
 * sign in again. Their groups are those of the log (`identity_policies`), as no service tells the groups of a sign-in that
 * was not made.
 */
export class LoggedPrincipals {
  readonly #ids: Partial<GraphIds>;
  readonly #was: GraphIndex;
  readonly #is: GraphIndex;
  readonly #methods = new Map<string, Set<string>>();
  readonly #held = new Map<LoggedPrincipal, { before: HeldPolicies; after: HeldPolicies }>();

  constructor(before: LoggedService, after: Graph, signIns: readonly LoggedSignIn[]) {
    this.#ids = before.ids ?? {};
    this.#was = new GraphIndex(before.graph, []);
    this.#is = before.graph === after ? this.#was : new GraphIndex(after, []);
    for (const { who, method } of signIns) {
      const key = tokenKey(who);
      this.#methods.set(key, (this.#methods.get(key) ?? new Set()).add(method));
    }
  }

  /** The auth method and role of a token; undefined where several fit, or none. */
  signedInAt(who: LoggedPrincipal): SignedInAt | undefined {
    const seen = [...(this.#methods.get(tokenKey(who)) ?? [])];
    const [first = '', ...more] = seen.length > 0 ? seen : this.#methodsNamed(who);
    return first === '' || more.length > 0 ? undefined : { method: first, role: who.role };
  }

  /** What they hold when they sign in again, before and after the change. */
  held(who: LoggedPrincipal): { before: HeldPolicies; after: HeldPolicies } {
    const known = this.#held.get(who);
    if (known !== undefined) return known;
    const at = this.signedInAt(who);
    const held = {
      before: this.#heldIn(this.#was, who, at, false),
      after: this.#heldIn(this.#is, who, at, true),
    };
    this.#held.set(who, held);
    return held;
  }

  #heldIn(
    side: GraphIndex,
    who: LoggedPrincipal,
    at: SignedInAt | undefined,
    isAfter: boolean,
  ): HeldPolicies {
    const token = this.#ofToken(side, who, at, isAfter);
    const entity = this.#ids.entity?.[who.entity];
    const own = entity === undefined ? [] : side.policiesOf('entity', entity);
    const groups = this.#ofGroups(side, who, entity);
    return {
      sure: [...new Set([...token.policies, ...own, ...groups.sure].map(policyKey))],
      maybe: groups.maybe,
      ...(token.signIn && { signIn: token.signIn }),
    };
  }

  #ofToken(
    side: GraphIndex,
    who: LoggedPrincipal,
    at: SignedInAt | undefined,
    isAfter: boolean,
  ): { policies: readonly string[]; signIn?: NonNullable<HeldPolicies['signIn']> } {
    const kept = { policies: who.tokenPolicies };
    if (at === undefined) {
      // Where nothing that gives tokens changes, it does not matter where this one is from.
      const isOpen = isAfter && !this.#signsInAlike();
      return isOpen ? { ...kept, signIn: { answer: 'unknown', words: 'where the token is from' } } : kept;
    }
    const name = `role ${at.role} of auth/${at.method}`;
    const [had, has] = [roleIn(this.#was, at), roleIn(this.#is, at)];
    const here = side === this.#was ? had : has;
    if (had === undefined && has === undefined) return kept;
    const gone = { ...kept, signIn: { answer: 'refused' as const, words: `${name} is gone` } };
    if (here === undefined) return isAfter ? gone : kept;
    if ('identity' in here || 'effect' in here) {
      // A creator chooses among the policies of a token role.
      const policies = here.picks ? who.tokenPolicies : policiesOfOther(side, here);
      const isOther = isAfter && had !== undefined && !isSame(boundsIn(had), boundsIn(here));
      return isOther
        ? { policies, signIn: { answer: 'unknown', words: `${name} has other bounds` } }
        : { policies };
    }
    const policies = policiesOfRole(here);
    if (here.tokenPoliciesTemplateClaims)
      return { ...kept, signIn: { answer: 'unknown', words: 'policies by claims' } };
    if (!isAfter || had === undefined || 'effect' in had) return { policies };
    const [from, to] = [this.#was, this.#is].map((graph) => graph.methods.get(at.method));
    const { answer } = inclusion(populationOf(had, from), populationOf(here, to));
    const words = `${name} has other bounds, and the log has no claims`;
    return answer === 'yes' ? { policies } : { policies, signIn: { answer: 'unknown', words } };
  }

  /** Of external groups: the service keeps who is in them until the next sign-in. */
  #ofGroups(
    side: GraphIndex,
    who: LoggedPrincipal,
    entity: string | undefined,
  ): Pick<HeldPolicies, 'sure' | 'maybe'> {
    const inside = new Set(who.identityPolicies.map(policyKey));
    const own = new Set(entity === undefined ? [] : this.#was.policiesOf('entity', entity));
    const groups = externalGroups(this.#was, this.#is);
    const had = new Map(groups.map((group) => [group, this.#was.policiesOf('group', group)]));
    const possible = groups.filter((group) => had.get(group)?.every((policy) => inside.has(policy)));
    const found = { sure: new Set<string>(), maybe: new Map<string, string>() };
    const isMember = (group: string) =>
      had
        .get(group)
        ?.some(
          (policy) =>
            !own.has(policy) && possible.filter((other) => had.get(other)?.includes(policy)).length === 1,
        ) === true && isComplete(this.#was.graph, 'groups');
    for (const group of possible) {
      for (const policy of side.policiesOf('group', group)) {
        if (isMember(group)) found.sure.add(policy);
        else if (!found.maybe.has(policy)) found.maybe.set(policy, `whether they are in group ${group}`);
      }
    }
    for (const policy of inside) {
      if (own.has(policy)) continue;
      const givers = possible.filter((group) => had.get(group)?.includes(policy));
      const still = givers.filter((group) => side.policiesOf('group', group).includes(policy));
      // Groups elsewhere may give it.
      if (givers.length === 0 && !isComplete(this.#was.graph, 'groups')) found.sure.add(policy);
      if (givers.length > 0 && still.length === givers.length) found.sure.add(policy);
    }
    return {
      sure: [...found.sure],
      maybe: [...found.maybe]
        .filter(([policy]) => !found.sure.has(policy))
        .map(([policy, missing]) => ({ policy, missing })),
    };
  }

  /** Whether nothing that gives tokens differs between the graphs. */
  #signsInAlike(): boolean {
    const [was, is] = [this.#was.graph, this.#is.graph];
    this.#isAlike ??=
      was === is ||
      (isSame(was.roles, is.roles) &&
        isSame(was.methods, is.methods) &&
        isSame(was.others ?? [], is.others ?? []));
    return this.#isAlike;
  }
  #isAlike: boolean | undefined;

  /** Methods of a graph that name their tokens so: the path, then a hyphen and the alias's name, or nothing. */
  #methodsNamed({ name, role }: LoggedPrincipal): string[] {
    const found = new Set<string>();
    for (const { graph } of [this.#was, this.#is]) {
      const paths = [
        ...graph.methods.map(({ path }) => path),
        ...(graph.others ?? []).flatMap(({ method }) => method ?? []),
      ];
      for (const path of new Set(paths)) {
        const start = path.replaceAll('/', '-');
        if (name !== start && !name.startsWith(`${start}-`)) continue;
        if (role !== '' && [this.#was, this.#is].some((side) => roleIn(side, { method: path, role })))
          found.add(path);
      }
    }
    return [...found];
  }
}

function roleIn({ graph }: GraphIndex, { method, role }: SignedInAt): Role | OtherAccess | undefined {
  const at = nameKey(method);
  const wanted = nameKey(role);
  return (
    graph.roles.find((one) => nameKey(one.method) === at && nameKey(one.name) === wanted) ??
    (graph.others ?? []).find(
      (one) =>
        one.identity?.type === 'way' &&
        nameKey(one.method ?? '') === at &&
        one.identity.name.replace(/^\w+ /, '') === wanted,
    )
  );
}

function boundsIn(one: Role | OtherAccess): unknown {
  if (!('effect' in one)) return one;
  // Policies are looked at by themselves.
  const { policies: _, ...bounds } = one.bounds;
  return [bounds, one.isOpaque];
}

function externalGroups(...sides: GraphIndex[]): string[] {
  return [...new Set(sides.flatMap(({ aliases }) => [...aliases.values()].map(({ group }) => group)))];
}

/** The same for tokens of one sign-in: groups may change while a token lives. */
function tokenKey({ name, entity, metadata, tokenPolicies }: LoggedPrincipal): string {
  return JSON.stringify([name, entity, metadata, tokenPolicies]);
}
