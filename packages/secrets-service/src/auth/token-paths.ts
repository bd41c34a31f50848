import { formatInstant } from '@gatehouse/core/graph';
import { z } from 'zod';
import { systemTtl } from '../mounts/mount.ts';
import { policiesOfToken } from '../policies/acl-of.ts';
import { durationField, textField } from '../protocol/fields.ts';
import {
  listOnly,
  op,
  type Reply,
  type RequestContext,
  route,
  type SecretsPath,
  writeOnly,
} from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { all, duration, instant, keys, strings, texts, textsByName } from '../protocol/schemas.ts';
import { renewedToken } from '../tokens/bounded-ttl.ts';
import { authOf } from '../tokens/create-token.ts';
import { perSecond, type StoredToken, secondsLeft } from '../tokens/token.ts';
import { accessorsOf, findToken, findTokenByAccessor, putToken, revokeToken } from '../tokens/token-store.ts';
import { authSchema as auth, renewedSession } from './session.ts';

const data = z.strictObject({
  ...strings('accessor', 'display_name', 'entity_id', 'id', 'issue_time', 'path'),
  ...all(z.boolean(), 'renewable', 'orphan'),
  ...all(z.int(), 'creation_time', 'creation_ttl', 'explicit_max_ttl', 'num_uses', 'ttl'),
  ...all(z.int().optional(), 'last_renewal_time', 'period'),
  ...all(z.string().optional(), 'last_renewal', 'namespace_path'),
  policies: texts,
  ...all(texts.optional(), 'identity_policies', 'bound_cidrs'),
  external_namespace_policies: z.record(z.string(), texts).optional(),
  expire_time: instant.nullable(),
  meta: textsByName.nullable(),
  type: z.enum(['service', 'batch']),
});
const ofToken = z.object(strings('token'));
const ofAccessor = z.object(strings('accessor'));
const increment = { increment: duration.optional() };
const own = op('Look up the caller’s token', lookupSelf, { data });

/** Looking up, renewing and revoking the caller's token, or one given by itself or by its accessor. */
export const tokenPaths: SecretsPath[] = [
  route('auth/token/lookup-self', { read: own, update: own }),
  route('auth/token/lookup', {
    read: op('Look up a token', lookup, { query: ['token'], data }),
    update: op('Look up a token', lookup, { body: ofToken.partial(), data }),
  }),
  writeOnly('auth/token/lookup-accessor', 'Look up a token by its accessor', lookupAccessor, {
    body: ofAccessor,
    data,
  }),
  writeOnly('auth/token/renew-self', 'Renew the caller’s token', renewSelf, {
    body: z.object(increment),
    auth,
  }),
  writeOnly('auth/token/renew', 'Renew a token', renewNamed, { body: ofToken.extend(increment), auth }),
  writeOnly('auth/token/renew-accessor', 'Renew the token of an accessor', renewAccessor, {
    body: ofAccessor.extend(increment),
    auth,
  }),
  writeOnly('auth/token/revoke-self', 'Revoke the caller’s token', (context) =>
    revoke(context, context.caller),
  ),
  writeOnly('auth/token/revoke', 'Revoke a token and its children', revokeNamed, { body: ofToken }),
  writeOnly('auth/token/revoke-accessor', 'Revoke a token by its accessor', revokeAccessor, {
    body: ofAccessor,
  }),
  writeOnly('auth/token/revoke-orphan', 'Revoke a token and keep its children', revokeOrphan, {
    body: ofToken,
  }),
  listOnly('auth/token/accessors', 'List the accessors of all tokens', listAccessors, keys),
];

function listAccessors({ storage, now, namespace }: RequestContext): Reply {
  return { data: { keys: accessorsOf(storage, now, namespace) } };
}

function lookupSelf(context: RequestContext): Reply {
  return { data: tokenData(context, context.caller as StoredToken, context.token ?? '') };
}

function lookup(context: RequestContext): Reply {
  const { storage, now, body, query, namespace } = context;
  const id = (textField(body, 'token') ?? '') || (query['token'] ?? '');
  if (id === '') return lookupSelf(context);
  const token = findToken(storage, now, id);
  if (token === undefined || !isOfNamespace(token, namespace)) throw new RequestRefusal(403, 'bad token');
  return { data: tokenData(context, token, id) };
}

function lookupAccessor(context: RequestContext): Reply {
  return { data: tokenData(context, byAccessor(context), '') };
}

