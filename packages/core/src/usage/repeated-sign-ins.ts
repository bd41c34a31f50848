import type { Side } from '../access/policy-sides.ts';
import { inclusion, populationOf } from '../access/sign-in/population.ts';
import type { OtherNode } from '../graph/nodes/other-node.ts';
import { type OtherRole, picksPolicies } from '../graph/nodes/other-role.ts';
import { method as authMethod } from '../graph/resources/auth-method.ts';
import { isSame } from '../graph/resources/field.ts';
import { type Role, role as roleResource } from '../graph/resources/role.ts';
import type { Subject } from '../graph/subject.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { DirectoryGroups } from './directory-groups.ts';
import { type GraphSides, methodIn, methodSettings, roleIn } from './graph-sides.ts';
import type { DoubtedSignIn, OwnPolicies } from './held-policies.ts';
import type { LeftOpen } from './logged-groups.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import { boundsIn, methodLimits, signInFields, tokenOf, usedLess } from './role-bounds.ts';
import type { SignedInAt, SignInDoubt } from './sign-in-doubt.ts';

/** Whether the principals of a log can sign in again as they did, and what the role gives their token then. */
export class RepeatedSignIns {
  readonly #sides: GraphSides;
  readonly #leftOpen: LeftOpen;
  readonly #directories: DirectoryGroups;
  readonly #doubts = new Map<string, DoubtedSignIn | undefined>();

  constructor(sides: GraphSides, leftOpen: LeftOpen) {
    this.#sides = sides;
    this.#leftOpen = leftOpen;
    this.#directories = new DirectoryGroups(sides);
  }

  /** What a token has by itself that the same sign-in gives, on a side. */
  tokenOf(who: LoggedPrincipal, at: SignedInAt | undefined, side: Side): OwnPolicies {
    const before = this.#givenTo(who, at, 'before');
    const after = before && this.#givenTo(who, at, 'after');
    const signIn = side === 'after' ? this.#doubtAfter(at) : undefined;
    const ofRole = { before: before ?? who.tokenPolicies, after: after ?? before ?? who.tokenPolicies };
    const byDirectory = at && this.#directories.policiesOf(who, at, { before, after: after ?? before }, side);
    // What a token then holds is asked first: without it, nothing more is known.
    const doubt = signIn?.answer === 'unknown' ? (byDirectory?.signIn ?? signIn) : signIn;
    return { policies: ofRole[side], ...byDirectory, ...(doubt && { signIn: doubt }) };
  }

  #roleIn(side: Side, at: SignedInAt | undefined): Role | OtherRole | undefined {
    return at && roleIn(this.#sides[side], at);
  }

