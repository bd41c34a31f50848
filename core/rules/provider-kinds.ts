import { placeOf } from '../login/claims.ts';
import { cloudDirectory, graphScopeOf } from '../model/kinds/cloud-directory.ts';
import { containerOrchestrator, mountedTokenSeconds } from '../model/kinds/container-orchestrator.ts';
import {
  defaultServer,
  enterpriseIdentityProvider,
  isOrganization,
} from '../model/kinds/enterprise-identity-provider.ts';
import { hostedIdentityPlatform, signingAlgorithm } from '../model/kinds/hosted-identity-platform.ts';
import { matchIssuer } from '../model/kinds/kind.ts';
import { openSourceIdentityServer } from '../model/kinds/open-source-identity-server.ts';
import { sourceHosting } from '../model/kinds/source-hosting.ts';
import { delegatedScopes, workspaceSuite } from '../model/kinds/workspace-suite.ts';
import type { MethodConfig } from '../model/resources/auth-method.ts';
import type { Role } from '../model/resources/role.ts';
import { aliasSubject } from '../model/subject.ts';
import { formatDuration } from '../model/values/duration.ts';
import { limits } from '../model/values/limits.ts';
import { uuid } from '../model/values/uuid.ts';
import { type GraphRule, methodRule, partRule, roleRule } from './rule.ts';

const suiteIn = ({ providerConfig }: MethodConfig) =>
  providerConfig?.provider === workspaceSuite.kind ? providerConfig : undefined;

/** The two scopes that may be delegated, and what a sign-in asks for anyway. */
const suiteScopes: readonly string[] = [
  ...['openid', 'profile', 'email'],
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
    about: 'Workspace suite: a role that reads groups, while the service does not fetch any.',
    field: 'groupsClaim',
    kind: workspaceSuite.kind,
    isWrong: ({ groupsClaim }, { config }) => groupsClaim && !suiteIn(config)?.fetchGroups,
    message:
      'The role reads groups, and the suite’s tokens carry none: without fetch_groups every sign-in fails with “claim not found in token”.',
    fix: 'Set fetchGroups (directory.fetchGroups in an environment), or leave the groups claim out.',
  }),
  roleRule({
    id: 'workspace-user-claim',
    severity: 'error',
    about: 'Workspace suite: groups or user info are fetched by a claim other than sub and email.',
    field: 'userClaim',
    isWrong({ userClaim }, { config }) {
      const { fetchGroups, fetchUserInfo } = suiteIn(config) ?? {};
      return (fetchGroups || fetchUserInfo) && !['sub', 'email'].includes(userClaim);
    },
    message: ({ userClaim }) =>
      `The suite is asked for groups and user info by the user claim, and knows no one by ${JSON.stringify(userClaim)}: the queries fail.`,
    fix: 'Set userClaim to sub or email.',
  }),
  methodRule({
    id: 'workspace-user-info',
    severity: 'error',
    about: 'Workspace suite: user info is fetched, and no custom schema says which.',
    field: 'providerConfig',
    isWrong({ config }) {
      const { fetchUserInfo, userCustomSchemas } = suiteIn(config) ?? {};
      return fetchUserInfo && !userCustomSchemas?.length;
    },
    message: 'fetch_user_info is on and user_custom_schemas names no schema: the service refuses it.',
    fix: 'Name the custom schemas, or turn fetch_user_info off.',
  }),
  roleRule({
    id: 'workspace-scopes',
    severity: 'warning',
    about: 'Workspace suite: scopes beyond the two read-only directory scopes.',
    field: 'oidcScopes',
    kind: workspaceSuite.kind,
    isWrong: (role) => furtherScopes(role).length > 0,
    message: (role) =>
      `The role asks people for more than a sign-in needs: ${furtherScopes(role).join(', ')}. The suite’s own guide allows the read-only group and user scopes alone.`,
    fix: 'Ask for profile and email; leave the directory to the service account.',
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
      message:
        'The directory’s tokens name groups by object id, and this is not one: no one becomes a member.',
      fix: 'Use the group’s object id as the directory shows it. For the value of an app role, set groupsClaim: roles on the role.',
    },
    ({ aliases }) => aliases.map((part) => ({ part, path: part.method, subject: aliasSubject(part) })),
  ),
  methodRule({
    id: 'directory-discovery-url',
    severity: 'error',
    about: 'Cloud directory: a discovery URL that does not end in `/v2.0`.',
    field: 'oidcDiscoveryUrl',
    kind: cloudDirectory.kind,
    isWrong: ({ config }) => isOtherUrl(config, cloudDirectory.issuer),
    message:
      'The directory’s issuer ends in /v2.0, and this URL does not: the issuers differ, and the service refuses the configuration.',
    fix: `Use ${cloudDirectory.issuer}, without a slash at its end.`,
  }),
  roleRule({
    id: 'directory-scope',
    severity: 'error',
    about: 'Cloud directory: a role that reads groups without the scope that they need.',
    field: 'oidcScopes',
    kind: cloudDirectory.kind,
    isWrong: (role, { config: { providerConfig } }) =>
      readsDirectoryGroups(role) &&
      !(role.oidcScopes ?? []).some((scope) =>
        providerConfig ? scope === 'profile' : scope.endsWith('/.default'),
      ),
    message: (_, { config: { providerConfig } }) =>
      providerConfig
        ? 'The service asks the directory for the groups, and the role does not ask for the scope profile, which that needs.'
        : 'The role reads groups and does not ask for the default scope of the graph API: the tokens may carry none, and the sign-in fails.',
    fix: (_, { config: { providerConfig, oidcDiscoveryUrl = '' } }) =>
      `Set oidcScopes: [${providerConfig ? 'profile' : JSON.stringify(graphScopeOf(oidcDiscoveryUrl))}].`,
  }),
  methodRule({
    id: 'directory-many-groups',
    // The specification's own first step is without it, so no more than a word.
    severity: 'info',
    about: 'Cloud directory: groups are read from tokens, which hold 200 at most.',
    field: 'providerConfig',
    kind: cloudDirectory.kind,
    isWrong: ({ config: { providerConfig } }, { roles }) =>
      providerConfig === undefined && roles.some(readsDirectoryGroups),
    message: `The directory omits groups for people in more than ${limits.cloudDirectoryGroups}: they cannot sign in.`,
    fix: 'Where that can happen, set manyGroups: true, and grant the directory read-all permission of the graph API, as a delegated one.',
  }),
];

