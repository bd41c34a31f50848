import { isComplete } from '../graph/graph.ts';
import { keyOfNode, ofKind, picks } from '../graph/nodes/other-node.ts';
import { picksPolicies, unitesWithOthers } from '../graph/nodes/other-role.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { mayOverlap } from '../graph/policies/pattern-overlap.ts';
import type { PolicyTexts } from '../graph/policies/policy-texts.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { type Principals, principalsWith } from './access-change.ts';
import { methodNode } from './edges/edge.ts';
import { changedLists } from './grants.ts';
import type { GraphIndex } from './graph-index.ts';
import { isOwn } from './own-default.ts';
import { policySides, type Side } from './policy-sides.ts';
import type { Reason } from './reasons/reason.ts';
import { isLimit } from './sign-in/token-limits.ts';

/** Where a token makes another, with a part of its own policies (openbao vault/token_store.go, `handleCreateCommon`). */
const making = ['auth/token/create', 'auth/token/create-orphan'];
/** Where it does by a token role, which may name no policies. */
const makingByRole = 'auth/token/create/x';
/** Who writes here gives themselves any policy. */
const givingAny = 'sys/policies/acl/x';

/** Whether tokens can make others: `perhaps` by policies whose texts are not known, `isOpen` by a group or token role elsewhere. */
interface Making {
  isCertain: boolean;
  isOpen: boolean;
  perhaps: string[];
}

/** On which sides a token makes others with a part of its policies; and whether that is certain, or what is missing to know it. */
interface MakingOnSides extends Record<Side, boolean> {
  isGuess?: boolean;
  missing?: Reason;
}

/**
 * Tokens that others make with a part of their own policies: one policy alone may give what another takes away. That takes a rule
 * for it, or a token role that names no policies.
 */
export class Makers {
  readonly #sides: Record<Side, MakersOfSide>;
  readonly #texts: Record<Side, PolicyTexts>;
  /** Whether `default` allows what is a token's own, and denies nothing: with or without it, another token is the same. */
  readonly #isDefaultOwn: boolean;

  constructor(before: GraphIndex, after: GraphIndex) {
    this.#sides = { before: new MakersOfSide(before), after: new MakersOfSide(after) };
    this.#texts = { before: before.texts, after: after.texts };
    this.#isDefaultOwn = isOwn(policySides(['default'], before.graph, after.graph).get('default'));
  }

  /** Tokens made by principals who are there before and after, each with one of their policies. */
  madeBy(principals: Principals): Principals[] {
    if (!hasOwnTokens(principals)) return [];
    const sides = this.#sidesOf(principals);
    if (sides.isGuess && !this.#isTouched(principals)) return [];
    return sides.before || sides.after ? this.#pickedOf(principals, sides) : [];
  }

  /** Tokens with one policy alone of those that their maker picks from. */
  pickedOf(whole: Principals): Principals[] {
    return this.#pickedOf(whole, { before: true, after: true });
  }

  /**
   * What several policies give together, one of them gives alone. A maker leaves out `default`, too, where it asks for that.
   *
   * @param sides whether there are such tokens; where there are none, the others have all of the policies
   */
  #pickedOf(whole: Principals, { isGuess, missing, ...isOpen }: MakingOnSides): Principals[] {
    const isKept = (name: string) => (name === 'default' && this.#isDefaultOwn) || isLimit(name);
    const named = (list: readonly string[]) => list.filter((name) => !isKept(name));
    const { required, ...free } = whole;
    if (required === undefined && new Set(named([...whole.before, ...whole.after])).size < 2) return [];
    return named(isOpen.after ? whole.after : whole.before).map((policy) => {
      const alone = (list: readonly string[], of = policy) =>
        list.filter((name) => name === of || isKept(name));
      const by = { kind: 'picked' as const, from: whole.by, policy };
      const former = isOpen.before ? this.#formerOf(policy, whole) : undefined;
      const lists = {
        before: former === undefined ? whole.before : alone(whole.before, former),
        after: isOpen.after ? alone(whole.after) : whole.after,
      };
      // An orphan has no entity, and so none of the groups that its maker is in.
      const source = { ...free, ...lists, kind: 'other' as const, by, partOf: whole };
      if (!isGuess) return principalsWith('changed', source, []);
      const left = { missing: missing ?? { kind: 'token-picks' as const, by } };
      return principalsWith('changed', { ...source, left }, []);
    });
  }

  /** The policy that principals had in the place of one that they have, or have no more: itself, or its text by another name. */
  #formerOf(policy: string, { before, after }: Principals): string | undefined {
    if (before.includes(policy)) return policy;
    const text = this.#texts.after.text(policy);
    if (text === undefined) return undefined;
    return before.find((name) => !after.includes(name) && this.#texts.before.text(name) === text);
  }

  /** Whether anything becomes of tokens with these policies. */
  #isTouched(principals: Principals): boolean {
    const { before, after } = this.#texts;
    const isRewritten = (name: string) => before.text(name) !== after.text(name);
    return principals.after.some(isRewritten) || changedLists(principals).length > 0;
  }

