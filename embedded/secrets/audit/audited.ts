import { formatInstant } from '../../../core/model/values/instant.ts';
import { policiesOfToken } from '../policies/acl-of.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { oneError, Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditedArgs {
  /** Where it is written; undefined: nowhere. */
  audit: AuditLog | undefined;
  /** What is known of the request, who asks included once that is known. */
  context: () => RequestContext;
  /** Finds out who asks, and whether they may. */
  admit: () => void;
  answer: () => Promise<Reply>;
  /** Told what went wrong with the log. */
  log: (message: string) => void;
}

/**
 * Answers a request and writes both to the audit log. As with real servers, what cannot be written is not done, and
 * what was done and cannot be written is not told.
 *
 * @throws {Refusal}
 */
export async function audited({ audit, context, admit, answer, log }: AuditedArgs): Promise<Reply> {
  if (audit === undefined || !isAudited(context().request)) {
    admit();
    return await answer();
  }
  const hash = (text: string) => audit.hash(text);
  const write = async (entry: Record<string, unknown>) => {
    try {
      await audit.append(entry);
    } catch (error) {
      log(`the audit log cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
      throw new Refusal(500, oneError('internal error'));
    }
  };
  try {
    admit();
  } catch (refused) {
    if (refused instanceof Refusal) await write(requestEntry(context(), hash, refused));
    throw refused;
  }
  await write(requestEntry(context(), hash));
  let reply: Reply;
  try {
    reply = await answer();
  } catch (refused) {
    if (refused instanceof Refusal) await write(responseEntry(context(), hash, refused));
    throw refused;
  }
  await write(responseEntry(context(), hash, reply));
  return reply;
}

type Hash = AuditLog['hash'];

/** As real servers have it, questions about the service's state are not in the log. */
function isAudited({ path }: RequestContext['request']): boolean {
  return !/^sys\/(health|seal-status|init|leader)$/.test(path);
}

/** A request that was let in, or refused (openbao/openbao audit/format.go): nothing of it that is secret is in clear. */
function requestEntry(context: RequestContext, hash: Hash, refused?: Refusal): Record<string, unknown> {
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
function responseEntry(
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
