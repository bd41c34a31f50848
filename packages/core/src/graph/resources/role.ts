import { z } from 'zod';
import { nameKey } from '../values/name-key.ts';
import { separateTexts } from '../values/text-list.ts';
import { boundClaims, canonicalClaims, plannedClaims } from './bound-claims.ts';
import { addressRanges, mappedNames } from './checks.ts';
import { claimMappings } from './claim-mappings.ts';
import {
  type ByName,
  choice,
  type Field,
  type Fields,
  field,
  flag,
  leeways,
  liveFlag,
  liveTexts,
  readFields,
  seconds,
  text,
  texts,
  type Values,
} from './field.ts';
import { canonicalPolicyNames, givenPolicies } from './policy.ts';
import type { Resource } from './resource.ts';

/** A host's address is the same with the prefix length that says so. */
const canonicalCidrs = (cidrs: string[]) =>
  cidrs.map((cidr) => cidr.replace(/(?<=\.\d+)\/32$|(?<=:.*)\/128$/, ''));

/**
 * The fields of a role (docs/inside/specification.md B2; further ones docs/inside/measured/sign-in.md#fields), but for
 * its name and method.
 */
export const roleFields = {
  roleType: choice('oidc', 'jwt')(
    'access',
    'Whether people sign in by browser (`oidc`) or workloads with a token (`jwt`).',
    { otherwise: 'the kind’s; another one is refused', example: 'jwt', source: 'B2' },
  ),
  userClaim: field('text', z.string().min(1), 'identity', 'Claim that names the person or workload.', {
    takes: 'claim',
    otherwise: 'the kind’s (`sub`, `email`)',
    example: 'email',
    source: 'B2',
  }),
  userClaimJsonPointer: flag('identity', 'Whether `userClaim` is a JSON Pointer.', {
    default: false,
    example: 'true',
  }),
  boundAudiences: texts('access', 'Audiences; a token must carry one of them.', {
    otherwise: 'the kind’s',
    example: '[api://default]',
    source: 'B2',
    isSet: true,
  }),
  boundSubject: text('access', 'The subject that a token must carry.', {
    otherwise: 'the kind’s; otherwise any',
    example: 'system:serviceaccount:shop:web',
    source: 'B2',
  }),
  boundClaims: field('claims', boundClaims, 'access', 'Claims that a token must carry.', {
    takes: 'claim → text, boolean or whole number, or a list (one must match)',
    otherwise: 'none',
    example: '{ department: [operations] }',
    readBy: ['bound_claims_type', 'disable_bound_claims_parsing'],
    canonical: canonicalClaims,
  }),
  boundClaimsType: choice('string', 'glob')('access', 'How bound claims are compared.', {
    default: 'string',
    example: 'glob',
    cleared: false,
  }),
  groupsClaim: text('access', 'Claim that carries the groups.', {
    takes: 'claim',
    otherwise: 'the kind’s, where groups are declared',
    example: 'groups',
    source: 'B2',
  }),
  claimMappings: field(
    'textsByName',
    claimMappings,
    'identity',
    'Claims that go into the token’s metadata, and under which names.',
    {
      takes: 'claim → name',
      otherwise: 'none',
      check: mappedNames,
      example: '{ preferred_username: username }',
      source: 'B2',
      cleared: false,
    },
  ),
  oidcScopes: texts('access', 'Scopes requested from the provider, in addition to `openid`.', {
    otherwise: 'the kind’s',
    example: '[profile]',
    source: 'B2',
    isSet: true,
    cleared: false,
  }),
  allowedRedirectUris: texts('access', 'Where the provider may send a browser back to.', {
    takes: 'list of URLs',
    otherwise: '[both](#redirect-uris)',
    source: 'B2',
    isSet: true,
    cleared: false,
  }),
  policies: givenPolicies('Policies of the tokens that the role gives; `root` is refused.', {
    otherwise: '`default` for a cloud directory; otherwise none',
    example: '[secrets-read]',
    source: 'B2',
    wire: 'token_policies',
    older: 'policies',
    sent: 'changed',
  }),
  ttl: seconds('lifetime', 'How long a token lives.', {
    otherwise: 'the method’s',
    example: '1h',
    source: 'B2',
    wire: 'token_ttl',
    sent: 'changed',
    older: 'ttl',
  }),
  tokenMaxTtl: seconds('lifetime', 'How long a token can be renewed for.', {
    otherwise: 'the method’s',
    example: '24h',
    sent: 'changed',
    older: 'max_ttl',
  }),
  tokenExplicitMaxTtl: seconds('lifetime', 'When a token ends, renewed or not.', {
    otherwise: 'none',
    sent: 'changed',
    example: '24h',
  }),
  tokenPeriod: seconds('lifetime', 'Period of a periodic token.', {
    otherwise: 'none',
    example: '1h',
    sent: 'changed',
    older: 'period',
  }),
  tokenNumUses: field('integer', z.int().min(0), 'access', 'How often a token can be used; 0 is unlimited.', {
    sent: 'changed',
    default: 0,
    example: '1',
    older: 'num_uses',
  }),
  tokenNoDefaultPolicy: flag('access', 'Whether tokens go without the policy `default`.', {
    sent: 'changed',
    default: false,
    example: 'true',
  }),
  tokenBoundCidrs: field(
    'texts',
    separateTexts,
    'access',
    'Source addresses that may sign in and use the token.',
    {
      takes: 'list of addresses',
      otherwise: 'any',
      example: '[10.0.0.0/8]',
      older: 'bound_cidrs',
      isSet: true,
      sent: 'changed',
      canonical: canonicalCidrs,
      check: addressRanges,
    },
  ),
  // Not `default-service` or `default-batch`: those are a mount’s, and refused for a role (packages/secrets-service/test/conformance).
  tokenType: choice('default', 'service', 'batch')(
    'access',
    'Type of the token; `default` is the method’s.',
    { sent: 'changed', default: 'default', example: 'batch' },
  ),
  clockSkewLeeway: leeways('access', 'Leeway for all times in a token: 0 means 60 seconds, -1 none.', {
    takes: 'seconds',
    default: 0,
    example: '30',
  }),
  expirationLeeway: leeways('access', 'Leeway for a token’s expiry: 0 means 150 seconds, -1 none.', {
    takes: 'seconds',
    default: 0,
    example: '-1',
  }),
  notBeforeLeeway: leeways('access', 'Leeway for a token’s start: 0 means 150 seconds, -1 none.', {
    takes: 'seconds',
    default: 0,
    example: '-1',
  }),
  maxAge: seconds('access', 'Longest time since the person last entered a password at the provider.', {
    otherwise: 'any',
    example: '8h',
    cleared: false,
  }),
  verboseOidcLogging: flag(
    'nothing',
    'Whether the service logs what it receives, tokens included. For development only.',
    {
      inert: 'It is the same sign-in. A log that has tokens in clear is looked at by itself.',
      default: false,
      example: 'true',
    },
  ),
  callbackMode: text(
    'access',
    'How the provider’s answer comes back, on OpenBao: `client`, `direct` or `device`.',
    { default: 'client', liveOnly: true },
  ),
  oidcDisableConfirmation: liveFlag(
    'access',
    'Whether sign-ins that end at the service go without a confirmation, on OpenBao.',
  ),
  oauth2Metadata: liveTexts(
    'identity',
    'What of the provider’s tokens goes into the token’s metadata, on OpenBao.',
  ),
  tokenPoliciesTemplateClaims: liveFlag(
    'access',
    'Whether names of policies are templates that claims fill in, on OpenBao.',
  ),
  tokenStrictlyBindIp: liveFlag(
    'access',
    'Whether a token works only from the address that signed in, on OpenBao.',
  ),
} as const satisfies Fields;

