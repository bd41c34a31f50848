import { isAddressIn } from '@gatehouse/core/access';
import { Acl, type PathRule, parsePolicy } from '@gatehouse/core/graph';
import { own } from '@gatehouse/core/login';
import { type Entity, entities } from '../identity/entity.ts';
import { groups, identityPolicies, withParents } from '../identity/group.ts';
import type { RequestContext } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { remembering, type Space, type Storage } from '../storage/storage.ts';
import type { Granted, StoredToken } from '../tokens/token.ts';
import { findToken } from '../tokens/token-store.ts';
import { readPolicy } from './policy.ts';

/**
 * The token of a request, while it is valid and the request comes from an address that it is valid for.
 *
 * @throws {RequestRefusal} 403
 */
export function authenticate({ token: id, remoteAddress, storage, now }: RequestContext): StoredToken {
  const token = id === undefined ? undefined : findToken(storage, now, id);
  if (token === undefined || !isAddressIn(remoteAddress, token.boundCidrs)) {
    throw new RequestRefusal(403, 'permission denied');
  }
  return token;
}

/** Names of all policies that a token has now: its own and those of its entity. */
export function policiesOfToken(storage: Storage, token: StoredToken): string[] {
  if (token.entityId === undefined) return token.policies;
  return [...new Set([...token.policies, ...policiesOfIdentity(storage, token)])].sort();
}

/** Names of the policies that a token has now through its entity and the entity's groups. */
export function policiesOfIdentity(storage: Storage, { entityId, namespace }: StoredToken): string[] {
  if (entityId === undefined) return [];
  // `root` comes from a token alone, whatever was stored for an entity or a group.
  return identityPolicies({ storage, namespace }, entityId).filter((name) => name !== 'root');
}

/**
 * What a token allows now, policies and groups as they are at this moment. A missing policy allows nothing.
 *
 * @throws {RequestRefusal} 403 for a token of an entity that is disabled, 400 where a template of its policies cannot be filled in.
 */
export function aclOf(storage: Storage, now: bigint, token: StoredToken): Acl {
  return new Acl(rulesOf(storage, token), now);
}

/** Names of the policies of a token that allowed a request, as audit logs have them. */
export function grantingPolicies(
  storage: Storage,
  now: bigint,
  token: StoredToken,
  { path, capability, isFolder }: Granted,
): string[] {
  const policies = rulesOf(storage, token);
  if (policies.some(({ name }) => name === 'root')) return ['root'];
  const decides = new Acl(policies, now).decides(path, isFolder)?.path;
  const grants = ({ path: of, capabilities, expires }: PathRule) =>
    of === decides && capabilities.includes(capability) && (expires === undefined || expires > now);
  return policies.filter(({ rules }) => rules.some(grants)).map(({ name }) => name);
}

function rulesOf(storage: Storage, token: StoredToken): { name: string; rules: PathRule[] }[] {
  const { entityId, namespace } = token;
  const space = { storage, namespace };
  const entity = entityId === undefined ? undefined : entities.get(space, entityId);
  return policiesOfToken(storage, token).flatMap((name) => {
    if (name === 'root') return [{ name, rules: [] }];
    const policy = readPolicy(space, name);
    return policy === undefined ? [] : [{ name, rules: rulesFor(policy.text, space, entity) }];
  });
}

function rulesFor(text: string, space: Space, entity: Entity | undefined): PathRule[] {
  return parsedOnce(text).flatMap((rule) => {
    const path = filled(rule.path, space, entity);
    return path === undefined ? [] : [{ ...rule, path }];
  });
}

/**
 * Fills in `{{identity.…}}` from an entity and its groups. Undefined if a value is unknown: the rule is then left out. An
 * empty text is a known value.
 *
 * @throws {RequestRefusal} 400, for every request of the token, where a value would widen a path
 */
function filled(path: string, space: Space, entity: Entity | undefined): string | undefined {
  let isKnown = true;
  const text = path.replace(/\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const value = entity && templateValue(name, space, entity);
    if (value === undefined) isKnown = false;
    else if (/[*+/]/.test(value)) throw new RequestRefusal(400, 'Forbidden');
    return value ?? '';
  });
  return isKnown ? text : undefined;
}

/** openbao/openbao sdk/helper/identitytpl/templating.go */
function templateValue(name: string, space: Space, entity: Entity): string | undefined {
  const [, by, which, groupField = ''] = /^identity\.groups\.(names|ids)\.([^.]+)\.(.+)$/.exec(name) ?? [];
  if (by !== undefined) {
    const all = withParents(space, entity.groups).flatMap((id) => groups.get(space, id) ?? []);
    const group = all.find((candidate) => candidate[by === 'ids' ? 'id' : 'name'] === which);
    return group && field(group, groupField, ['id', 'name', 'metadata']);
  }
  const [, accessor, aliasField = ''] = /^identity\.entity\.aliases\.([^.]+)\.(.+)$/.exec(name) ?? [];
  if (accessor !== undefined) {
    const alias = entity.aliases.find(({ mountAccessor }) => mountAccessor === accessor);
    const { customMetadata: custom_metadata, ...rest } = alias ?? {};
    return field({ ...rest, custom_metadata }, aliasField, ['id', 'name', 'metadata', 'custom_metadata']);
  }
  const [, ofEntity = ''] = /^identity\.entity\.(.+)$/.exec(name) ?? [];
  return field(entity, ofEntity, ['id', 'name', 'metadata']);
}

/** A field by its name, or an entry of a map: `metadata.team`. */
function field(record: object, name: string, allowed: readonly string[]): string | undefined {
  const [, map = name, key] = /^(\w+)\.(.+)$/.exec(name) ?? [];
  const value = allowed.includes(map) ? own(record, map) : undefined;
  const selected = key === undefined ? value : typeof value === 'object' && value !== null && own(value, key);
  return typeof selected === 'string' ? selected : undefined;
}

const parsedOnce = remembering(500, parsePolicy);

const ofItself = ['auth/token/lookup-self', 'auth/token/renew-self', 'auth/token/revoke-self'];

/**
 * A path in a namespace as the policies of a token write it: relative to the token's own namespace. Undefined outside
 * of that namespace, where the token grants nothing.
 */
export function pathSeenBy(token: StoredToken, namespace: string, path: string): string | undefined {
  if (token.namespace === namespace) return path;
  // A token may look up, renew and revoke itself in any namespace.
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
