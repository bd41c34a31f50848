import { GraphIndex } from '../access/graph-index.ts';
import { type Graph, isComplete } from '../graph/graph.ts';
import { ofKind } from '../graph/nodes/other-node.ts';
import { pathOfRole, picksPolicies } from '../graph/nodes/other-role.ts';
import { policy as policyResource } from '../graph/resources/policy.ts';
import { role as roleResource } from '../graph/resources/role.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { largestOf } from '../graph/values/sequences.ts';
import { partName } from '../graph/values/visible.ts';
import { mayBeAtToday, mayBeBy } from './damaged-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import { isBuiltIn, isMadeByToken } from './lineage.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { atAllPlaces, moveWords, pathsToday } from './moved-mounts.ts';
import { mayMeet } from './pattern-overlap.ts';
import { type JudgedService, type Judgment, RequestJudge } from './request-judge.ts';
import type { SignedInAt } from './sign-in-doubt.ts';
import { clockWords, untoldWords } from './untold-words.ts';

/** Something that can be used. */
export interface Used {
  kind: 'role' | 'group' | 'policy' | 'rule';
  /** `auth/staff/reader`; of a rule, its policy. */
  name: string;
  /** Of a rule. */
  pattern?: string;
  /** Sign-ins by a role; requests and sign-ins with a group; else requests that it allowed. */
  count: number;
  /** How many principals. */
  people: number;
  /** Milliseconds since 1970; absent where it was not used. */
  last?: number;
  /** When it was last written, by the log; absent where that was before the log begins, or cannot be told. */
  written?: number;
  /** `maybe`: something else may be what was used. */
  used: 'yes' | 'no' | 'maybe';
}

/** Requests that policies refused, of principals of one role. */
export interface RefusedRequests {
  /** `role staff/reader`; empty where the log does not tell. */
  by: string;
  operation: string;
  path: string;
  count: number;
  people: number;
  last: number;
  /** Id of the last one, for `gatehouse explain --request`. */
  id: string;
}

/** What was used, and refused, in the time that logs cover. */
export interface Usage {
  from?: number;
  to?: number;
  used: Used[];
  refused: RefusedRequests[];
  refusedSignIns: { method: string; count: number; last: number }[];
  /** How many recorded answers are those of the policies as they are, how many are not, and how many cannot be compared. */
  answers: { same: number; other: number; unknown: Record<string, number> };
  /** Requests whose sign-in the log or the service tells, and others: by whom a grant was used is not known of those. */
  origins: { known: number; unknown: number };
  /** What the log does not tell, in words. */
  untold: string[];
}

/**
 * What a log says of a service: who signed in and by what, which grants were used and which were not, and what was refused.
 *
 * @param now nanoseconds since 1970: rules that expired are left out
 */
