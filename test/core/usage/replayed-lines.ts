import type { LoggedPrincipal } from '../../../core/usage/audit-line.ts';

interface Asked {
  path: string;
  operation?: string;
  namespace?: string;
  data?: object;
  at?: string;
}

/** A line of an audit log: a request of a principal that was allowed. */
export function auditLine(by: LoggedPrincipal, asked: Asked): string {
  const { path, operation = 'read', namespace, data, at = '2026-11-25T12:00:00.5Z' } = asked;
  const { name, entity, metadata, tokenPolicies, identityPolicies, policies } = by;
  return JSON.stringify({
    ...{ time: at, type: 'response' },
    auth: {
      ...{ client_token: 'hmac-sha256:t', accessor: 'hmac-sha256:a', display_name: name, entity_id: entity },
      ...{ metadata, policies, token_policies: tokenPolicies, identity_policies: identityPolicies },
      policy_results: { allowed: true, granting_policies: [{ name: 'shop', type: 'acl' }] },
    },
    request: {
      ...{ id: `r-${path}`, operation, path, mount_point: 'secret/', mount_type: 'kv', data },
      namespace: namespace === undefined ? { id: 'root' } : { id: 'n', path: `${namespace}/` },
    },
    response: {},
  });
}
