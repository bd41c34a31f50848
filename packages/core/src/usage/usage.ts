import { GraphIndex } from '../access/graph-index.ts';
import { type Graph, type GraphIds, isComplete } from '../graph/graph.ts';
import { roleNamed } from '../graph/resources/other-access.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import type { FoldedLog, LoggedRequest } from './log-fold.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import { RequestJudge } from './request-judge.ts';

/** Something that can be used. */
export interface Used {
  kind: 'role' | 'group' | 'policy' | 'rule';
  /** `auth/staff/reader`; of a rule, its policy. */
  name: string;
  /** Of a rule. */
  pattern?: string;
  /** Of a role, sign-ins; of a group, requests and sign-ins with it; else requests that it allowed. */
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
  /** `auth/staff/reader`; empty where the log does not tell. */
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
  /** What the log does not tell, in words. */
  untold: string[];
}

/**
 * What a log says of a service: who signed in and by what, which grants were used and which were not, and what was refused.
 *
 * @param now nanoseconds since 1970: rules that expired are left out
 */
export function usageOf(
  log: FoldedLog,
  {
    graph,
    ids = {},
    hashes = new Map(),
  }: { graph: Graph; ids?: Partial<GraphIds>; hashes?: ReadonlyMap<string, string> },
  now: bigint,
): Usage {
  const judge = new RequestJudge({ graph, ids, hashes }, now);
  const principals = new LoggedPrincipals({ graph, ids }, graph, log.signIns);
  const tally = new Tally();
  // What is not read may have used anything.
  const isIncomplete = log.notHeld + log.unread.cut + log.unread['not-json'] > 0;
  const answers: Usage['answers'] = { same: 0, other: 0, unknown: {} };
  const refused = new Map<string, RefusedRequests & { who: Set<string> }>();
  for (const { who, method, count, last } of log.signIns) {
    const given = who.role === '' ? method : `${method}/${who.role}`;
    tally.add(roleKey(given), who.name, count, last);
    for (const policy of who.identityPolicies) tally.add(`group ${policyKey(policy)}`, who.name, count, last);
  }
  for (const request of log.requests) {
    const { by, count, last } = request;
    // A token may be older than the log.
    const at = principals.signedInAt(by);
    if (at !== undefined) tally.add(roleKey(`${at.method}/${at.role}`), by.name, 0, last);
    else if (by.role !== '') tally.leaveOpen(roleKey(by.role));
    for (const policy of by.identityPolicies) tally.add(`group ${policyKey(policy)}`, by.name, count, last);
    const { answer, pattern, policies, because } = judge.judge(by.policies, by.entity, request);
    // A token of root passes whatever its policies say.
    if (by.isElsewhere || answer === 'unknown') {
      const missing = because?.kind === 'unknown' ? because.missing : 'policies of other namespaces';
      answers.unknown[missing] = (answers.unknown[missing] ?? 0) + count;
      for (const policy of by.policies) tally.leaveOpen(policyKey(policy));
    } else answers[answer === request.outcome ? 'same' : 'other'] += count;
    if (request.outcome === 'allowed' && answer === 'allowed') {
      for (const policy of policies) {
        tally.add(`policy ${policy}`, by.name, count, last);
        tally.add(`rule ${policy} ${pattern}`, by.name, count, last);
      }
    } else if (request.outcome === 'allowed')
      for (const policy of by.policies) tally.leaveOpen(policyKey(policy));
    if (request.outcome === 'refused') addRefused(refused, request, principals);
  }
  return {
    ...{ from: log.from, to: log.to },
    used: [...roles(graph, tally, log), ...groups(graph, tally), ...policiesOf(graph, judge, tally, log)].map(
      (one) => (one.used === 'no' && isIncomplete ? { ...one, used: 'maybe' } : one),
    ),
    refused: [...refused.values()]
      .map(({ who, ...one }) => ({ ...one, people: who.size }))
      .sort((one, other) => other.count - one.count),
    refusedSignIns: Object.entries(log.refusedSignIns).map(([method, one]) => ({ method, ...one })),
    answers,
    untold: untold(log, graph, tally),
  };
}

