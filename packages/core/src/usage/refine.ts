import { type AccessDecision, decideAccess } from '../access/questions/change.ts';
import { type Graph, isWhole, withText } from '../graph/graph.ts';
import { keyOfNode } from '../graph/nodes/other-node.ts';
import { issuedTokens } from '../graph/nodes/tokens.ts';
import { comparePrecedence } from '../graph/policies/acl.ts';
import { editPolicy, type RuleEdit } from '../graph/policies/edit-policy.ts';
import { type PathRule, readPolicy } from '../graph/policies/parse-policy.ts';
import { mayMeet } from '../graph/policies/pattern-overlap.ts';
import { isSame } from '../graph/resources/field.ts';
import type { Policy } from '../graph/resources/policy.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { mayBeAtToday } from './damaged-line.ts';
import { type FailedProof, failing, gaining } from './failed-proof.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import type { KeptReason, RefineRefusal } from './kept-reason.ts';
import { LoggedPrincipals, type LoggedService } from './logged-principals.ts';
import type { LoggedRequest } from './logged-request.ts';
import { uniqueMissing } from './missing-from-log.ts';
import { atAllPlaces } from './moved-mounts.ts';
import { type ReplayedRequest, replay } from './replay.ts';
import { RequestJudge } from './request-judge.ts';
import { type RuleUse, useOf } from './rule-use.ts';
import type { UsageReason } from './usage-reason.ts';

/** Capabilities that must stay on the paths of a pattern, used or not: for what is done once a year. */
export interface Floor {
  pattern: string;
  capabilities: readonly string[];
}

export interface RefineOptions {
  /** Nanoseconds since 1970. */
  now: bigint;
  floor?: readonly Floor[];
  /** What the audit device makes of values in policies, by the value. Defaults to nothing. */
  hashes?: ReadonlyMap<string, string>;
}

/** A smaller policy, and what is proven of it. */
export interface RefinedPolicy {
  name: string;
  before: string;
  /** The new text; equal to `before` where nothing is taken. */
  after: string;
  /** Unused capabilities that are gone, with those of rules that are deleted. */
  taken: RuleCapabilities[];
  /** Patterns whose rules have `capabilities = []` now: a broader rule does not decide there. */
  emptied: string[];
  /** Patterns whose rules are gone. */
  deleted: string[];
  /** Rules that keep something that no request used, and why. */
  kept: { pattern: string; why: KeptReason[] }[];
  /** Why nothing could be taken at all. */
  refused?: RefineRefusal;
  proven: {
    /** Allowed requests that were sent again, each counted, and none is refused. */
    requests: number;
    /** The number of these whose answer is unknown before and after: the rules that they may use stay. */
    unknown: number;
    /** Over how much it was decided that no one gains. */
    over: AccessDecision['over'];
    /** Whether it holds for all that the service has, not only for what the graph has. */
    isWhole: boolean;
  };
}

interface RuleCapabilities {
  pattern: string;
  capabilities: string[];
}

/** Capabilities whose use a log shows. Others are kept: no line says whether they are needed. */
const shown = new Set(['create', 'read', 'update', 'delete', 'list', 'patch', 'scan', 'sudo']);

/**
 * Takes from a policy what no request of a log used: no observed request is lost, and no one gains. Both are proven for the
 * text that comes out; where a proof fails, the rule stays. Only a graph of the whole service lets it delete rules.
 *
 * @param policy its text may be laid out in another way than that of the graph, not say something else
 */
export function refine(
  log: FoldedLog,
  service: LoggedService,
  policy: Pick<Policy, 'name' | 'text'>,
  options: RefineOptions,
): RefinedPolicy {
  const refinement = new Refinement(log, service, policy, options);
  return refinement.run();
}

/** The rules of a policy for one pattern. */
interface PatternRules {
  pattern: string;
  capabilities: string[];
  rules: PathRule[];
}

type Edit = [pattern: string, edit: RuleEdit];

