import { personalAccounts } from '../../graph/kinds/cloud-directory.ts';
import type { SharedIssuer } from '../../graph/kinds/kind.ts';
import { kindById, providerKinds } from '../../graph/kinds/kinds.ts';
import { type SubjectForm, tellsWhoseSubject } from '../../graph/kinds/subject-form.ts';
import type { AuthMethod, MethodConfig } from '../../graph/resources/auth-method.ts';
import { isSame } from '../../graph/resources/field.ts';
import type { Role } from '../../graph/resources/role.ts';
import { addressRange } from '../../graph/values/address-range.ts';
import { placeOf } from '../../login/claims.ts';
import { addressOutside } from './address-ranges.ts';
import { boundSubjects } from './bound-subjects.ts';
import { isTokenRole } from './conditions.ts';

/** Who can come by tokens of a provider where anyone can: `named` is what its kind calls them. */
export type Everyone = 'accounts' | 'applications' | { named: string };

/** Who can sign in: everyone at a host; or anyone at all, as an algorithm proves nothing. */
export type OpenSignIn =
  | { kind: 'everyone'; who: Everyone; host: string }
  | { kind: 'unproven'; algorithm: string };

/** A provider where anyone can have an account or start a job. */
interface PublicIssuer
  extends Pick<SharedIssuer, 'hosts' | 'whose' | 'own'>,
    Partial<Pick<SharedIssuer, 'subject'>> {
  /** Who gets tokens there: workloads, and people by browser. */
  tokens?: Everyone;
  people?: Everyone;
  /** Whether an audience is an application's, and not whatever a job asks for. Defaults to false. */
  hasAudiences?: true;
}

const literal = '$never';
const domain = '.*@[^*@]+$';
const accounts = { sub: literal, email: domain, preferred_username: literal, groups: literal };

const publicIssuers: PublicIssuer[] = [
  ...providerKinds.flatMap((kind) => {
    const { shared } = kindById(kind);
    return shared === undefined ? [] : [{ ...shared, tokens: { named: shared.tokens } }];
  }),
  {
    hosts: ['gitlab.com'],
    people: 'accounts',
    whose: { ...accounts, groups_direct: '[^/*]+/', nickname: literal },
  },
  {
    hosts: ['accounts.google.com'],
    tokens: 'accounts',
    people: 'accounts',
    whose: { ...accounts, hd: literal },
  },
  {
    hosts: ['login.microsoftonline.com', 'sts.windows.net'],
    tokens: 'applications',
    people: 'accounts',
    // Names and addresses of people are what their own tenant says.
    whose: { sub: literal, oid: literal, tid: literal, groups: literal },
    own: new RegExp(`^/(?!(common|organizations|consumers|${personalAccounts})(/|$))[^/]+`, 'i'),
    hasAudiences: true,
  },
  {
    hosts: ['slack.com', 'www.linkedin.com', 'appleid.apple.com'],
    people: 'accounts',
    whose: { ...accounts, 'https://slack.com/team_id': literal },
  },
];

/** Whether a role takes tokens, or people, of an issuer where anyone can have one, or an account. */
export function trustsPublicIssuer(role: Role, { config }: AuthMethod): boolean {
  return issuersAt(trusted(role, config), isTokenRole(role) ? 'tokens' : 'people').length > 0;
}

/** What is known of the issuers at these addresses: of their tokens, or of the people who sign in there by browser. */
function issuersAt(
  urls: (string | undefined)[],
  by: 'tokens' | 'people',
): { issuer: PublicIssuer; host: string }[] {
  return urls.flatMap((url) => {
    // The dot that ends a complete name is no part of it.
    const host = (URL.parse(url ?? '')?.hostname ?? '').replace(/\.$/, '');
    const known = publicIssuers.filter(({ hosts }) => hosts.includes(host));
    const issuer = known.find((one) => one[by] !== undefined) ?? known[0];
    return issuer === undefined ? [] : [{ issuer, host }];
  });
}

/**
 * Who of the world can sign in; undefined where something that not everyone has is asked for.
 */
