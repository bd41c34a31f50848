import type { Readable } from 'node:stream';
import { uncertainOf } from '@gatehouse/core/access';
import { byNamespace, type Environment, type ServiceSettings } from '@gatehouse/core/environment';
import {
  emptyGraph,
  type Graph,
  type LiveGraph,
  type ServiceGraph,
  type Subject,
  subjectName,
  trimmed,
  type Unreadable,
  withoutKey,
} from '@gatehouse/core/graph';
import { type AskedGraph, graphsAfter, type LiveService, type Place } from '@gatehouse/core/review';
import { GatehouseError, shortened } from '@gatehouse/core/values';
import { reasonWords } from '@gatehouse/core/words';
import type { Stack } from '@gatehouse/engine';
import { type LiveGraphOptions, readLiveGraph, type ServiceClient } from '@gatehouse/service-client';
import { openClient } from './open-client.ts';
import { type DeclaredNamespace, openNamespaces } from './open-environment.ts';
import type { MadeNamespace, MadeNamespaces } from './open-state.ts';
import { readPlanFile } from './read-plan-file.ts';
import { readGuards } from './sudo-paths.ts';

/** Where a graph comes from: what a stack declares, the service of that stack, or a plan once it is applied. */
export type GraphSource =
  | {
      from: 'declared' | 'state' | 'live';
      stack: Stack;
      env: NodeJS.ProcessEnv;
      limits?: ReadLimits;
      /** What a program of one's own made: it stands in for what the stack declares. */
      fromState?: MadeNamespaces | undefined;
    }
  | { from: 'plan'; path: string; stdin: Readable };

/**
 * Opens the graphs that a question is about: one, or one for each server and namespace of a plan.
 *
 * @throws GatehouseError what `openDeclared`, `readPlanFile` and the client throw
 */
export async function openGraphs(source: GraphSource): Promise<AskedGraph[]> {
  if (source.from === 'plan') return graphsAfter(await readPlanFile(source.path, source.stdin));
  const all: (DeclaredNamespace & Partial<MadeNamespace>)[] =
    source.fromState ?? (await openNamespaces(source.stack, source.env));
  const placeOf = ({ path, environment: { service } }: DeclaredNamespace): Place =>
    path === '' ? {} : { namespace: trimmed(service.namespace ?? '') };
  if (source.from !== 'live')
    return all.map((namespace) => ({
      place: placeOf(namespace),
      path: namespace.path,
      graph: namespace.graph,
      unseen: [...uncertainOf(namespace.untold ?? []).map(reasonWords), ...(namespace.unseen ?? [])],
    }));
  return Promise.all(
    all.map(async (namespace) => {
      const options = { ...source.limits, isMade: namespace.isMade };
      const { graph, missing } = await readWhole(namespace.environment.service, source.env, options);
      const guards = await readGuards(namespace.environment.service, source.env);
      return {
        ...guards,
        place: placeOf(namespace),
        path: namespace.path,
        graph,
        unseen: namespace.path === '' ? [...missing, ...unseenAbove(namespace.environment)] : missing,
      };
    }),
  );
}

/** Tokens of a namespace that holds another have what their policies give there (measured: OpenBao 2.7.2). */
function unseenAbove({ service: { namespace } }: Environment): string[] {
  const outer = trimmed(namespace ?? '');
  return outer === '' ? [] : [`what tokens of the namespaces above ${outer} can do in it`];
}

/** What a service has in an environment's own namespace, and in the others that it declares something for. */
export async function readNamespaces(
  environment: Environment,
  env: NodeJS.ProcessEnv,
  limits: ReadLimits,
  known?: ReadonlyMap<string, Graph>,
): Promise<LiveService> {
  const [own, ...otherNamespaces] = await Promise.all(
    byNamespace(environment).map(({ isMade, environment: { service } }) => {
      const declared = known?.get(trimmed(service.namespace ?? ''));
      return readService({ service }, env, { ...limits, known: declared, isMade });
    }),
  );
  return { ...(own as LiveService), otherNamespaces };
}

