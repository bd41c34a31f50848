import { cloudDirectory, graphScopeOf } from '../../graph/kinds/cloud-directory.ts';
import { containerOrchestrator, mountedTokenSeconds } from '../../graph/kinds/container-orchestrator.ts';
import {
  defaultServer,
  enterpriseIdentityProvider,
  isOrganization,
} from '../../graph/kinds/enterprise-identity-provider.ts';
import { hostedIdentityPlatform, signingAlgorithm } from '../../graph/kinds/hosted-identity-platform.ts';
import { matchIssuer } from '../../graph/kinds/kind.ts';
import { openSourceIdentityServer } from '../../graph/kinds/open-source-identity-server.ts';
import { sourceHosting } from '../../graph/kinds/source-hosting.ts';
import { delegatedScopes, workspaceSuite } from '../../graph/kinds/workspace-suite.ts';
import type { MethodConfig } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { aliasSubject } from '../../graph/subject.ts';
import { formatDuration } from '../../graph/values/duration.ts';
import { limits } from '../../graph/values/limits.ts';
import { uuid } from '../../graph/values/uuid.ts';
import { placeOf } from '../../login/claims.ts';
import { type GraphRule, methodRule, partRule, roleRule } from './rule.ts';

const suiteIn = ({ providerConfig }: MethodConfig) =>
  providerConfig?.provider === workspaceSuite.kind ? providerConfig : undefined;

/** The two scopes that may be delegated, and what a sign-in asks for anyway. */
const suiteScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  ...['email', 'profile'].map((name) => `https://www.googleapis.com/auth/userinfo.${name}`),
  ...delegatedScopes,
];
const furtherScopes = ({ oidcScopes = [] }: Role) =>
  oidcScopes.filter((scope) => !suiteScopes.includes(scope));

/** Rules over methods of a workspace suite. */
export const workspaceSuiteRules: GraphRule[] = [
  roleRule({
    id: 'workspace-groups-not-fetched',
    severity: 'error',
    about: 'Workspace suite: a role that reads groups although the service does not fetch them.',
    field: 'groupsClaim',
    kind: workspaceSuite.kind,
    isWrong: ({ groupsClaim }, { config }) => groupsClaim && !suiteIn(config)?.fetchGroups,
    message:
      'The role reads groups, and Google leaves them out of tokens. Without fetch_groups every sign-in fails with “claim not found in token”.',
    fix: 'Set fetchGroups (directory.fetchGroups in an environment), or remove groupsClaim.',
  }),
  roleRule({
    id: 'workspace-user-claim',
    severity: 'error',
    about: 'Workspace suite: groups or user info fetched by a claim other than sub and email.',
    field: 'userClaim',
    isWrong({ userClaim }, { config }) {
      const { fetchGroups, fetchUserInfo } = suiteIn(config) ?? {};
      return (fetchGroups || fetchUserInfo) && !['sub', 'email'].includes(userClaim);
    },
    message: ({ userClaim }) =>
      `The service looks up groups and user info by the user claim. Google knows no ${JSON.stringify(userClaim)}, so the queries fail.`,
    fix: 'Set userClaim to sub or email.',
  }),
  methodRule({
    id: 'workspace-user-info',
    severity: 'error',
    about: 'Workspace suite: user info fetched without a custom schema.',
    field: 'providerConfig',
    isWrong({ config }) {
      const { fetchUserInfo, userCustomSchemas } = suiteIn(config) ?? {};
      return fetchUserInfo && !userCustomSchemas?.length;
    },
    message:
      'fetch_user_info is on and user_custom_schemas names no schema. The service refuses the configuration.',
    fix: 'Name the custom schemas, or turn off fetch_user_info.',
  }),
  roleRule({
    id: 'workspace-scopes',
    severity: 'warning',
    about: 'Workspace suite: scopes beyond the two read-only directory scopes.',
    field: 'oidcScopes',
    kind: workspaceSuite.kind,
    isWrong: (role) => furtherScopes(role).length > 0,
    message: (role) =>
      `The role asks people for more than a sign-in needs: ${furtherScopes(role).join(', ')}. Least privilege allows only the read-only group and user scopes.`,
    fix: 'Ask for profile and email, and leave the directory to the service account.',
  }),
];

