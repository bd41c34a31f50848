import { placeOf } from '../../login/claims.ts';
import type { AuthMethod, MethodConfig } from '../../model/resources/auth-method.ts';
import type { Role } from '../../model/resources/role.ts';
import { addressBeside, addressRange } from './address-ranges.ts';
import { isTokenRole } from './trust.ts';

/** A provider that anybody can have an account at, or start a job. */
interface PublicIssuer {
  hosts: string[];
  /** Who gets tokens there, in words: workloads, and people by browser. */
  tokens?: string;
  people?: string;
  /**
   * Claims that tell whose a token is. A bound value does if it has no `*`, or begins with this: `acme/*` is somebody's,
   * `acme*` everyone's, for whoever takes the name `acme-too` fits. Everyone can choose what other claims say: a branch,
   * an environment, an audience.
   */
  whose: Record<string, string>;
  /** The path of an issuer that is somebody's in particular. Keys are shared: it counts only where it is bound. */
  own?: RegExp;
  /** Whether an audience is an application's, and not whatever a job asks for. Defaults to false. */
  hasAudiences?: true;
}

const literal = '$never';
const domain = '.*@[^*@]+$';
const accounts = { sub: literal, email: domain, preferred_username: literal, groups: literal };

const publicIssuers: PublicIssuer[] = [
  {
    hosts: ['token.actions.githubusercontent.com'],
    tokens: 'any repository of any owner',
    whose: {
      sub: 'repo(sitory_owner)?:[^/:*]+[/:]',
      repository: '[^/*]+/',
      workflow_ref: '[^/*]+/',
      ...{ repository_id: literal, repository_owner: literal, repository_owner_id: literal },
      ...{ enterprise: literal, enterprise_id: literal, actor: literal, actor_id: literal },
    },
    own: /^\/[^/]+/,
  },
  {
    hosts: ['gitlab.com'],
    tokens: 'any project',
    people: 'everyone with an account',
    whose: {
      ...accounts,
      sub: 'project_path:[^/*]+/',
      project_path: '[^/*]+/',
      namespace_path: '[^/*]+/',
      ci_config_ref_uri: 'gitlab.com/[^/*]+/',
      groups_direct: '[^/*]+/',
      ...{ project_id: literal, namespace_id: literal, nickname: literal },
      ...{ user_id: literal, user_login: literal, user_email: domain },
    },
  },
  {
    hosts: ['app.terraform.io'],
    tokens: 'any project',
    whose: {
      sub: 'organization:[^:*]+:',
      terraform_full_workspace: 'organization:[^:*]+:',
      ...{ terraform_organization_id: literal, terraform_organization_name: literal },
      ...{ terraform_project_id: literal, terraform_workspace_id: literal },
    },
  },
  {
    hosts: ['api.bitbucket.org'],
    tokens: 'any repository of any workspace',
    whose: { sub: '\\{[^}*]+\\}', workspaceUuid: literal, repositoryUuid: literal },
    own: /\/workspaces\/[^/]+/,
  },
  {
    hosts: ['agent.buildkite.com'],
    tokens: 'any pipeline of any organization',
    whose: {
      sub: 'organization:[^:*]+:',
      ...{ organization_slug: literal, organization_id: literal, pipeline_id: literal, cluster_id: literal },
    },
  },
  {
    hosts: ['oidc.circleci.com'],
    tokens: 'any project of any organization',
    whose: { sub: 'org/[^/*]+/', 'oidc.circleci.com/project-id': literal },
    own: /^\/org\/[^/]+/,
  },
  {
    hosts: ['accounts.google.com'],
    tokens: 'everyone with an account',
    people: 'everyone with an account',
    whose: { ...accounts, hd: literal },
  },
  {
    hosts: ['login.microsoftonline.com', 'sts.windows.net'],
    tokens: 'any application of any tenant',
    people: 'everyone with an account',
    // Names and addresses of people are what their own tenant says.
    whose: { sub: literal, oid: literal, tid: literal, groups: literal },
    own: /^\/(?!(common|organizations|consumers)(\/|$))[^/]+/,
    hasAudiences: true,
  },
  {
    hosts: ['slack.com', 'www.linkedin.com', 'appleid.apple.com'],
    people: 'everyone with an account',
    whose: { ...accounts, 'https://slack.com/team_id': literal },
  },
];

