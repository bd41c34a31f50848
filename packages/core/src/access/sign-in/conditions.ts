import type {
  AuthMethod,
  configFields,
  MethodConfig,
  tuneFields,
} from '../../graph/resources/auth-method.ts';
import { signingAlgorithms } from '../../graph/resources/checks.ts';
import { type NamesBearing, sortedJson } from '../../graph/resources/field.ts';
import type { ProviderConfig } from '../../graph/resources/provider-config.ts';
import type { Role, roleFields } from '../../graph/resources/role.ts';
import { sha256Of } from '../../graph/values/digest.ts';
import { placeOf } from '../../login/claims.ts';
import { isNotAssignable, templatePlaces } from '../../login/session.ts';
import { type MemberName, type Respect, type RespectName, respectKey } from '../reasons/respect.ts';
import type { ClaimDemand, Demand } from './claim-demands.ts';
import { mapsScopedValues, readsScopedClaims, scopesOf } from './scoped-claims.ts';

/** `bound`: something that the role asks a person or workload to have, `way`: how a role lets sign in, `trust`: the method's. */
export type Part = 'bound' | 'way' | 'trust';

/** What a sign-in must fulfill in one respect. */
export interface Condition {
  about: Respect;
  accepts: Accepted;
  part: Part;
}

/** JSON has no infinite number. */
export type Most = number | 'unlimited';

/**
 * - `members`: one of these. What has none of them is not empty: a plan need not tell all that a service has. `hasNoOrder`: with
 *   fewer of them, others may be let in as well
 * - `addresses`: an address in one of these ranges
 * - `claim`: a demand on one claim of the token
 * - `up to`: a number; a sign-in that needs less gets through as well
 * - `exactly`: a setting whose values have no order: another one lets in others, it is not known whom
 */
export type Accepted =
  | { kind: 'members'; members: Member[]; isSingle: boolean; hasNoOrder: boolean }
  | { kind: 'addresses'; cidrs: string[] }
  | ({ kind: 'claim' } & ClaimDemand)
  | { kind: 'up to'; most: Most }
  | { kind: 'exactly'; value: string };

/** One of the things that a condition takes. */
export interface Member {
  id: string;
  shown: MemberName;
}

/** Whether workloads sign in with a token; otherwise people do, by browser. */
export function isTokenRole({ roleType }: Role): boolean {
  return roleType === 'jwt';
}

type Judged =
  | NamesBearing<typeof roleFields, 'access' | 'identity'>
  | NamesBearing<typeof configFields, 'access' | 'identity'>
  | NamesBearing<typeof tuneFields, 'access' | 'identity'>;
type Judge = (role: Role, method: AuthMethod | undefined) => Condition[];

/** Judged by packages/core/src/access: it decides what they get who are let in. */
const grants: Judge = () => [];
/** Judged by identity-change.ts: it decides who they are taken for. */
const identity: Judge = () => [];
/** Part of what another field decides. */
const withAnother: Judge = () => [];

/** The value of what a plan does not tell of a method. */
export const notKnown = 'not known';

