import { z } from 'zod';
import { listField, textField } from '../protocol/fields.ts';
import { type Reply, type RequestContext, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { all, list, strings, texts } from '../protocol/schemas.ts';
import type { StoredToken } from '../tokens/token.ts';
import { findToken, findTokenByAccessor } from '../tokens/token-store.ts';
import { aclOf, pathSeenBy } from './acl-of.ts';

/** By path; for a single path also as `capabilities`. */
const data = z.record(z.string(), texts);
const atPaths = z.object(all(list, 'paths', 'path')).partial();

/** What may be done at paths: by the caller, by another token, by the token of an accessor. */
export const capabilitiesPaths: SecretsPath[] = [
  writeOnly('sys/capabilities-self', 'What the caller may do at paths', ofCaller, { body: atPaths, data }),
  writeOnly('sys/capabilities', 'What a token may do at paths', ofToken, {
    body: atPaths.extend(strings('token')),
    data,
  }),
  writeOnly('sys/capabilities-accessor', 'What the token of an accessor may do at paths', ofAccessor, {
    body: atPaths.extend(strings('accessor')),
    data,
  }),
];

function ofCaller(context: RequestContext): Reply {
  return answer(context, context.caller);
}

function ofToken(context: RequestContext): Reply {
  const id = textField(context.body, 'token') ?? '';
  if (id === '') throw new RequestRefusal(400, oneError('no token found'));
  return answer(context, findToken(context.storage, context.now, id));
}

function ofAccessor(context: RequestContext): Reply {
  const accessor = textField(context.body, 'accessor') ?? '';
  if (accessor === '') throw new RequestRefusal(400, 'missing accessor');
  const token = findTokenByAccessor(context.storage, context.now, accessor);
  if (token === undefined) throw new RequestRefusal(400, oneError('invalid accessor'));
  return answer(context, token);
}

function answer(context: RequestContext, token: StoredToken | undefined): Reply {
  const { storage, now, body, namespace } = context;
  const paths = [...(listField(body, 'paths') ?? []), ...(listField(body, 'path') ?? [])];
  if (paths.length === 0) throw new RequestRefusal(400, 'paths must be supplied');
  if (token === undefined) throw new RequestRefusal(400, oneError('invalid token'));
  if (paths.includes('')) throw new RequestRefusal(400, oneError('missing path'));
  const acl = aclOf(storage, now, token);
  const byPath = paths.map((path) => {
    const seen = pathSeenBy(token, namespace, path.replace(/^\/+/, ''));
    return [path, seen === undefined ? ['deny'] : acl.capabilities(seen)] as const;
  });
  // The capabilities of a single path have this name too, as before several were possible.
  const only = paths.length === 1 ? { capabilities: byPath[0]?.[1] } : {};
  return { data: { ...Object.fromEntries(byPath), ...only } };
}
