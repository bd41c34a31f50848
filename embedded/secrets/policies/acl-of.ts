import { isAddressIn } from '../../../core/access/sign-in/address-ranges.ts';
import { Acl } from '../../../core/model/policies/acl.ts';
import { type PathRule, parsePolicy } from '../../../core/model/policies/parse-policy.ts';
import { type Entity, entities } from '../identity/entity.ts';
import { identityPolicies } from '../identity/group.ts';
import type { RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { remembering, type Storage } from '../storage/storage.ts';
import type { Token } from '../tokens/token.ts';
import { findToken } from '../tokens/token-store.ts';
import { readPolicy } from './policy.ts';

/**
 * The token of a request, while it is valid and the request comes from an address that it is valid for.
 *
 * @throws {Refusal} 403
 */
export function authenticate({ token: id, remoteAddress, storage, now }: RequestContext): Token {
  const token = id === undefined ? undefined : findToken(storage, now, id);
  if (token === undefined || !isAddressIn(remoteAddress, token.boundCidrs)) {
    throw new Refusal(403, 'permission denied');
  }
  return token;
}

/** Names of all policies that a token has now: its own and those of its entity. */
export function policiesOfToken(storage: Storage, token: Token): string[] {
  const { entityId, namespace, policies } = token;
  if (entityId === undefined) return policies;
  // `root` comes from a token alone, whatever was stored for an entity or a group.
  const others = identityPolicies({ storage, namespace }, entityId).filter((name) => name !== 'root');
  return [...new Set([...policies, ...others])].sort();
}

/**
 * What a token allows now, policies and groups as they are at this moment. A policy that is not there allows nothing.
 *
 * @throws {Refusal} 403 for a token of an entity that is disabled.
 */
export function aclOf(storage: Storage, now: bigint, token: Token): Acl {
  const { entityId, namespace } = token;
  const space = { storage, namespace };
  const entity = entityId === undefined ? undefined : entities.get(space, entityId);
  const policies = policiesOfToken(storage, token).flatMap((name) => {
    if (name === 'root') return [{ name, rules: [] }];
    const policy = readPolicy(space, name);
    return policy === undefined ? [] : [{ name, rules: rulesFor(policy.text, entity) }];
  });
  return new Acl(policies, now);
}

function rulesFor(text: string, entity: Entity | undefined): PathRule[] {
  return parsedOnce(text).flatMap((rule) => {
    const path = filled(rule.path, entity);
    return path === undefined ? [] : [{ ...rule, path }];
  });
}

/**
 * Puts what is known of an entity in the place of `{{identity.entity.…}}`. A rule with something that is not known
 * says nothing; nor does one where a value would widen the path.
 */
function filled(path: string, entity: Entity | undefined): string | undefined {
  let isKnown = true;
  const text = path.replace(/\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const value = entity && templateValue(name, entity);
    if (value === undefined || value === '' || /[*+/]/.test(value)) isKnown = false;
    return value ?? '';
  });
  return isKnown ? text : undefined;
}

function templateValue(
  name: string,
  { id, name: entityName, metadata, aliases }: Entity,
): string | undefined {
  if (name === 'identity.entity.id') return id;
  if (name === 'identity.entity.name') return entityName;
  const [, own] = /^identity\.entity\.metadata\.(.+)$/.exec(name) ?? [];
  if (own !== undefined) return Object.hasOwn(metadata, own) ? metadata[own] : undefined;
  const [, accessor, field = ''] = /^identity\.entity\.aliases\.([^.]+)\.(.+)$/.exec(name) ?? [];
  const alias = aliases.find(({ mountAccessor }) => mountAccessor === accessor);
  if (alias === undefined || field === 'id' || field === 'name') return alias?.[field as 'id' | 'name'];
  const [, key] = /^metadata\.(.+)$/.exec(field) ?? [];
  return key !== undefined && Object.hasOwn(alias.metadata ?? {}, key) ? alias.metadata?.[key] : undefined;
}

const parsedOnce = remembering(500, parsePolicy);

const ofItself = ['auth/token/lookup-self', 'auth/token/renew-self', 'auth/token/revoke-self'];

/**
 * How the policies of a token call a path in a namespace: from the token's own namespace down. Undefined where the
 * token says nothing: outside of its namespace.
 */
export function pathSeenBy(token: Token, namespace: string, path: string): string | undefined {
  if (token.namespace === namespace) return path;
  // What a token does for itself it does wherever it asks.
  if (ofItself.includes(path)) return path;
  if (token.namespace === '') return `${namespace}/${path}`;
  const isBelow = namespace.startsWith(`${token.namespace}/`);
  return isBelow ? `${namespace.slice(token.namespace.length + 1)}/${path}` : undefined;
}

/** Paths that also need `sudo` (openbao/openbao vault/logical_system.go, token_store.go). */
const guarded = [
  /^sys\/auth\/./,
  /^sys\/audit(\/|$)/,
  /^sys\/remount$/,
  /^auth\/token\/accessors$/,
  /^auth\/token\/revoke-orphan$/,
];

export function needsSudo(path: string): boolean {
  return guarded.some((pattern) => pattern.test(path));
}