/** What was used, by its key. */
class Tally {
  readonly #counts = new Map<string, { count: number; who: Set<string>; last: number }>();
  readonly #undecided = new Set<string>();

  add(key: string, who: string, count: number, last: number): void {
    const there = this.#counts.get(key) ?? { count: 0, who: new Set(), last: 0 };
    this.#counts.set(key, there);
    there.count += count;
    there.who.add(who);
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

  /** Keys of roles that sign-ins name. */
  roles(): string[] {
    return [...this.#counts.keys()].filter((key) => key.startsWith('role '));
  }
}

const roleKey = (name: string) => `role ${nameKey(name)}`;
const unused = { count: 0, people: 0 };

function roles(graph: Graph, tally: Tally, log: FoldedLog): Used[] {
  const declared = graph.roles.map(({ method, name }) => ({
    method,
    name,
    at: `auth/${method}/role/${name}`,
  }));
  const otherRoles = (graph.otherAccess ?? []).flatMap((one) => {
    const { method } = one;
    const named = roleNamed(one);
    if (named === undefined || method === undefined) return [];
    const { noun, name } = named;
    return [{ method, name, at: `auth/${method}/${noun}/${name}` }];
  });
  const written = (at: string) =>
    log.writes.get(at.toLowerCase()) ?? log.writes.get(at.toLowerCase().replace(/\/(\w+)\//, '/$1s/'));
  return [...declared, ...otherRoles].map(({ method, name, at }) => {
    const found = tally.of(roleKey(`${method}/${name}`));
    return {
      ...{ kind: 'role', name: `auth/${method}/${name}` },
      ...(found ?? unused),
      written: written(at),
      used: found !== undefined ? 'yes' : tally.isOpen(roleKey(name)) ? 'maybe' : 'no',
    };
  });
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
    const written = log.writes.get(`sys/policies/acl/${key}`) ?? log.writes.get(`sys/policy/${key}`);
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
  const role = at === undefined ? '' : `auth/${at.method}${at.role === '' ? '' : `/${at.role}`}`;
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

function untold(log: FoldedLog, graph: Graph, tally: Tally): string[] {
  const { unread, gaps, backwards, otherNamespaces, notHeld, refusedSignIns, withoutToken } = log;
  const known = new Set(graph.roles.map(({ method, name }) => roleKey(`${method}/${name}`)));
  const isWhole = isComplete(graph, 'policies');
  const elsewhere = tally.roles().filter((key) => !known.has(key)).length;
  const countText = (count: number, one: string, several: string) =>
    count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${several}`];
  const signIns = Object.values(refusedSignIns).reduce((sum, { count }) => sum + count, 0);
  return [
    ...countText(unread.cut, 'line is cut', 'lines are cut: a device or a collector shortens long ones'),
    ...countText(unread['not-json'], 'line is not JSON', 'lines are not JSON'),
    ...countText(
      unread['other-format'],
      'line is no entry of an audit log',
      'lines are no entries of an audit log',
    ),
    ...countText(gaps.length, 'gap of more than an hour', 'gaps of more than an hour: files may be missing'),
    ...countText(backwards, 'entry is out of order', 'entries are out of order, by more than a minute'),
    ...countText(otherNamespaces, 'request in another namespace', 'requests in other namespaces'),
    ...countText(notHeld, 'request is not counted', 'requests are not counted: too many differ'),
    ...countText(withoutToken, 'request without a valid token', 'requests without a valid token'),
    ...countText(signIns, 'refused sign-in, without its role', 'refused sign-ins, without their roles'),
    ...(isWhole
      ? []
      : countText(elsewhere, 'role is not declared here', 'roles are not declared here (try --live)')),
  ];
}