  /** The policies that a role gives a token; if claims or the caller choose them, those of the log. */
  #givenTo(who: LoggedPrincipal, at: SignedInAt | undefined, side: Side): readonly string[] | undefined {
    const role = this.#roleIn(side, at);
    if (role === undefined) return undefined;
    if ('kind' in role)
      return picksPolicies(role) || role.isOpaque
        ? who.tokenPolicies
        : this.#sides[side].policiesOfOther(role);
    return role.tokenPoliciesTemplateClaims ? who.tokenPolicies : this.#sides[side].policiesOfRole(role);
  }

  #doubtAfter(at: SignedInAt | undefined): DoubtedSignIn | undefined {
    if (!this.#hasSameRest()) return openSignIn({ kind: 'other-changes' });
    // A token that another token made has no more than that one has.
    if (at === undefined || (at.method === 'token' && at.role === ''))
      return this.#hasSameSignIns() ? undefined : openSignIn({ kind: 'origin' });
    return getOrMake(this.#doubts, JSON.stringify([at.method, at.role, at.isPerson]), () =>
      this.#doubtAt(at),
    );
  }

  #doubtAt(at: SignedInAt): DoubtedSignIn | undefined {
    const { before, after } = this.#sides;
    const { method } = at;
    const roleBefore = roleIn(before, at);
    const roleAfter = roleIn(after, at);
    if (methodIn(before, method) !== undefined && methodIn(after, method) === undefined)
      return { answer: 'refused', doubt: { kind: 'method-gone', method } };
    if (roleBefore !== undefined && roleAfter === undefined)
      return { answer: 'refused', doubt: { kind: 'role-gone', at } };
    if (this.#leftOpen.replaced.some(({ name }) => name === method))
      return openSignIn({ kind: 'method-remade', method });
    if (this.#leftOpen.unknown.some((subject) => bearsOn(subject, at)))
      return openSignIn({ kind: 'role-open', at });
    const isSameMethod = isSame(methodSettings(before, method), methodSettings(after, method));
    if (roleAfter === undefined)
      return isSameMethod ? undefined : { answer: 'unknown', doubt: { kind: 'method-changed', method } };
    if (roleBefore === undefined) return { answer: 'unknown', doubt: { kind: 'role-new', at } };
    if (isSame(roleBefore, roleAfter) && isSameMethod) return undefined;
    if (!this.#isSameToken(roleBefore, roleAfter, method))
      return openSignIn({ kind: 'role-gives-others', at });
    if (this.#isIncluded(roleBefore, roleAfter, method)) return undefined;
    return { answer: 'unknown', doubt: { kind: 'role-bounds', at } };
  }

  /** Whether a sign-in is as the same entity, with the same groups. */
  #isSameToken(before: Role | OtherRole, after: Role | OtherRole, method: string): boolean {
    if ('kind' in before || 'kind' in after) return 'kind' in before && 'kind' in after;
    const providerOn = (side: Side) => this.#sides[side].methods.get(method)?.config.providerConfig;
    return isSame(providerOn('before'), providerOn('after')) && isSame(tokenOf(before), tokenOf(after));
  }

  /** Whether all who could sign in still can. */
  #isIncluded(before: Role | OtherRole, after: Role | OtherRole, method: string): boolean {
    const sides = this.#sides;
    if ('kind' in before || 'kind' in after) {
      const isSameMethod = isSame(methodSettings(sides.before, method), methodSettings(sides.after, method));
      return isSame(boundsIn(before), boundsIn(after)) && isSameMethod;
    }
    const methodBefore = sides.before.methods.get(method);
    const methodAfter = sides.after.methods.get(method);
    const isWithin =
      inclusion(populationOf(before, methodBefore), populationOf(after, methodAfter)).answer === 'yes';
    return (
      isWithin &&
      isSame(methodLimits(methodBefore), methodLimits(methodAfter)) &&
      isSame(signInFields(before), signInFields(after)) &&
      !usedLess(before, after)
    );
  }

  /** Whether nothing that gives tokens differs between the graphs. */
  #hasSameSignIns(): boolean {
    const { before, after } = this.#sides;
    this.#areSignInsSame ??=
      this.#leftOpen.replaced.length === 0 &&
      !this.#leftOpen.unknown.some(({ type }) => type === roleResource.type || type === authMethod.type) &&
      (before === after ||
        (isSame(before.graph.roles, after.graph.roles) &&
          isSame(before.graph.methods, after.graph.methods) &&
          isSame(before.graph.others ?? [], after.graph.others ?? [])));
    return this.#areSignInsSame;
  }
  #areSignInsSame: boolean | undefined;

  /** Whether what is no role, mount or alias is the same: writes to any path, multi-factor enforcement, what is disabled. */
  #hasSameRest(): boolean {
    const restOn = (side: Side) =>
      (this.#sides[side].graph.others ?? []).filter(({ kind }) => !judged.includes(kind));
    this.#isRestSame ??= isSame(restOn('before'), restOn('after'));
    return this.#isRestSame;
  }
  #isRestSame: boolean | undefined;
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

const openSignIn = (doubt: SignInDoubt): DoubtedSignIn => ({ answer: 'open', doubt });

/** Whether something unknown bears on a sign-in: its role, its method, or a role that has no name yet. */
function bearsOn({ type, name, method, field }: Subject, at: SignedInAt): boolean {
  if (type === authMethod.type) return name === at.method && field !== 'oidcClientSecret';
  if (type !== roleResource.type) return false;
  return nameKey(name) === nameKey(at.role) && (method === undefined || method === at.method);
}
