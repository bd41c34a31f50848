import { mayMeet } from '../graph/policies/pattern-overlap.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { possibleLists } from './held-policies.ts';
import type { LoggedPrincipals } from './logged-principals.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { atAllPlaces } from './moved-mounts.ts';
import type { RequestJudge } from './request-judge.ts';
import type { UsageReason } from './usage-reason.ts';

/** What the requests of a log used of a policy. */
export interface RuleUse {
  /** Capabilities by the pattern that decided. */
  used: Map<string, Set<string>>;
  /** Patterns that requests may have used in a way that is not known, with what is missing. */
  unknown: Map<string, UsageReason>;
  /** Requests whose principals hold the policy, or may. */
  requests: LoggedRequest[];
  /** All lists of policies with this one that principals of the log had. */
  lists: string[][];
}

/** What is asked of requests: the policy, its patterns, and who holds what. */
interface UseQuestion {
  policy: string;
  patterns: readonly string[];
  judge: RequestJudge;
  principals: LoggedPrincipals;
}

/**
 * What requests used of the rules of a policy: each by the pattern that decides it, for tokens of that time and for those
 * of a new sign-in. Anything uncertain counts as used.
 */
export function useOf(requests: readonly LoggedRequest[], question: UseQuestion): RuleUse {
  const { policy, patterns, judge, principals } = question;
  const use: RuleUse = { used: new Map(), unknown: new Map(), requests: [], lists: [] };
  const held = new Map<LoggedPrincipal, string[][] | UsageReason>();
  const lists = new Map<string, string[]>();
  const leaveOpen = (path: string, missing: UsageReason, only?: string) => {
    for (const pattern of patterns) {
      const isMeant = only === undefined ? mayMeet(pattern, path) : pattern === only;
      if (isMeant && !use.unknown.has(pattern)) use.unknown.set(pattern, missing);
    }
  };
  for (const logged of requests) {
    const { by, operation } = logged;
    if (logged.outcome !== 'allowed') continue;
    const places = atAllPlaces(logged);
    const having = held.get(by) ?? listsOf(by, principals);
    held.set(by, having);
    if (!Array.isArray(having)) {
      use.requests.push(logged);
      for (const { path } of places) leaveOpen(path, having);
      continue;
    }
    const withIt = having.filter((list) => list.includes(policy));
    if (withIt.length === 0) continue;
    use.requests.push(logged);
    for (const list of withIt) lists.set(JSON.stringify(list), list);
    for (const { list, request } of withIt.flatMap((list) => places.map((request) => ({ list, request })))) {
      const { path } = request;
      const { answer, pattern, policies, because } = judge.judge(list, by.entity, request);
      const isOurs = policies.includes(policy);
      if (answer === 'refused' || (pattern !== undefined && !isOurs)) continue;
      // A pattern whose template was filled in may be written in another way here.
      if (answer === 'allowed' && pattern !== undefined && patterns.includes(pattern)) {
        const used = use.used.get(pattern) ?? new Set();
        use.used.set(pattern, used.add(operation));
      } else {
        const missing = because?.kind === 'unknown' ? because.missing : ({ kind: 'deciding-rule' } as const);
        leaveOpen(path, missing, pattern !== undefined && patterns.includes(pattern) ? pattern : undefined);
      }
    }
  }
  use.lists = [...lists.values()];
  return use;
}

/** The policies that a token had, and those that one of a new sign-in may have; or why that is not known. */
function listsOf(by: LoggedPrincipal, principals: LoggedPrincipals): string[][] | UsageReason {
  if (by.unknown !== undefined) return { kind: 'token-policies', which: by.unknown };
  const held = principals.held(by).before;
  if (held.signIn !== undefined) return { kind: 'sign-in', doubt: held.signIn.doubt };
  const lists = possibleLists(held);
  if (!Array.isArray(lists)) return lists;
  const possible = [by.policies.map(policyKey), ...lists].map((list) => [...new Set(list)].sort());
  return [...new Map(possible.map((list) => [JSON.stringify(list), list])).values()];
}
