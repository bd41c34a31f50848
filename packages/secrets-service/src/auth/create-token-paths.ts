import { roleFields } from '@gatehouse/core/graph';
import { z } from 'zod';
import { systemTtl } from '../mounts/mount.ts';
import { aclOf, pathSeenBy } from '../policies/acl-of.ts';
import { readPolicy } from '../policies/policy.ts';
import { keysReply } from '../protocol/answer.ts';
import {
  countField,
  FieldRefusal,
  flagField,
  listField,
  pairsField,
  type RequestFields,
  textDurationField,
  textField,
} from '../protocol/fields.ts';
import { listOnly, type Reply, type RequestContext, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, duration, flag, keys, list, pairs, strings } from '../protocol/schemas.ts';
import { createToken } from '../tokens/create-token.ts';
import type { StoredToken } from '../tokens/token.ts';
import { findToken } from '../tokens/token-store.ts';
import { authSchema } from './session.ts';

const newToken = z
  .object({
    ...strings('id', 'display_name'),
    ...all(list, 'policies', 'bound_cidrs'),
    ...all(flag, 'no_parent', 'no_default_policy', 'renewable'),
    ...all(duration, 'ttl', 'explicit_max_ttl', 'period'),
    meta: pairs,
    num_uses: z.int(),
    type: z.enum(['service', 'batch', '']),
  })
  .partial();
const schema = { body: newToken, auth: authSchema };

/** Creating tokens (openbao/openbao vault/token_store.go, `handleCreateCommon`). */
export const createTokenPaths: SecretsPath[] = [
  writeOnly('auth/token/create', 'Create a token', create, schema),
  writeOnly('auth/token/create-orphan', 'Create a token without a parent', create, schema),
  listOnly('auth/token/roles', 'List the token roles: there are none', () => keysReply([]), keys),
  writeOnly('auth/token/create/:role', 'Always refused: there are no token roles', refuseRole, schema),
];

function refuseRole({ parameters }: RequestContext): Reply {
  throw new RequestRefusal(400, `unknown role ${parameters.role}`);
}

function create(context: RequestContext): Reply {
  const { storage, now, namespace, path, body } = context;
  const caller = context.caller as StoredToken;
  const requested = requestedToken(body);
  if (caller.type === 'batch') throw new RequestRefusal(400, 'batch tokens cannot create more tokens');
  if (caller.usesLeft !== 0) {
    throw new RequestRefusal(400, 'restricted use token cannot generate child tokens');
  }
  const seen = pathSeenBy(caller, namespace, path);
  const hasSudo = seen !== undefined && aclOf(storage, now, caller).hasSudo(seen);
  if (!hasSudo) checkWithoutSudo(requested, caller);
  if (requested.policies.includes('root') && !caller.policies.includes('root')) {
    throw new RequestRefusal(400, 'root tokens may not be created without parent token being root');
  }
  if (requested.policies.includes('root') && namespace !== '') {
    throw new RequestRefusal(400, 'root tokens may not be created from a parent namespace');
  }
  if (requested.id !== undefined && findToken(storage, now, requested.id) !== undefined) {
    throw new RequestRefusal(400, 'cannot create a token with a duplicate ID');
  }
  const isOrphan = path === 'auth/token/create-orphan' || requested.noParent;
  // Policies are inherited within a namespace only.
  const inherited = caller.namespace === namespace ? caller.policies : [];
  const policies = requested.policies.length === 0 ? inherited : requested.policies;
  if (requested.type === 'batch') {
    if (policies.includes('root')) throw new RequestRefusal(400, 'batch tokens cannot be root tokens');
    if (requested.id !== undefined) throw new RequestRefusal(400, 'batch tokens cannot have "id" set');
  }
  // A root token lives until its explicit end, or for ever.
  const isRootOnly = policies.includes('root') && requested.ttl === 0;
  const { auth, warnings: capped } = createToken(storage, now, {
    ...requested,
    namespace,
    policies,
    path,
    // Disabling the entity disables its tokens' children too.
    entityId: isOrphan ? undefined : caller.entityId,
    parent: isOrphan ? undefined : caller,
    ttl: isRootOnly ? requested.explicitMaxTtl : requested.ttl || systemTtl,
    maxTtl: isRootOnly ? 0 : systemTtl,
  });
  return { auth, warnings: [...capped, ...missingPolicies(context, auth['policies'] as string[])] };
}