function tokenData(
  { storage, now }: RequestContext,
  token: StoredToken,
  id: string,
): Record<string, unknown> {
  const seconds = (time: bigint) => Number(time / perSecond);
  const identity = policiesOfToken(storage, token).filter((name) => !token.policies.includes(name));
  return {
    accessor: token.accessor,
    creation_time: seconds(token.created),
    creation_ttl: token.ttl,
    display_name: token.displayName,
    entity_id: token.entityId ?? '',
    expire_time: token.expires === undefined ? null : formatInstant(token.expires),
    explicit_max_ttl: token.explicitMaxTtl,
    id,
    issue_time: formatInstant(token.created),
    last_renewal: token.renewed && formatInstant(token.renewed),
    last_renewal_time: token.renewed && seconds(token.renewed),
    meta: Object.keys(token.metadata).length === 0 ? null : token.metadata,
    num_uses: token.usesLeft,
    orphan: token.parent === undefined,
    path: token.path,
    period: token.period || undefined,
    bound_cidrs: token.boundCidrs.length === 0 ? undefined : token.boundCidrs,
    namespace_path: token.namespace === '' ? undefined : `${token.namespace}/`,
    policies: token.policies,
    ...(identity.length === 0 ? {} : { identity_policies: identity, external_namespace_policies: {} }),
    renewable: token.renewable,
    ttl: secondsLeft(token, now),
    type: token.type,
  };
}

function renewSelf(context: RequestContext): Reply {
  return renew(context, context.caller as StoredToken, context.token ?? '');
}

function renewAccessor(context: RequestContext): Reply {
  return renew(context, byAccessor(context), '');
}

function renewNamed(context: RequestContext): Reply {
  const token = named(context);
  if (token === undefined) throw new RequestRefusal(400, 'token not found');
  return renew(context, token, textField(context.body, 'token') ?? '');
}

function renew({ storage, now, body }: RequestContext, token: StoredToken, id: string): Reply {
  const increment = durationField(body, 'increment') ?? 0;
  if (token.type === 'batch') throw new RequestRefusal(400, 'batch tokens cannot be renewed');
  if (!token.renewable) throw new RequestRefusal(400, 'lease is not renewable');
  const session = renewedSession(storage, token);
  const ttl = increment || (session?.ttl ?? Math.min(token.ttl, systemTtl));
  const renewed = renewedToken(token, now, ttl, session);
  if (renewed === undefined) throw new RequestRefusal(400, 'past the max TTL, cannot renew');
  putToken(storage, session === undefined ? renewed.token : { ...renewed.token, groups: session.groups });
  const policies = policiesOfToken(storage, token);
  const identity = policies.filter((name) => !token.policies.includes(name));
  return {
    auth: {
      ...authOf(renewed.token, id, now),
      policies,
      identity_policies: identity.length === 0 ? undefined : identity,
    },
    warnings: renewed.warnings,
  };
}

function revoke({ storage }: RequestContext, token: StoredToken | undefined): Reply {
  if (token?.type === 'batch') throw new RequestRefusal(400, 'batch tokens cannot be revoked');
  if (token !== undefined) revokeToken(storage, token.hash);
  return {};
}

function revokeNamed(context: RequestContext): Reply {
  return revoke(context, named(context));
}

function revokeAccessor(context: RequestContext): Reply {
  const token = withAccessor(context);
  if (token === undefined) return { warnings: ['No token found with this accessor'] };
  return revoke(context, token);
}

function revokeOrphan(context: RequestContext): Reply {
  const token = named(context);
  if (token === undefined) throw new RequestRefusal(400, 'token to revoke not found');
  if (token.type === 'batch') throw new RequestRefusal(400, 'batch tokens cannot be revoked');
  revokeToken(context.storage, token.hash, true);
  return {};
}

function named({ storage, now, body, namespace }: RequestContext): StoredToken | undefined {
  const id = textField(body, 'token') ?? '';
  if (id === '') throw new RequestRefusal(400, 'missing token ID');
  const token = findToken(storage, now, id);
  return token !== undefined && isOfNamespace(token, namespace) ? token : undefined;
}

function byAccessor(context: RequestContext): StoredToken {
  const token = withAccessor(context);
  if (token === undefined) throw new RequestRefusal(400, oneError('invalid accessor'));
  return token;
}

function withAccessor({ storage, now, body, namespace }: RequestContext): StoredToken | undefined {
  const accessor = textField(body, 'accessor') ?? '';
  if (accessor === '') throw new RequestRefusal(400, oneError('missing accessor'));
  const token = findTokenByAccessor(storage, now, accessor);
  return token !== undefined && isOfNamespace(token, namespace) ? token : undefined;
}

/** Tokens of a namespace and those below it can be managed there. */
function isOfNamespace(token: StoredToken, namespace: string): boolean {
  return namespace === '' || token.namespace === namespace || token.namespace.startsWith(`${namespace}/`);
}