/** What every field that decides who gets in contributes: one that is not here does not compile. */
const judges = {
  roleType: (role) => [
    members('way', 'sign-in', [
      { id: role.roleType, shown: { is: isTokenRole(role) ? 'by-token' : 'by-browser' } },
    ]),
  ],
  boundSubject: ({ boundSubject }) =>
    boundSubject ? [claim('sub', { asks: 'equal', text: boundSubject })] : [],
  boundAudiences: audiences,
  boundClaims: ({ boundClaims = {}, boundClaimsType }) =>
    Object.entries(boundClaims).map(([name, values]) => {
      const bound = [values].flat();
      const isGlob = boundClaimsType === 'glob';
      return claim(name, { asks: 'one of', bound, isGlob });
    }),
  boundClaimsType: withAnother,
  tokenBoundCidrs: ({ tokenBoundCidrs: cidrs = [] }) => {
    const accepts = { kind: 'addresses', cidrs } as const;
    return cidrs.length === 0 ? [] : [{ about: { of: 'source-address' }, accepts, part: 'bound' }];
  },
  // A pointer leads to a claim; without the flag, the same text is the claim's name.
  userClaim: ({ userClaim, userClaimJsonPointer }) => {
    const asks = userClaimJsonPointer && userClaim === 'aud' ? 'the impossible' : 'text';
    return [claim(userClaim, { asks }, 'way', userClaimJsonPointer ? placeOf(userClaim) : [userClaim])];
  },
  userClaimJsonPointer: withAnother,
  claimMappings: ({ claimMappings = {} }) =>
    Object.keys(claimMappings).map((name) =>
      // By its name alone, `aud` is always a list.
      claim(name, { asks: name === 'aud' ? 'no value' : 'text if there' }, 'way'),
    ),
  // Names of groups that a directory tells are not in the token.
  groupsClaim: ({ groupsClaim }, method) =>
    groupsClaim && method?.config.providerConfig?.provider !== 'workspace_suite'
      ? [claim(groupsClaim, { asks: 'texts' }, 'way')]
      : [],
  /**
   * A scope asks the provider for more claims. People who need one of these get in, or into a group, only where the scope is
   * asked for: more scopes may let in more. Without any such claim a scope changes nothing. A mapped claim that is no text
   * refuses people, and one that is not there does not: so fewer scopes may let in more, too.
   */
  oidcScopes: (role) => {
    if (isTokenRole(role) || !readsScopedClaims(role)) return [];
    const hasNoOrder = mapsScopedValues(role);
    return [members('way', 'requested-scope', textMembers(scopesOf(role)), { isSingle: false, hasNoOrder })];
  },
  allowedRedirectUris: (role) =>
    isTokenRole(role) ? [] : [members('way', 'redirect-uri', redirectPlaces(role.allowedRedirectUris ?? []))],
  callbackMode: (role) =>
    isTokenRole(role) ? [] : [exactly('way', { of: 'callback-mode' }, role.callbackMode || 'client')],
  oidcDisableConfirmation: (role) => {
    if (isTokenRole(role)) return [];
    const places = [
      { id: 'asked', shown: { is: 'asked' } } as const,
      ...(role.oidcDisableConfirmation ? [{ id: 'not', shown: { is: 'left-out' } } as const] : []),
    ];
    return [members('way', 'confirmation', places, { isSingle: false })];
  },
  oauth2Metadata: identity,
  tokenStrictlyBindIp: ({ tokenStrictlyBindIp }) => {
    const other: Member[] = tokenStrictlyBindIp ? [] : [{ id: 'other', shown: { is: 'other-address' } }];
    const places: Member[] = [{ id: 'same', shown: { is: 'same-address' } }, ...other];
    return [members('way', 'token-address', places, { isSingle: false })];
  },
  // Their access is judged by packages/core/src/access as well; here, that a sign-in with them goes through.
  policies: ({ policies = [], tokenPoliciesTemplateClaims: isFilled }) =>
    policies.flatMap((policy) => [
      ...(isNotAssignable(policy) ? [unassignable] : []),
      ...(isFilled ? templatePlaces(policy) : []).map((at) =>
        claim(at.join('.'), { asks: 'a value' }, 'way', at),
      ),
    ]),
  tokenPoliciesTemplateClaims: withAnother,
  tokenNoDefaultPolicy: grants,
  tokenNumUses: grants,
  tokenType: grants,
  // Who holds a token that has expired, or does not hold yet, from a log or an artifact, signs in by a wider one.
  expirationLeeway: (role) => leewayOf(role, 'expirationLeeway', 150),
  notBeforeLeeway: (role) => leewayOf(role, 'notBeforeLeeway', 150),
  clockSkewLeeway: (role) => leewayOf(role, 'clockSkewLeeway', 60),
  maxAge: (role) => {
    if (isTokenRole(role)) return [];
    return [upTo('password-age', role.maxAge || 'unlimited')];
  },

  // A token proves where it comes from by a key, and by its issuer only where that is bound (facts: measured).
  oidcDiscoveryUrl: (role, method) => {
    if (method === undefined) return [exactly('trust', { of: 'method', method: role.method }, notKnown)];
    return [members('trust', 'signing-keys', keySources(role, method.config))];
  },
  oidcDiscoveryCaPem: withAnother,
  // An owner of a certificate with one of these names can serve keys as well.
  overrideAllowedServerNames: (_, method) => {
    const names = method?.config.overrideAllowedServerNames ?? [];
    const own: Member = { id: 'its own', shown: { is: 'own' } };
    const places = [own, ...textMembers(names.map((name) => name.toLowerCase()))];
    return [members('trust', 'certificate-name', places, { isSingle: false })];
  },
  jwksUrl: withAnother,
  jwksCaPem: withAnother,
  jwksPairs: withAnother,
  jwtValidationPubkeys: withAnother,
  jwtSupportedAlgs: (role, method) => {
    if (method === undefined) return [];
    const given = method.config.jwtSupportedAlgs ?? [];
    // Measured: for tokens that are presented the default is all that are signed with a private key.
    const byDefault = isTokenRole(role) ? signingAlgorithms : ['RS256'];
    return [members('trust', 'signing-algorithm', textMembers(given.length > 0 ? given : byDefault))];
  },
  // By browser, the issuer is always that of the discovery document.
  boundIssuer: (role, method) => {
    const issuer = method?.config.boundIssuer;
    if (!issuer || !isTokenRole(role)) return [];
    const bound = claim('iss', { asks: 'equal', text: issuer }, 'trust');
    return [{ ...bound, about: { of: 'issuer' } }];
  },
  // At the provider it decides who may use the application.
  oidcClientId: (role, method) => {
    const id = method?.config.oidcClientId;
    if (!id || isTokenRole(role)) return [];
    // packages/core/src/login/id-token.ts: of several audiences, one is the client.
    const ofSeveral = claim('aud', { asks: 'one of several', text: id }, 'trust');
    return [
      members('trust', 'client', textMembers([id])),
      { ...ofSeveral, about: { of: 'several-audiences' } },
    ];
  },
  // Nothing tells one from another, and the provider takes one only. It proves the service, not who signs in.
  oidcClientSecret: () => [],
  providerConfig: directoryConditions,
} as const satisfies Record<Judged, Judge>;