function requestedToken(body: RequestFields) {
  const type = textField(body, 'type') || 'service';
  if (type !== 'service' && type !== 'batch') throw new RequestRefusal(400, "invalid 'token_type' value");
  // A string is one policy, even with commas.
  const policiesField = body['policies'];
  const policies = typeof policiesField === 'string' ? [policiesField] : (listField(body, 'policies') ?? []);
  const requested = {
    type: type as 'service' | 'batch',
    id: textField(body, 'id') || undefined,
    policies: policies.map((name) => name.toLowerCase()).filter((name) => name !== ''),
    displayName: displayNameOf(textField(body, 'display_name') ?? ''),
    metadata: pairsField(body, 'meta') ?? {},
    noParent: flagField(body, 'no_parent') ?? false,
    noDefaultPolicy: flagField(body, 'no_default_policy') ?? false,
    renewable: flagField(body, 'renewable') ?? true,
    ttl: lifetime(body, 'ttl') || lifetime(body, 'lease'),
    explicitMaxTtl: lifetime(body, 'explicit_max_ttl'),
    period: lifetime(body, 'period'),
    numUses: countField(body, 'num_uses') ?? 0,
    boundCidrs: listField(body, 'bound_cidrs') ?? [],
  };
  if (textField(body, 'entity_alias')) {
    throw new RequestRefusal(400, "'entity_alias' is only allowed in combination with token role");
  }
  if (requested.numUses < 0) throw new RequestRefusal(400, 'number of uses cannot be negative');
  if (requested.id?.startsWith('s.'))
    throw new RequestRefusal(400, "custom token ID cannot have the 's.' prefix");
  if (requested.id?.includes('.'))
    throw new RequestRefusal(400, "custom token ID cannot have a '.' in the value");
  const wrong = requested.boundCidrs.find(
    (cidr) => roleFields.tokenBoundCidrs.check.problem(cidr) !== undefined,
  );
  if (wrong !== undefined) throw new RequestRefusal(400, `invalid CIDR block ${JSON.stringify(wrong)}`);
  if (requested.type === 'batch') checkBatch(requested);
  return requested;
}

type RequestedToken = ReturnType<typeof requestedToken>;

function checkBatch({ explicitMaxTtl, numUses, period }: Omit<RequestedToken, 'type'>): void {
  const unsupported = { explicit_max_ttl: explicitMaxTtl, num_uses: numUses, period };
  for (const [name, value] of Object.entries(unsupported)) {
    if (value > 0) throw new RequestRefusal(400, `batch tokens cannot have "${name}" set`);
  }
}

function checkWithoutSudo(requested: RequestedToken, caller: StoredToken): void {
  const needs = 'root or sudo privileges required to';
  if (requested.noParent) throw new RequestRefusal(400, `${needs} create orphan token`);
  if (requested.id !== undefined) throw new RequestRefusal(400, `${needs} specify token id`);
  if (requested.period > 0) throw new RequestRefusal(400, `${needs} create periodic token`);
  const own = new Set([...caller.policies, 'default']);
  if (requested.policies.some((name) => !own.has(name))) {
    throw new RequestRefusal(400, 'child policies must be subset of parent');
  }
}

function missingPolicies(context: RequestContext, policies: string[]): string[] {
  const missing = policies.filter((name) => name !== 'root' && readPolicy(context, name) === undefined);
  return missing.map((name) => `Policy ${JSON.stringify(name)} does not exist`);
}

function displayNameOf(requestedName: string): string {
  const tidy = requestedName.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/-+$/, '');
  return tidy === '' ? 'token' : `token-${tidy}`;
}

/** Seconds. */
function lifetime(body: RequestFields, name: string): number {
  try {
    const seconds = textDurationField(body, name) ?? 0;
    if (seconds >= 0) return seconds;
  } catch (error) {
    throw error instanceof FieldRefusal ? new RequestRefusal(error.status, error.problem) : error;
  }
  throw new RequestRefusal(400, `${name} must be positive`);
}