  #sidesOf(principals: Principals): MakingOnSides {
    const method = unitedAt(principals);
    const before = this.#sides.before.of(principals.before, method);
    const after = this.#sides.after.of(principals.after, method);
    if (after.isCertain) return { before: before.isCertain, after: true };
    const isUnread = after.perhaps.length > 0;
    const isAfter = isUnread || after.isOpen;
    // What is not known is the same on both sides where it is of the same policies, or elsewhere.
    const isSame =
      isAfter &&
      after.perhaps.every((name) => before.perhaps.includes(name)) &&
      (before.isOpen || !after.isOpen);
    return {
      before: before.isCertain || isSame,
      after: isAfter,
      isGuess: isAfter,
      ...(isUnread && { missing: { kind: 'text-missing', policies: after.perhaps } }),
    };
  }
}

/** Whether principals are who signs in, or has a token, with policies that are a token's own: not those of an identity. */
function hasOwnTokens({ kind, change, partOf, node }: Principals): boolean {
  if (change.kind !== 'changed' || partOf !== undefined) return false;
  if (kind === 'role') return true;
  if (node === undefined || picks(node)) return false;
  return ['otherRole', 'otherMethod', 'issuedTokens', 'token'].includes(node.kind);
}

/** The method whose tokens have the policies of several of its nodes as their own: a user’s, and those of groups. */
function unitedAt({ node }: Principals): string | undefined {
  if (node?.kind === 'otherMethod') return node.path;
  return node?.kind === 'otherRole' && unitesWithOthers(node) ? node.method : undefined;
}

/** What the policies of others of a method say, which the same tokens have as their own. */
interface OthersOfMethod {
  isMaker: boolean;
  isByRole: boolean;
  unread: string[];
}
const noOthers: OthersOfMethod = { isMaker: false, isByRole: false, unread: [] };

class MakersOfSide {
  readonly #index: GraphIndex;
  readonly #texts: PolicyTexts;
  readonly #isForAll: boolean;
  /** Whether a group elsewhere may let tokens make others. */
  readonly #isOpenForAll: boolean;
  readonly #known = new Map<string, Making>();
  /** By the path of a method. */
  readonly #united = new Map<string, OthersOfMethod>();

  constructor(index: GraphIndex) {
    const { graph, texts } = index;
    this.#index = index;
    this.#texts = texts;
    const hasOpenRole = ofKind(graph.others, 'otherRole').some(
      (role) => picksPolicies(role) && role.policies.length === 0 && !role.isOpaque,
    );
    const ofIdentities = [...graph.groups, ...(graph.identities ?? [])].flatMap(({ policies }) => policies);
    // Groups come in addition to what signs in.
    this.#isForAll = hasOpenRole || this.#isMaker(ofIdentities);
    this.#isOpenForAll = !isComplete(graph, 'groups') || !isComplete(graph, 'identities');
  }

  /** @param method where others give policies that the same tokens have as their own */
  of(policies: readonly string[], method?: string): Making {
    if (this.#isForAll) return { isCertain: true, isOpen: false, perhaps: [] };
    return getOrMake(this.#known, JSON.stringify([policies, method]), () => this.#madeWith(policies, method));
  }

  #madeWith(policies: readonly string[], method: string | undefined): Making {
    const named = policies.filter((name) => name !== 'default' && !isLimit(name));
    const isAdministrator =
      named.some((name) => this.#givesAny(name)) && !named.some((name) => this.#denies(name));
    const united =
      method === undefined ? noOthers : getOrMake(this.#united, method, () => this.#othersAt(method));
    const isLet = united.isMaker || named.some((name) => this.#makes(name));
    const byRole = united.isByRole || named.some((name) => this.#writes(name, makingByRole));
    const isOpen = this.#isOpenForAll || (byRole && !isComplete(this.#index.graph, 'others'));
    const unread = named.filter((name) => this.#isUnread(name));
    return {
      isCertain: !isAdministrator && isLet,
      isOpen: !isAdministrator && isOpen,
      perhaps: united.unread.length === 0 ? unread : [...new Set([...unread, ...united.unread])],
    };
  }

  /** What all policies say together that tokens of a method may have as their own. */
  #othersAt(method: string): OthersOfMethod {
    const { walk, graph } = this.#index;
    const nodes = new Set(ofKind(graph.others, 'otherRole', 'otherMethod').map(keyOfNode));
    const ends = walk.ends(methodNode(method), 'any of').filter((end) => nodes.has(end));
    const all = [...new Set(ends.flatMap((end) => walk.policiesOf(end)))].filter(
      (name) => name !== 'default',
    );
    return {
      isMaker: this.#isMaker(all),
      isByRole: all.some((name) => this.#writes(name, makingByRole)),
      unread: all.filter((name) => this.#isUnread(name)),
    };
  }

  /** Whether one of these policies lets tokens make others. Administrators need no such token. */
  #isMaker(policies: readonly string[]): boolean {
    return [...new Set(policies)].some((name) => this.#makes(name) && !this.#givesAny(name));
  }

  /** Where all policies are known, what has no text is none. */
  #isUnread(policy: string): boolean {
    const isNone = this.#texts.text(policy) === undefined && isComplete(this.#index.graph, 'policies');
    return !isNone && this.#texts.rules(policy) === undefined;
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