/** Rules over methods of the kinds that have only a few. */
export const otherKindRules: GraphRule[] = [
  methodRule({
    id: 'realm-url',
    severity: 'error',
    about: 'Open-source identity server: a discovery URL that is not a realm’s.',
    field: 'oidcDiscoveryUrl',
    kind: openSourceIdentityServer.kind,
    isWrong: ({ config }) => isOtherUrl(config, openSourceIdentityServer.issuer),
    message:
      'The server’s issuers are its realms, and this URL is not a realm: there is nothing to discover.',
    fix: `Use ${openSourceIdentityServer.issuer}.`,
  }),
  roleRule({
    id: 'empty-groups-claim',
    severity: 'warning',
    about: 'Open-source identity server: the groups claim is left out of tokens of people without a group.',
    field: 'groupsClaim',
    kind: openSourceIdentityServer.kind,
    isWrong: ({ groupsClaim }) => groupsClaim,
    message:
      'The server leaves a claim out that would be empty: a person in no group cannot sign in (“claim not found in token”).',
    fix: 'Give everyone a group at the server, or have people without one sign in to a role that reads none.',
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
      'The default authorization server makes its tokens for its own audience, not for the client: the role has to bind it.',
    fix: `Set boundAudiences to [${defaultServer.audience}] and the client id.`,
  }),
  roleRule({
    id: 'enterprise-profile-scope',
    severity: 'warning',
    about: 'Enterprise identity provider: a role that does not ask for the scope `profile`.',
    field: 'oidcScopes',
    kind: enterpriseIdentityProvider.kind,
    isWrong: (role) => lacksScope(role, 'profile'),
    message: 'Without the scope profile the provider leaves out names and groups in this token.',
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
      'The organization’s own server sends groups for the scope groups alone: without the claim the sign-in fails.',
    fix: 'Add groups to oidcScopes, or leave the groups claim out.',
  }),
  methodRule({
    id: 'hosted-algorithm',
    severity: 'error',
    about: 'Hosted identity platform: signatures other than RS256.',
    field: 'jwtSupportedAlgs',
    kind: hostedIdentityPlatform.kind,
    isWrong: ({ config: { jwtSupportedAlgs: given } }) => given?.length && !given.includes(signingAlgorithm),
    message:
      'The platform’s application signs with RS256, and the method does not take it: every sign-in fails.',
    fix: 'Set the application’s signing algorithm to RS256, and jwtSupportedAlgs: [RS256].',
  }),
  roleRule({
    id: 'hosted-groups-claim',
    severity: 'error',
    about: 'Hosted identity platform: a groups claim that the platform does not let anyone set.',
    field: 'groupsClaim',
    kind: hostedIdentityPlatform.kind,
    isWrong: ({ groupsClaim }) => groupsClaim && isRestrictedClaim(claimIn(groupsClaim)),
    message: ({ groupsClaim }) =>
      `The platform keeps the claim ${JSON.stringify(groupsClaim)} for itself and drops it from custom claims: the token lacks it, and every sign-in fails.`,
    fix: 'Let an Action of the platform set a claim by a URL of yours, for example https://example.com/groups, and name it here.',
  }),
  roleRule({
    id: 'source-hosting-openid',
    severity: 'error',
    about: 'Source-hosting provider: a role that does not ask for the scope `openid`.',
    field: 'oidcScopes',
    kind: sourceHosting.kind,
    isWrong: (role) => lacksScope(role, 'openid'),
    message: 'The provider gives an identity token for the scope openid alone.',
    fix: 'Set oidcScopes: [openid], and select the scope in the application.',
  }),
  roleRule({
    id: 'role-outlives-token',
    severity: 'warning',
    about: 'Container orchestrator: a role whose tokens live longer than the workload’s own.',
    field: 'ttl',
    kind: containerOrchestrator.kind,
    isWrong: ({ method, roleType, ttl = 0 }, { tokenSecondsOf }) =>
      roleType === 'jwt' && ttl > (tokenSecondsOf(method) ?? mountedTokenSeconds),
    message: ({ method, ttl = 0 }, { tokenSecondsOf }) =>
      `The role gives a token for ${formatDuration(ttl)}, and the workload’s own lives ${formatDuration(tokenSecondsOf(method) ?? mountedTokenSeconds)}. The service never asks the cluster whether a token was revoked: a deleted workload keeps its access that much longer.`,
    fix: 'Lower ttl to the life of the mounted token or less.',
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
const restrictedClaims = (
  'acr act active amr at_hash ath attest aud auth_time authorization_details azp c_hash client_id cnf cty dest ' +
  'entitlements events exp groups gty htm htu iat internalService iss jcard jku jti jwe jwk kid may_act mky nbf ' +
  'nonce object_id org_id org_name orig origid permissions roles rph s_hash sid sip_callid sip_cseq_num sip_date ' +
  'sip_from_tag sip_via_branch sub sub_jwk toe txn typ uuid vot vtm x5t#S256'
).split(' ');

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
