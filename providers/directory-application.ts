import { redirectUris } from '@gatehouse/core/environment';
import type * as pulumi from '@pulumi/pulumi';
import { mapInput } from '../components/inputs.ts';
import { dialectOf, type ProviderAdditions } from './compose.ts';
import { azureadPackage } from './optional-packages.ts';
import type { ProviderArgs } from './provider-args.ts';

/** An application to create in the directory. */
export interface DirectoryApplication {
  /** Its name in the directory. */
  displayName: pulumi.Input<string>;
  /** Which groups the token carries: `All` or `SecurityGroup`. Defaults to `SecurityGroup`. */
  groupMembership?: pulumi.Input<string>;
  /** When the created client secret ends, RFC 3339. Defaults to the directory's own (two years). */
  secretEndDate?: pulumi.Input<string>;
}

/**
 * Ids of the graph API and of its delegated permissions: the same in every tenant. The service asks the graph API with
 * the token of the person who signs in, in which application permissions have no part.
 */
const graph = {
  applicationId: '00000003-0000-0000-c000-000000000000',
  /** Without any permission the graph API's default scope is refused. It also shows people their own groups. */
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
  /** For people in more than 200 groups (docs/inside/specification.md B-2, first row). */
  directoryReadAll: '06da0dbc-49e2-44d2-8312-53f166ab848a',
};

/**
 * Registers the application that is to be created, with web redirect URIs, the claims email and groups, and a client
 * secret.
 */
export function createApplication(
  parent: pulumi.ComponentResource,
  name: string,
  args: Pick<ProviderArgs, 'service' | 'path'> & { application?: DirectoryApplication; manyGroups?: boolean },
): ProviderAdditions {
  if (args.application === undefined) return {};
  const { displayName, groupMembership = 'SecurityGroup', secretEndDate } = args.application;
  const uris = mapInput({ service: args.service, path: args.path ?? name }, ({ service, path }) =>
    redirectUris({ ...service, dialect: dialectOf(service) }, path),
  );
  const azuread = azureadPackage();
  const application = new azuread.Application(
    `${name}-application`,
    {
      displayName,
      groupMembershipClaims: [groupMembership],
      // Without them an ID token has no email, which roles take as the user by default.
      optionalClaims: { idTokens: [{ name: 'email' }, { name: 'groups' }] },
      web: { redirectUris: uris },
      requiredResourceAccesses: [
        {
          resourceAppId: graph.applicationId,
          resourceAccesses: [graph.userRead, ...(args.manyGroups ? [graph.directoryReadAll] : [])].map(
            (id) => ({
              id,
              type: 'Scope',
            }),
          ),
        },
      ],
    },
    { parent },
  );
  const principal = new azuread.ServicePrincipal(
    `${name}-principal`,
    { clientId: application.clientId },
    { parent },
  );
  if (args.manyGroups === true) grantDirectoryRead(parent, name, principal.objectId);
  const secret = new azuread.ApplicationPassword(
    `${name}-secret`,
    { applicationId: application.id, endDate: secretEndDate },
    { parent },
  );
  return { createdClientId: application.clientId, clientSecret: secret.value };
}

/** Consents as an administrator, for everyone, to reading the directory and to what else a sign-in asks for. */
function grantDirectoryRead(
  parent: pulumi.ComponentResource,
  name: string,
  principalId: pulumi.Input<string>,
): void {
  const azuread = azureadPackage();
  const graphPrincipal = new azuread.ServicePrincipal(
    `${name}-graph`,
    { clientId: graph.applicationId, useExisting: true },
    { parent },
  );
  new azuread.ServicePrincipalDelegatedPermissionGrant(
    `${name}-directory-read`,
    {
      servicePrincipalObjectId: principalId,
      resourceServicePrincipalObjectId: graphPrincipal.objectId,
      claimValues: ['openid', 'profile', 'User.Read', 'Directory.Read.All'],
    },
    { parent },
  );
}
