import { baseSetting, matchIssuer } from '../../packages/core/src/graph/kinds/kind.ts';
import { kindById, type ProviderKind, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { keycloakClient, personOf } from './keycloak-realm.ts';
import type { Keycloak } from './keycloak-server.ts';

/** The kinds that people sign in through. */
export const kindsForPeople = providerKinds.filter((kind) => kindById(kind).methodType === 'oidc');

/** What a team declares besides what the URL of a realm tells. */
const asked: Partial<Record<ProviderKind, object>> = {
  hosted_identity_platform: { groupsClaim: kindById('hosted_identity_platform').groupsClaim },
  access_management_suite: { scopes: ['profile', 'email'] },
  workspace_suite: { hostedDomain: 'example.com' },
  // Only the issuer of the organization's own server has no path that Keycloak cannot have.
  enterprise_identity_provider: { authorizationServer: 'org' },
  oidc: { audiences: ['secrets'] },
};

/**
 * The realm of a kind. Keycloak's issuers end in `/realms/<name>`: a name from the kind's own issuer makes the two alike as far
 * as that goes, `…/<tenant>/v2.0`, `…/oauth2`.
 */
function realmOf(kind: ProviderKind): string {
  const last = kindById(kind).issuer.split('/').at(-1) ?? '';
  return last.startsWith('<') ? kind : last;
}

/** The name that a kind's tokens have for the group of administrators; undefined where they name no groups. */
function groupOf(kind: ProviderKind): string | undefined {
  const { groupsClaim = 'groups', embedded } = kindById(kind);
  if (embedded?.claims?.includes(groupsClaim) === false) return undefined;
  return hasFullPaths(kind) ? '/platform/admins' : nameOf(kind);
}
const hasFullPaths = (kind: ProviderKind) => kind === 'open_source_identity_server';
const nameOf = (kind: ProviderKind) => kindById(kind).embedded?.groupIds?.['admins'] ?? 'admins';

/** What a team declares to have people sign in through the realm of a kind. */
export function providerOf({ address }: Keycloak, kind: ProviderKind): Record<string, unknown> {
  const alias = groupOf(kind);
  const { issuer } = kindById(kind);
  const url = `${address}/realms/${realmOf(kind)}`;
  return {
    kind,
    name: kind,
    ...(matchIssuer(issuer, url) ?? { [baseSetting(issuer)]: url }),
    ...asked[kind],
    clientId: keycloakClient.clientId,
    defaultRole: 'reader',
    roles: [{ name: 'reader', policies: ['secrets-read'], ttl: '10m' }],
    ...(alias && { groups: [{ name: `${kind}-admins`, policies: ['secrets-admin'], alias }] }),
  };
}

/**
 * Makes the realm of a kind: ada, of the groups of administrators and `everybody`, and bob, of `everybody`. Tokens carry
 * what the kind's do, whatever the scope; `profile` and `email` have to be asked for, unless that is Keycloak's own.
 */
export async function createRealmOf(keycloak: Keycloak, kind: ProviderKind): Promise<void> {
  const realm = realmOf(kind);
  const admins = { name: nameOf(kind) };
  await keycloak.admin('POST', '', {
    realm,
    enabled: true,
    groups: [{ name: 'platform', subGroups: [admins] }, { name: 'everybody' }],
    users: [
      personOf('ada', 'Ada', [`/platform/${admins.name}`, '/everybody']),
      personOf('bob', 'Bob', ['/everybody']),
    ],
  });
  const scopes = otherScopesOf(keycloak, kind);
  for (const name of scopes) {
    await keycloak.admin('POST', `/${realm}/client-scopes`, { name, protocol: 'openid-connect' });
  }
  const { groupsClaim = 'groups', embedded } = kindById(kind);
  const claims = embedded?.claims ?? [groupsClaim];
  const isItself = kind === 'open_source_identity_server';
  await keycloak.admin('POST', `/${realm}/clients`, {
    clientId: keycloakClient.clientId,
    secret: keycloakClient.clientSecret,
    protocol: 'openid-connect',
    publicClient: false,
    standardFlowEnabled: true,
    redirectUris: [keycloakClient.redirectUri],
    ...(!isItself && {
      defaultClientScopes: ['basic'],
      optionalClientScopes: ['profile', 'email', ...scopes],
    }),
    protocolMappers: [
      ...(isItself ? [groupsClaim] : claims).map((claim) => mapperOf(claim, kind)),
      ...(kind === 'oidc'
        ? [mapper('audience', 'oidc-audience-mapper', { 'included.custom.audience': 'secrets' })]
        : []),
    ],
  });
}

/** Scopes that roles of a kind ask for, and Keycloak does not have by itself. */
function otherScopesOf(keycloak: Keycloak, kind: ProviderKind): string[] {
  const { settings, role } = kindById(kind);
  const given = settings.parse(providerOf(keycloak, kind));
  const { oidcScopes = [] } = given.roles[0] === undefined ? {} : role(given, given.roles[0]);
  return oidcScopes.filter((scope) => !['openid', 'profile', 'email'].includes(scope));
}

/** What puts a claim into the tokens of a client. */
function mapperOf(claim: string, kind: ProviderKind): object {
  // Dots would nest it.
  const named = { 'claim.name': claim.replaceAll('.', '\\.'), 'jsonType.label': 'String' };
  const attribute = (name: string) =>
    mapper(claim, 'oidc-usermodel-attribute-mapper', { ...named, 'user.attribute': name });
  switch (claim) {
    case 'hd':
      return mapper(claim, 'oidc-hardcoded-claim-mapper', { ...named, 'claim.value': 'example.com' });
    case 'email':
      return attribute('email');
    case 'name':
      return mapper(claim, 'oidc-full-name-mapper', {});
    case 'nickname':
    case 'preferred_username':
      return attribute('username');
    default: {
      const config = { ...named, 'full.path': String(hasFullPaths(kind)) };
      return mapper(claim, 'oidc-group-membership-mapper', config);
    }
  }
}

function mapper(name: string, protocolMapper: string, config: Record<string, string>): object {
  return {
    name,
    protocol: 'openid-connect',
    protocolMapper,
    config: { ...config, 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
  };
}