const unassignable: Condition = {
  about: { of: 'policies' },
  part: 'way',
  accepts: { kind: 'claim', at: ['policies'], demand: { asks: 'the impossible' } },
};

type Leeway = 'expirationLeeway' | 'notBeforeLeeway' | 'clockSkewLeeway';

/** By browser, the provider’s token is read at once, with leeways that no field decides (packages/core/src/login/id-token.ts). */
function leewayOf(role: Role, field: Leeway, byDefault: number): Condition[] {
  if (!isTokenRole(role)) return [];
  // 0 and nothing mean the default, anything below 0 none (docs/inside/measured/sign-in.md#leeways).
  const seconds = role[field] || byDefault;
  return [upTo(field, seconds < 0 ? 0 : seconds)];
}

/** A time, or the placeholder of one that a plan hides. */
function upTo(of: RespectName, seconds: Most): Condition {
  if (typeof seconds !== 'number' && seconds !== 'unlimited') return exactly('way', { of }, String(seconds));
  return { about: { of }, accepts: { kind: 'up to', most: seconds }, part: 'way' };
}

/** What a sign-in must fulfill. Without its method, what the method trusts is one thing that is not known. */
export function conditionsOf(role: Role, method: AuthMethod | undefined): Condition[] {
  return Object.values<Judge>(judges).flatMap((judge) => judge(role, method));
}

function audiences(role: Role, method: AuthMethod | undefined): Condition[] {
  const { boundAudiences = [] } = role;
  const isToken = isTokenRole(role);
  if (boundAudiences.length === 0 && isToken) {
    // docs/inside/measured/sign-in.md#jwt-login-in-this-order: a token with an audience is refused by a jwt role that
    // binds none.
    return [{ ...claim('aud', { asks: 'no values' }), about: { of: 'audience' } }];
  }
  const id = method?.config.oidcClientId;
  const bound = boundAudiences.length > 0 || !id ? boundAudiences : [id];
  if (bound.length === 0) return [];
  const part = boundAudiences.length > 0 ? 'bound' : 'trust';
  return [{ ...claim('aud', { asks: 'one of', bound, isGlob: false }, part), about: { of: 'audience' } }];
}

/** The directory's facts about a person count where it is asked, and the role reads them. */
function directoryConditions(role: Role, method: AuthMethod | undefined): Condition[] {
  const given = method?.config.providerConfig;
  // One that is not modeled.
  if (given !== undefined && !['cloud_directory', 'workspace_suite'].includes(given.provider))
    return [exactly('trust', { of: 'provider-config' }, sortedJson(given))];
  const isAsked = method !== undefined && role.groupsClaim;
  // A role that reads no groups is asked for no directory; that the token has the claim, a demand of its own says.
  const isSingle = given?.provider === 'workspace_suite';
  const groups = isAsked ? [members('trust', 'group-source', groupSources(given), { isSingle })] : [];
  if (given?.provider !== 'workspace_suite') return groups;
  const { fetchGroups, fetchUserInfo, groupsRecurseMaxDepth: most, ...directory } = given;
  const reads = role.boundClaims !== undefined || role.claimMappings !== undefined;
  const depth: Condition = {
    about: { of: 'group-depth' },
    part: 'trust',
    accepts: { kind: 'up to', most },
  };
  return [
    ...(isAsked && fetchGroups ? [depth] : []),
    ...groups,
    ...(fetchUserInfo && reads ? [exactly('trust', { of: 'provider-config' }, sortedJson(directory))] : []),
  ];
}

/**
 * Where the keys come from that tokens are verified with. With another CA certificate it is another source: the
 * owner of that certificate can serve keys. By browser, only the provider's own count.
 */
