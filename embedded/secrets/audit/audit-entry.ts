import { formatInstant } from '../../../core/model/values/instant.ts';
import { namespaceId } from '../identity/namespace-id.ts';
import { policiesOfToken } from '../policies/acl-of.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import type { Refusal } from '../protocol/refusal.ts';
import type { AuditLog } from './audit-log.ts';

type Hash = AuditLog['hash'];

/** As real servers have it, questions about the service's state are not in the log. */
export function isAudited({ path }: RequestContext['request']): boolean {
  return !/^sys\/(health|seal-status|init|leader)$/.test(path);
}

/** A request that was let in, or refused (openbao/openbao audit/format.go): nothing of it that is secret is in clear. */
export function requestEntry(
  context: RequestContext,
  hash: Hash,
  refused?: Refusal,
): Record<string, unknown> {
  const { storage, now, request, caller } = context;
  const { id, operation, token, namespace, path, body, query, remoteAddress } = request;
  const data = { ...query, ...body };
  return {
    time: formatInstant(now),
    type: 'request',
    auth:
      caller === undefined
        ? { token_type: 'default' }
        : {
            client_token: hash(token ?? ''),
            accessor: hashed(hash, caller.accessor),
            display_name: caller.displayName,
            policies: policiesOfToken(storage, caller),
            token_policies: caller.policies,
            policy_results: { allowed: refused === undefined },
            ...(caller.entityId === undefined ? {} : { entity_id: caller.entityId }),
            token_type: caller.type,
            token_issue_time: formatInstant(caller.created),
          },
    request: {
      id,
      operation,
      ...(token === undefined ? {} : { client_token: hash(token) }),
      ...(caller === undefined ? {} : { client_token_accessor: hashed(hash, caller.accessor) }),
      namespace: {
        id: namespaceId(storage, namespace),
        ...(namespace === '' ? {} : { path: `${namespace}/` }),
      },
      path,
      ...(Object.keys(data).length === 0 ? {} : { data: hashed(hash, data) }),
      remote_address: remoteAddress,
    },
    ...(refused === undefined ? {} : { error: refused.message }),
  };
}

/** What a request was answered. */
export function responseEntry(
  context: RequestContext,
  hash: Hash,
  answer: Reply | Refusal,
): Record<string, unknown> {
  const request = requestEntry(context, hash);
  if (answer instanceof Error) return { ...request, type: 'response', error: answer.message };
  const { data, auth, warnings } = answer;
  return {
    ...request,
    type: 'response',
    response: {
      ...(data === undefined ? {} : { data: hashed(hash, data) }),
      ...(auth === undefined ? {} : { auth: hashedAuth(hash, auth) }),
      ...(warnings === undefined ? {} : { warnings }),
    },
  };
}

/** Who somebody is may be told, what they prove it with may not. */
function hashedAuth(hash: Hash, auth: Record<string, unknown>): Record<string, unknown> {
  const { client_token: token, accessor, ...open } = auth;
  return { ...open, client_token: hashed(hash, token), accessor: hashed(hash, accessor) };
}

/** Every text within, but the names of fields. Nothing is not hashed: everyone knows what it would come to. */
function hashed(hash: Hash, value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? '' : hash(value);
  if (Array.isArray(value)) return value.map((one) => hashed(hash, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hashed(hash, one)]));
}
