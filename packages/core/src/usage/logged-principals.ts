import { policyOf } from '../access/edges/edge.ts';
import { GraphIndex } from '../access/graph-index.ts';
import type { Side } from '../access/policy-sides.ts';
import type { Graph, GraphIds } from '../graph/graph.ts';
import { keyOfNode } from '../graph/nodes/other-node.ts';
import type { SudoPaths } from '../graph/policies/sudo-paths.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { policyKey } from '../graph/values/name-key.ts';
import type { FoldedLog } from './folded-log.ts';
import { type GraphSides, roleIn } from './graph-sides.ts';
import type { HeldPolicies, OwnPolicies } from './held-policies.ts';
import { isBuiltIn, isMadeByToken } from './lineage.ts';
import { type LeftOpen, LoggedGroups } from './logged-groups.ts';
import { LoggedOrigins } from './logged-origins.ts';
import type { LoggedPrincipal, Making } from './logged-request.ts';
import { RepeatedSignIns } from './repeated-sign-ins.ts';
import type { SignedInAt } from './sign-in-doubt.ts';

/** A graph with the names behind the ids in a log. */
export interface LoggedService {
  graph: Graph;
  ids?: Partial<GraphIds>;
  /** Paths that need `sudo`, as the server itself says. Defaults to what is known of servers. */
  sudo?: SudoPaths | undefined;
}

/**
 * Whom the principals of a log are in a graph, before and after a change: where they signed in, and what they hold when they
 * sign in again. Their groups are those of the log (`identity_policies`), as no service tells the groups of a sign-in that
 * was not made.
 */
export class LoggedPrincipals {
  readonly #sides: GraphSides;
  readonly #origins: LoggedOrigins;
  readonly #signIns: RepeatedSignIns;
  readonly #groups: LoggedGroups;
  readonly #held = new Map<LoggedPrincipal, Record<Side, HeldPolicies>>();

  constructor(
    before: LoggedService,
    after: Graph,
    log: Pick<FoldedLog, 'signIns' | 'moves'>,
    leftOpen: LeftOpen = { unknown: [], replaced: [] },
  ) {
    const index = new GraphIndex(before.graph, []);
    const sides = { before: index, after: before.graph === after ? index : new GraphIndex(after, []) };
    this.#sides = sides;
    this.#origins = new LoggedOrigins(sides, log);
    this.#signIns = new RepeatedSignIns(sides, leftOpen);
    this.#groups = new LoggedGroups(sides, before.ids?.entity ?? {}, leftOpen, log.signIns);
  }

  /** The auth method and role of the sign-in that began a token; undefined where several fit, or none. */
  signedInAt(who: LoggedPrincipal): SignedInAt | undefined {
    return this.#origins.signedInAt(who);
  }

  /** Groups of the graph as it is whose policies a token of the log all had. */
  groupsOf(who: LoggedPrincipal): string[] {
    return this.#groups.groupsOf(who);
  }

  /** What they hold when they sign in again, before and after the change. */
  held(who: LoggedPrincipal): Record<Side, HeldPolicies> {
    return getOrMake(this.#held, who, () => {
      const at = this.signedInAt(who);
      return { before: this.#heldOn('before', who, at), after: this.#heldOn('after', who, at) };
    });
  }

