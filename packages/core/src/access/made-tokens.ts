import { ofKind, picks } from '../graph/nodes/other-node.ts';
import { picksPolicies } from '../graph/nodes/other-role.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { mayOverlap } from '../graph/policies/pattern-overlap.ts';
import type { PolicyTexts } from '../graph/policies/policy-texts.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { type Principals, principalsWith } from './access-change.ts';
import type { GraphIndex } from './graph-index.ts';
import type { Side } from './policy-sides.ts';
import type { Reason } from './reasons/reason.ts';
import { isLimit } from './sign-in/token-limits.ts';

/** Where a token makes another, with a part of its own policies (openbao vault/token_store.go, `handleCreateCommon`). */
const making = ['auth/token/create', 'auth/token/create-orphan'];
/** Who writes here gives themselves any policy. */
const givingAny = 'sys/policies/acl/x';

/** Whether tokens can make others: `perhaps` by policies whose texts are not known. */
interface Making {
  isCertain: boolean;
  perhaps: string[];
}

/** On which sides a token makes others with a part of its policies; and what is missing to know that. */
interface MakingOnSides extends Record<Side, boolean> {
  missing?: Reason;
}

/**
 * Tokens that others make with a part of their own policies: one policy alone may give what another takes away. That takes a rule
 * for it, or a token role that names no policies.
 */
export class Makers {
  readonly #sides: Record<Side, MakersOfSide>;

  constructor(before: GraphIndex, after: GraphIndex) {
    this.#sides = { before: new MakersOfSide(before), after: new MakersOfSide(after) };
  }

  /** Tokens made by principals who are there before and after, each with one of their policies. */
  madeBy(principals: Principals): Principals[] {
    if (!hasOwnTokens(principals)) return [];
    const sides = this.#sidesOf(principals);
    return sides.before || sides.after ? pickedOf(principals, sides) : [];
  }

  #sidesOf(principals: Principals): MakingOnSides {
    const before = this.#sides.before.of(principals.before);
    const after = this.#sides.after.of(principals.after);
    if (after.isCertain) return { before: before.isCertain, after: true };
    const isAfter = after.perhaps.length > 0;
    // What is not known is the same on both sides where it is of the same policies.
    const isSame = isAfter && after.perhaps.every((name) => before.perhaps.includes(name));
    return {
      before: before.isCertain || isSame,
      after: isAfter,
      ...(isAfter && { missing: { kind: 'text-missing', policies: after.perhaps } }),
    };
  }
}

/** Whether principals are who signs in, or has a token, with policies that are a token's own: not those of an identity. */
function hasOwnTokens({ kind, change, partOf, node }: Principals): boolean {
  if (change.kind !== 'changed' || partOf !== undefined) return false;
  if (kind === 'role') return true;
  const isOwn = node?.kind === 'otherRole' || node?.kind === 'issuedTokens' || node?.kind === 'token';
  return isOwn && !picks(node);
}

class MakersOfSide {
  readonly #texts: PolicyTexts;
  readonly #isForAll: boolean;
  readonly #known = new Map<string, Making>();

  constructor({ graph, texts }: GraphIndex) {
    this.#texts = texts;
    const hasOpenRole = ofKind(graph.others, 'otherRole').some(
      (role) => picksPolicies(role) && role.policies.length === 0 && !role.isOpaque,
    );
    const ofIdentities = [...graph.groups, ...(graph.identities ?? [])].flatMap(({ policies }) => policies);
    // Groups come in addition to what signs in. Administrators need no such token.
    this.#isForAll =
      hasOpenRole || [...new Set(ofIdentities)].some((name) => this.#makes(name) && !this.#givesAny(name));
  }

  of(policies: readonly string[]): Making {
    if (this.#isForAll) return { isCertain: true, perhaps: [] };
    return getOrMake(this.#known, JSON.stringify(policies), () => this.#madeWith(policies));
  }

  #madeWith(policies: readonly string[]): Making {
    const named = policies.filter((name) => name !== 'default' && !isLimit(name));
    const isAdministrator =
      named.some((name) => this.#givesAny(name)) && !named.some((name) => this.#denies(name));
    return {
      isCertain: !isAdministrator && named.some((name) => this.#makes(name)),
      perhaps: named.filter((name) => this.#texts.rules(name) === undefined),
    };
  }

  #makes(policy: string): boolean {
    return making.some((path) => this.#writes(policy, path));
  }

  #givesAny(policy: string): boolean {
    return policy === 'root' || this.#writes(policy, givingAny);
  }

  #writes(policy: string, path: string): boolean {
    const can = ({ path: pattern, capabilities }: PathRule) =>
      !capabilities.includes('deny') &&
      capabilities.some((one) => one === 'create' || one === 'update') &&
      mayOverlap(pattern, path);
    return this.#texts.rules(policy)?.some(can) === true;
  }

  #denies(policy: string): boolean {
    return this.#texts.rules(policy)?.some(({ capabilities }) => capabilities.includes('deny')) === true;
  }
}

/**
 * Tokens with one policy alone of those that their maker picks from. What several give together, one of them gives alone.
 *
 * @param sides whether there are such tokens; where there are none, the others have all of the policies
 */
export function pickedOf(
  whole: Principals,
  { missing, ...isOpen }: MakingOnSides = { before: true, after: true },
): Principals[] {
  const isKept = (name: string) => name === 'default' || isLimit(name);
  const named = (list: readonly string[]) => list.filter((name) => !isKept(name));
  if (new Set(named([...whole.before, ...whole.after])).size < 2) return [];
  return named(isOpen.after ? whole.after : whole.before).map((policy) => {
    const alone = (list: readonly string[]) => list.filter((name) => name === policy || isKept(name));
    const by = { kind: 'picked' as const, from: whole.by, policy };
    const lists = {
      before: isOpen.before && whole.before.includes(policy) ? alone(whole.before) : whole.before,
      after: isOpen.after ? alone(whole.after) : whole.after,
    };
    const source = { ...whole, ...lists, kind: 'other' as const, by, partOf: whole };
    return principalsWith('changed', missing ? { ...source, left: { missing } } : source, []);
  });
}