/** Rules over methods of a cloud directory. */
export const cloudDirectoryRules: GraphRule[] = [
  partRule(
    {
      id: 'directory-alias-not-object-id',
      severity: 'error',
      about:
        'Cloud directory: a group alias that is not the object id of a group, where roles read the claim `groups`.',
      kind: cloudDirectory.kind,
      // Any other claim, such as `roles` of app roles, has values of the application's own.
      isWrong: ({ name }, { roles }) =>
        !uuid.test(name) && !roles.some((role) => role.groupsClaim && !readsDirectoryGroups(role)),
      message: 'The alias is not an object id. Entra names groups by object id, so no one becomes a member.',
      fix: 'Use the group’s object id, or set groupsClaim: roles on the role if it is an app role.',
    },
    ({ aliases }) => aliases.map((part) => ({ part, path: part.method, subject: () => aliasSubject(part) })),
  ),
  methodRule({
    id: 'directory-discovery-url',
    severity: 'error',
    about: 'Cloud directory: a discovery URL that does not end in `/v2.0`.',
    field: 'oidcDiscoveryUrl',
    kind: cloudDirectory.kind,
    isWrong: ({ config }) => isOtherUrl(config, cloudDirectory.issuer),
    message: 'The URL does not end in /v2.0, and Entra’s issuer does. The service refuses the configuration.',
    fix: `Use ${cloudDirectory.issuer}, without a slash at the end.`,
  }),
  roleRule({
    id: 'directory-scope',
    severity: 'error',
    about: 'Cloud directory: a role that reads groups without the required scope.',
    field: 'oidcScopes',
    kind: cloudDirectory.kind,
    isWrong: (role, { config: { providerConfig } }) =>
      readsDirectoryGroups(role) &&
      !(role.oidcScopes ?? []).some((scope) =>
        providerConfig ? scope === 'profile' : scope.endsWith('/.default'),
      ),
    message: (_, { config: { providerConfig } }) =>
      providerConfig
        ? 'The role does not ask for the scope profile. The service needs it to get groups from Entra.'
        : 'The role reads groups and does not ask for the default scope of the graph API. Tokens may lack groups, and the sign-in fails.',
    fix: (_, { config: { providerConfig, oidcDiscoveryUrl = '' } }) =>
      `Set oidcScopes: [${providerConfig ? 'profile' : JSON.stringify(graphScopeOf(oidcDiscoveryUrl))}].`,
  }),
  methodRule({
    id: 'directory-many-groups',
    // The specification's own first step is without it, so no more than a word.
    severity: 'info',
    about: 'Cloud directory: groups read from tokens, which hold 200 at most.',
    field: 'providerConfig',
    kind: cloudDirectory.kind,
    isWrong: ({ config: { providerConfig } }, { roles }) =>
      providerConfig === undefined && roles.some(readsDirectoryGroups),
    message: `Entra omits groups for people in more than ${limits.cloudDirectoryGroups}. They cannot sign in.`,
    fix: 'If that can happen, set manyGroups: true and grant the delegated directory read-all permission of the graph API.',
  }),
];

