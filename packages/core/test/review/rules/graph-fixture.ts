import type { AuthMethod, MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { CustomMessage } from '../../../src/graph/resources/custom-message.ts';
import type { Role } from '../../../src/graph/resources/role.ts';

/** The method `staff` of people, which no rule objects to. */
export function oidcMethod(config: MethodConfig = {}): AuthMethod {
  return {
    path: 'staff',
    type: 'oidc',
    config: { oidcDiscoveryUrl: 'https://id.example.com', oidcClientId: 'client', ...config },
  };
}

/** A role of `staff`, which no rule objects to. */
export function oidcRole(fields: Partial<Role> = {}): Role {
  return {
    method: 'staff',
    name: 'reader',
    roleType: 'oidc',
    userClaim: 'sub',
    allowedRedirectUris: [
      'http://localhost:8250/oidc/callback',
      'https://secrets.example.com:8200/ui/vault/auth/staff/oidc/callback',
    ],
    policies: ['secrets-read'],
    ttl: 3600,
    ...fields,
  };
}

/** The method `ci` of workloads, which no rule objects to. */
export function jwtMethod(config: MethodConfig = {}): AuthMethod {
  return { path: 'ci', type: 'jwt', config: { oidcDiscoveryUrl: 'https://ci.example.com', ...config } };
}

/** A role of `ci`, which no rule objects to. */
export function jwtRole(fields: Partial<Role> = {}): Role {
  return {
    method: 'ci',
    name: 'deploy',
    roleType: 'jwt',
    userClaim: 'sub',
    boundAudiences: ['secrets'],
    boundSubject: 'project:1',
    policies: ['deploy'],
    ttl: 600,
    ...fields,
  };
}

export function message(fields: Partial<CustomMessage> = {}): CustomMessage {
  return {
    title: 'Maintenance',
    message: 'Saturday 02:00 to 04:00 UTC',
    type: 'banner',
    authenticated: true,
    startTime: '2026-01-01T00:00:00Z',
    ...fields,
  };
}

/** The configuration of a workspace suite that its directory is read with. */
export const workspaceSuite = {
  provider: 'workspace_suite' as const,
  suiteServiceAccount: '/etc/key.json',
  suiteAdminImpersonate: 'admin@example.com',
  fetchGroups: true,
  fetchUserInfo: false,
  groupsRecurseMaxDepth: 0,
};
