import { entityOfNode, keyOfNode, ofKind, wordsOf } from '../graph/nodes/other-node.ts';
import { picksPolicies } from '../graph/nodes/other-role.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { placeOf } from '../login/claims.ts';
import type { PathCause, Principals } from './access-change.ts';
import type { PathChange, PathDecision, Tokens } from './decide.ts';
import type { NodeKey } from './edges/edge.ts';
import { type ChangedText, type FilledPolicy, filledPolicy, isTemplated } from './filled-policies.ts';
import type { Grant } from './grants.ts';
import { type GraphIndex, mountKey } from './graph-index.ts';
import type { PolicySides, Side } from './policy-sides.ts';
import type { ReachedFilling } from './reached.ts';
import type { Reason } from './reasons/reason.ts';
import type { DescribedNode, TokenTexts } from './template-texts.ts';

/** What comes of the texts that fill in templates of policies. */
export interface FilledDecision {
  changes: PathChange<Principals>[];
  /** Groups that fill in what not all roles of their method have. */
  varying: Principals[];
  /** What is still not known. */
  open: Reason[];
}

/** What is asked, with all that is known of both sides. */
export interface AskedFillings {
  fillings: readonly ReachedFilling[];
  /** Tokens that can be had. */
  tokens: readonly Tokens<Principals>[];
  indexes: Record<Side, GraphIndex>;
  policies: ReadonlyMap<string, PolicySides>;
  /** Paths of mounts by their accessors. */
  accessors: Readonly<Record<string, string>>;
  /** Whether the whole service is known on both sides. */
  isClosed: boolean;
  decideWith<G extends Grant>(
    tokens: readonly Tokens<G>[],
    policies: ReadonlyMap<string, PolicySides>,
  ): PathDecision<G>;
}

/** A credential of a role, with what it says of who signs in. */
interface NotedSignIn {
  key: NodeKey;
  /** Path of its method. */
  method: string;
  name: string;
  metadata: Partial<Record<Side, Readonly<Record<string, string>>>>;
}

/** Some of what a token has. */
interface HeldTogether {
  grants: readonly Principals[];
  signIn?: NotedSignIn | undefined;
}

/** The rules that one thing fills in, as if they were granted by that alone, with what it gives itself. */
interface FilledGrant extends Grant {
  policy: string;
  by: HeldTogether;
  /** Those that may have it. */
  tokens: Tokens<Principals>;
  texts: readonly ChangedText[];
}

/** Tokens that hold the same of the policies with templates, and what fills these in. */
interface TokensFilled {
  tokens: Tokens<Principals>;
  by: readonly HeldTogether[];
}

/** No policy is called so. */
const mark = '\u0001filled in ';
/** Tokens that are looked at one by one: if there are more, what becomes of the rest is not known. And those that are shown. */
const most = { tokens: 300, shown: 60 };
const bothSides = ['before', 'after'] as const;

/**
 * What tokens gain and lose by names and metadata that fill in templates (docs/inside/access.md, "What fills templates in").
 */
export function decideFilled(asked: AskedFillings): FilledDecision {
  if (asked.fillings.length === 0) return { changes: [], varying: [], open: [] };
  return new Fillings(asked).run();
}

class Fillings {
  readonly #asked: AskedFillings;
  readonly #policies: readonly string[];
  readonly #nodes: ReadonlySet<NodeKey>;
  readonly #open = new Set<ReachedFilling>();
  readonly #gained = new Set<ReachedFilling>();
  readonly #numbers = new Map<Principals, number>();
  /** What was found of each token. */
  readonly #found = new Map<string, readonly PathChange<Principals>[] | undefined>();

  constructor(asked: AskedFillings) {
    this.#asked = asked;
    this.#policies = [...new Set(asked.fillings.map(({ policy }) => policy))];
    this.#nodes = new Set(asked.fillings.map(({ by }) => by));
  }

