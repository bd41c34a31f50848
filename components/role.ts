import {
  type BoundClaims,
  type Role as DeclaredRole,
  endpointToken,
  fitsOfficialRole,
  hasComma,
  type RoleFields,
  roleBody,
  roleFields,
  rolePath,
  roleRefusals,
  roleToken,
  sortedJson,
  stickyFields,
} from '@gatehouse/core/graph';
import { asGo, GatehouseError, isUnset } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import {
  type ClaimInput,
  checkedInputs,
  type DurationInput,
  isPlain,
  type LaterFields,
  mapInput,
} from './inputs.ts';

/**
 * What a role has apart from its identity (docs/inside/specification.md B2; docs/inside/measured/sign-in.md#fields). A
 * duration is a text, for example `1h`, or a number of seconds.
 */
export interface RoleSettings {
  /** Whether `userClaim` is a JSON Pointer. Defaults to false. */
  userClaimJsonPointer?: pulumi.Input<boolean>;
  /** Audiences; a token must have one of them. Defaults to none; a jwt role needs one if tokens have `aud`. */
  boundAudiences?: pulumi.Input<pulumi.Input<string>[]>;
  /** The subject that a token must have. Defaults to any. */
  boundSubject?: pulumi.Input<string>;
  /**
   * Claims that a token must have, each with one value or several, of which one must match. Types count: `true` is not
   * `"true"`. Defaults to none.
   */
  boundClaims?: pulumi.Input<Record<string, ClaimInput>>;
  /** How bound claims are compared: `string` or `glob`. Defaults to `string`. */
  boundClaimsType?: pulumi.Input<string>;
  /** Claim with the groups. Defaults to none: groups are ignored. */
  groupsClaim?: pulumi.Input<string>;
  /** Claim path → name in the token's metadata. Defaults to none. */
  claimMappings?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Scopes to request from the provider in addition to `openid`. Defaults to none. */
  oidcScopes?: pulumi.Input<pulumi.Input<string>[]>;
  /** Redirect URIs that a sign-in may use; required for an oidc role. */
  allowedRedirectUris?: pulumi.Input<pulumi.Input<string>[]>;
  /** Policies of the role's tokens, in addition to `default`. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** How long a token lives. Defaults to the method's own. */
  ttl?: DurationInput;
  /** How long a token can be renewed. Defaults to the method's own. */
  tokenMaxTtl?: DurationInput;
  /** Hard limit of a token's life, renewed or not. Defaults to none. */
  tokenExplicitMaxTtl?: DurationInput;
  /** Period of a periodic token. Defaults to none. */
  tokenPeriod?: DurationInput;
  /** How often a token can be used. Defaults to 0: no limit. */
  tokenNumUses?: pulumi.Input<number>;
  /** Whether the policy `default` is left out. Defaults to false. */
  tokenNoDefaultPolicy?: pulumi.Input<boolean>;
  /** Source addresses that may sign in and use the token. Defaults to any. */
  tokenBoundCidrs?: pulumi.Input<pulumi.Input<string>[]>;
  /** `default`, `service` or `batch`. Defaults to the method's own. */
  tokenType?: pulumi.Input<string>;
  /** Leeway for all times in a token; 0 means 60, -1 none. Defaults to 0. */
  clockSkewLeeway?: DurationInput;
  /** Leeway for a token's expiration; 0 means 150, -1 none. Defaults to 0. */
  expirationLeeway?: DurationInput;
  /** Leeway for a token's start; 0 means 150, -1 none. Defaults to 0. */
  notBeforeLeeway?: DurationInput;
  /** Longest time since the person last signed in at the provider. Defaults to any. */
  maxAge?: DurationInput;
  /** Whether the service logs the claims it receives; for development only. Defaults to false. */
  verboseOidcLogging?: pulumi.Input<boolean>;
}

/** Arguments of a role. */
export interface RoleArgs extends RoleSettings {
  /**
   * Path of the role's auth method. Take it from the method's output, so that replacing the mount replaces the role.
   */
  method: pulumi.Input<string>;
  /** Namespace below the plugin's own. A change replaces it. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
  /** Name of the role, in lowercase: the service lowercases it. */
  name: pulumi.Input<string>;
  /** `oidc` (people, by browser) or `jwt` (workloads, by token). */
  roleType: pulumi.Input<string>;
  /** Claim that names the person or workload. */
  userClaim: pulumi.Input<string>;
}

