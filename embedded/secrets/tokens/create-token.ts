import { randomBytes } from 'node:crypto';
import { canonicalPolicyNames } from '../../../core/model/resources/policy.ts';
import type { Storage } from '../storage/storage.ts';
import { sealBatchToken } from './batch-token.ts';
import { boundedTtl } from './bounded-ttl.ts';
import { perSecond, secondsLeft, type Token } from './token.ts';
import { addToken, hashOfToken, tokenToJson } from './token-store.ts';

export interface CreateTokenArgs {
  namespace: string;
  policies: string[];
  /** Path that makes it. */
  path: string;
  displayName: string;
  metadata?: Record<string, string>;
  entityId?: string;
  /** Of a sign-in: the names of external groups that it was a member of by its provider. */
  groups?: string[];
  /** The token that makes it. Defaults to none: an orphan. */
  parent?: Token;
  /** Defaults to `service`. */
  type?: 'service' | 'batch';
  /** Seconds; 0 with the policy `root` never ends. */
  ttl: number;
  /** Seconds that renewals can reach; 0 for no bound. */
  maxTtl: number;
  /** Seconds that nothing exceeds, a period neither. Defaults to 0: no bound. */
  explicitMaxTtl?: number;
  /** Seconds that each renewal gives, for ever. Defaults to 0: none. */
  period?: number;
  /** Defaults to 0: without limit. */
  numUses?: number;
  /** Defaults to every address. */
  boundCidrs?: string[];
  /** Defaults to true. Batch tokens and those that never end never are. */
  renewable?: boolean;
  /** Defaults to false: the policy `default` is added. */
  noDefaultPolicy?: boolean;
  /** The token itself. Defaults to a random one. */
  id?: string;
}

/**
 * Makes and stores a token.
 *
 * @returns `auth`: what the wire says of it, the token in clear included; identity policies are the caller's to add.
 *   `warnings`: that it lives shorter than was asked for.
 */
export function createToken(
  storage: Storage,
  now: bigint,
  args: CreateTokenArgs,
): { token: Token; auth: Record<string, unknown>; warnings: string[] } {
  const { type = 'service', explicitMaxTtl = 0, period = 0 } = args;
  const policies = policiesOf(args);
  const isEndless = args.ttl === 0 && period === 0 && policies.includes('root');
  const lifetime = boundedTtl({ ...args, wanted: args.ttl, explicitMaxTtl, period, created: now, now });
  const { ttl, warnings } = lifetime ?? { ttl: 0, warnings: [] };
  const contents: Omit<Token, 'hash'> = {
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
  return storage.transaction(() => {
    const id =
      type === 'batch'
        ? sealBatchToken(storage, tokenToJson({ ...contents, hash: '' }))
        : (args.id ?? `hvs.${randomText(24)}`);
    const token = { ...contents, hash: hashOfToken(id) };
    if (type === 'service') addToken(storage, token);
    return { token, auth: authOf(token, id, now), warnings: isEndless ? [] : warnings };
  });
}

/** What the wire says of a token when it is made and renewed. */
export function authOf(token: Token, id: string, now: bigint): Record<string, unknown> {
  return {
    client_token: id,
    accessor: token.accessor,
    policies: token.policies,
    ...(token.policies.length === 0 ? {} : { token_policies: token.policies }),
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

/** Names of policies in lower case, without blanks around them, each once. */
export function tidyPolicies(given: string[]): string[] {
  return [...new Set(canonicalPolicyNames(given))].filter((name) => name !== '');
}

/** Random letters and digits: six bits each but for the two that are left out. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += randomBytes(length).toString('base64').replace(/[+/=]/g, '');
  return text.slice(0, length);
}
