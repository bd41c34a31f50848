import { listField, textField } from '../protocol/fields.ts';
import { type Reply, type RequestContext, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { oneError, Refusal } from '../protocol/refusal.ts';
import type { Token } from '../tokens/token.ts';
import { findToken, findTokenByAccessor } from '../tokens/token-store.ts';
import { aclOf, pathSeenBy } from './acl-of.ts';

/** What may be done at paths: by the caller, by another token, by the token of an accessor. */
export const capabilitiesPaths: SecretsPath[] = [
  writeOnly('sys/capabilities-self', (context) => answer(context, context.caller)),
  writeOnly('sys/capabilities', (context) => {
    const id = textField(context.body, 'token') ?? '';
    if (id === '') throw new Refusal(400, oneError('no token found'));
    return answer(context, findToken(context.storage, context.now, id));
  }),
  writeOnly('sys/capabilities-accessor', (context) => {
    const accessor = textField(context.body, 'accessor') ?? '';
    if (accessor === '') throw new Refusal(400, 'missing accessor');
    const token = findTokenByAccessor(context.storage, context.now, accessor);
    if (token === undefined) throw new Refusal(400, oneError('invalid accessor'));
    return answer(context, token);
  }),
];

function answer(context: RequestContext, token: Token | undefined): Reply {
  const { storage, now, body, namespace } = context;
  const paths = [...(listField(body, 'paths') ?? []), ...(listField(body, 'path') ?? [])];
  if (paths.length === 0) throw new Refusal(400, 'paths must be supplied');
  if (token === undefined) throw new Refusal(400, oneError('invalid token'));
  if (paths.includes('')) throw new Refusal(400, oneError('missing path'));
  const acl = aclOf(storage, now, token);
  const found = paths.map((path) => {
    const seen = pathSeenBy(token, namespace, path.replace(/^\/+/, ''));
    return [path, seen === undefined ? ['deny'] : acl.capabilities(seen)] as const;
  });
  // A single path's are told under this name too, as before there were several.
  const only = paths.length === 1 ? { capabilities: found[0]?.[1] } : {};
  return { data: { ...Object.fromEntries(found), ...only } };
}
