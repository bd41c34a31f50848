import {
  type AskedService,
  type Explanation,
  explainSignIn,
  type PresentedSignIn,
  rolesNamed,
} from '@gatehouse/core/access';
import { type Graph, policy } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readLiveGraph, type ServiceClient } from '@gatehouse/service-client';
import { openNamespaceClient } from '../open/open-client.ts';
import { type Declared, openNamespaces } from '../open/open-environment.ts';
import { publishedKeys } from './explain-token.ts';

export interface ExplainRequest extends Omit<PresentedSignIn, 'source'> {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Judge by what the service holds instead of what is declared, and fetch its issuers' keys. */
  live: boolean;
}

/**
 * Says whether a token or claims sign in to a role, with which policies and from where; or at which step it ends, and
 * what would let it in.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, and what `openDeclared` and the client throw
 */
export async function explain(request: ExplainRequest): Promise<Explanation> {
  const { environment, graph } = await declaredFor(request);
  if (!request.live) return explainIn(graph, request);
  const client = openNamespaceClient(environment.service, request.env);
  try {
    const live = await readAskedService(client, request);
    return await explainIn(live.state, request, live);
  } finally {
    client.close();
  }
}

/** What is declared for the namespace with the role: the stack's own, unless only another one has it. */
async function declaredFor({ stack, env, role, method }: ExplainRequest): Promise<Declared> {
  const all = await openNamespaces(stack, env);
  const withRole = all.filter(({ graph }) => rolesNamed(graph, role, method).length > 0);
  requireOneNamespace(withRole.map(({ path }) => path));
  return withRole[0] ?? all[0];
}

/** @throws GatehouseError `role_ambiguous` for more than one */
export function requireOneNamespace(paths: readonly string[]): void {
  if (paths.length < 2) return;
  throw new GatehouseError('role_ambiguous.namespace', {
    given: paths.map((path) => path || `'' (that of the service)`).join(', '),
  });
}

async function readAskedService(
  client: ServiceClient,
  { method }: ExplainRequest,
): Promise<AskedService & { state: Graph }> {
  // Only the embedded service has this type of storage. A service that does not answer counts as a real server.
  const status = await client
    .with({ namespace: '' })
    .read('sys/seal-status')
    .catch(() => undefined);
  const { graph, unreadable, ids } = await readLiveGraph(client, {
    messages: false,
    ...(method === undefined ? {} : { methods: [method] }),
  });
  const [first] = unreadable.filter(({ subject }) => subject.type !== policy.type);
  if (first !== undefined) {
    throw new GatehouseError('live_state_incomplete', { values: { reason: first.why } });
  }
  return {
    state: graph,
    rules: status?.data['storage_type'] === 'gatehouse' ? 'own' : 'server',
    async entityOf(path, name) {
      const { data } = await client.post('identity/lookup/entity', {
        alias_name: name,
        alias_mount_accessor: Object.keys(ids.mount).find((accessor) => ids.mount[accessor] === path) ?? '',
      });
      const { id, name: entity, policies, disabled } = data;
      if (typeof id !== 'string') return undefined;
      const own = Array.isArray(policies) ? policies.map(String) : [];
      return { id, name: String(entity), policies: own, isDisabled: disabled === true };
    },
  };
}

/** Explains a sign-in to a role of a graph that is read already. */
export function explainIn(
  graph: Graph,
  { live, ...presented }: Omit<ExplainRequest, 'stack' | 'env'>,
  service: AskedService = {},
): Promise<Explanation> {
  return explainSignIn(
    graph,
    { ...presented, source: live ? 'live' : 'declared' },
    { ...service, ...(live && { publishedKeys }) },
  );
}
