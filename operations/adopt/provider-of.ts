import { canonicalMethod, canonicalRole } from '../../core/model/canonical.ts';
import { declareProvider } from '../../core/model/declared.ts';
import type { Service } from '../../core/model/environment.ts';
import type { ProviderSettings } from '../../core/model/kinds/kind.ts';
import { kinds } from '../../core/model/kinds/kinds.ts';
import type { AuthMethod } from '../../core/model/resources/auth-method.ts';
import { isSame } from '../../core/model/resources/field.ts';
import type { Role } from '../../core/model/resources/role.ts';
import type { State } from '../../core/model/state.ts';

/** A provider as it is written into an environment. */
export interface WrittenProvider extends Record<string, unknown> {
  kind: keyof typeof kinds;
  name: string;
  roles?: Record<string, unknown>[];
}

/** Undefined, with why, where no provider kind comes to what the service has. */
export type ProviderOf = { provider: WrittenProvider; leftRoles: string[] } | { why: string };

/**
 * The provider that comes to an auth method as it is: the kind whose issuers look like the method's, its settings, and
 * in each role just what the kind does not give by itself. It is worked out forwards again, and compared.
 */
export function providerOf(method: AuthMethod, state: State, service: Service): ProviderOf {
  const roles = state.roles.filter((role) => role.method === method.path);
  const groups = state.aliases
    .filter((alias) => alias.method === method.path)
    .flatMap((alias) => {
      const group = state.groups.find(({ name }) => name === alias.group);
      return group === undefined ? [] : [{ ...group, alias: alias.name }];
    });
  const name = method.path.replace(/[^\w-]+/g, '-');
  const shared = {
    name,
    ...(name === method.path ? {} : { path: method.path }),
    ...(method.description === undefined ? {} : { description: method.description }),
    ...(method.tune === undefined ? {} : { tune: method.tune }),
    ...(method.config.defaultRole === undefined ? {} : { defaultRole: method.config.defaultRole }),
    ...(groups.length === 0 ? {} : { groups }),
  };
  const own = kindSettings(method, roles);
  const written: WrittenProvider = { ...own, ...shared };
  const bare = declared(written, service);
  if (bare === undefined || !isSame(canonicalMethod(bare.method), canonicalMethod(method))) {
    return {
      why: 'no provider kind comes to this method: its issuer, keys or settings are of another shape',
    };
  }
  const leftRoles: string[] = [];
  const entries = roles.flatMap((role) => {
    const entry = roleEntry(role, written, service);
    if (entry === undefined) leftRoles.push(role.name);
    return entry === undefined ? [] : [entry];
  });
  return { provider: entries.length === 0 ? written : { ...written, roles: entries }, leftRoles };
}

