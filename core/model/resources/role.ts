import { z } from 'zod';
import { duration } from '../values/duration.ts';
import { textList } from '../values/text-list.ts';
import { policyNames } from './policy.ts';

const leeway = z.int().min(-1);
const booleansAndNumbers =
  'booleans and numbers are refused: the official resource writes bound claims as texts, and a token’s true never equals "true", so such a role would let nobody in. Bind another claim, or write this role through vault.generic.Endpoint';

const boundClaim = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: (issue) =>
    [issue.input].flat().some((value) => typeof value === 'boolean' || typeof value === 'number')
      ? booleansAndNumbers
      : 'a text or a list of texts is needed',
});

/** Reads claim mappings given once, as a map, or repeatedly, as a list of maps or of `from=to` (interface.md B2). */
const claimMappings = z.preprocess(
  (given) => {
    if (!Array.isArray(given)) return given;
    const merged: Record<string, unknown> = {};
    for (const entry of given) {
      if (typeof entry === 'string' && entry.includes('=')) {
        const at = entry.indexOf('=');
        merged[entry.slice(0, at)] = entry.slice(at + 1);
      } else if (typeof entry === 'object' && entry !== null) {
        Object.assign(merged, entry);
      } else {
        return given;
      }
    }
    return merged;
  },
  z.record(z.string(), z.string()),
);

/** `tokenPolicies` and `tokenTtl` are other spellings of `policies` and `ttl` (facts/jwt-oidc.md). */
function unifySpellings(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { tokenPolicies, tokenTtl, ...rest } = given as Record<string, unknown>;
  return {
    ...(tokenPolicies === undefined ? {} : { policies: tokenPolicies }),
    ...(tokenTtl === undefined ? {} : { ttl: tokenTtl }),
    ...rest,
  };
}

/** Fields of a role (interface.md B2; further fields facts/jwt-oidc.md), without its name and method. */
export const roleFields = {
  roleType: z.enum(['oidc', 'jwt']).optional(),
  /** Claim that names the person or workload. */
  userClaim: z.string().min(1).optional(),
  userClaimJsonPointer: z.boolean().optional(),
  /** Audiences of which a token must carry one. */
  boundAudiences: textList.optional(),
  boundSubject: z.string().optional(),
  /** Claim → the texts of which a token must carry one. */
  boundClaims: z.record(z.string(), boundClaim).optional(),
  boundClaimsType: z.enum(['string', 'glob']).optional(),
  groupsClaim: z.string().optional(),
  claimMappings: claimMappings.optional(),
  oidcScopes: textList.optional(),
  allowedRedirectUris: textList.optional(),
  /** Policies of the tokens that the role gives. */
  policies: policyNames.optional(),
  /** Seconds; `1h` or the like in YAML. Defaults to the mount's own. */
  ttl: duration.optional(),
  tokenMaxTtl: duration.optional(),
  tokenExplicitMaxTtl: duration.optional(),
  tokenPeriod: duration.optional(),
  tokenNumUses: z.int().min(0).optional(),
  tokenNoDefaultPolicy: z.boolean().optional(),
  tokenBoundCidrs: textList.optional(),
  /** No `default-service` or `default-batch`: those are a mount's, and refused for a role (test/conformance). */
  tokenType: z.enum(['default', 'service', 'batch']).optional(),
  /** Seconds; 0 means the service's default (60), -1 none. */
  clockSkewLeeway: leeway.optional(),
  /** Seconds; 0 means the service's default (150), -1 none. */
  expirationLeeway: leeway.optional(),
  notBeforeLeeway: leeway.optional(),
  /** Seconds since the person last entered a password at the provider; 0 means any. */
  maxAge: duration.optional(),
  verboseOidcLogging: z.boolean().optional(),
};

/** A role as a person writes it: what is left out comes from its provider kind. */
export function roleSettings<Extra extends z.ZodRawShape>(extra: Extra) {
  return z.preprocess(
    unifySpellings,
    z.strictObject({
      /** Always lower case: the service lower-cases names, and mixed case would drift for ever. */
      name: z
        .string()
        .min(1)
        .regex(/^[\w.-]+$/, 'a role name has letters, digits, `_`, `-` and `.` only')
        .toLowerCase(),
      ...roleFields,
      ...extra,
    }),
  );
}

/** The fields of a role, all but the required ones optional. Times are in seconds. */
export type RoleFields = { [Field in keyof typeof roleFields]?: z.output<(typeof roleFields)[Field]> };

/** A role of an auth method, whole. */
export interface Role extends RoleFields {
  /** Path of the auth method. */
  method: string;
  name: string;
  roleType: 'oidc' | 'jwt';
  userClaim: string;
  /** How the provider's answer comes back, on OpenBao: `client`, `direct` or `device`. Read only: none is declared. */
  callbackMode?: string;
}