export function openToInternet(role: Role, method: AuthMethod | undefined): OpenSignIn | undefined {
  if (method === undefined || isBoundToAddresses(role)) return undefined;
  const { config } = method;
  const unsafe = config.jwtSupportedAlgs?.find((name) => /^(none|HS\d*)$/i.test(name));
  if (isTokenRole(role) && unsafe !== undefined) return { kind: 'unproven', algorithm: unsafe };
  const by = isTokenRole(role) ? 'tokens' : 'people';
  const found = issuersAt(trusted(role, config), by).find(({ issuer }) => isOpen(issuer, role, config));
  if (found === undefined) return undefined;
  const { tokens, people = 'accounts' } = found.issuer;
  return { kind: 'everyone', who: isTokenRole(role) ? (tokens ?? people) : people, host: found.host };
}

/** Addresses that say whose tokens are let in. */
function trusted(role: Role, { oidcDiscoveryUrl, jwksUrl, jwksPairs = [], boundIssuer }: MethodConfig) {
  if (!isTokenRole(role)) return [oidcDiscoveryUrl];
  return [boundIssuer, oidcDiscoveryUrl, jwksUrl, ...jwksPairs.map(({ jwks_url }) => jwks_url)];
}

function isOpen(
  { whose, subject, own, hasAudiences }: PublicIssuer,
  role: Role,
  config: MethodConfig,
): boolean {
  const issuer = isTokenRole(role) ? config.boundIssuer : config.oidcDiscoveryUrl;
  if (own?.test(URL.parse(issuer ?? '')?.pathname ?? '')) return false;
  if (hasAudiences && isTokenRole(role) && role.boundAudiences?.length) return false;
  return !tellsWhose(role, whose, subject);
}

/** Whether a role takes the tokens of one owner only, by its subject and by the claims that tell whose a token is. */
export function tellsWhose(role: Role, whose: SharedIssuer['whose'], subject?: SubjectForm): boolean {
  if (subject === undefined ? role.boundSubject : tellsBySubject(role, subject)) return true;
  return Object.entries(role.boundClaims ?? {}).some(([name, bound]) => {
    const place = placeOf(name);
    const begins = Object.entries(whose).find(([claim]) => isSame(placeOf(claim), place))?.[1];
    if (begins === undefined) return false;
    const isSomebodys = (value: unknown) =>
      role.boundClaimsType !== 'glob' ||
      !String(value).includes('*') ||
      new RegExp(`^(?:${begins})`).test(String(value));
    return [bound].flat().every(isSomebodys);
  });
}

function tellsBySubject(role: Role, form: SubjectForm): boolean {
  return boundSubjects(role).some((all) => all.every((bound) => tellsWhoseSubject(form, bound)));
}

function isBoundToAddresses({ tokenBoundCidrs = [] }: Role): boolean {
  const whole = addressRange('0.0.0.0/0');
  const ranges = tokenBoundCidrs.flatMap((cidr) => addressRange(cidr) ?? []);
  return tokenBoundCidrs.length > 0 && (whole === undefined || addressOutside(ranges, [whole]) !== undefined);
}

/**
 * What everyone has who can sign in; undefined where something else that a person or workload has is asked for.
 * An audience is the application's, but for workloads.
 */
export function openToProvider(
  role: Role,
  method: AuthMethod | undefined,
): { by: 'token' | 'account'; host?: string } | undefined {
  const { boundSubject, boundAudiences, boundClaims = {}, tokenBoundCidrs } = role;
  const isToken = isTokenRole(role);
  if (boundSubject || tokenBoundCidrs?.length || (isToken && boundAudiences?.length)) return undefined;
  const isAny = (bound: unknown) =>
    role.boundClaimsType === 'glob' && [bound].flat().some((one) => /^\*+$/.test(String(one)));
  if (!Object.values(boundClaims).every(isAny)) return undefined;
  const [host] = trusted(role, method?.config ?? {}).flatMap((url) => URL.parse(url ?? '')?.hostname ?? []);
  return { by: isToken ? 'token' : 'account', ...(host !== undefined && { host }) };
}
