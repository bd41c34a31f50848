import { formatInstant } from '@gatehouse/core/graph';
import { answeringMount } from '../mounts/built-in-mounts.ts';
import { grantingPolicies, policiesOfIdentity, policiesOfToken } from '../policies/acl-of.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { AuditLog } from './audit-log.ts';

interface AuditedArgs {
  audit: AuditLog | undefined;
  context: RequestContext;
  /** Authenticates and authorizes: sets the caller of the context. */
  admit: () => void;
  answer: () => Promise<Reply>;
  log: (message: string) => void;
}

/**
 * Answers a request and logs it and its response. As on real servers, a request that cannot be logged is not executed,
 * and a response that cannot be logged is not sent.
 *
 * @throws {RequestRefusal}
 */
export async function audited({ audit, context, admit, answer, log }: AuditedArgs): Promise<Reply> {
  if (audit === undefined || !isAudited(context)) {
    admit();
    return await answer();
  }
  const hash = (text: string) => audit.hash(text);
  const write = async (entry: Record<string, unknown>) => {
    try {
      await audit.append(entry);
    } catch (error) {
      log(`the audit log cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
      throw new RequestRefusal(500, oneError('internal error'));
    }
  };
  try {
    admit();
  } catch (refused) {
    if (refused instanceof RequestRefusal)
      await write({ ...requestEntry(context, hash), error: refused.message });
    throw refused;
  }
  // Taken before the answer, which may change the caller's policies.
  const entry = requestEntry(context, hash);
  await write(entry);
  let reply: Reply;
  try {
    reply = await answer();
  } catch (refused) {
    if (refused instanceof RequestRefusal)
      await write({ ...entry, type: 'response', error: refused.message });
    throw refused;
  }
  await write({ ...entry, type: 'response', response: responseOf(reply, context, hash) });
  return reply;
}

type Hash = AuditLog['hash'];

/** Real servers do not log requests for the service's state. */
function isAudited({ path }: RequestContext): boolean {
  return !/^sys\/(health|seal-status|init|leader)$/.test(path);
}

/** A request in the format of openbao/openbao audit/format.go, without plain secrets. */
function requestEntry(context: RequestContext, hash: Hash): Record<string, unknown> {
  const { storage, now, caller, id, operation, token, namespace, path, body, query, remoteAddress } = context;
  const data = { ...query, ...body };
  const ofIdentity = caller === undefined ? [] : policiesOfIdentity(storage, caller);
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
            identity_policies: ofIdentity.length > 0 ? ofIdentity : undefined,
            policy_results: { allowed: context.granted !== undefined, granting_policies: granting(context) },
            metadata: Object.keys(caller.metadata).length > 0 ? caller.metadata : undefined,
            entity_id: caller.entityId,
            token_type: caller.type,
            token_issue_time: formatInstant(caller.created),
            token_ttl: caller.ttl > 0 ? caller.ttl : undefined,
          },
    request: {
      id,
      operation,
      ...mountOf(context),
      ...(token === undefined ? {} : { client_token: hash(token) }),
      ...(caller === undefined ? {} : { client_token_accessor: hashed(hash, caller.accessor) }),
      namespace: {
        id: namespaceId(context),
        path: namespace === '' ? undefined : `${namespace}/`,
      },
      path: operation === 'list' ? `${path}/` : path,
      data: Object.keys(data).length === 0 ? undefined : hashed(hash, data),
      remote_address: remoteAddress,
    },
  };
}

function responseOf({ data, auth, warnings }: Reply, context: RequestContext, hash: Hash) {
  return {
    data: data && hashed(hash, data),
    auth: auth && hashedAuth(hash, auth),
    ...mountOf(context),
    warnings: warnings?.length ? warnings : undefined,
  };
}

/** The policies that allowed a request, each with the namespace of the token. */
function granting({ storage, now, caller, granted }: RequestContext): object[] | undefined {
  if (caller === undefined || granted === undefined) return undefined;
  const namespace_id = namespaceId({ storage, namespace: caller.namespace });
  return grantingPolicies(storage, now, caller, granted).map((name) => ({ name, namespace_id, type: 'acl' }));
}

function mountOf(context: RequestContext): Record<string, string> {
  const answering = answeringMount(context, context.path);
  if (answering === undefined) return {};
  const { point, mount } = answering;
  return {
    mount_point: point,
    mount_type: mount.type,
    mount_accessor: mount.accessor,
    mount_class: context.path.startsWith('auth/') ? 'auth' : 'secret',
  };
}

function hashedAuth(hash: Hash, auth: Record<string, unknown>): Record<string, unknown> {
  const { client_token: token, accessor, ...shown } = auth;
  return { ...shown, client_token: hashed(hash, token), accessor: hashed(hash, accessor) };
}

/** Hashes every string except field names and empty strings. */
function hashed(hash: Hash, value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? '' : hash(value);
  if (Array.isArray(value)) return value.map((element) => hashed(hash, element));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, fieldValue]) => [name, hashed(hash, fieldValue)]),
  );
}