/** Whether anybody can have tokens of an issuer, or an account there. */
export function isPublicIssuer(url: string): boolean {
  return issuersAt([url]).length > 0;
}

function issuersAt(urls: (string | undefined)[]): { issuer: PublicIssuer; host: string }[] {
  return urls.flatMap((url) => {
    const host = URL.parse(url ?? '')?.hostname ?? '';
    const issuer = publicIssuers.find(({ hosts }) => hosts.includes(host));
    return issuer === undefined ? [] : [{ issuer, host }];
  });
}

/**
 * Whether anybody in the world can join, and why, in words: `any repository of any owner at …`, `everyone with an account
 * at …`; undefined where not.
 */
export function openToInternet(role: Role, method: AuthMethod | undefined): string | undefined {
  if (method === undefined || isBoundToAddresses(role)) return undefined;
  const { config } = method;
  const unsafe = config.jwtSupportedAlgs?.find((name) => /^(none|HS\d*)$/i.test(name));
  if (isTokenRole(role) && unsafe !== undefined)
    return `anyone: the signing algorithm ${JSON.stringify(unsafe)} does not prove who made a token`;
  const found = issuersAt(trusted(role, config)).find(({ issuer }) => isOpen(issuer, role, config));
  if (found === undefined) return undefined;
  const { tokens, people = 'everyone with an account' } = found.issuer;
  return `${isTokenRole(role) ? (tokens ?? people) : people} at ${found.host}`;
}

/** Addresses that say whose tokens are let in. */
function trusted(role: Role, { oidcDiscoveryUrl, jwksUrl, jwksPairs = [], boundIssuer }: MethodConfig) {
  if (!isTokenRole(role)) return [oidcDiscoveryUrl];
  return [boundIssuer, oidcDiscoveryUrl, jwksUrl, ...jwksPairs.map(({ jwks_url }) => jwks_url)];
}

function isOpen({ whose, own, hasAudiences }: PublicIssuer, role: Role, config: MethodConfig): boolean {
  const issuer = isTokenRole(role) ? config.boundIssuer : config.oidcDiscoveryUrl;
  if (own?.test(URL.parse(issuer ?? '')?.pathname ?? '')) return false;
  if (role.boundSubject || (hasAudiences && isTokenRole(role) && role.boundAudiences?.length)) return false;
  return !Object.entries(role.boundClaims ?? {}).some(([name, bound]) => {
    const [claim = '', ...deeper] = placeOf(name);
    const begins = deeper.length === 0 && Object.hasOwn(whose, claim) ? whose[claim] : undefined;
    if (begins === undefined) return false;
    const isSomebodys = (value: unknown) =>
      role.boundClaimsType !== 'glob' ||
      !String(value).includes('*') ||
      new RegExp(`^(?:${begins})`).test(String(value));
    return [bound].flat().every(isSomebodys);
  });
}

function isBoundToAddresses({ tokenBoundCidrs = [] }: Role): boolean {
  const whole = addressRange('0.0.0.0/0');
  const ranges = tokenBoundCidrs.flatMap((cidr) => addressRange(cidr) ?? []);
  return tokenBoundCidrs.length > 0 && (whole === undefined || addressBeside(ranges, [whole]) !== undefined);
}

/**
 * `everyone known to id.example.com` and the like; undefined where something that a person or workload has is asked for.
 * An audience is the application's, but for workloads.
 */
export function openToProvider(role: Role, method: AuthMethod | undefined): string | undefined {
  const { boundSubject, boundAudiences, boundClaims = {}, tokenBoundCidrs } = role;
  const isToken = isTokenRole(role);
  if (boundSubject || tokenBoundCidrs?.length || (isToken && boundAudiences?.length)) return undefined;
  const isAny = (bound: unknown) =>
    role.boundClaimsType === 'glob' && [bound].flat().some((one) => /^\*+$/.test(String(one)));
  if (!Object.values(boundClaims).every(isAny)) return undefined;
  const [host] = trusted(role, method?.config ?? {}).flatMap((url) => URL.parse(url ?? '')?.hostname ?? []);
  return `everyone ${isToken ? 'with a token of' : 'known to'} ${host ?? 'the provider'}`;
}
