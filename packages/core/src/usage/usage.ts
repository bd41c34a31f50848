import { GraphIndex } from '../access/graph-index.ts';
import { type Graph, isComplete } from '../graph/graph.ts';
import { ofKind } from '../graph/nodes/other-node.ts';
import { pathOfRole, picksPolicies } from '../graph/nodes/other-role.ts';
import { mayMeet } from '../graph/policies/pattern-overlap.ts';
import { policy as policyResource } from '../graph/resources/policy.ts';
import { role as roleResource } from '../graph/resources/role.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { largestOf } from '../graph/values/sequences.ts';
import { CountedLog } from './counted-log.ts';
import { mayBeAtToday, mayBeBy } from './damaged-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import { missingMounts, pathsToday } from './moved-mounts.ts';
import { type JudgedService, RequestJudge } from './request-judge.ts';
import { roleKey, type Tally } from './tally.ts';
import { missingFromUse, missingTimes } from './untold.ts';
import type { Usage, Used } from './used.ts';

/**
 * What a log says of a service: who signed in and by what, which grants were used and which were not, and what was refused.
 *
 * @param now nanoseconds since 1970: rules that expired are left out
 */
export function usageOf(log: FoldedLog, service: Omit<JudgedService, 'hidden'>, now: bigint): Usage {
  const { graph } = service;
  const judge = new RequestJudge(service, now);
  const counted = new CountedLog(log, judge, new LoggedPrincipals(service, graph, log));
  const { tally, origins, answers } = counted;
  const foreign = foreignLog(log, service);
  // Another service's log shows nothing of this one.
  const isIncomplete = foreign !== undefined || log.notHeld > 0 || log.moves.unplaced > 0;
  const grants = [
    ...roles(graph, tally, log),
    ...groups(graph, tally),
    ...policiesOf(graph, judge, tally, log),
  ];
  return {
    from: log.from,
    to: log.to,
    used: grants.map((grant) =>
      grant.used === 'no' && (isIncomplete || mayBeUsed(grant, log, judge))
        ? { ...grant, used: 'maybe' }
        : grant,
    ),
    refused: counted.refused(),
    refusedSignIns: Object.entries(log.refusedSignIns).map(([method, signIns]) => ({ method, ...signIns })),
    answers,
    origins,
    untold: [
      ...(foreign === undefined ? [] : [foreign]),
      ...missingFromUse(log, origins, undeclared(graph, tally)),
      ...missingMounts(log.moves),
      ...missingTimes(log, now),
    ],
  };
}

/** Whether a line that was not read as a whole, or a mount that came from elsewhere, may have used it. */
function mayBeUsed(
  { kind, name, pattern }: Used,
  { damaged, moves }: FoldedLog,
  judge: RequestJudge,
): boolean {
  if (kind === 'group') return damaged.length > 0;
  if (kind === 'role') {
    const method = name.slice('auth/'.length, name.lastIndexOf('/'));
    return (
      damaged.some((damage) => mayBeBy(damage, method, moves)) || moves.arrived.includes(`auth/${method}`)
    );
  }
  const patterns = pattern === undefined ? (judge.rulesOf(name) ?? []).map(({ path }) => path) : [pattern];
  return patterns.some(
    (path) =>
      damaged.some((damage) => mayBeAtToday(damage, path, moves)) ||
      moves.arrived.some((mount) => mayMeet(path, `${mount}/*`)),
  );
}

const unused = { count: 0, people: 0 };

