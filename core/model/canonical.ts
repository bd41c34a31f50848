import { parsePolicy } from './policies/parse-policy.ts';
import type { AuthMethod } from './resources/auth-method.ts';
import type { CustomMessage } from './resources/custom-message.ts';
import type { ExternalGroup } from './resources/external-group.ts';
import type { Policy } from './resources/policy.ts';
import type { Role } from './resources/role.ts';
import { canonicalInstant } from './values/instant.ts';

/** Fields of something, each in the one form in which it is compared; what is a default is not there. */
export type Canonical = Record<string, unknown>;

/** What a service does where nothing is said. */
const defaults: Canonical = {
  boundClaimsType: 'string',
  tokenType: 'default',
  oidcResponseMode: 'query',
  namespaceInState: true,
  callbackMode: 'client',
};

/** Where false says something. */
const defaultsToTrue = ['namespaceInState', 'authenticated'];

/** Fields whose lists are sets to the service. */
const sets = [
  ...['boundAudiences', 'oidcScopes', 'allowedRedirectUris', 'policies', 'tokenBoundCidrs'],
  ...['jwtSupportedAlgs', 'jwtValidationPubkeys'],
];

/** A role's fields, but for its place and name. */
export function canonicalRole({ method: _method, name: _name, ...fields }: Role): Canonical {
  return canonicalFields({
    ...fields,
    policies: fields.policies?.map(policyName),
    tokenBoundCidrs: fields.tokenBoundCidrs?.map((cidr) =>
      cidr.replace(/(?<=\.\d+)\/32$|(?<=:.*)\/128$/, ''),
    ),
    boundClaims: claims(fields.boundClaims),
  });
}

/** An auth method's type, description and configuration. Secrets are left out: no read gives them. */
export function canonicalMethod({ type, description, config }: AuthMethod): Canonical {
  const { providerConfig, oidcResponseTypes, ...fields } = config;
  const lookUp = providerConfig?.provider === 'workspace_suite' ? providerConfig : undefined;
  return canonicalFields({
    type,
    description,
    ...fields,
    oidcResponseTypes: oidcResponseTypes?.join() === 'code' ? undefined : oidcResponseTypes,
    oidcDiscoveryCaPem: fields.oidcDiscoveryCaPem?.trim(),
    jwksCaPem: fields.jwksCaPem?.trim(),
    jwtValidationPubkeys: fields.jwtValidationPubkeys?.map((pem) => pem.trim()),
    providerConfig: lookUp === undefined ? providerConfig : { ...lookUp, suiteServiceAccount: undefined },
  });
}

/** An external group's policies and metadata. */
export function canonicalGroup({ policies, metadata }: ExternalGroup): Canonical {
  return canonicalFields({ policies: policies.map(policyName), metadata });
}

/** What a policy says; its text where it cannot be read. */
export function canonicalPolicy({ text }: Policy): Canonical {
  try {
    // Comments, blanks and the order of paths say nothing.
    return { text: parsePolicy(text).map(plain).sort() };
  } catch {
    return { text: text.trim() };
  }
}

/** A message's fields, but for its title. */
export function canonicalMessage({ title: _title, startTime, endTime, ...fields }: CustomMessage): Canonical {
  return canonicalFields({
    ...fields,
    startTime: canonicalInstant(startTime),
    endTime: endTime === undefined ? undefined : canonicalInstant(endTime),
  });
}

/** Whether two values are the same, whatever the order of the names in their maps. */
export function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

function canonicalFields(fields: Canonical): Canonical {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (isUnset(name, value) || value === defaults[name]) return [];
      if (sets.includes(name) && Array.isArray(value)) return [[name, [...new Set(value)].sort()]];
      return [[name, value]];
    }),
  );
}

function isUnset(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  if (value === false) return !defaultsToTrue.includes(name);
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function policyName(name: string): string {
  return name.trim().toLowerCase();
}

/** One value is a list of one, and the order says nothing. The types of values do: `true` is not "true". */
function claims(bound: Role['boundClaims']): Canonical | undefined {
  if (bound === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(bound).map(([name, values]) => [name, [...new Set([values].flat().map(plain))].sort()]),
  );
}

function plain(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : typeof inner === 'bigint'
        ? String(inner)
        : inner,
  );
}
