import type { Graph } from '../../src/graph/graph.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import type { FoldedLog } from '../../src/usage/folded-log.ts';
import { LogFold } from '../../src/usage/log-fold.ts';
import type { LoggedPrincipal, LoggedRequest } from '../../src/usage/logged-request.ts';
import { type Replay, type ReplayedChange, replay } from '../../src/usage/replay.ts';
import { signInDoubtWords } from '../../src/words/sign-in-doubt-words.ts';
import { usageReasonWords } from '../../src/words/usage-reason-words.ts';
import { policy } from '../review/graphs.ts';
import { graph } from '../worlds.ts';

export const now = BigInt(Date.parse('2026-11-25T20:00:00Z')) * 1_000_000n;
const at = Date.parse('2026-11-25T12:00:00Z');

export function someone({
  role = 'web',
  ...given
}: Partial<LoggedPrincipal> & { role?: string } = {}): LoggedPrincipal {
  const { tokenPolicies = ['default', 'shop'], identityPolicies = [] } = given;
  return {
    name: 'ci-alice',
    entity: 'e-1',
    metadata: { role },
    tokenPolicies,
    identityPolicies,
    policies: [...tokenPolicies, ...identityPolicies],
    ...given,
  };
}

/** Requests that were allowed, each of them sent once. */
export function logOf(...requests: (Partial<LoggedRequest> & { path: string })[]): FoldedLog {
  return {
    ...new LogFold().result(),
    from: at,
    to: at + 3_600_000,
    requests: requests.map((one, index) => ({
      by: someone(),
      operation: 'read',
      outcome: 'allowed',
      fields: {},
      count: 1,
      last: at + index,
      id: `r-${index}`,
      ...one,
    })),
  };
}

export const roleOf = (given: Partial<Role> = {}): Role => ({
  method: 'ci',
  name: 'web',
  roleType: 'jwt',
  userClaim: 'sub',
  policies: ['shop'],
  boundClaims: { project: ['shop'] },
  groupsClaim: 'groups',
  ...given,
});

export const policyOf = (name: string, path: string, ...capabilities: string[]) =>
  policy(name, [path, ...capabilities]);

/** A service that is known as a whole: one method, role and policy, and what is given. */
export function serviceOf(given: Partial<Graph> = {}): Graph {
  const known = graph(`
    method ci oidcDiscoveryUrl: https://ci.example.com
    policy shop: secret/data/shop/* read
    entity alice
    complete`);
  return { ...known, roles: [roleOf()], others: [], ...given };
}

/** The same as a plan shows it: nothing is known completely. */
export const partOf = (given: Partial<Graph> = {}): Graph => {
  const { complete: _, ...graph } = serviceOf(given);
  return graph;
};

/** An external group of the method, with policies. */
export const groupOf = (name: string, ...policies: string[]) => ({
  groups: [{ name, policies }],
  aliases: [{ name: `/${name}`, method: 'ci', group: name }],
});

export function replayed(log: FoldedLog, change: ReplayedChange): Replay {
  return replay(log, change, { now, ids: { entity: { 'e-1': 'alice' } } });
}

/** What becomes of a log, in a line each. */
export function answers(log: FoldedLog, before: Graph, after: Graph, change: Partial<ReplayedChange> = {}) {
  const { refused, unknown } = replayed(log, { before, after, ...change });
  const words = ({ because }: Replay['refused'][number]) =>
    because.kind === 'sign-in' || because.kind === 'sign-in-unknown'
      ? signInDoubtWords(because.doubt)
      : because.kind === 'unknown'
        ? usageReasonWords(because.missing)
        : because.kind === 'capability'
          ? because.capability
          : because.kind;
  return [
    ...refused.map((one) => `refused: ${words(one)}`),
    ...unknown.map((one) => `unknown: ${words(one)}`),
  ];
}
