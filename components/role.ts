import type * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { GatehouseError } from '../core/model/values/errors.ts';
import { mapInput } from './map-input.ts';

/** Arguments of a role (interface.md B2; facts/jwt-oidc.md). Times are in seconds. */
export interface RoleArgs {
  /**
   * Path of the auth method the role belongs to. Taken from the method's output, so that replacing the mount
   * replaces the role.
   */
  method: pulumi.Input<string>;
  /** Name of the role. Lower case: the service lower-cases it. */
  name: pulumi.Input<string>;
  /** `oidc` (people, by browser) or `jwt` (workloads, by token). */
  roleType: pulumi.Input<string>;
  /** Claim that names the person or workload. */
  userClaim: pulumi.Input<string>;
  /** Whether `userClaim` is a JSON Pointer. Defaults to false. */
  userClaimJsonPointer?: pulumi.Input<boolean>;
  /** Audiences of which a token must carry one. Defaults to none; a jwt role needs one where tokens carry `aud`. */
  boundAudiences?: pulumi.Input<pulumi.Input<string>[]>;
  /** The subject a token must carry. Defaults to any. */
  boundSubject?: pulumi.Input<string>;
  /** Claims a token must carry, each with one text or several of which one must match. Defaults to none. */
  boundClaims?: pulumi.Input<Record<string, pulumi.Input<string | string[]>>>;
  /** How bound claims are compared: `string` or `glob`. Defaults to `string`. */
  boundClaimsType?: pulumi.Input<string>;
  /** Claim that carries the groups. Defaults to none: groups are then not looked at. */
  groupsClaim?: pulumi.Input<string>;
  /** Claim path → name in the token's metadata. Defaults to none. */
  claimMappings?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Scopes asked of the provider, beside `openid`. Defaults to none. */
  oidcScopes?: pulumi.Input<pulumi.Input<string>[]>;
  /** Redirect URIs that a sign-in may use; needed for an oidc role. */
  allowedRedirectUris?: pulumi.Input<pulumi.Input<string>[]>;
  /** Policies of the tokens that the role gives. Defaults to none beside `default`. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** How long a token lives. Defaults to the method's own. */
  ttl?: pulumi.Input<number>;
  /** How long a token may be renewed for. Defaults to the method's own. */
  tokenMaxTtl?: pulumi.Input<number>;
  /** The end of a token's life, renewed or not. Defaults to none. */
  tokenExplicitMaxTtl?: pulumi.Input<number>;
  /** Period of a periodic token. Defaults to none. */
  tokenPeriod?: pulumi.Input<number>;
  /** How often a token can be used. Defaults to 0: without limit. */
  tokenNumUses?: pulumi.Input<number>;
  /** Whether the policy `default` is left out. Defaults to false. */
  tokenNoDefaultPolicy?: pulumi.Input<boolean>;
  /** Source addresses that may sign in and use the token. Defaults to any. */
  tokenBoundCidrs?: pulumi.Input<pulumi.Input<string>[]>;
  /** `default`, `service` or `batch`. Defaults to the method's own. */
  tokenType?: pulumi.Input<string>;
  /** Leeway for all times in a token; 0 means 60, -1 none. Defaults to 0. */
  clockSkewLeeway?: pulumi.Input<number>;
  /** Leeway for a token's end; 0 means 150, -1 none. Defaults to 0. */
  expirationLeeway?: pulumi.Input<number>;
  /** Leeway for a token's start; 0 means 150, -1 none. Defaults to 0. */
  notBeforeLeeway?: pulumi.Input<number>;
  /** Longest time since the person last signed in at the provider. Defaults to any. */
  maxAge?: pulumi.Input<number>;
  /** Whether the service logs what it received; development only. Defaults to false. */
  verboseOidcLogging?: pulumi.Input<boolean>;
}

/**
 * A role of an auth method. A thin subclass of the official resource: a component around each role tripled the
 * calls (facts/pulumi.md).
 */
export class Role extends vault.jwt.AuthBackendRole {
  constructor(name: string, args: RoleArgs, opts?: pulumi.CustomResourceOptions) {
    const { method, name: roleName, policies, ttl, boundClaims, ...same } = args;
    super(
      name,
      {
        ...same,
        backend: method,
        roleName,
        ...(policies === undefined ? {} : { tokenPolicies: policies }),
        ...(ttl === undefined ? {} : { tokenTtl: ttl }),
        ...(boundClaims === undefined ? {} : officialBoundClaims(boundClaims)),
      },
      // Creating a role's replacement and then deleting the old one would delete the same path: the role
      // would be gone (facts/vault-plugin.md).
      { ...opts, deleteBeforeReplace: true },
    );
  }
}

/** Absent: from outputs it is only known later that nothing is bound. */
type PlainBoundClaims = Record<string, string | string[]> | undefined;

/**
 * The official resource takes one text for each claim and splits it at commas, unless told not to. A text that
 * has a comma itself can therefore only be bound when no claim has several.
 */
function officialBoundClaims(
  boundClaims: pulumi.Input<Record<string, pulumi.Input<string | string[]>>>,
): Pick<vault.jwt.AuthBackendRoleArgs, 'boundClaims' | 'disableBoundClaimsParsing'> {
  const given = boundClaims as pulumi.Input<PlainBoundClaims>;
  return {
    boundClaims: mapInput(given, joinBoundClaims) as pulumi.Input<Record<string, string>>,
    disableBoundClaimsParsing: mapInput(
      given,
      (plain) => hasComma(plain) || undefined,
    ) as pulumi.Input<boolean>,
  };
}

function hasComma(boundClaims: PlainBoundClaims): boolean {
  return Object.values(boundClaims ?? {})
    .flat()
    .some((text) => text.includes(','));
}

function joinBoundClaims(boundClaims: PlainBoundClaims): Record<string, string> | undefined {
  if (boundClaims === undefined) return undefined;
  const several = Object.entries(boundClaims).filter(([, texts]) => Array.isArray(texts) && texts.length > 1);
  if (several.length > 0 && hasComma(boundClaims)) {
    throw new GatehouseError({
      code: 'bound_claims_comma',
      what: 'a bound claim has a text with a comma, and another has several texts',
      given: `several: ${several.map(([claim]) => claim).join(', ')}`,
      allowed: 'texts with commas only where every claim has exactly one text',
      fix: 'make two roles of it: the official resource cannot say both in one',
    });
  }
  return Object.fromEntries(
    Object.entries(boundClaims).map(([claim, texts]) => [
      claim,
      Array.isArray(texts) ? texts.join(',') : texts,
    ]),
  );
}
