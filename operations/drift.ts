import { readLiveGraph, type Unreadable } from '../client/live-graph.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { Environment } from '../core/model/environment.ts';
import type { Graph } from '../core/model/graph.ts';
import { type Difference, graphDifferences } from '../core/model/graph-difference.ts';
import { kinds } from '../core/model/kinds/kinds.ts';
import { partWith, resourceNamed } from '../core/model/resources/resources.ts';
import { role } from '../core/model/resources/role.ts';
import { type Subject, subjectKey } from '../core/model/subject.ts';
import type { Finding } from '../core/rules/finding.ts';
import { ruleOptions } from '../core/rules/rule-options.ts';
import { judgePromises } from '../core/rules/rules.ts';
import type { Stack } from '../engine/stack.ts';
import { openNamespaceClient } from './open-client.ts';
import { type Declared, openDeclared } from './open-environment.ts';
import { wholeLiveGraph } from './open-graph.ts';

export interface DriftRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Say too what is on the service and not declared. */
  unmanaged: boolean;
}

/** What the service holds differently from what is declared. */
export interface DriftReport {
  /** Address of the service. */
  address: string;
  /** Declared, and missing or changed. */
  differences: Difference[];
  /** On the service, and not declared; empty unless asked for. */
  unmanaged: Difference[];
  /** What the service did not let us read: so whether it is as declared is not known. */
  unverifiable: Unreadable[];
  /** Secrets that are declared: no service ever shows one. */
  secrets: Subject[];
  /** Roles of declared methods that no one declared; of those methods whose roles may be listed. */
  undeclaredRoles: number;
  /** Entities without policies of their own; counted with what is not declared, and else 0. */
  plainEntities: number;
  /** How many things were compared. */
  compared: number;
  /** Promises of the environment that what is on the service breaks, or of which that cannot be said. */
  promises: Finding[];
}

/**
 * Compares what a stack declares with what its service holds, by what it means.
 *
 * @throws GatehouseError what `openDeclared` and the client throw
 */
export async function drift({ stack, env, unmanaged }: DriftRequest): Promise<DriftReport> {
  const declared = await openDeclared(stack, env);
  const client = openNamespaceClient(declared.environment.service, env);
  try {
    return await compareWithService(declared, client, unmanaged);
  } finally {
    client.close();
  }
}

/** The same from loaded configuration, with an open client. */
export async function compareWithService(
  { environment, graph }: Declared,
  client: ServiceClient,
  unmanaged: boolean,
): Promise<DriftReport> {
  const live = await readLiveGraph(client, {
    known: graph,
    messages: environment.service.features.messages,
    // What no one asks for is not read: another team's methods may hold thousands of roles.
    knownOnly: !unmanaged,
    beside: true,
  });
  const all = [...graphDifferences(graph, live.graph), ...live.beside];
  const undeclared = all.filter(({ kind }) => kind === 'unmanaged');
  const unverifiable = live.unreadable.filter(({ subject }) => unmanaged || !isListWithNames(subject));
  const isHidden = hiddenBy(unverifiable, graph);
  const promises = await brokenPromises(environment, client);
  return {
    address: environment.service.address,
    differences: all.filter((one) => one.kind !== 'unmanaged' && !(one.kind === 'missing' && isHidden(one))),
    unmanaged: unmanaged ? [...undeclared, ...live.orphans.map(orphaned)] : [],
    undeclaredRoles: unmanaged
      ? undeclared.filter(({ subject }) => isRoleOf(graph, subject)).length
      : live.otherRoles,
    plainEntities: live.plainEntities,
    unverifiable,
    secrets: secretsOf(environment),
    compared: Object.values(graph).reduce((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0),
    promises,
  };
}

/** Promises are about everything on the service: what no one declared may break them. */
async function brokenPromises(environment: Environment, client: ServiceClient): Promise<Finding[]> {
  if (environment.promises.length === 0) return [];
  const { graph, missing } = await wholeLiveGraph(client);
  const now = BigInt(Date.now()) * 1_000_000n;
  return judgePromises(graph, { ...ruleOptions(environment), unseen: missing, now });
}

function isRoleOf({ methods }: Graph, { type, method }: Subject): boolean {
  return type === role.type && methods.some(({ path }) => path === method);
}

/** A list that may not be read matters only to what is not declared: the rest is read by its names. */
function isListWithNames({ type, name }: Subject): boolean {
  return name === '*' && resourceNamed(type)?.wire?.nameInList === undefined;
}

/** Whether something is missing only because it, or what it is read with, may not be read. */
function hiddenBy(unverifiable: Unreadable[], graph: Graph) {
  const hidden = new Set(unverifiable.map(({ subject }) => subjectKey(subject)));
  const isHidden = (one: { type: string; name: string; method?: string }) => hidden.has(subjectKey(one));
  return ({ subject }: Difference): boolean => {
    const resource = resourceNamed(subject.type);
    const part = resource && partWith(graph, resource, subject);
    const owner = part && resource?.readWith?.(part);
    const list = owner !== undefined && resource?.wire === undefined ? owner : subject;
    return [subject, { ...list, name: '*' }, ...(owner === undefined ? [] : [owner])].some(isHidden);
  };
}

function orphaned({ name, group, accessor }: { name: string; group: string; accessor: string }): Difference {
  return {
    kind: 'unmanaged',
    subject: { type: 'alias', name },
    note: `it leads to the group ${JSON.stringify(group)}, and its auth method (${accessor}) is gone`,
  };
}

/** Where secrets stand that no service shows again. */
function secretsOf({ serviceAccountKeys, providers }: Environment): Subject[] {
  const path = (owner: string) => providers.find(({ name }) => name === owner)?.path ?? owner;
  return [
    ...providers
      .filter(({ kind }) => kinds[kind].methodType === 'oidc')
      .map(({ name }) => ({ type: 'method' as const, name: path(name), field: 'oidcClientSecret' })),
    ...serviceAccountKeys.map((owner) => ({
      type: 'method' as const,
      name: path(owner),
      field: 'providerConfig.suiteServiceAccount',
    })),
  ];
}
