import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { parse } from 'yaml';

/** The same resources as the environment under test, written plainly with the official package. */
const file = join(import.meta.dirname, new pulumi.Config('gatehouse').require('file'));
const [settings] = parse(readFileSync(file, 'utf8')).providers;
const mount = new vault.jwt.AuthBackend('cluster-mount', {
  path: settings.name,
  type: 'jwt',
  oidcDiscoveryUrl: settings.issuer,
  boundIssuer: settings.issuer,
});
for (const role of settings.roles) {
  new vault.jwt.AuthBackendRole(`cluster-${role.name}`, {
    backend: mount.id,
    roleName: role.name,
    roleType: 'jwt',
    userClaim: 'sub',
    boundAudiences: [settings.issuer],
    boundSubject: `system:serviceaccount:${role.namespace}:${role.serviceAccount}`,
    tokenPolicies: role.policies,
    tokenTtl: 3600,
  });
}
for (const group of settings.groups) {
  const created = new vault.identity.Group(`cluster-${group.name}-group`, {
    name: group.name,
    type: 'external',
    policies: group.policies,
  });
  new vault.identity.GroupAlias(`cluster-${group.name}-alias`, {
    name: group.alias,
    mountAccessor: mount.accessor,
    canonicalId: created.id,
  });
}