export function usageOf(log: FoldedLog, service: Omit<JudgedService, 'hidden'>, now: bigint): Usage {
  const { graph } = service;
  const judge = new RequestJudge(service, now);
  const principals = new LoggedPrincipals(service, graph, log);
  const tally = new Tally();
  const foreign = foreignLog(log, service);
  // Another service's log shows nothing of this one.
  const isIncomplete = foreign !== undefined || log.notHeld > 0 || log.moves.unplaced > 0;
  const origins = { known: 0, unknown: 0 };
  const answers: Usage['answers'] = { same: 0, other: 0, unknown: {} };
  const refused = new Map<string, RefusedRequests & { who: Set<string> }>();
  for (const { who, count, last } of log.signIns) {
    const at = principals.signedInAt(who);
    if (at !== undefined) tally.add(roleKey(pathOf(at)), who.name, count, last);
    for (const policy of who.identityPolicies) tally.add(`group ${policyKey(policy)}`, who.name, count, last);
  }
  for (const request of log.requests) {
    const { by, count, last } = request;
    const at = principals.signedInAt(by);
    // A token made by another one, as Gatehouse makes, has a name of its own: no one else signed in.
    const isMade = by.lineage?.making !== undefined || isMadeByToken(by);
    if (at !== undefined) tally.add(roleKey(pathOf(at)), isMade ? undefined : by.name, 0, last);
    else if (!isByItself(by)) tally.leaveRolesOpen(by);
    origins[at !== undefined || isByItself(by) ? 'known' : 'unknown'] += count;
    for (const role of tokenRolesOf(by)) tally.add(roleKey(`token/${role}`), by.name, 0, last);
    for (const policy of by.identityPolicies) tally.add(`group ${policyKey(policy)}`, by.name, count, last);
    const judged = atAllPlaces(request).map((place) => judge.judge(by.policies, by.entity, place));
    // Policies may have followed a mount that was moved, or not yet.
    const same = judged.find(({ answer }) => answer === request.outcome);
    const { because } = same ?? judged.find(({ answer }) => answer === 'unknown') ?? {};
    const isOpen = same === undefined && judged.some(({ answer }) => answer === 'unknown');
    // A token of root passes whatever its policies say.
    if (by.unknown !== undefined || isOpen) {
      const missing = by.unknown ?? (because?.kind === 'unknown' ? because.missing : '');
      answers.unknown[missing] = (answers.unknown[missing] ?? 0) + count;
      for (const policy of by.policies) tally.leaveOpen(policyKey(policy));
    } else answers[same === undefined ? 'other' : 'same'] += count;
    if (request.outcome === 'allowed') {
      const isKnown = by.unknown === undefined && judged.every(({ answer }) => answer !== 'unknown');
      if (same === undefined || !isKnown)
        for (const policy of by.policies) tally.leaveOpen(policyKey(policy));
      if (by.unknown === undefined) for (const key of usedKeys(judged)) tally.add(key, by.name, count, last);
    }
    if (request.outcome === 'refused') addRefused(refused, request, principals);
  }
  return {
    from: log.from,
    to: log.to,
    used: [...roles(graph, tally, log), ...groups(graph, tally), ...policiesOf(graph, judge, tally, log)].map(
      (one) =>
        one.used === 'no' && (isIncomplete || mayBeUsed(one, log, judge)) ? { ...one, used: 'maybe' } : one,
    ),
    refused: [...refused.values()]
      .map(({ who, ...one }) => ({ ...one, people: who.size }))
      .sort((one, other) => other.count - one.count),
    refusedSignIns: Object.entries(log.refusedSignIns).map(([method, one]) => ({ method, ...one })),
    answers,
    origins,
    untold: [
      ...(foreign === undefined ? [] : [foreign]),
      ...untoldWords(log, origins, undeclared(graph, tally)),
      ...moveWords(log.moves),
      ...clockWords(log, now),
    ],
  };
}

/** What decided at some place of a request, each once. */
function usedKeys(judged: readonly Judgment[]): Set<string> {
  const allowing = judged.filter(({ answer }) => answer === 'allowed');
  return new Set(
    allowing.flatMap(({ policies, pattern }) =>
      policies.flatMap((policy) => [`policy ${policy}`, `rule ${policy} ${pattern}`]),
    ),
  );
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
    (one) =>
      damaged.some((damage) => mayBeAtToday(damage, one, moves)) ||
      moves.arrived.some((mount) => mayMeet(one, `${mount}/*`)),
  );
}

/** What was used, by its key. */
class Tally {
  readonly #counts = new Map<string, { count: number; who: Set<string>; last: number }>();
  readonly #undecided = new Set<string>();

  add(key: string, who: string | undefined, count: number, last: number): void {
    const there = this.#counts.get(key) ?? { count: 0, who: new Set(), last: 0 };
    this.#counts.set(key, there);
    there.count += count;
    if (who !== undefined) there.who.add(who);
    there.last = Math.max(there.last, last);
  }

  /** A policy, or a role, that a request may have used, which cannot be told. */
  leaveOpen(key: string): void {
    this.#undecided.add(key);
  }

  isOpen(key: string): boolean {
    return this.#undecided.has(key);
  }

  of(key: string): Pick<Used, 'count' | 'people' | 'last'> | undefined {
    const found = this.#counts.get(key);
    return found && { count: found.count, people: found.who.size, last: found.last };
  }

  /** A token that has these policies may be of any role that gives them. */
  leaveRolesOpen({ tokenPolicies }: LoggedPrincipal): void {
    const key = JSON.stringify(tokenPolicies);
    this.#unplaced.set(key, new Set(tokenPolicies.map(policyKey)));
  }
  readonly #unplaced = new Map<string, ReadonlySet<string>>();

