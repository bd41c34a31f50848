import { methodNode } from '../access/edges/edge.ts';
import type { GraphIndex } from '../access/graph-index.ts';
import type { Side } from '../access/policy-sides.ts';
import { isComplete } from '../graph/graph.ts';
import { isOpaque, type OtherNode, picks, wordsOf } from '../graph/nodes/other-node.ts';
import { isSame } from '../graph/resources/field.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { type GraphSides, isOfOne } from './graph-sides.ts';
import type { OwnPolicies } from './held-policies.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import { type GiverDoubt, givenPolicies, type PossibleGiver } from './possible-givers.ts';
import type { SignedInAt } from './sign-in-doubt.ts';
import type { UsageReason } from './usage-reason.ts';

/** A group or a team of a method, or the method itself: a sign-in there may have what it gives, besides a user's own. */
interface UnitedRole extends PossibleGiver {
  name: string;
}

/** What sign-ins at a method unite, and whether a log can be explained by it. */
interface UnitedRoles {
  givers: readonly UnitedRole[];
  /** Whether nothing else gives policies there. */
  isKnown: boolean;
}

/** Which groups of a directory the tokens of a log are by: no log names them, and their policies are the token's own. */
export class DirectoryGroups {
  readonly #sides: GraphSides;
  readonly #byMethod = new Map<string, UnitedRoles | undefined>();

  constructor(sides: GraphSides) {
    this.#sides = sides;
  }

  /**
   * The policies that a token has by its method when it signs in again; undefined where sign-ins there unite nothing.
   *
   * @param own what the role or user itself gives, on each side; undefined where it is not in the graph
   */
  policiesOf(
    who: LoggedPrincipal,
    { method }: SignedInAt,
    own: Readonly<Record<Side, readonly string[] | undefined>>,
    side: Side,
  ): OwnPolicies | undefined {
    const united = getOrMake(this.#byMethod, method, () => this.#unitedAt(method));
    if (united === undefined) return undefined;
    const inside = new Set(who.tokenPolicies.map(policyKey).filter((name) => name !== 'default'));
    const byDefault = who.tokenPolicies.filter((name) => name === 'default');
    const ofUser = { before: new Set(own.before ?? byDefault), after: new Set(own.after ?? byDefault) };
    const logged = { inside, seen: inside, own: ofUser, isReached: () => true };
    const { sure, maybe, givers } = givenPolicies({ ...logged, ...united }, side);
    const isOpen = side === 'after' && givers.some((giver) => giver.isOpen);
    return {
      policies: [...ofUser[side], ...sure],
      maybe: [...maybe].map(([policy, doubt]) => ({ policy, missing: missingBy(doubt) })),
      ...(isOpen && { signIn: { answer: 'open', doubt: { kind: 'method-changed', method } } }),
    };
  }

  #unitedAt(method: string): UnitedRoles | undefined {
    const { before, after } = this.#sides;
    const both = [before, after].map((index) => nodesUnitedIn(index, method));
    const united = new Map(both.flatMap((nodes) => [...nodes]));
    if (united.size === 0) return undefined;
    const givers = [...united].flatMap(([key, node]) =>
      node.kind === 'otherRole' && isOfOne(node) ? [] : this.#giversOf(key, node),
    );
    const isRead = before.othersAt(method).every((node) => !isOpaque(node));
    return { givers, isKnown: isRead && isComplete(before.graph, 'others') };
  }

  /** What a node gives at once: all of its policies, or each by itself where a token has some of them. */
  #giversOf(key: string, node: OtherNode): UnitedRole[] {
    const { before, after } = this.#sides;
    const policiesIn = ({ walk }: GraphIndex) => walk.policiesOf(key).filter((name) => name !== 'default');
    const policies = { before: policiesIn(before), after: policiesIn(after) };
    const whole = this.#giver(key, node, policies);
    if (!picks(node)) return [whole];
    return [...new Set([...policies.before, ...policies.after])].map((policy) => {
      const isPicked = (name: string) => name === policy;
      return {
        ...whole,
        key: JSON.stringify([key, policy]),
        policies: { before: policies.before.filter(isPicked), after: policies.after.filter(isPicked) },
      };
    });
  }

  #giver(key: string, node: OtherNode, policies: PossibleGiver['policies']): UnitedRole {
    const { before, after } = this.#sides;
    const nodeAfter = after.others.get(key);
    return {
      key,
      name: wordsOf(node),
      policies,
      changesMembers: false,
      isOpen: nodeAfter !== undefined && isOpaque(nodeAfter) && !isSame(before.others.get(key), nodeAfter),
    };
  }
}

/** Roles, users and groups of a method whose policies a sign-in there may have together, by their keys. */
function nodesUnitedIn(index: GraphIndex, method: string): Map<string, OtherNode> {
  const { walk, others } = index;
  const isOfIdentity = (end: string) => walk.reached(end).some((key) => walk.namedAt(key) !== undefined);
  const ends = walk.ends(methodNode(method), 'any of').filter((end) => !isOfIdentity(end));
  return new Map(
    ends.flatMap((end) => {
      const node = others.get(end);
      return node === undefined ? [] : [[end, node] as const];
    }),
  );
}

function missingBy(doubt: GiverDoubt<UnitedRole>): UsageReason {
  if ('elsewhere' in doubt) return { kind: 'given-elsewhere', policy: doubt.elsewhere };
  return { kind: 'given-by', name: doubt.giver.name };
}