/** What an environment's service has. Of a service that does not answer nothing is known, and the result says so. */
export async function readService(
  { service }: Pick<Environment, 'service'>,
  env: NodeJS.ProcessEnv,
  options: WholeOptions,
): Promise<LiveService> {
  const namespace = trimmed(service.namespace ?? '');
  try {
    return { namespace, ...(await readWhole(service, env, options)) };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const missing = [`what the service has: ${error.parts.what}`];
    return { namespace, graph: emptyGraph(), ids: { mount: {}, group: {}, entity: {} }, missing };
  }
}

/** Opens a service, reads the whole of it, and closes it. It uses few connections, as the service has others to serve. */
export async function readWhole(
  service: ServiceSettings,
  env: NodeJS.ProcessEnv,
  { isMade, ...options }: WholeOptions = {},
): Promise<ServiceGraph> {
  const client = openClient(service, env, 16).with({ namespace: service.namespace });
  try {
    return await wholeLiveGraph(client, options);
  } catch (error) {
    if (isMade && error instanceof GatehouseError && error.code === 'namespace_not_found') return nothing();
    throw error;
  } finally {
    client.close();
  }
}

/** The content of a namespace that does not exist yet: every list of it is empty, and complete. */
function nothing(): ServiceGraph {
  const lists = [
    ...(['methods', 'groups', 'aliases', 'policies', 'identities', 'others'] as const),
    ...(['guards', 'tokens', 'credentials'] as const),
  ];
  return {
    graph: { ...emptyGraph(), complete: lists.map((list) => ({ list })) },
    ids: { mount: {}, group: {}, entity: {} },
    missing: [],
  };
}

/** How much of a service is read (how many requests, and whether tokens are read), and what is called meanwhile. */
export type ReadLimits = Pick<LiveGraphOptions, 'budget' | 'tokens' | 'onRead'>;
interface WholeOptions extends ReadLimits, Pick<LiveGraphOptions, 'known'> {
  /** The namespace is one that the environment makes: where it is not there yet, nothing is in it. Defaults to false. */
  isMade?: boolean;
}

/** Everything on a service that bears on who can do what, declared or not; issued tokens if they are asked for. */
export async function wholeLiveGraph(
  client: ServiceClient,
  options: WholeOptions = {},
): Promise<ServiceGraph> {
  const whole = { ...options, messages: false, whole: true, sources: true };
  return serviceGraphOf(await readLiveGraph(client, whole));
}

/** A whole service without keys, and in words what of it could not be read. */
export function serviceGraphOf({ graph, ids, plainAliases, unreadable }: LiveGraph): ServiceGraph {
  return {
    graph: {
      ...graph,
      methods: graph.methods.map((method) => ({ ...method, config: withoutKey(method.config) })),
    },
    ids,
    plainAliases,
    missing: missingWords(unreadable),
  };
}

/** What could not be read, in words: one text for each reason. */
function missingWords(unreadable: readonly Unreadable[]): string[] {
  const reasonOf = ({ why }: Unreadable) =>
    why.includes('does not allow')
      ? 'the token may not read them'
      : (why.split('\n')[0] ?? '').replace(/[.:]$/, '');
  return [...Map.groupBy(unreadable, reasonOf)].map(([reason, all]) => {
    const names = [...new Set(all.map(({ subject }) => partWords(subject)))];
    return `${shortened(names, 8, ' and ')} (${reason})`;
  });
}

const lists: Partial<Record<Subject['type'], string>> = {
  method: 'auth methods',
  group: 'groups',
  policy: 'policies',
  entity: 'entities',
  role: 'roles',
};

function partWords(subject: Subject): string {
  const list = subject.name === '*' ? lists[subject.type] : undefined;
  if (list === undefined) return subjectName(subject);
  return subject.method === undefined ? list : `${list} of auth/${subject.method}`;
}
