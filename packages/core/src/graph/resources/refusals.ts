import type { z } from 'zod';
import { goDuration, shown } from '../values/go.ts';
import { isObject } from '../values/json.ts';
import type { MethodConfig, Tune } from './auth-method.ts';
import type { Role, RoleFields } from './role.ts';

/** What counts of a method for its roles. */
interface MethodOf {
  tune?: Tune;
  config?: Pick<MethodConfig, 'boundIssuer'>;
}

/** What servers refuse because of several fields, or what keeps everyone out. */
export interface Refusal<Values, Field = keyof Values> {
  /** The field to change. */
  field: Field;
  /** What servers refuse, for the documentation. */
  about: string;
  /** @param method that it belongs to. Defaults to one that says nothing. */
  isRefused(values: Partial<Values>, method?: MethodOf): boolean;
  /** As OpenBao says it. Absent where servers take it, and no one can sign in. */
  words?: string | ((values: Partial<Values>, method?: MethodOf) => string);
  /** The same for who wrote it. */
  message: string;
  /** It is about a whole role: what a person leaves out may come from the kind of its provider. Defaults to false. */
  isOfWhole?: true;
}

/** What servers refuse in the tuning of a method (openbao/openbao `internal/vault/logical_system_helpers.go`, `tuneMountTTLs`). */
export const tuneRefusals: readonly Refusal<Tune>[] = [
  {
    field: 'defaultLeaseTtl',
    about: 'a `defaultLeaseTtl` above `maxLeaseTtl`',
    isRefused: ({ defaultLeaseTtl = 0, maxLeaseTtl = 0 }) => maxLeaseTtl > 0 && defaultLeaseTtl > maxLeaseTtl,
    words: ({ defaultLeaseTtl, maxLeaseTtl }) =>
      `backend max lease TTL of ${maxLeaseTtl} would be less than backend default lease TTL of ${defaultLeaseTtl}`,
    message: 'it is longer than `maxLeaseTtl`: shorten it, or lengthen that',
  },
];

const batch = "'token_type' cannot be 'batch' or 'default_batch' when set to generate";

/**
 * In the order in which servers look (openbao/openbao `sdk/helper/tokenutil`, `internal/builtin/credential/jwt/path_role.go`).
 * The table of fields has the requirements of each field by itself.
 */
export const roleRefusals: readonly Refusal<Role, keyof RoleFields>[] = [
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
    field: 'tokenPeriod',
    about: 'a period above the `maxLeaseTtl` of the method',
    isRefused: ({ tokenPeriod = 0 }, { tune: { maxLeaseTtl = 0 } = {} } = {}) =>
      maxLeaseTtl > 0 && tokenPeriod > maxLeaseTtl,
    words: ({ tokenPeriod = 0 }, { tune: { maxLeaseTtl = 0 } = {} } = {}) =>
      `'period' of '"${goDuration(tokenPeriod)}"' is greater than the backend's maximum lease TTL of '"${goDuration(maxLeaseTtl)}"'`,
    message: 'it is longer than the `maxLeaseTtl` that the method is tuned to: shorten it, or lengthen that',
  },
  {
    field: 'boundClaims',
    about: 'bound claims that are not all texts, with `boundClaimsType: glob`',
    isRefused: (role) => typedClaim(role) !== undefined,
    words: (role) => typedClaim(role) ?? '',
    message: 'with globs a service takes texts only: leave `boundClaimsType` out, or use texts',
  },
  {
    field: 'boundClaims',
    about: 'a bound claim `sub` that is not the `boundSubject`',
    isRefused: (role) => isNever(role, 'sub', role.boundSubject),
    message:
      '`sub` is bound to something other than `boundSubject`, so no token fits: leave one of the two out',
  },
  {
    field: 'boundClaims',
    about: 'a bound claim `iss` that is not the `boundIssuer` of the method',
    isRefused: (role, { config } = {}) => isNever(role, 'iss', config?.boundIssuer),
    message:
      '`iss` is bound to something other than the `boundIssuer` of the method, so no token fits: leave it out',
  },
  {
    field: 'claimMappings',
    about: 'a claim that is mapped to `role`, which is the service’s own',
    isRefused: ({ claimMappings = {} }) => Object.values(claimMappings).includes('role'),
    words: 'metadata key "role" is reserved and may not be a mapping destination',
    message: 'the service itself writes the name of the role as `role`: give the claim another name',
  },
  {
    field: 'claimMappings',
    about: 'two claims that are mapped to one name',
    isRefused: (role) => mappedTwice(role) !== undefined,
    words: (role) => `multiple keys are mapped to metadata key ${JSON.stringify(mappedTwice(role))}`,
    message: 'two claims get the same name: give one of them another name',
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

/** A schema that refuses what servers refuse of several fields, also where other fields are wrong, which are then as they were written. */
export function refusing<Schema extends z.ZodObject>(
  schema: Schema,
  refusals: readonly Refusal<z.output<Schema>, PropertyKey>[],
): Schema {
  return refusals.reduce(
    (refined, { field, message, isRefused }) =>
      refined.refine((values) => !isRefused(given(values)), { path: [field], message, when: () => true }),
    schema,
  );
}

function given<Values>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => value !== null),
  ) as Partial<Values>;
}

/** The first name that two claims get. */
function mappedTwice({ claimMappings = {} }: Partial<Role>): string | undefined {
  const names = isObject(claimMappings) ? Object.values(claimMappings) : [];
  return names.find((name, at) => names.indexOf(name) !== at);
}

/** Whether the values that a claim is bound to leave out the one that it has in every token of the role. */
function isNever({ boundClaims, boundClaimsType }: Partial<Role>, claim: string, has = ''): boolean {
  if (has === '' || !isObject(boundClaims) || !Object.hasOwn(boundClaims, claim)) return false;
  const isOpen = (value: unknown) => boundClaimsType === 'glob' && String(value).includes('*');
  return ![boundClaims[claim]].flat().some((value) => value === has || isOpen(value));
}

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
