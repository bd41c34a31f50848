import type { Principals } from '../access/access-change.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { largestOf } from '../graph/values/sequences.ts';
import { missingLines } from './damaged-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { countedMissing, type MissingFromLog } from './missing-from-log.ts';
import { atAllPlaces, missingMounts } from './moved-mounts.ts';
import { type JudgedService, RequestJudge } from './request-judge.ts';

/** When grants were last used, as a log tells. */
export interface GrantUse {
  /** Milliseconds since 1970; undefined where the log has no use of it. */
  lastOf(principals: Principals, pattern: string, policies: readonly string[]): number | undefined;
  /** What the log leaves open. */
  missing: MissingFromLog[];
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
  const last = new Map<string, number>();
  const known = new Map<LoggedPrincipal, string[]>();
  const keysOf = (by: LoggedPrincipal): string[] =>
    getOrMake(known, by, () => {
      const at = logged.signedInAt(by);
      const entity = ids.entity?.[by.entity];
      return [
        ...(at === undefined ? [] : [keyOf('role', `${at.method}/${at.role}`)]),
        ...(entity === undefined ? [] : [keyOf('entity', entity)]),
        ...logged.groupsOf(by).map((name) => keyOf('group', name)),
      ];
    });
  let unknown = 0;
  let unplaced = 0;
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
    const keys = keysOf(by);
    if (keys.length === 0) unplaced += request.count;
    for (const who of keys)
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
      ...missingLines(log.damaged),
      ...missingMounts(log.moves),
      ...countedMissing('rules', unknown),
      ...countedMissing('askers', unplaced),
      ...countedMissing('not-listed', log.notHeld),
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
