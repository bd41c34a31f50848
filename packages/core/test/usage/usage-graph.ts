import { emptyGraph, type Graph } from '../../src/graph/graph.ts';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import type { AuditEntry } from '../../src/usage/audit-line.ts';
import type { LoggedPrincipal } from '../../src/usage/logged-request.ts';
import type { RefusingService } from '../../src/usage/why-refused.ts';

/** Nanoseconds: 1 November 2026. */
export const now = BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n;

export const rule = (path: string, capabilities: string[], limits = ''): string =>
  `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} ${limits} }`;

/** A graph that is known as a whole: AppRoles with their policies, and the texts of these. */
export function graphOf(policies: Record<string, string>, roles: Record<string, string[]>): Graph {
  const lists = [
    'methods',
    'groups',
    'aliases',
    'policies',
    'identities',
    'others',
    'guards',
    'tokens',
  ] as const;
  return {
    ...emptyGraph(),
    policies: Object.entries(policies).map(([name, text]) => ({ name, text })),
    others: Object.entries(roles).map(([name, given]) =>
      otherRole({ type: 'approle', method: 'apps', noun: 'role', name }, { token_policies: given }),
    ),
    identities: [],
    complete: lists.map((list) => ({ list })),
  };
}

export const serviceOf = (graph: Graph, fields: Partial<RefusingService> = {}): RefusingService => ({
  graph,
  namespace: '',
  hashes: new Map(),
  missing: [],
  ids: { mount: {}, group: {}, entity: {} },
  ...fields,
});

export function principal(
  role: string,
  policies: string[],
  fields: Partial<LoggedPrincipal> = {},
): LoggedPrincipal {
  return {
    name: 'apps',
    entity: 'e1',
    metadata: { role_name: role },
    policies: [...policies, 'default'].sort(),
    tokenPolicies: policies,
    identityPolicies: [],
    ...fields,
  };
}

export function entryOf(given: Partial<AuditEntry>): AuditEntry {
  return {
    at: Date.UTC(2026, 9, 1),
    id: 'r1',
    operation: 'read',
    path: 'kv/none',
    namespace: '',
    namespaceId: 'root',
    grantedIn: [],
    mountType: 'kv',
    accessor: '',
    token: '',
    mount: 'kv',
    by: undefined,
    outcome: 'refused',
    fields: {},
    failed: true,
    ...given,
  };
}