  run(): FilledDecision {
    const { fillings, tokens, isClosed } = this.#asked;
    this.#leaveReadAnew();
    for (const filling of fillings) if (this.#isKeptElsewhere(filling)) this.#open.add(filling);
    this.#decide(tokens.flatMap((some) => this.#partsOf(some)));
    const changes = [...this.#found.values()].flatMap((found) => found ?? []);
    const isDecided = (one: ReachedFilling) => !this.#open.has(one) && (isClosed || this.#gained.has(one));
    return {
      changes,
      varying: [...new Set(changes.map(({ by }) => by))],
      open: fillings.flatMap((one) => (isDecided(one) ? [] : one.reason)),
    };
  }

  /** Whose claim a role newly reads, the graphs do not say: its groups are as many before as after. */
  #leaveReadAnew(): void {
    const { indexes, tokens } = this.#asked;
    const claimOf = (claim: string | undefined) => (claim ? placeOf(claim).join('\n') : '');
    const methods = new Set(
      [...indexes.after.roles].flatMap(([key, { method, groupsClaim }]) => {
        const before = indexes.before.roles.get(key);
        const isOther = before !== undefined && claimOf(before.groupsClaim) !== claimOf(groupsClaim);
        return isOther ? method : [];
      }),
    );
    for (const group of new Set(tokens.flatMap(({ groups }) => groups)))
      if (group.kind === 'alias' && methods.has(group.method ?? ''))
        for (const policy of this.#policies) this.#leaveOpen(policy, { grants: [group] });
  }

  /**
   * Whether others read what a secret id says: it stays with the alias of its role, for sign-ins of the entity at other methods, and
   * for tokens that others are made by.
   */
  #isKeptElsewhere({ policy, by }: ReachedFilling): boolean {
    const { indexes, tokens } = this.#asked;
    const secretId = bothSides.map((side) => indexes[side].others.get(by)).find((node) => node !== undefined);
    if (secretId?.kind !== 'secretId') return false;
    const { method } = secretId;
    const isLinked = bothSides.some((side) =>
      indexes[side].othersAt(method).some((node) => entityOfNode(node) !== undefined),
    );
    const isReading = ({ node }: Principals) =>
      node?.kind === 'otherRole' ? picksPolicies(node) || (isLinked && node.method !== method) : isLinked;
    return tokens.some(
      ({ roles, groups }) => roles.some(isReading) && [...roles, ...groups].some((one) => holds(one, policy)),
    );
  }

  #leaveOpen(policy: string, held: HeldTogether): void {
    for (const filling of this.#fillingsOf(policy, held)) this.#open.add(filling);
  }

  #fillingsOf(policy: string, held: HeldTogether): ReachedFilling[] {
    const nodes = this.#nodesOf(held);
    return this.#asked.fillings.filter((one) => one.policy === policy && nodes.has(one.by));
  }

  #nodesOf({ grants, signIn }: HeldTogether): Set<NodeKey> {
    const nodes = new Set(signIn ? [signIn.key] : []);
    for (const side of bothSides) for (const node of this.#reached(grants, side)) nodes.add(node);
    return nodes;
  }

