import {
  explainSignIn,
  groupsOf,
  principalsNamed,
  type Question,
  type ReachOfRole,
  reachOf,
  reachOfPolicies,
  roleAsked,
  rolesNamed,
} from '@gatehouse/core/access';
import { emptyGraph, textsOf } from '@gatehouse/core/graph';
import type { Claims } from '@gatehouse/core/login';
import { type AskedGraph, type WhoCanReport, whoCanIn } from '@gatehouse/core/review';
import { GatehouseError, partName } from '@gatehouse/core/values';
import { reasonWords } from '@gatehouse/core/words';
import { requireOneNamespace } from '../explain/explain.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { openDeclared } from '../open/open-environment.ts';
import { type GraphSource, openGraphs } from '../open/open-graph.ts';

type PrincipalQuestion = Parameters<typeof principalsNamed>[1];

/**
 * Says who can do something at a path, or on at least one path of a pattern.
 *
 * @param now nanoseconds since 1970
 * @throws GatehouseError what `openGraphs` throws
 */
export async function whoCan(question: Question, source: GraphSource, now: bigint): Promise<WhoCanReport> {
  return whoCanIn(await openGraphs(source), question, source.from, now);
}

export interface AccessRequest {
  /** A role of an OIDC or JWT method, or else of another one: its users, groups and teams, too. */
  role?: string | undefined;
  approle?: string | undefined;
  entity?: string | undefined;
  group?: string | undefined;
  /** Accessor of a token, on a live service. */
  accessor?: string | undefined;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string | undefined;
  /** Claims whose groups count. Without claims, no groups do. */
  claims?: Claims | undefined;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** What principals reach. */
export interface ReachReport extends Omit<ReturnType<typeof reachOfPolicies>, 'missing'> {
  source: GraphSource['from'];
  /** The principals, in words. */
  principal: string;
  /** The role, of an OIDC or JWT method. */
  role?: ReachOfRole['role'];
  /** The groups whose policies count here, by their names. */
  groups: string[];
  /** Why the claims do not sign in; then nothing is reached by them. */
  refused?: { step: string; message: string };
  /** Groups of the auth method that do not count here, and the policies that they would add. */
  otherGroups: { group: string; alias: string; policies: string[] }[];
  /** What is missing to know everything, in words. */
  missing: string[];
}

/**
 * Says everything that principals can do: those of a role in the groups that its claims name, of an entity, a group or a
 * token.
 *
 * @param opened the graphs of the source, where they are at hand
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, `principal_unknown`, and what `openGraphs` throws
 */
export async function accessOf(
  request: AccessRequest,
  source: GraphSource,
  opened?: readonly AskedGraph[],
): Promise<ReachReport> {
  const { accessor, now } = request;
  const held = accessor === undefined ? undefined : await policiesOfToken(accessor, source);
  const graphs = opened ?? (await openGraphs(source));
  if (accessor !== undefined && held !== undefined) {
    const { graph = emptyGraph(), unseen = [] } = graphs[0] ?? {};
    return reportOf(`token ${accessor}`, held, { graph, unseen }, source, now);
  }
  const principal = otherPrincipal(request);
  const { role, method } = request;
  const [withRole, ...rest] = graphs.filter(
    ({ graph }) => role !== undefined && rolesNamed(graph, role, method).length > 0,
  );
  if (withRole !== undefined && source.from !== 'plan')
    requireOneNamespace([withRole, ...rest].map(({ path }) => path));
  const principals =
    withRole === undefined
      ? graphs.flatMap((askedGraph) =>
          principalsNamed(askedGraph.graph, principal).map((who) => ({ ...askedGraph, who })),
        )
      : [];
  const [first] = principals;
  if (first !== undefined) {
    requireOne(principals.map(({ who }) => who.words));
    const { graph, who } = first;
    const unseen = [...first.unseen, ...(who.isOpaque ? [`what ${who.words} gives`] : [])];
    return reportOf(who.words, who.policies, { graph, unseen }, source, now);
  }
  if (role === undefined) throw unknownPrincipal(principal, source);
  const { graph = emptyGraph(), unseen = [] } = withRole ?? graphs[0] ?? {};
  return accessOfRole(request, { graph, unseen }, source);
}

async function accessOfRole(
  { role: name = '', method, claims, now }: AccessRequest,
  { graph, unseen }: Pick<AskedGraph, 'graph' | 'unseen'>,
  source: GraphSource,
): Promise<ReachReport> {
  const role = roleAsked(graph, name, method);
  const explained =
    claims &&
    (await explainSignIn(graph, { role: role.name, method: role.method, presented: { claims }, now }));
  const groups = [...new Set((explained?.groups ?? []).flatMap(({ group }) => group ?? []))];
  const reach = reachOf(graph, role, groups, now);
  const report: ReachReport = {
    source: source.from,
    principal: partName('role', role.method, role.name),
    ...reach,
    missing: [...reach.missing.map(reasonWords), ...unseen],
    otherGroups: role.groupsClaim
      ? groupsOf(graph, role.method).filter(({ group }) => !groups.includes(group))
      : [],
  };
  if (explained?.refused === undefined) return report;
  return { ...report, rows: [], policies: [], unread: [], refused: explained.refused };
}

function reportOf(
  principal: string,
  policies: readonly string[],
  { graph, unseen }: Pick<AskedGraph, 'graph' | 'unseen'>,
  { from }: GraphSource,
  now: bigint,
): ReachReport {
  const reach = reachOfPolicies(graph, policies, now);
  return {
    source: from,
    principal,
    groups: [],
    otherGroups: [],
    ...reach,
    missing: [...reach.missing.map(reasonWords), ...unseen],
  };
}

/** All policies of a token, as its service lists them. */
async function policiesOfToken(accessor: string, source: GraphSource): Promise<string[]> {
  if (source.from !== 'live') {
    throw new GatehouseError('option_conflict.accessor');
  }
  const { environment } = await openDeclared(source.stack, source.env);
  const client = openNamespaceClient(environment.service, source.env);
  try {
    const { data } = await client.post('auth/token/lookup-accessor', { accessor });
    return ['policies', 'identity_policies'].flatMap((field) => textsOf(data[field]));
  } finally {
    client.close();
  }
}

function otherPrincipal({ role = '', approle, entity, group, method }: AccessRequest): PrincipalQuestion {
  if (approle !== undefined) return { kind: 'role', name: approle, method, type: 'approle' };
  if (entity !== undefined) return { kind: 'entity', name: entity };
  if (group !== undefined) return { kind: 'group', name: group };
  return { kind: 'role', name: role, method };
}

function requireOne(names: string[]): void {
  if (names.length < 2) return;
  throw new GatehouseError('role_ambiguous.method', { given: names.join(', ') });
}

function unknownPrincipal({ kind, name, type }: PrincipalQuestion, { from }: GraphSource): GatehouseError {
  const text = from === 'live' ? 'principal_unknown.live' : 'principal_unknown';
  return new GatehouseError(text, { given: name, values: { kind: type ?? kind } });
}