  /** Whether a token whose sign-in is not known may be of a role that gives these. */
  mayBeOf(policies: readonly string[]): boolean {
    return [...this.#unplaced.values()].some((held) => policies.every((name) => held.has(policyKey(name))));
  }

  /** Keys of roles that sign-ins name. */
  roles(): string[] {
    return [...this.#counts.keys()].filter((key) => key.startsWith('role '));
  }
}

const roleKey = (name: string) => `role ${nameKey(name)}`;
const unused = { count: 0, people: 0 };

/** `staff/reader`, or the method alone where it names no role. */
const pathOf = ({ method, role }: SignedInAt) => (role === '' ? method : `${method}/${role}`);

/** Tokens that no sign-in here began: root's, those that root made by hand, those that services make, and others' namespaces'. */
function isByItself({ policies, lineage }: LoggedPrincipal): boolean {
  if (lineage?.isElsewhere) return true;
  if (policies.includes('root') || isBuiltIn(policies)) return true;
  return lineage?.making !== undefined && isByItself(lineage.making.by);
}

/** The token roles that a token was made with, and those that made it. */
function tokenRolesOf({ lineage }: LoggedPrincipal): string[] {
  if (lineage?.making === undefined) return [];
  const { role, by } = lineage.making;
  return [...(role === '' ? [] : [role]), ...tokenRolesOf(by)];
}

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
    const found = tally.of(roleKey(`${method}/${name}`));
    return {
      kind: 'role',
      name: `auth/${method}/${name}`,
      ...(found ?? unused),
      written: writtenAt(log, at, `${at}/policies`),
      used: found !== undefined ? 'yes' : tally.mayBeOf(policies) ? 'maybe' : 'no',
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
  const then = moves.mounts.map(({ from, to }) => ({ from: to, to: from, isReplaced: false }));
  const all = paths.flatMap((path) => [path, ...pathsToday(path, then)]);
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
    const seen = policies.map((policy) => ({ policy, found: tally.of(`group ${policy}`) }));
    const isOnly = (policy: string) => all.filter((one) => one.policies.includes(policy)).length === 1;
    const sure = seen.find(({ policy, found }) => found !== undefined && isOnly(policy));
    const isAll = policies.length > 0 && seen.every(({ found }) => found !== undefined);
    const found = sure?.found ?? (isAll ? seen[0]?.found : undefined);
    // A group without policies leaves no trace.
    const isTold = policies.length > 0 && !isAll;
    const used = sure !== undefined ? 'yes' : isTold ? 'no' : 'maybe';
    return { kind: 'group', name, ...(found ?? unused), used };
  });
}

function policiesOf(graph: Graph, judge: RequestJudge, tally: Tally, log: FoldedLog): Used[] {
  return graph.policies.flatMap(({ name }) => {
    const key = policyKey(name);
    const written = writtenAt(log, `${policyResource.wire?.list('')}/${key}`, `sys/policy/${key}`);
    const toUsed = (found: ReturnType<Tally['of']>): Used['used'] =>
      found !== undefined ? 'yes' : tally.isOpen(key) ? 'maybe' : 'no';
    const found = tally.of(`policy ${key}`);
    const whole: Used = { kind: 'policy', name, ...(found ?? unused), written, used: toUsed(found) };
    const patterns = new Set(
      (judge.rulesOf(name) ?? []).flatMap(({ path, capabilities }) =>
        // What takes away leaves no trace.
        capabilities.length === 0 || capabilities.includes('deny') ? [] : path,
      ),
    );
    const rules = [...patterns].map((pattern): Used => {
      const one = tally.of(`rule ${key} ${pattern}`);
      return { kind: 'rule', name, pattern, ...(one ?? unused), written, used: toUsed(one) };
    });
    return [whole, ...rules];
  });
}

function addRefused(
  refused: Map<string, RefusedRequests & { who: Set<string> }>,
  { by, operation, path, count, last, id }: LoggedRequest,
  principals: LoggedPrincipals,
): void {
  const at = principals.signedInAt(by);
  const role = at === undefined ? '' : partName(at.role === '' ? 'method' : 'role', pathOf(at));
  const key = JSON.stringify([role, operation, path]);
  const there = refused.get(key) ?? {
    by: role,
    operation,
    path,
    count: 0,
    people: 0,
    last: 0,
    id,
    who: new Set(),
  };
  refused.set(key, there);
  there.count += count;
  there.who.add(by.name);
  if (last < there.last) return;
  there.last = last;
  there.id = id;
}