  #reached(grants: readonly Principals[], side: Side): NodeKey[] {
    const { walk } = this.#asked.indexes[side];
    return grants.flatMap(({ starts }) => (starts?.[side] === undefined ? [] : walk.reached(starts[side])));
  }

  #isFilling(one: Principals): boolean {
    return [...this.#nodesOf({ grants: [one] })].some((node) => this.#nodes.has(node));
  }

  #partsOf(all: Tokens<Principals>): TokensFilled[] {
    const heldBy = (one: Grant) => this.#policies.filter((name) => holds(one, name));
    if (![...all.roles, ...all.groups].some((one) => heldBy(one).length > 0)) return [];
    const byGroups = all.groups
      .filter((one) => this.#isFilling(one))
      .map((group): HeldTogether => ({ grants: [group] }));
    const byHeld = Map.groupBy(all.roles, (role) => heldBy(role).join('\n'));
    const parts = byHeld.size === 0 ? [all] : [...byHeld.values()].map((roles) => ({ ...all, roles }));
    const ofRoles = all.roles.flatMap((role) => {
      const signIns = this.#signInsOf(role);
      const own = this.#isFilling(role) ? [undefined] : [];
      return [...own, ...signIns].map((signIn): TokensFilled => {
        const held: HeldTogether = { grants: [role], signIn };
        return { tokens: { ...all, roles: [role] }, by: [...byGroups, held] };
      });
    });
    return [...(byGroups.length === 0 ? [] : parts.map((tokens) => ({ tokens, by: byGroups }))), ...ofRoles];
  }

  /** The secret ids of an AppRole that fill in something. */
  #signInsOf({ node }: Principals): NotedSignIn[] {
    if (node?.kind !== 'otherRole' || node.type !== 'approle') return [];
    const found = new Map<NodeKey, NotedSignIn>();
    for (const side of bothSides)
      for (const secretId of ofKind(this.#asked.indexes[side].othersAt(node.method), 'secretId')) {
        const key = keyOfNode(secretId);
        if (nameKey(secretId.role) !== nameKey(node.name) || !this.#nodes.has(key)) continue;
        const signIn = getOrMake(found, key, (): NotedSignIn => {
          const { method } = node;
          return { key, method, name: wordsOf(secretId), metadata: {} };
        });
        // The service adds the name of the role (openbao builtin/credential/approle/path_login.go).
        signIn.metadata[side] = { ...secretId.metadata, role_name: node.name };
      }
    return [...found.values()];
  }

  /** What fills in policies, as grants of its own: each of some tokens, and with policies that say what it gives. */
  #grantsOf({ tokens, by }: TokensFilled, policies: Map<string, PolicySides>): FilledGrant[] {
    const isHeld = (name: string) => [...tokens.roles, ...tokens.groups].some((one) => holds(one, name));
    return this.#policies
      .filter(isHeld)
      .flatMap((policy) => by.flatMap((held) => this.#grantOf(policy, held, tokens, policies) ?? []));
  }

  /** Decides for all tokens at once, and then for each that shows a change. */
  #decide(parts: readonly TokensFilled[]): void {
    const policies = new Map(this.#asked.policies);
    const filled = new Set<Grant>();
    const all = parts.flatMap((part): Tokens<Grant>[] => {
      const grants = this.#grantsOf(part, policies);
      for (const grant of grants) filled.add(grant);
      return grants.length === 0 ? [] : [{ ...part.tokens, groups: [...part.tokens.groups, ...grants] }];
    });
    if (all.length === 0) return;
    const { changes, undecided, tokens: samples } = this.#asked.decideWith<Grant>(all, policies);
    const leaveOpen = (grants: Iterable<Grant>) => {
      for (const grant of grants) if (isFilledGrant(grant)) this.#leaveOpen(grant.policy, grant.by);
    };
    if (undecided.length > 0) leaveOpen(filled);
    const shown = changes.filter((change) =>
      [change.by, ...change.together].some((one) => isFilledGrant(one) && textBehind(change, one.texts)),
    );
    for (const { by, together, direction, pattern } of shown) {
      const changesOfToken = this.#look([by, ...together]) ?? [];
      const isSeen = changesOfToken.some(
        (change) => change.direction === direction && change.pattern === pattern,
      );
      if (!isSeen) leaveOpen([by, ...together]);
    }
    for (const by of new Set(shown.map((change) => change.by)))
      for (const together of samples.get(by) ?? [])
        if (this.#found.size < most.shown) this.#look([by, ...together]);
  }

  /** What a policy gives by what fills it in, where that differs on the two sides. */
  #grantOf(
    policy: string,
    by: HeldTogether,
    tokens: Tokens<Principals>,
    policies: Map<string, PolicySides>,
  ): FilledGrant | undefined {
    const written = this.#asked.policies.get(policy);
    const texts = this.#textsOf(by);
    if (written === undefined || texts === undefined) return undefined;
    const { filled, changed, isUnclear, isPartial } = filledPolicy(policy, written, texts);
    if (isUnclear || isPartial) this.#leaveOpen(policy, by);
    if (changed.length === 0) return undefined;
    const name = `${mark}${policies.size}`;
    policies.set(name, { ...filled, isSame: false });
    const listOn = (side: Side) => [name, ...by.grants.flatMap((grant) => grant[side])];
    return { policy, by, tokens, texts: changed, before: listOn('before'), after: listOn('after') };
  }

  /** What becomes of a token with these grants, and with what these need; undefined where it cannot be had, or is not clear. */
  #look(shown: readonly Grant[]): readonly PathChange<Principals>[] | undefined {
    const filled = shown.filter(isFilledGrant);
    const [first] = filled;
    if (first === undefined) return undefined;
    const { roles, groups } = first.tokens;
    const fillers = filled.flatMap(({ by }) => by.grants);
    const own = [...roles, ...groups].filter((one) => shown.includes(one));
    const grants = [...new Set([...own, ...fillers])];
    const [role] = roles;
    if (role !== undefined && !roles.some((one) => grants.includes(one))) grants.push(role);
    for (const { policy } of filled) {
      const holder = groups.find((one) => holds(one, policy));
      if (holder !== undefined && !grants.some((one) => holds(one, policy))) grants.push(holder);
    }
    const signIns = new Set(filled.flatMap(({ by }) => by.signIn ?? []));
    const [by] = fillers;
    if (signIns.size > 1 || by === undefined) return undefined;
    const isRole = (one: Principals) => roles.includes(one);
    const further = grants.filter((one) => one !== by);
    const together = [...further.filter(isRole), ...further.filter((one) => !isRole(one))];
    return this.#foundOf(by, together, [...signIns][0]);
  }

  #foundOf(by: Principals, together: Principals[], signIn: NotedSignIn | undefined) {
    const numbers = [by, ...together].map((one) => getOrMake(this.#numbers, one, () => this.#numbers.size));
    const key = `${numbers.join()} ${signIn?.key ?? ''}`;
    if (!this.#found.has(key) && this.#found.size >= most.tokens) return undefined;
    return getOrMake(this.#found, key, () => this.#changesOf(by, together, signIn));
  }

  #changesOf(
    by: Principals,
    together: Principals[],
    signIn: NotedSignIn | undefined,
  ): PathChange<Principals>[] | undefined {
    const held: HeldTogether = { grants: [by, ...together], signIn };
    const texts = this.#textsOf(held);
    if (texts === undefined) return undefined;
    const lists = { before: new Set<string>(), after: new Set<string>() };
    for (const side of bothSides)
      for (const grant of held.grants) for (const name of grant[side]) lists[side].add(name);
    const policies = new Map<string, PolicySides>();
    const filled: FilledPolicy[] = [];
    for (const name of new Set([...lists.before, ...lists.after])) {
      const written = this.#asked.policies.get(name);
      if (written === undefined) continue;
      const own = isTemplated(written) ? filledPolicy(name, written, texts) : undefined;
      policies.set(name, own?.sides ?? written);
      if (own !== undefined) filled.push(own);
    }
    if (filled.some(({ isUnclear }) => isUnclear)) return undefined;
    const token = { before: [...lists.before], after: [...lists.after] };
    const { changes, undecided } = this.#asked.decideWith([{ roles: [token], groups: [] }], policies);
    if (undecided.length > 0) return undefined;
    const texted = filled.flatMap(({ changed }) => changed);
    return changes.flatMap((change) => {
      const text = textBehind(change, texted);
      if (text === undefined) return [];
      if (change.direction === 'gained')
        for (const filling of this.#fillingsOf(text.policy, held)) this.#gained.add(filling);
      return [{ ...change, by, together, cause: causeBy(text) }];
    });
  }

  /** What templates read of a token on both sides; undefined for one that cannot be had: a token has one entity. */
  #textsOf(held: HeldTogether): Record<Side, TokenTexts> | undefined {
    const before = this.#textsOn('before', held);
    const after = this.#textsOn('after', held);
    return before && after && { before, after };
  }

  #textsOn(side: Side, { grants, signIn }: HeldTogether): TokenTexts | undefined {
    const index = this.#asked.indexes[side];
    const nodes = [...new Set(this.#reached(grants, side))].flatMap((key) => describedAt(index, key) ?? []);
    const [entity, ...more] = nodes.filter(({ kind }) => kind === 'entity');
    if (more.length > 0) return undefined;
    return {
      groups: nodes.filter(({ kind }) => kind === 'group'),
      entity,
      hasNoOther: this.#asked.isClosed,
      alias: signIn && {
        metadata: signIn.metadata[side] ?? {},
        by: { kind: 'other', name: signIn.name },
      },
      isOwnAlias: (accessor) => {
        const path = this.#asked.accessors[accessor];
        return path === undefined || index.isFresh(mountKey(path)) ? undefined : path === signIn?.method;
      },
    };
  }
}

function isFilledGrant(grant: Grant): grant is FilledGrant {
  return 'tokens' in grant;
}

function holds({ before, after }: Grant, policy: string): boolean {
  return before.includes(policy) || after.includes(policy);
}

/** A group or an entity, as it is spelled; its metadata is known where it is in the graph itself. */
function describedAt(index: GraphIndex, key: NodeKey): DescribedNode | undefined {
  const named = index.walk.namedAt(key);
  if (named === undefined) return undefined;
  const standing = index.standing.get(key);
  const { kind, name } = standing ?? named;
  return { kind, name, metadata: standing && (index.metadata.get(key) ?? {}) };
}

/** The text by which another rule decides than before. */
function textBehind({ decides }: PathChange<Grant>, texts: readonly ChangedText[]): ChangedText | undefined {
  const isDeciding = ({ side, pattern }: ChangedText) => decides[side]?.pattern === pattern;
  return texts.find((text) => text.side === 'after' && isDeciding(text)) ?? texts.find(isDeciding);
}

function causeBy({ side, policy, filler }: ChangedText): PathCause {
  return { kind: side === 'after' ? 'text-new' : 'text-gone', policy, ...filler };
}
