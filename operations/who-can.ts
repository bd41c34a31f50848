import { groupsOf, type ReachOfRole, reachOf } from '../core/access/questions/reach.ts';
import { type Ability, type Question, Reach } from '../core/access/questions/who-can.ts';
import type { Claims } from '../core/login/claims.ts';
import { emptyGraph } from '../core/model/graph.ts';
import type { Place } from '../core/review/plan/compose-change.ts';
import { explainIn, findRole } from './explain.ts';
import { type AskedGraph, type GraphSource, openGraphs } from './open-graph.ts';

/** Who can do something. */
export interface WhoCanReport extends Question {
  source: GraphSource['from'];
  /** `unknown` where no one is known to, and some may. */
  answer: 'yes' | 'no' | 'unknown';
  /** One entry a way, those that are certain first. */
  abilities: (Ability & Place)[];
  /** What is missing to know everybody, in words. */
  missing: string[];
}

/**
 * Says who can do something at a path, or on at least one path of a pattern.
 *
 * @param now nanoseconds since 1970
 * @throws GatehouseError what `openGraphs` throws
 */
export async function whoCan(question: Question, source: GraphSource, now: bigint): Promise<WhoCanReport> {
  const graphs = await openGraphs(source);
  const found = graphs.map(({ place, graph, unseen }) => ({
    place,
    unseen,
    ...new Reach(graph, now).whoCan(question),
  }));
  const missing = [...new Set(found.flatMap((one) => [...one.missing, ...one.unseen]))];
  const isYes = found.some(({ answer }) => answer === 'yes');
  const isUnknown = missing.length > 0 || found.some(({ answer }) => answer === 'unknown');
  return {
    source: source.from,
    ...question,
    answer: isYes ? 'yes' : isUnknown ? 'unknown' : 'no',
    abilities: found
      .flatMap(({ place, abilities }) => abilities.map((one) => ({ ...one, ...place })))
      .sort((one, other) => Number(one.can === 'unknown') - Number(other.can === 'unknown')),
    missing,
  };
}

export interface AccessRequest {
  role: string;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string | undefined;
  /** Whose groups count. Without them, no groups do. */
  claims?: Claims | undefined;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** What a role gives. */
export interface AccessReport extends ReachOfRole {
  source: GraphSource['from'];
  /** Why the claims do not sign in; then nothing is reached by them. */
  refused?: { step: string; message: string };
  /** Groups of the auth method that do not count here, and the policies that they would add. */
  otherGroups: { group: string; alias: string; policies: string[] }[];
}

/**
 * Says everything that a token of a role can do, in the groups that its claims name.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, and what `openGraphs` throws
 */
export async function accessOf(request: AccessRequest, source: GraphSource): Promise<AccessReport> {
  const graphs = await openGraphs(source);
  const holding = graphs.find(({ graph }) => hasRole(graph, request)) ?? graphs[0];
  const { graph = emptyGraph(), unseen = [] } = holding ?? {};
  const role = findRole(graph, request.role, request.method);
  const { claims, now } = request;
  const explained =
    claims &&
    (await explainIn(graph, {
      role: role.name,
      method: role.method,
      presented: { claims },
      live: false,
      now,
    }));
  const groups = [...new Set((explained?.groups ?? []).flatMap(({ group }) => group ?? []))];
  const reach = reachOf(graph, role, groups, now);
  const report: AccessReport = {
    source: source.from,
    ...reach,
    missing: [...reach.missing, ...unseen],
    otherGroups: role.groupsClaim
      ? groupsOf(graph, role.method).filter(({ group }) => !groups.includes(group))
      : [],
  };
  if (explained?.refused === undefined) return report;
  return { ...report, rows: [], policies: [], unread: [], refused: explained.refused };
}

function hasRole({ roles }: AskedGraph['graph'], { role, method }: AccessRequest): boolean {
  return roles.some(
    (one) => one.name.toLowerCase() === role.toLowerCase() && (method === undefined || one.method === method),
  );
}