  #heldOn(side: Side, who: LoggedPrincipal, at: SignedInAt | undefined): HeldPolicies {
    // No sign-in gives such a token, and no policy limits it.
    if (who.tokenPolicies.includes('root')) return { sure: ['root'], maybe: [] };
    if (isBuiltIn(who.policies)) return { sure: [...who.policies], maybe: [] };
    const token = this.#tokenOn(side, who, at);
    const { sure, maybe, unknown } = this.#groups.policiesOf(who, side, at?.method);
    const policies = new Set([...token.policies.map(policyKey), ...sure]);
    const signIn =
      token.signIn?.answer === 'refused' || unknown === undefined
        ? token.signIn
        : { answer: 'open' as const, doubt: unknown };
    const leftOpen = new Map(maybe);
    for (const { policy, missing } of token.maybe ?? []) leftOpen.set(policy, missing);
    return {
      sure: [...policies].sort(),
      maybe: [...leftOpen].flatMap(([policy, missing]) => (policies.has(policy) ? [] : { policy, missing })),
      ...(signIn && { signIn }),
      ...(token.making && { making: token.making }),
    };
  }

  /** What a token has by itself, once it is made anew in the same way: by a sign-in, or by another token. */
  #tokenOn(side: Side, who: LoggedPrincipal, at: SignedInAt | undefined): OwnPolicies {
    const making = who.lineage?.making;
    if (making !== undefined) return this.#madeOn(side, who, making);
    return this.#signIns.tokenOf(who, isMadeByToken(who) ? undefined : at, side);
  }

  /** The same of a token that another one makes. */
  #madeOn(side: Side, who: LoggedPrincipal, making: Making): OwnPolicies {
    const { by, inherits, isOrphan } = making;
    const asked = who.tokenPolicies.map(policyKey);
    const { signIn } = this.#heldOn(side, by, this.signedInAt(by));
    const token = { ...(signIn && { signIn }), making: { ...making, needsSudo: isOrphan } };
    const byRole = this.#madeByRole(side, who, making);
    if (byRole !== undefined) return { ...token, ...byRole };
    if (by.tokenPolicies.includes('root')) return { ...token, policies: asked };
    const { policies, maybe = [] } = this.#tokenOn(side, by, this.signedInAt(by));
    const held = policies.map(policyKey);
    if (inherits) return { ...token, policies: withDefaultOf(asked, held), maybe };
    const isSubset = isWithin(asked, held);
    const isLeftOpen = !isSubset && isWithin(asked, [...held, ...maybe.map(({ policy }) => policy)]);
    return {
      ...token,
      policies: asked,
      making: { ...making, needsSudo: isOrphan || !(isSubset || isLeftOpen) },
      ...(isLeftOpen && !signIn && { signIn: { answer: 'unknown', doubt: { kind: 'maker-lacks' } } }),
    };
  }

  /** What a token role gives. Undefined without one, and for one that lets its users ask for policies of their own. */
  #madeByRole(
    side: Side,
    who: LoggedPrincipal,
    { role: name, inherits }: Making,
  ): Omit<OwnPolicies, 'making'> | undefined {
    if (name === '') return undefined;
    const at = { method: 'token', role: name };
    const { walk } = this.#sides[side];
    const role = roleIn(this.#sides[side], at);
    const isRead = role !== undefined && 'kind' in role && !role.isOpaque;
    const offered = isRead
      ? walk.ends(keyOfNode(role), 'some of').flatMap((end) => policyOf(end) ?? [])
      : undefined;
    if (offered?.length === 0) return undefined;
    const { policies, signIn } = this.#signIns.tokenOf({ ...who, lineage: undefined }, at, side);
    if (offered === undefined) return { policies, ...(signIn && { signIn }) };
    const asked = who.tokenPolicies.map(policyKey);
    if (inherits) return { policies: withDefaultOf(asked, offered), ...(signIn && { signIn }) };
    const refused = { answer: 'refused' as const, doubt: { kind: 'token-role-lacks' as const, role: name } };
    const doubted = isWithin(asked, offered) ? signIn : refused;
    return { policies: asked, ...(doubted && { signIn: doubted }) };
  }
}

/** With the policy `default` where a token had it, and without it where that was left out. */
function withDefaultOf(own: readonly string[], given: readonly string[]): string[] {
  const rest = given.filter((name) => name !== 'default');
  return own.includes('default') ? [...rest, 'default'] : rest;
}

/** Whether policies that are asked for are among those that can be had. */
const isWithin = (asked: readonly string[], offered: readonly string[]): boolean =>
  asked.every((name) => name === 'default' || offered.includes(name));