type NotCleared = {
  [Name in keyof typeof roleFields]: (typeof roleFields)[Name] extends { cleared: false } ? Name : never;
}[keyof typeof roleFields];

/**
 * Fields that an update of the official resource leaves on the service when they are emptied, and that have no default to
 * write instead: the role is replaced.
 */
export const stickyFields = Object.entries<Field>(roleFields)
  .filter(([, field]) => field.cleared === false && field.default === undefined)
  .map(([name]) => name as NotCleared);

/** The fields of a role, all but the required ones optional. Times are in seconds. */
export type RoleFields = Values<typeof roleFields>;

/** A role of an auth method, whole. */
export interface Role extends RoleFields {
  /** Path of the auth method. */
  method: string;
  name: string;
  roleType: 'oidc' | 'jwt';
  userClaim: string;
}

/**
 * Reads a role (docs/inside/specification.md B2), in either spelling: lists may be one text with commas, `policies` and
 * `ttl` may stand for `token_policies` and `token_ttl`, which take precedence.
 */
export function roleFromWire(method: string, name: string, wire: ByName): Role {
  const { roleType = 'oidc', userClaim = '', ...fields } = readFields(roleFields, wire);
  return { ...fields, method, name, roleType, userClaim };
}

/** Writes to any path: a role too, where its bound claims are not all texts (`components/role.ts`). */
export const endpointToken = 'vault:generic/endpoint:Endpoint';
/** The official type of a role in Pulumi's package. */
export const roleToken = 'vault:jwt/authBackendRole:AuthBackendRole';

/** The role that a path of the service is of; undefined for any other path. */
export function roleAt(path: string): { method: string; name: string } | undefined {
  const [, method, name] = /^\/*auth\/(.+)\/role\/([^/]+)\/*$/.exec(path) ?? [];
  return method === undefined || name === undefined ? undefined : { method, name };
}

/** Where a role is on its service. @param method the path of its auth method */
export function rolePath(method: string, name: string): string {
  return `auth/${method}/role/${name}`;
}

/** The resource of a role. */
export const role: Resource<Role, 'role', 'roles'> = {
  type: 'role',
  list: 'roles',
  fields: roleFields,
  nameOf: ({ name }) => name,
  methodOf: (role) => role.method,
  key: nameKey,
  kept: nameKey,
  isNameable: true,
  grants: ({ policies = [] }) => policies,
  yaml: { list: 'roles', below: 'providers', name: 'name' },
  official: {
    pulumi: roleToken,
    name: 'role_name',
    importId: (name, method) => rolePath(method, name),
    lookedAt: ['role_name', 'backend', 'disable_bound_claims_parsing', 'token_num_uses_wo_version'],
    isTyped: true,
    fromPlan(fields, { name, mount }) {
      const role = roleFromWire(mount, name, { ...fields, bound_claims: plannedClaims(fields) });
      return role.policies === undefined ? role : { ...role, policies: canonicalPolicyNames(role.policies) };
    },
  },
  readWith: (role) => ({ type: 'method', name: role.method }),
  references: { backend: { to: 'mount', by: 'name', byDefault: 'jwt' } },
  wire: {
    list: (method) => `auth/${method}/role`,
    fromWire: (wire, name, method) => roleFromWire(method, name, wire),
  },
};