function keySources(role: Role, config: MethodConfig): Member[] {
  const issuer = config.oidcDiscoveryUrl;
  const discovered = issuer === undefined ? [] : [source(issuer, config.oidcDiscoveryCaPem)];
  if (!isTokenRole(role)) return discovered;
  const pairs = (config.jwksPairs ?? []).map(({ jwks_url: url = '', jwks_ca_pem: ca }) => source(url, ca));
  return [
    ...discovered,
    ...(config.jwksUrl === undefined ? [] : [source(config.jwksUrl, config.jwksCaPem)]),
    ...pairs,
    ...(config.jwtValidationPubkeys ?? []).map((pem) => ({
      id: `key ${bare(pem)}`,
      shown: { publicKey: fingerprint(pem) },
    })),
  ];
}

function source(url: string, ca = ''): Member {
  const address = url.replace(/\/+$/, '');
  if (bare(ca) === '') return { id: `at ${address}`, shown: { keysOf: address } };
  return {
    id: `at ${address} by ${bare(ca)}`,
    shown: { keysOf: address, ca: fingerprint(ca) },
  };
}

function bare(pem: string): string {
  return pem.replace(/\s+/g, '');
}

function fingerprint(pem: string): string {
  return `sha256:${sha256Of(bare(pem)).slice(0, 8)}`;
}

/** Where codes of sign-ins may go. On loopback the service takes any port. */
function redirectPlaces(uris: string[]): Member[] {
  return uris.map((text) => {
    const uri = URL.parse(text);
    if (uri !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(uri.hostname)) uri.port = '';
    return { id: uri?.href ?? text, shown: { plain: text } };
  });
}

/** Where the names of a person's groups come from. */
function groupSources(given: ProviderConfig | undefined): Member[] {
  const token: Member = { id: 'token', shown: { is: 'token' } };
  if (given === undefined) return [token];
  // Asked only where the token leaves them out: there are too many of them.
  if (given.provider === 'cloud_directory') return [token, { id: 'cloud', shown: { is: 'cloud-directory' } }];
  // The method puts nothing in place of the token's claim, and then finds none: no one signs in (openbao
  // builtin/credential/jwt/path_login.go, `fetchGroups`).
  if (!given.fetchGroups) return [];
  const { suiteServiceAccount: account, suiteAdminImpersonate: admin } = given;
  return [{ id: JSON.stringify([account, admin]), shown: { directoryOf: `${admin}` } }];
}

function members(
  part: Part,
  of: RespectName,
  all: Member[],
  { isSingle = true, hasNoOrder = false } = {},
): Condition {
  return { about: { of }, accepts: { kind: 'members', members: all, isSingle, hasNoOrder }, part };
}

function exactly(part: Part, about: Respect, value: string): Condition {
  return { about, accepts: { kind: 'exactly', value }, part };
}

export function claim(name: string, demand: Demand, part: Part = 'bound', at = placeOf(name)): Condition {
  // `/sub` is the claim `sub`; a deeper pointer stays one.
  const [first = ''] = at;
  const about = { of: 'claim' as const, claim: at.length > 1 || first.startsWith('/') ? name : first };
  return { about, accepts: { kind: 'claim', at, demand }, part };
}

function textMembers(texts: string[]): Member[] {
  return texts.map((text) => ({ id: text, shown: { text } }));
}

/** Conditions by what they look at: a role may have thousands. */
export class ConditionIndex {
  readonly all: readonly Condition[];
  readonly demands: readonly ClaimDemand[];
  readonly isByToken: boolean;
  /** What is not known, if anything is not. */
  readonly unknown: Condition | undefined;
  readonly #byRespect: ReadonlyMap<string, Condition[]>;
  readonly #demandsByClaim: ReadonlyMap<string, ClaimDemand[]>;

  constructor(all: readonly Condition[]) {
    this.all = all;
    this.demands = all.flatMap(({ accepts }) => (accepts.kind === 'claim' ? [accepts] : []));
    this.#byRespect = Map.groupBy(all, ({ about }) => respectKey(about));
    this.#demandsByClaim = Map.groupBy(this.demands, ({ at }) => at[0] ?? '');
    this.unknown = all.find(({ accepts }) => accepts.kind === 'exactly' && accepts.value === notKnown);
    this.isByToken = this.accepted({ of: 'sign-in' }, 'members')?.members[0]?.id === 'jwt';
  }

  /** What is asked of it. */
  about(respect: Respect): readonly Condition[] {
    return this.#byRespect.get(respectKey(respect)) ?? [];
  }

  /** What is asked of a claim, and of what is in it. */
  demandsOn(claim: string): readonly ClaimDemand[] {
    return this.#demandsByClaim.get(claim) ?? [];
  }

  /** What is accepted in one respect, if that is looked at. */
  accepted<Kind extends Accepted['kind']>(
    respect: Respect,
    kind: Kind,
  ): (Accepted & { kind: Kind }) | undefined {
    const found = this.about(respect).find(({ accepts }) => accepts.kind === kind)?.accepts;
    return found as (Accepted & { kind: Kind }) | undefined;
  }
}
