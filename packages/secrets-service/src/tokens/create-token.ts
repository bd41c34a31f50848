import { randomBytes } from 'node:crypto';
import { canonicalPolicyNames } from '@gatehouse/core/graph';
import { key, type Storage } from '../storage/storage.ts';
import { sealBatchToken } from './batch-token.ts';
import { boundedTtl } from './bounded-ttl.ts';
import { perSecond, type StoredToken, secondsLeft } from './token.ts';
import { addToken, findToken, hashOfToken, tokenToJson } from './token-store.ts';

/** Fields of the new token; those left out are empty, zero or none. With a `ttl` of 0, `root` never expires. */
interface CreateTokenArgs
  extends Pick<StoredToken, 'namespace' | 'policies' | 'path' | 'displayName' | 'ttl' | 'maxTtl'>,
    Partial<
      Pick<StoredToken, 'metadata' | 'entityId' | 'groups' | 'explicitMaxTtl' | 'period' | 'boundCidrs'>
    > {
  /** Defaults to none: an orphan. */
  parent?: StoredToken;
  /** Defaults to `service`. */
  type?: StoredToken['type'];
  /** Defaults to 0: no limit. */
  numUses?: number;
  /** Defaults to true. Batch tokens and those that never expire never are. */
  renewable?: boolean;
  /** Defaults to false: the policy `default` is added. */
  noDefaultPolicy?: boolean;
  /** The token itself. Defaults to a random one. */
  id?: string;
}

/**
 * Creates and stores a token.
 *
 * @returns `auth`: the response, with the token and without identity policies. `warnings`: if its lifetime was capped.
 */
export function createToken(
  storage: Storage,
  now: bigint,
  args: CreateTokenArgs,
): { token: StoredToken; auth: Record<string, unknown>; warnings: string[] } {
  const { type = 'service', explicitMaxTtl = 0, period = 0 } = args;
  const policies = policiesOf(args);
  const isEndless = args.ttl === 0 && period === 0 && policies.includes('root');
  const lifetime = boundedTtl({ ...args, requested: args.ttl, explicitMaxTtl, period, created: now, now });
  const { ttl, warnings } = lifetime ?? { ttl: 0, warnings: [] };
  const contents: Omit<StoredToken, 'hash'> = {
    accessor: type === 'batch' ? '' : randomText(24),
    type,
    namespace: args.namespace,
    policies,
    displayName: args.displayName,
    path: args.path,
    metadata: args.metadata ?? {},
    entityId: args.entityId,
    groups: args.groups,
    parent: args.parent?.hash,
    created: now,
    expires: isEndless ? undefined : now + BigInt(ttl) * perSecond,
    ttl: isEndless ? 0 : ttl,
    maxTtl: args.maxTtl,
    explicitMaxTtl,
    period,
    usesLeft: type === 'batch' ? 0 : (args.numUses ?? 0),
    renewable: type === 'service' && !isEndless && (args.renewable ?? true),
    boundCidrs: args.boundCidrs ?? [],
  };
  const id =
    type === 'batch'
      ? sealBatchToken(storage, tokenToJson({ ...contents, hash: '' }))
      : (args.id ?? `hvs.${randomText(24)}`);
  const token = { ...contents, hash: hashOfToken(id) };
  if (type === 'service') addToken(storage, token);
  return { token, auth: authOf(token, id, now), warnings: isEndless ? [] : warnings };
}

/**
 * Ensures that there is a root token: the given one, or a random one at the first start. Only its hash is stored.
 *
 * @returns The token; undefined if none is given and an earlier start generated one.
 */
export function rootTokenOf(
  storage: Storage,
  now: bigint,
  configured: string | undefined,
): string | undefined {
  const generatedKey = key('', 'core', 'root-token-made');
  return storage.transaction(() => {
    if (configured === undefined && storage.get(generatedKey) !== undefined) return undefined;
    const id = configured ?? `hvs.${randomBytes(24).toString('base64url')}`;
    storage.put(generatedKey, true);
    if (findToken(storage, now, id) === undefined) {
      createToken(storage, now, {
        id,
        namespace: '',
        policies: ['root'],
        path: 'auth/token/root',
        displayName: 'root',
        ttl: 0,
        maxTtl: 0,
      });
    }
    return id;
  });
}

export function authOf(token: StoredToken, id: string, now: bigint): Record<string, unknown> {
  return {
    client_token: id,
    accessor: token.accessor,
    policies: token.policies,
    token_policies: token.policies.length === 0 ? undefined : token.policies,
    metadata: Object.keys(token.metadata).length === 0 ? null : token.metadata,
    lease_duration: secondsLeft(token, now),
    renewable: token.renewable,
    entity_id: token.entityId ?? '',
    token_type: token.type,
    orphan: token.parent === undefined,
    mfa_requirement: null,
    num_uses: token.usesLeft,
  };
}

function policiesOf({ policies, noDefaultPolicy = false }: CreateTokenArgs): string[] {
  const tidy = tidyPolicies(policies);
  if (tidy.includes('root')) return ['root'];
  return [...new Set(noDefaultPolicy ? tidy : [...tidy, 'default'])].sort();
}

/** Policy names trimmed and in lower case, without duplicates and empty ones. */
export function tidyPolicies(policies: string[]): string[] {
  return [...new Set(canonicalPolicyNames(policies))].filter((name) => name !== '');
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += randomBytes(length).toString('base64').replace(/[+/=]/g, '');
  return text.slice(0, length);
}
