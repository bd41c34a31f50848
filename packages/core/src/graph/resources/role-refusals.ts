import { shown } from '../values/go.ts';
import { isObject } from '../values/json.ts';
import type { Role, RoleFields } from './role.ts';

/** What servers refuse in a role because of several of its fields. */
export interface RoleRefusal {
  /** The field to change. */
  field: keyof RoleFields;
  /** What servers refuse, for the documentation. */
  about: string;
  isRefused(role: Partial<Role>): boolean;
  /** As OpenBao says it. */
  words: string | ((role: Partial<Role>) => string);
  /** The same for who wrote it. */
  message: string;
  /** It is about a whole role: what a person leaves out may come from the kind of its provider. Defaults to false. */
  isOfWhole?: true;
}

const batch = "'token_type' cannot be 'batch' or 'default_batch' when set to generate";

/**
 * In the order in which servers look (openbao/openbao `sdk/helper/tokenutil`, `internal/builtin/credential/jwt/path_role.go`).
 * What a field has to be by itself stands in the table of fields.
 */
export const roleRefusals: readonly RoleRefusal[] = [
  {
    field: 'tokenPeriod',
    about: 'a period of batch tokens',
    isRefused: ({ tokenType, tokenPeriod = 0 }) => tokenType === 'batch' && tokenPeriod !== 0,
    words: `${batch} periodic tokens`,
    message:
      'batch tokens cannot be renewed, so they have no period: leave it out, or make `tokenType` `service`',
  },
  {
    field: 'tokenNumUses',
    about: 'a number of uses of batch tokens',
    isRefused: ({ tokenType, tokenNumUses = 0 }) => tokenType === 'batch' && tokenNumUses !== 0,
    words: `${batch} tokens with limited use count`,
    message: 'no one counts the uses of batch tokens: leave it out, or make `tokenType` `service`',
  },
  {
    field: 'ttl',
    about: 'a `ttl` above `tokenMaxTtl`',
    isRefused: ({ ttl = 0, tokenMaxTtl = 0 }) => tokenMaxTtl > 0 && ttl > tokenMaxTtl,
    words: "'token_ttl' cannot be greater than 'token_max_ttl'",
    message: 'it is longer than `tokenMaxTtl`: shorten it, or lengthen that',
  },
  {
    field: 'boundClaims',
    about: 'bound claims that are not all texts, with `boundClaimsType: glob`',
    isRefused: (role) => typedClaim(role) !== undefined,
    words: (role) => typedClaim(role) ?? '',
    message: 'with globs a service takes texts only: leave `boundClaimsType` out, or use texts',
  },
  {
    field: 'claimMappings',
    about: 'a claim that is mapped to `role`, which is the service’s own',
    isRefused: ({ claimMappings = {} }) => Object.values(claimMappings).includes('role'),
    words: 'metadata key "role" is reserved and may not be a mapping destination',
    message: 'the service itself writes the name of the role as `role`: give the claim another name',
  },
  {
    field: 'allowedRedirectUris',
    about: 'a role that people sign in to by browser, without redirect URIs',
    isRefused: ({ roleType, allowedRedirectUris = [] }) =>
      roleType === 'oidc' && allowedRedirectUris.length === 0,
    words: "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.",
    message: 'people who sign in by browser have to be sent back: give at least one redirect URI',
    isOfWhole: true,
  },
  {
    field: 'boundClaims',
    about: 'a role for workloads that is not bound to an audience, a subject, a claim or an address',
    isRefused: ({
      roleType,
      boundAudiences = [],
      boundSubject = '',
      boundClaims = {},
      tokenBoundCidrs = [],
    }) =>
      roleType === 'jwt' &&
      boundSubject === '' &&
      [boundAudiences, Object.keys(boundClaims), tokenBoundCidrs].every((bound) => bound.length === 0),
    words: 'must have at least one bound constraint when creating/updating a role',
    message: 'bind the role to an audience, a subject, claims or addresses',
    isOfWhole: true,
  },
];

/** The first value that is no text, in the words of servers. */
function typedClaim({ boundClaims = {}, boundClaimsType }: Partial<Role>): string | undefined {
  if (boundClaimsType !== 'glob') return undefined;
  for (const values of Object.values<unknown>(boundClaims)) {
    if (isObject(values)) return `claim is not a string or list: ${shown(values)}`;
    const typed = [values].flat().find((one) => typeof one !== 'string');
    if (typed !== undefined) return `claim is not a string: ${shown(typed)}`;
  }
  return undefined;
}