/** What an administrator of the provider would have in hand, by the shape of the issuer. */
function kindSettings(
  { type, config }: AuthMethod,
  roles: Role[],
): { kind: WrittenProvider['kind'] } & Record<string, unknown> {
  const { oidcDiscoveryUrl: url = '', providerConfig, boundIssuer, oidcDiscoveryCaPem } = config;
  if (type === 'jwt') {
    const keys = config.jwtValidationPubkeys;
    const issuer = boundIssuer ?? config.oidcDiscoveryUrl;
    return {
      kind: 'container_orchestrator',
      ...(issuer === undefined ? {} : { issuer }),
      ...(keys === undefined ? {} : { publicKeys: keys }),
      ...(url !== '' && url !== issuer ? { discoveryUrl: url } : {}),
      ...(oidcDiscoveryCaPem === undefined ? {} : { caPem: oidcDiscoveryCaPem }),
    };
  }
  const people = {
    clientId: config.oidcClientId,
    ...(config.oidcResponseMode === undefined ? {} : { oidcResponseMode: config.oidcResponseMode }),
  };
  if (providerConfig?.provider === 'workspace_suite' || url === 'https://accounts.google.com') {
    const { suiteAdminImpersonate, ...lookUp } =
      providerConfig?.provider === 'workspace_suite' ? providerConfig : { suiteAdminImpersonate: undefined };
    const {
      provider: _provider,
      suiteServiceAccount: _account,
      ...fetched
    } = lookUp as Record<string, unknown>;
    return {
      kind: 'workspace_suite',
      ...people,
      authority: url,
      ...(suiteAdminImpersonate === undefined
        ? {}
        : { directory: { adminImpersonate: suiteAdminImpersonate, ...fetched } }),
    };
  }
  const [, realmAuthority, realm] = /^(.+)\/realms\/([^/]+)$/.exec(url) ?? [];
  if (realm !== undefined)
    return { kind: 'open_source_identity_server', ...people, authority: realmAuthority, realm };
  const [, organization, authorizationServer] = /^(.+)\/oauth2\/([\w-]+)$/.exec(url) ?? [];
  if (organization !== undefined) {
    return { kind: 'enterprise_identity_provider', ...people, authority: organization, authorizationServer };
  }
  const [, suite] = /^(.+)\/oauth2$/.exec(url) ?? [];
  if (suite !== undefined) {
    const scopes = roles.find(({ oidcScopes }) => oidcScopes?.length)?.oidcScopes ?? ['profile'];
    return { kind: 'access_management_suite', ...people, authority: suite, scopes };
  }
  const [, directory, tenantId] = /^(.+)\/([\w.-]+)\/v2\.0$/.exec(url) ?? [];
  if (directory !== undefined) {
    const manyGroups = providerConfig?.provider === 'cloud_directory' ? { manyGroups: true } : {};
    return { kind: 'cloud_directory', ...people, authority: directory, tenantId, ...manyGroups };
  }
  if (config.jwtSupportedAlgs?.join() === 'RS256') {
    // Its groups claim has no default; the roles say theirs themselves.
    const groupsClaim = roles.find((role) => role.groupsClaim)?.groupsClaim;
    return {
      kind: 'hosted_identity_platform',
      ...people,
      authority: url,
      ...(groupsClaim && { groupsClaim }),
    };
  }
  return { kind: 'source_hosting', ...people, authority: url };
}

/** Just what the kind does not give by itself; undefined where no entry comes to the role. */
function roleEntry(
  role: Role,
  provider: WrittenProvider,
  service: Service,
): Record<string, unknown> | undefined {
  const { method: _method, roleType: _type, ...fields } = role;
  const [, namespace, serviceAccount] =
    /^system:serviceaccount:([^:]+):([^:]+)$/.exec(role.boundSubject ?? '') ?? [];
  const isWorkload = provider.kind === 'container_orchestrator';
  if (isWorkload && serviceAccount === undefined) return undefined;
  const identity = { name: role.name, ...(isWorkload ? { namespace, serviceAccount } : {}) };
  const wanted = canonicalRole(role);
  const comesTo = (entry: Record<string, unknown>) =>
    declared({ ...provider, roles: [entry] }, service)?.roles.map(canonicalRole)[0];
  // A minimal entry may lack what makes the whole valid: then everything is said.
  const given = comesTo({ ...identity, ...fields }) ?? {};
  const byKind = comesTo(identity) ?? {};
  const entry: Record<string, unknown> = { ...identity };
  for (const name of Object.keys(wanted)) {
    if (!isSame(byKind[name], wanted[name])) entry[name] = fields[name as keyof typeof fields];
  }
  for (const [name, value] of Object.entries({ ...given, ...byKind })) {
    if (!(name in wanted)) entry[name] = emptyOf(value);
  }
  return isSame(comesTo(entry), wanted) ? entry : undefined;
}

/** What says that a field is not set, where the kind would set it. */
function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return {};
  return typeof value === 'string' ? '' : typeof value === 'number' ? 0 : false;
}

function declared(written: Record<string, unknown>, service: Service) {
  const kind = kinds[written['kind'] as keyof typeof kinds];
  const parsed = kind.settings.safeParse(written);
  return parsed.success ? declareProvider(parsed.data as ProviderSettings, service) : undefined;
}