/** A role with its fields as the table has them: durations in seconds. */
export type RoleInputs = LaterFields<Omit<DeclaredRole, 'method' | 'name'>> &
  Pick<RoleArgs, 'method' | 'name' | 'namespace'>;

/** A role of an auth method: who signs in, and what they get. */
export class Role extends pulumi.ComponentResource {
  /** Path of the role in the service. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: RoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Role', name, args, opts);
    const role = checkedInputs(roleFields, args, roleRefusals) as RoleInputs;
    this.path = Role.official(`${name}-role`, role, this).id;
    this.registerOutputs({ path: this.path });
  }

  /**
   * The official resource of a role, with no component around it: in a provider, one around each role tripled the calls
   * (docs/inside/measured/pulumi.md#running-a-program). It is that of a role wherever it can hold the bound claims, and
   * otherwise a write of the whole role to its path: what the service reads back is what was written, so nothing
   * differs (docs/adr/0010-typed-bound-claims.md).
   *
   * @param known the bound claims where they are plain: they choose the resource. Defaults to those of the role.
   */
  static official(
    name: string,
    role: RoleInputs,
    parent: pulumi.Resource,
    known: unknown = role.boundClaims,
  ): pulumi.CustomResource {
    const { method, name: roleName, namespace, ...fields } = role;
    if (isPlain(known) && !fitsOfficialRole((known ?? {}) as BoundClaims)) {
      return new EndpointWrite(
        endpointToken,
        name,
        {
          path: pulumi.all([method, roleName]).apply(([path, role]) => rolePath(path, role)),
          dataJson: mapInput(fields, bodyText),
          // A service tells more of a role than a stack declares.
          ignoreAbsentFields: true,
          namespace,
        },
        { parent, ...replacedInPlace(endpointToken, roleToken) },
      );
    }
    const { policies, ttl, boundClaims, boundClaimsType, ...same } = fields;
    return new vault.jwt.AuthBackendRole(
      name,
      {
        ...same,
        backend: method,
        roleName,
        namespace,
        tokenPolicies: policies,
        tokenTtl: ttl,
        boundClaims: mapInput(boundClaims, joinBoundClaims),
        disableBoundClaimsParsing: mapInput(boundClaims, (plain) => (plain && hasComma(plain)) || undefined),
        // The plugin keeps what was there where none is given.
        boundClaimsType: mapInput(boundClaimsType, (type) => type ?? roleFields.boundClaimsType.default),
      },
      {
        parent,
        ...replacedInPlace(roleToken, endpointToken),
        // What is not declared can only differ because it was, or because others set it: an update would leave it.
        replaceOnChanges: stickyFields.filter((field) => mayBeEmpty(role[field])),
      },
    );
  }
}

/** A write to any path. Not the official class, which marks its body secret: nothing in a role is. */
class EndpointWrite extends pulumi.CustomResource {}

/**
 * Options of a role's two resources. A replacement has the same path, so deleting the old one afterwards would delete the
 * new one (docs/inside/measured/official-plugin.md#values-it-never-clears). A role that goes from one to the other is
 * found by its alias, and the trigger replaces it before any plugin compares it with a state of the other type
 * (docs/adr/0010-typed-bound-claims.md).
 */
function replacedInPlace(type: string, other: string): pulumi.CustomResourceOptions {
  return { deleteBeforeReplace: true, replacementTrigger: type, aliases: [{ type: other }] };
}

/** The value of an output is not known yet. */
function mayBeEmpty(input: unknown): boolean {
  return pulumi.Output.isInstance(input) || input instanceof Promise || isUnset(input);
}

/** As Go writes JSON: the official resource compares texts. */
function bodyText(fields: RoleFields): string {
  return asGo(sortedJson(roleBody(fields)));
}

/**
 * The official resource takes one text per claim and splits it at commas unless told not to. A text with a comma can
 * therefore be bound only if no claim has several texts. Undefined if outputs turn out to bind nothing.
 */
function joinBoundClaims(boundClaims: BoundClaims | undefined): Record<string, string> | undefined {
  if (boundClaims === undefined) return undefined;
  if (!fitsOfficialRole(boundClaims)) {
    throw new GatehouseError('bound_claims_typed', {
      given: `claims: ${Object.keys(boundClaims).join(', ')}`,
      allowed: 'texts without blanks at their ends; with a comma in one, a single text in each claim',
    });
  }
  return Object.fromEntries(Object.entries(boundClaims).map(([claim, texts]) => [claim, String(texts)]));
}
