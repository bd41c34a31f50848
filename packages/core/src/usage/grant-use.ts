import type { Principals } from '../access/access-change.ts';
import { GraphIndex } from '../access/graph-index.ts';
import type { Graph } from '../graph/graph.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { largestOf } from '../graph/values/sequences.ts';
import { damageWords } from './damaged-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { atAllPlaces, moveWords } from './moved-mounts.ts';
import { type JudgedService, RequestJudge } from './request-judge.ts';

/** When grants were last used, as a log tells. */
export interface GrantUse {
  /** Milliseconds since 1970; undefined where the log has no use of it. */
  lastOf(principals: Principals, pattern: string, policies: readonly string[]): number | undefined;
  /** What the log leaves open, in words. */
  missing: string[];
}

/**
 * Attributes each allowed request to the rule that decides, and to the role, entity and groups that it may be by. A group
 * counts where its policies were all there.
 *
 * @param now nanoseconds since 1970: rules expire
 */
export function grantUse(log: FoldedLog, service: Omit<JudgedService, 'hidden'>, now: bigint): GrantUse {
  const { graph, ids = {} } = service;
  const foreign = foreignLog(log, service);
  const judge = new RequestJudge(service, now);
  const logged = new LoggedPrincipals(service, graph, log);
  const index = new GraphIndex(graph, []);
  const groups = groupsIn(graph).map((name) => ({ name, policies: index.policiesOf('group', name) }));
  const last = new Map<string, number>();
  const known = new Map<LoggedPrincipal, string[]>();
  const namesOf = (by: LoggedPrincipal): string[] => {
    const there = known.get(by);
    if (there !== undefined) return there;
    const at = logged.signedInAt(by);
    const entity = ids.entity?.[by.entity];
    const inside = new Set(by.identityPolicies.map(policyKey));
    const isIn = ({ policies }: (typeof groups)[number]) =>
      policies.length > 0 && policies.every((name) => inside.has(name));
    const names = [
      ...(at === undefined ? [] : [keyOf('role', `${at.method}/${at.role}`)]),
      ...(entity === undefined ? [] : [keyOf('entity', entity)]),
      ...groups.filter(isIn).map(({ name }) => keyOf('group', name)),
    ];
    known.set(by, names);
    return names;
  };
  let [unknown, unplaced] = [0, 0];
  for (const request of log.requests) {
    if (request.outcome !== 'allowed' || request.by.policies.includes('root')) continue;
    const { by } = request;
    const deciding = atAllPlaces(request).flatMap((place) => {
      const { answer, pattern, policies } = judge.judge(by.policies, by.entity, place);
      return answer === 'allowed' && pattern !== undefined ? [{ pattern, policies }] : [];
    });
    if (deciding.length === 0 || by.unknown !== undefined) {
      unknown += request.count;
      continue;
    }
    const names = namesOf(by);
    if (names.length === 0) unplaced += request.count;
    for (const who of names)
      for (const { pattern, policies } of deciding)
        for (const policy of policies) note(last, [who, pattern, policy], request);
  }
  return {
    lastOf(principals, pattern, policies) {
      const who = whoOf(principals);
      const times = policies.flatMap((policy) => last.get(JSON.stringify([who, pattern, policy])) ?? []);
      return times.length === 0 ? undefined : largestOf(times);
    },
    missing: [
      ...(foreign === undefined ? [] : [foreign]),
      ...damageWords(log.damaged),
      ...moveWords(log.moves),
      ...(unknown === 0 ? [] : [`the rules that allowed ${unknown} requests of the log`]),
      ...(unplaced === 0 ? [] : [`by whom ${unplaced} requests of the log were asked`]),
      ...(log.notHeld === 0 ? [] : [`${log.notHeld} requests of the log, which were too many`]),
    ],
  };
}

function note(last: Map<string, number>, key: string[], request: LoggedRequest): void {
  const text = JSON.stringify(key);
  last.set(text, Math.max(request.last, last.get(text) ?? 0));
}

const keyOf = (...parts: string[]) => JSON.stringify(parts.map(nameKey));

function whoOf({ kind, name, method = '', group, node }: Principals): string {
  if (kind === 'role') return keyOf('role', `${method}/${name}`);
  if (kind === 'alias') return keyOf('group', group ?? name);
  if (kind !== 'other') return keyOf(kind, name);
  return node?.kind === 'otherRole' ? keyOf('role', `${node.method}/${node.name}`) : keyOf(kind, name);
}

function groupsIn({ groups, identities = [] }: Graph): string[] {
  const names = [...groups, ...identities.filter(({ kind }) => kind === 'group')].map(({ name }) => name);
  return [...new Map(names.map((name) => [nameKey(name), name])).values()];
}