class Refinement {
  readonly #log: FoldedLog;
  readonly #service: LoggedService;
  readonly #policy: Pick<Policy, 'name' | 'text'>;
  readonly #options: RefineOptions;
  readonly #name: string;
  readonly #rules: PatternRules[];
  readonly #why = new Map<string, KeptReason[]>();
  #accepted = new Map<string, RuleEdit>();
  #proof: RefinedPolicy['proven'];

  constructor(
    log: FoldedLog,
    service: LoggedService,
    policy: Pick<Policy, 'name' | 'text'>,
    options: RefineOptions,
  ) {
    this.#log = log;
    this.#service = service;
    this.#policy = policy;
    this.#options = options;
    this.#name = policyKey(policy.name);
    this.#rules = namedIn(readPolicy(policy.text) ?? []);
    this.#proof = {
      requests: 0,
      unknown: 0,
      isWhole: isWhole(service.graph),
      over: { roles: 0, groups: 0, otherPrincipals: 0, paths: 0 },
    };
  }

  run(): RefinedPolicy {
    const refused = incomplete(this.#log) ?? foreignLog(this.#log, this.#service) ?? this.#unread();
    if (refused !== undefined) return { ...this.#result(), refused };
    const use = this.#use();
    // What no one had who asked for something, no request shows to be unused.
    if (!use.requests.some(({ by }) => by.policies.some((name) => policyKey(name) === this.#name)))
      return { ...this.#result(), refused: { kind: 'no-token' } };
    const edits = this.#rules.flatMap((rule) => this.#edit(rule, use));
    this.#addAll(edits, use);
    if (this.#proof.isWhole) {
      const emptied = [...this.#accepted].filter(([, edit]) => edit !== 'deleted' && edit.size === 0);
      this.#addAll(
        emptied.map(([pattern]): Edit => [pattern, 'deleted']),
        use,
      );
    }
    return this.#result();
  }

  #unread(): RefineRefusal | undefined {
    const { graph } = this.#service;
    const held = graph.policies.find(({ name }) => policyKey(name) === this.#name);
    const read = readPolicy(this.#policy.text);
    if (this.#name === 'root') return { kind: 'root' };
    if (read === undefined) return { kind: 'unreadable-text' };
    return isSame(read, readPolicy(held?.text ?? '')) ? undefined : { kind: 'other-text' };
  }

  #use(): RuleUse {
    const { graph, ids = {}, sudo } = this.#service;
    const { now, hashes = new Map<string, string>() } = this.#options;
    const use = useOf(this.#log.requests, {
      policy: this.#name,
      patterns: this.#rules.map(({ pattern }) => pattern),
      judge: new RequestJudge({ graph, ids, hashes, sudo }, now),
      principals: new LoggedPrincipals(this.#service, graph, this.#log),
    });
    const { damaged, moves } = this.#log;
    for (const { pattern } of this.#rules) {
      if (damaged.some((damage) => mayBeAtToday(damage, pattern, moves)))
        use.unknown.set(pattern, { kind: 'damaged-line' });
      if (moves.arrived.some((mount) => mayMeet(pattern, `${mount}/*`)))
        use.unknown.set(pattern, { kind: 'arrived-mount' });
    }
    return use;
  }

  /** What could be taken from the rules of a pattern; nothing where they stay as they are. */
  #edit(rules: PatternRules, { used, unknown }: RuleUse): Edit[] {
    const { pattern, capabilities } = rules;
    const own = used.get(pattern) ?? new Set();
    const spare = capabilities.filter((capability) => !own.has(capability));
    if (capabilities.includes('deny') || spare.length === 0) return [];
    const stays = this.#whyAllStays(rules, unknown.get(pattern));
    if (stays !== undefined) {
      this.#why.set(pattern, [stays]);
      return [];
    }
    const floor = (this.#options.floor ?? [])
      .filter((entry) => mayMeet(pattern, entry.pattern))
      .flatMap((entry) => entry.capabilities);
    const reasons: KeptReason[] = [];
    const kept = capabilities.filter((capability) => {
      if (own.has(capability)) return true;
      const reason = reasonFor(capability, own, floor);
      if (reason !== undefined) reasons.push(reason);
      return reason !== undefined;
    });
    if (reasons.length > 0) this.#why.set(pattern, uniqueMissing(reasons));
    return kept.length === capabilities.length ? [] : [[pattern, new Set(kept)]];
  }

  /** Why a rule keeps all that it has; undefined where something can be taken. */
  #whyAllStays({ rules }: PatternRules, missing: UsageReason | undefined): KeptReason | undefined {
    if (missing !== undefined) return { kind: 'may-be-used', missing };
    if (rules.some(({ expires }) => expires !== undefined)) return { kind: 'expires' };
    return rules.some(hasLimits) && !this.#proof.isWhole ? { kind: 'limits' } : undefined;
  }

  /** Accepts what can be proven of these: all of them, or of each half, down to single rules. */
  #addAll(edits: readonly Edit[], use: RuleUse): void {
    if (edits.length === 0) return;
    const tried = new Map([...this.#accepted, ...edits]);
    const failed = this.#prove(tried, use);
    if (failed === undefined) {
      this.#accepted = tried;
      return;
    }
    const [[pattern] = ['']] = edits;
    if (edits.length === 1) {
      this.#why.set(pattern, [failed.gains.get(pattern) ?? failed.why]);
      return;
    }
    const patterns = edits.map(([edited]) => edited);
    const blamed = outermost(patterns.filter((edited) => failed.gains.has(edited)));
    if (blamed.length > 0) {
      for (const edited of blamed) this.#why.set(edited, [failed.gains.get(edited) ?? failed.why]);
      this.#addAll(
        edits.filter(([edited]) => !blamed.includes(edited)),
        use,
      );
      return;
    }
    const half = Math.ceil(edits.length / 2);
    this.#addAll(edits.slice(0, half), use);
    this.#addAll(edits.slice(half), use);
  }

  /** @returns why the edits are not proven to lose no request and let no one gain */
  #prove(edits: ReadonlyMap<string, RuleEdit>, use: RuleUse): FailedProof | undefined {
    const text = editPolicy(this.#policy.text, edits);
    if (text === undefined) return failing({ kind: 'text-not-edited' });
    if (readPolicy(text)?.length === 0) return failing({ kind: 'last-rule' });
    const { graph, ids, sudo } = this.#service;
    const { now, hashes } = this.#options;
    const graphAfter = withText(graph, this.#name, text);
    const tokens = use.lists.map((list) => issuedTokens(list));
    const decision = decideAccess(
      {
        before: withOthers(graph, tokens),
        after: withOthers(graphAfter, tokens),
        replaced: [],
        rotated: [],
        unknown: [],
      },
      now,
      ['gained'],
    );
    if (decision.gains !== 'none') return gaining(decision);
    const { refused, unknown, requests } = replay(
      { ...this.#log, requests: use.requests },
      { before: graph, after: graphAfter },
      { now, ids, hashes, sudo },
    );
    const lost = refused[0] ?? unknown.find((request) => mayUse(request, edits));
    const judgeBefore = new RequestJudge({ graph, ids, hashes, sudo }, now);
    const judgeAfter = new RequestJudge({ graph: graphAfter, ids, hashes, sudo }, now);
    const isLost =
      lost !== undefined ||
      use.requests.flatMap(atAllPlaces).some((request) => losesAsItWas(request, judgeBefore, judgeAfter));
    if (isLost) return failing({ kind: 'request-lost' });
    const unknownRequests = new Set(unknown.map(({ request }) => request));
    this.#proof = {
      requests,
      over: decision.over,
      isWhole: this.#proof.isWhole,
      unknown: [...unknownRequests].reduce((sum, { count }) => sum + count, 0),
    };
    return undefined;
  }

  #result(): RefinedPolicy {
    const { name, text } = this.#policy;
    const edits = [...this.#accepted];
    const patternsOf = (isMeant: (edit: RuleEdit) => boolean) =>
      edits.flatMap(([pattern, edit]) => (isMeant(edit) ? [pattern] : []));
    return {
      name,
      before: text,
      after: editPolicy(text, this.#accepted) ?? text,
      taken: edits.flatMap(([pattern, edit]) => {
        const { capabilities = [] } = this.#rules.find((rule) => rule.pattern === pattern) ?? {};
        return {
          pattern,
          capabilities: capabilities.filter((capability) => edit === 'deleted' || !edit.has(capability)),
        };
      }),
      emptied: patternsOf((edit) => edit !== 'deleted' && edit.size === 0),
      deleted: patternsOf((edit) => edit === 'deleted'),
      kept: this.#rules.flatMap(({ pattern }) => {
        const why = this.#why.get(pattern);
        return why === undefined ? [] : [{ pattern, why }];
      }),
      proven: this.#proof,
    };
  }
}

/** Why a log cannot show what is unused. */
function incomplete({ notHeld, requests, moves }: FoldedLog): RefineRefusal | undefined {
  if (moves.unplaced > 0) return { kind: 'mount-moved' };
  if (notHeld > 0) return { kind: 'requests-left-out', count: notHeld };
  return requests.length === 0 ? { kind: 'no-request' } : undefined;
}

function reasonFor(
  capability: string,
  used: ReadonlySet<string>,
  floor: readonly string[],
): KeptReason | undefined {
  if (floor.includes(capability)) return { kind: 'floor', capability };
  if (capability === 'sudo' && used.size > 0) return { kind: 'sudo-not-logged' };
  // The created entry is there when the request comes again.
  if (capability === 'update' && used.has('create')) return { kind: 'create-again' };
  return shown.has(capability) ? undefined : { kind: 'use-not-logged', capability };
}

function namedIn(rules: readonly PathRule[]): PatternRules[] {
  return [...Map.groupBy(rules, ({ path }) => path)].map(([pattern, same]) => ({
    pattern,
    rules: same,
    capabilities: [...new Set(same.flatMap(({ capabilities }) => capabilities))],
  }));
}

/** Whether it has more than a path, its capabilities and an end. */
function hasLimits({
  path: _,
  capabilities: _capabilities,
  expires: _expires,
  ...limits
}: PathRule): boolean {
  return Object.values(limits).some((limit) => limit !== undefined);
}

/** Tokens live on with what they were given, whatever the graph gives now. */
function withOthers(graph: Graph, tokens: NonNullable<Graph['others']>): Graph {
  const { others = [] } = graph;
  const known = new Set(others.map(keyOfNode));
  return { ...graph, others: [...others, ...tokens.filter((node) => !known.has(keyOfNode(node)))] };
}

/** Whether rules that change bear on a request whose answer is unknown. */
function mayUse(
  { request, pattern: { before, after } }: ReplayedRequest,
  edits: ReadonlyMap<string, RuleEdit>,
): boolean {
  if (before !== undefined && before === after) return edits.has(before);
  return [...edits.keys()].some((pattern) => mayMeet(pattern, request.path));
}

/** Whether a token of that time, which holds what it held, loses the request. */
function losesAsItWas(
  { by, ...request }: LoggedRequest,
  judgeBefore: RequestJudge,
  judgeAfter: RequestJudge,
): boolean {
  const before = judgeBefore.judge(by.policies, by.entity, request).answer;
  const after = judgeAfter.judge(by.policies, by.entity, request).answer;
  return before === 'allowed' && after !== 'allowed';
}

/** Patterns without a broader pattern in the list: it may be enough that these stay. */
function outermost(patterns: readonly string[]): string[] {
  return patterns.filter(
    (pattern) => !patterns.some((other) => mayMeet(pattern, other) && comparePrecedence(pattern, other) < 0),
  );
}