function roles(graph: Graph, tally: Tally, log: FoldedLog): Used[] {
  const index = new GraphIndex(graph, []);
  const declared = graph.roles.map((role) => {
    const { method, name } = role;
    return {
      method,
      name,
      at: `${roleResource.wire?.list(method)}/${name}`,
      policies: index.policiesOfRole(role),
    };
  });
  const otherRoles = ofKind(graph.others, 'otherRole').map((role) => ({
    method: role.method,
    name: nameKey(role.name),
    at: pathOfRole(role),
    policies: picksPolicies(role) || role.isOpaque ? [] : index.policiesOfOther(role),
  }));
  return [...declared, ...otherRoles].map(({ method, name, at, policies }) => {
    const use = tally.of(roleKey(`${method}/${name}`));
    return {
      kind: 'role',
      name: `auth/${method}/${name}`,
      ...(use ?? unused),
      written: writtenAt(log, at, `${at}/policies`),
      used: use !== undefined ? 'yes' : tally.mayBeOf(policies) ? 'maybe' : 'no',
    };
  });
}

/** How many roles of sign-ins are not declared, as far as that says something. */
function undeclared(graph: Graph, tally: Tally): number {
  if (isComplete(graph, 'policies')) return 0;
  const known = new Set(graph.roles.map(({ method, name }) => roleKey(`${method}/${name}`)));
  return tally.roles().filter((key) => !known.has(key)).length;
}

/** When the last of these paths was written. */
function writtenAt({ writes, moves }: FoldedLog, ...paths: string[]): number | undefined {
  const backwards = moves.mounts.map(({ before, after }) => ({
    before: after,
    after: before,
    isReplaced: false,
  }));
  const all = paths.flatMap((path) => [path, ...pathsToday(path, backwards)]);
  const times = all.flatMap((path) => writes.get(path.toLowerCase()) ?? []);
  return times.length === 0 ? undefined : largestOf(times);
}

/** Used where a policy that no other group gives is among those of a sign-in. */
function groups(graph: Graph, tally: Tally): Used[] {
  const index = new GraphIndex(graph, []);
  const names = [
    ...new Set([
      ...graph.groups.map(({ name }) => name),
      ...(graph.identities ?? []).flatMap(({ kind, name }) => (kind === 'group' ? name : [])),
    ]),
  ];
  const all = names.map((name) => ({ name, policies: index.policiesOf('group', name) }));
  return all.map(({ name, policies }) => {
    const seen = policies.map((policy) => ({ policy, use: tally.of(`group ${policy}`) }));
    const isOnly = (policy: string) => all.filter((group) => group.policies.includes(policy)).length === 1;
    const sure = seen.find(({ policy, use }) => use !== undefined && isOnly(policy));
    const isAll = policies.length > 0 && seen.every(({ use }) => use !== undefined);
    const use = sure?.use ?? (isAll ? seen[0]?.use : undefined);
    // A group without policies leaves no trace.
    const isTold = policies.length > 0 && !isAll;
    const used = sure !== undefined ? 'yes' : isTold ? 'no' : 'maybe';
    return { kind: 'group', name, ...(use ?? unused), used };
  });
}

function policiesOf(graph: Graph, judge: RequestJudge, tally: Tally, log: FoldedLog): Used[] {
  return graph.policies.flatMap(({ name }) => {
    const key = policyKey(name);
    const written = writtenAt(log, `${policyResource.wire?.list('')}/${key}`, `sys/policy/${key}`);
    const toUsed = (use: ReturnType<Tally['of']>): Used['used'] =>
      use !== undefined ? 'yes' : tally.isOpen(key) ? 'maybe' : 'no';
    const use = tally.of(`policy ${key}`);
    const whole: Used = { kind: 'policy', name, ...(use ?? unused), written, used: toUsed(use) };
    const patterns = new Set(
      (judge.rulesOf(name) ?? []).flatMap(({ path, capabilities }) =>
        // What takes away leaves no trace.
        capabilities.length === 0 || capabilities.includes('deny') ? [] : path,
      ),
    );
    const rules = [...patterns].map((pattern): Used => {
      const ofRule = tally.of(`rule ${key} ${pattern}`);
      return { kind: 'rule', name, pattern, ...(ofRule ?? unused), written, used: toUsed(ofRule) };
    });
    return [whole, ...rules];
  });
}
