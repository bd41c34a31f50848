import { z } from 'zod';
import { instant } from '../values/instant.ts';
import { uuid } from '../values/uuid.ts';
import { authority, type Kind, oidcConfig, oidcShape, reportIn } from './kind.ts';

const issuer = '<authority>/<tenantId>/v2.0';
/**
 * The directory's clouds: hosts of the sign-in service, the default scope of the graph API there, and whether the service
 * finds that cloud's graph API when it asks for groups (openbao builtin/credential/jwt/provider_azure.go knows two).
 */
const clouds = [
  {
    hosts: ['login.microsoftonline.com', 'sts.windows.net'],
    graphScope: 'https://graph.microsoft.com/.default',
    isAsked: true,
  },
  { hosts: ['login.microsoftonline.us'], graphScope: 'https://graph.microsoft.us/.default', isAsked: true },
  {
    hosts: ['login.partner.microsoftonline.cn', 'login.chinacloudapi.cn'],
    graphScope: 'https://microsoftgraph.chinacloudapi.cn/.default',
    isAsked: false,
  },
] as const;

function cloudOf(url: string): (typeof clouds)[number] | undefined {
  const host = URL.parse(url)?.hostname ?? '';
  return clouds.find(({ hosts }) => (hosts as readonly string[]).includes(host));
}

/** Scope with which the tokens of the directory at this address carry groups. */
export function graphScopeOf(url: string): string {
  return (cloudOf(url) ?? clouds[0]).graphScope;
}

const graphHosts = clouds.map(({ graphScope }) => new URL(graphScope).host.replaceAll('.', '\\.'));
/** A scope of the graph API, or all that an application has; one without a host is taken to be of that API. */
const graphPermission = new RegExp(`^(https://(${graphHosts.join('|')})/)?(\\.default|[A-Z]\\w+(\\.\\w+)+)$`);

/** Names in the place of a tenant that stand for several. */
const severalTenants = ['common', 'organizations'];
/** The tenant of personal accounts, which everybody can have. */
export const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Which groups a token of a created application names. */
export const groupMembership = z.enum(['All', 'SecurityGroup']);

/** What the program needs to create the application in the directory itself (with `@pulumi/azuread`). */
const application = z.strictObject({
  displayName: z.string().min(1),
  groupMembership: groupMembership.default('SecurityGroup'),
  secretEndDate: instant.optional(),
});

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal('cloud_directory'),
    authority: authority.default('https://login.microsoftonline.com'),
    tenantId: z.string().regex(/^[\w.-]+$/, { error: 'a tenant id is a GUID', abort: true }),
    clientId: z.string().min(1).optional(),
    application: application.optional(),
    graphScope: z.string().min(1).optional(),
    manyGroups: z.boolean().default(false),
  })
  .refine(({ clientId, application: created }) => (clientId === undefined) !== (created === undefined), {
    path: ['clientId'],
    message: 'give exactly one of clientId (an existing application) and application (one to create)',
  })
  .check((context) => {
    const { authority: url, tenantId, manyGroups } = context.value;
    const report = reportIn(context);
    const cloud = cloudOf(url);
    const why = cloud === undefined ? undefined : notOneTenant(tenantId);
    if (why !== undefined) report(['tenantId'], why);
    if (manyGroups && cloud?.isAsked === false) {
      const message = 'the service knows no graph API of this cloud and cannot get groups from it';
      report(['manyGroups'], `${message}; limit the groups in tokens to those assigned to the application`);
    }
  });

/** Why the service refuses the discovery document of a tenant: it must name the address it is at as its issuer. */
function notOneTenant(tenantId: string): string | undefined {
  if (uuid.test(tenantId)) return undefined;
  const tenant = tenantId.toLowerCase();
  if (tenant === 'consumers')
    return `the issuer has the tenant id of personal accounts; set ${personalAccounts}`;
  if (severalTenants.includes(tenant))
    return `${tenant} stands for many tenants, and the tokens of each name another issuer. An auth method takes one issuer: declare a provider for each tenant, all with the same clientId`;
  return 'give the tenant id, a GUID: the discovery document of a domain names an issuer with the id, and the service refuses it';
}

/** Cloud directory provider (docs/inside/specification.md B-2, first row). */
export const cloudDirectory = {
  kind: 'cloud_directory',
  products: ['Microsoft Entra ID', 'Entra ID', 'Entra', 'Azure AD', 'Azure Active Directory'],
  methodType: 'oidc',
  settings,
  issuer,
  config: (provider) => ({
    ...oidcConfig(issuer, provider),
    ...(provider.manyGroups ? { providerConfig: { provider: 'cloud_directory' as const } } : {}),
  }),
  role: (provider) => ({
    userClaim: 'email',
    groupsClaim: 'groups',
    oidcScopes: [provider.manyGroups ? 'profile' : (provider.graphScope ?? graphScopeOf(provider.authority))],
    policies: ['default'],
  }),
  // An application that is created comes with its secret.
  secrets: ({ application }) => (application === undefined ? ['clientSecrets'] : []),
  hosts: new RegExp(
    `^(${clouds
      .flatMap(({ hosts }) => hosts)
      .join('|')
      .replaceAll('.', '\\.')})$`,
  ),
  keepsStrangersOut: 'Give the tenant id of your own directory, not that of personal accounts.',
  adopt: ({ providerConfig }) => (providerConfig?.provider === 'cloud_directory' ? { manyGroups: true } : {}),
  embedded: {
    issuer: { tenantId: '00000000-0000-4000-8000-000000000001' },
    scopes: { profile: ['name', 'preferred_username'], email: ['email'], offline_access: [] },
    otherScopes: graphPermission,
    unknownScope: 'refused',
    // The application's optional claims.
    claims: ['email', 'groups'],
    omitsEmptyGroups: true,
    // Its tokens name groups by object ids. These are the ones in the dev stack.
    groupIds: {
      admins: '00000000-0000-0000-c000-000000000046',
      developers: '00000000-0000-0000-c000-000000000047',
    },
  },
} as const satisfies Kind<z.output<typeof settings>>;