/** Rules over methods of the kinds that have only a few. */
export const otherKindRules: GraphRule[] = [
  methodRule({
    id: 'realm-url',
    severity: 'error',
    about: 'Open-source identity server: a discovery URL that is not a realm.',
    field: 'oidcDiscoveryUrl',
    kind: openSourceIdentityServer.kind,
    isWrong: ({ config }) => isOtherUrl(config, openSourceIdentityServer.issuer),
    message: 'The URL is not a realm. Each realm is an issuer, so the service discovers nothing there.',
    fix: `Use ${openSourceIdentityServer.issuer}.`,
  }),
  roleRule({
    id: 'empty-groups-claim',
    severity: 'warning',
    about: 'Open-source identity server: tokens of people without a group have no groups claim.',
    field: 'groupsClaim',
    kind: openSourceIdentityServer.kind,
    isWrong: ({ groupsClaim }) => groupsClaim,
    message:
      'Keycloak leaves out an empty groups claim. People in no group cannot sign in (“claim not found in token”).',
    fix: 'Give everyone a group at Keycloak, or add a role without groupsClaim for people without one.',
  }),
  roleRule({
    id: 'default-server-audience',
    severity: 'error',
    about: 'Enterprise identity provider: the default authorization server without its audience.',
    field: 'boundAudiences',
    kind: enterpriseIdentityProvider.kind,
    isWrong({ boundAudiences }, { config: { oidcDiscoveryUrl = '' } }) {
      const issuer = matchIssuer(enterpriseIdentityProvider.issuer, oidcDiscoveryUrl.replace(/\/$/, ''));
      return issuer?.['authorizationServer'] === defaultServer.name && !boundAudiences?.length;
    },
    message:
      'The role does not bind the audience of the default authorization server. Its tokens are made for that audience, not for the client.',
    fix: `Set boundAudiences to [${defaultServer.audience}] and the client id.`,
  }),
  roleRule({
    id: 'enterprise-profile-scope',
    severity: 'warning',
    about: 'Enterprise identity provider: a role that does not ask for the scope `profile`.',
    field: 'oidcScopes',
    kind: enterpriseIdentityProvider.kind,
    isWrong: (role) => lacksScope(role, 'profile'),
    message: 'The role does not ask for the scope profile. Okta leaves out names and groups in this token.',
    fix: 'Add profile to oidcScopes.',
  }),
  roleRule({
    id: 'enterprise-groups-scope',
    severity: 'warning',
    about:
      'Enterprise identity provider: a role that reads groups of the organization’s own server, without the scope `groups`.',
    field: 'oidcScopes',
    kind: enterpriseIdentityProvider.kind,
    isWrong: ({ groupsClaim, oidcScopes = [] }, { config: { oidcDiscoveryUrl = '' } }) =>
      isOrganization(oidcDiscoveryUrl) && groupsClaim && !oidcScopes.includes('groups'),
    message:
      'The role does not ask for the scope groups. Okta leaves out groups in this token, and the sign-in fails.',
    fix: 'Add groups to oidcScopes, or remove groupsClaim.',
  }),
  methodRule({
    id: 'hosted-algorithm',
    severity: 'error',
    about: 'Hosted identity platform: signatures other than RS256.',
    field: 'jwtSupportedAlgs',
    kind: hostedIdentityPlatform.kind,
    isWrong: ({ config: { jwtSupportedAlgs: algorithms } }) =>
      algorithms?.length && !algorithms.includes(signingAlgorithm),
    message:
      'The method does not accept RS256, and the Auth0 application signs with it. Every sign-in fails.',
    fix: 'Set the application’s signing algorithm to RS256, and jwtSupportedAlgs: [RS256].',
  }),
  roleRule({
    id: 'hosted-groups-claim',
    severity: 'error',
    about: 'Hosted identity platform: a groups claim that the platform reserves.',
    field: 'groupsClaim',
    kind: hostedIdentityPlatform.kind,
    isWrong: ({ groupsClaim }) => groupsClaim && isRestrictedClaim(claimIn(groupsClaim)),
    message: ({ groupsClaim }) =>
      `Auth0 reserves the claim ${JSON.stringify(groupsClaim)} and drops it from custom claims. The token lacks it, and every sign-in fails.`,
    fix: 'Set another claim in an Auth0 Action, for example https://example.com/groups, and name it here.',
  }),
  roleRule({
    id: 'source-hosting-openid',
    severity: 'error',
    about: 'Source-hosting provider: a role that does not ask for the scope `openid`.',
    field: 'oidcScopes',
    kind: sourceHosting.kind,
    isWrong: (role) => lacksScope(role, 'openid'),
    message: 'The role does not ask for the scope openid. GitLab gives no identity token without it.',
    fix: 'Set oidcScopes: [openid], and select the scope in the application.',
  }),
  roleRule({
    id: 'role-outlives-token',
    severity: 'warning',
    about: 'Container orchestrator: a role whose tokens outlive the workload’s own token.',
    field: 'ttl',
    kind: containerOrchestrator.kind,
    isWrong: ({ method, roleType, ttl = 0 }, { tokenSecondsOf }) =>
      roleType === 'jwt' && ttl > (tokenSecondsOf(method) ?? mountedTokenSeconds),
    message: ({ method, ttl = 0 }, { tokenSecondsOf }) =>
      `The role’s tokens last ${formatDuration(ttl)}, and the workload’s own ${formatDuration(tokenSecondsOf(method) ?? mountedTokenSeconds)}. A deleted workload keeps access longer, because the service never asks the cluster.`,
    fix: 'Set ttl to at most the lifetime of the mounted token.',
  }),
];

/** The claim that a name, or a JSON Pointer, leads to or into. */
function claimIn(name: string): string {
  return placeOf(name)[0] ?? '';
}

/** Whether the role reads the directory's groups, and not another claim, such as `roles` of app roles. */
function readsDirectoryGroups({ groupsClaim }: Role): boolean {
  return !!groupsClaim && claimIn(groupsClaim) === 'groups';
}

/** Claims that Auth0 sets itself, or for no one ("Create Custom Claims" of its documentation). */
const restrictedClaims = `
acr act active amr at_hash ath attest aud auth_time authorization_details azp c_hash client_id cnf cty dest
entitlements events exp groups gty htm htu iat internalService iss jcard jku jti jwe jwk kid may_act mky nbf
nonce object_id org_id org_name orig origid permissions roles rph s_hash sid sip_callid sip_cseq_num sip_date
sip_from_tag sip_via_branch sub sub_jwk toe txn typ uuid vot vtm x5t#S256
`.split(/\s/);

function isRestrictedClaim(name: string): boolean {
  const host = URL.parse(name)?.hostname ?? '';
  return (
    restrictedClaims.includes(name) ||
    name.startsWith('urn:auth0') ||
    /(^|\.)(auth0\.com|webtask\.(io|run))$/.test(host)
  );
}

/** Whether a discovery URL is none of the provider's issuers. */
function isOtherUrl({ oidcDiscoveryUrl: url }: MethodConfig, issuer: string): boolean {
  return url !== undefined && matchIssuer(issuer, url) === undefined;
}

function lacksScope({ roleType, oidcScopes = [] }: Role, scope: string): boolean {
  return roleType === 'oidc' && !oidcScopes.includes(scope);
}
