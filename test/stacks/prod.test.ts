import { beforeAll, describe, expect, test } from '@jest/globals';
import { named, ofType, type Registration } from '../harness/pulumi-mocks.ts';
import { type RegisteredStack, registerStack } from './register-stack.ts';

/** Pulumi.prod.yaml is an example; its passphrase is published in it. */
describe('the example of a production stack', () => {
  let stack: RegisteredStack;
  const all = (type: string): Registration[] => ofType(stack.registered, type);

  beforeAll(async () => {
    stack = await registerStack('prod', 'example');
  });

  test('registers what it declares, and nothing else', () => {
    const counts: Record<string, number> = {};
    for (const { type } of stack.registered) counts[type] = (counts[type] ?? 0) + 1;
    expect(counts).toEqual({
      'azuread:index/application:Application': 1,
      'azuread:index/applicationPassword:ApplicationPassword': 1,
      'azuread:index/servicePrincipal:ServicePrincipal': 2,
      'azuread:index/servicePrincipalDelegatedPermissionGrant:ServicePrincipalDelegatedPermissionGrant': 1,
      'gatehouse:index:AccessManagementSuite': 1,
      'gatehouse:index:AuthMethod': 9,
      'gatehouse:index:CloudDirectory': 1,
      'gatehouse:index:ContainerOrchestrator': 2,
      'gatehouse:index:EnterpriseIdentityProvider': 1,
      'gatehouse:index:HostedIdentityPlatform': 1,
      'gatehouse:index:OpenSourceIdentityServer': 1,
      'gatehouse:index:SourceHosting': 1,
      'gatehouse:index:WorkspaceSuite': 1,
      'kubernetes:core/v1:ServiceAccount': 6,
      'kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding': 1,
      'pulumi:providers:vault': 1,
      'vault:config/uiCustomMessage:UiCustomMessage': 4,
      'vault:identity/group:Group': 19,
      'vault:identity/groupAlias:GroupAlias': 19,
      'vault:index/policy:Policy': 22,
      'vault:jwt/authBackend:AuthBackend': 9,
      'vault:jwt/authBackendRole:AuthBackendRole': 23,
    });
  });

  test('has https addresses only, but for the command line’s redirect', () => {
    const text = JSON.stringify(stack.registered).replaceAll('http://localhost:8250/oidc/callback', '');
    expect(text).not.toContain('http://');
  });

  test('sends people back to the pages where they see them', () => {
    const { inputs } = named(stack.registered, 'source-developer');
    expect(inputs['allowedRedirectUris'][1]).toBe(
      'https://secrets.example.com/ui/vault/auth/git/oidc/callback',
    );
  });

  test('gives no policy that it does not declare itself', () => {
    const given = [
      ...all('AuthBackendRole').flatMap(({ inputs }) => inputs['tokenPolicies']),
      ...all('Group').flatMap(({ inputs }) => inputs['policies']),
    ];
    const declared = ['default', ...stack.outputs.policies];
    expect([...new Set(given)].filter((name) => !declared.includes(name))).toEqual([]);
  });

  test('keeps every secret a secret', () => {
    const clear: string[] = [];
    const walk = (value: any, path: string) => {
      if (typeof value === 'string' && /example-client-secret|private_key|^secret-of-/.test(value))
        clear.push(path);
      if (typeof value !== 'object' || value === null || 'secret' in value) return;
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    };
    for (const { inputs, outputs = {}, name } of stack.registered) walk({ inputs, outputs }, name);
    expect(clear).toEqual([]);
    expect(JSON.stringify(stack.registered)).toContain('example-client-secret');
  });
});
