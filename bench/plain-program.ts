import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { parse } from 'yaml';
import type { largeEnvironment } from './large.ts';

/** The resources of `large.ts`, written plainly with the official package. */
const file = join(import.meta.dirname, new pulumi.Config('gatehouse').require('file'));
const { policies, providers }: ReturnType<typeof largeEnvironment> = parse(readFileSync(file, 'utf8'));

for (const { name, policy } of policies) new vault.Policy(name, { name, policy });
for (const { name, issuer, publicKeys, roles, groups } of providers) {
  const mount = new vault.jwt.AuthBackend(`${name}-mount`, {
    path: name,
    type: 'jwt',
    jwtValidationPubkeys: publicKeys,
    boundIssuer: issuer,
  });
  for (const role of roles) {
    new vault.jwt.AuthBackendRole(`${name}-${role.name}`, {
      backend: mount.id,
      roleName: role.name,
      roleType: 'jwt',
      userClaim: 'sub',
      boundAudiences: [issuer],
      boundSubject: `system:serviceaccount:${role.namespace}:${role.serviceAccount}`,
      groupsClaim: role.groupsClaim,
      tokenPolicies: role.policies,
      tokenTtl: 3600,
    });
  }
  for (const group of groups) {
    const created = new vault.identity.Group(`${name}-${group.name}-group`, {
      name: group.name,
      type: 'external',
      policies: group.policies,
    });
    new vault.identity.GroupAlias(`${name}-${group.name}-alias`, {
      name: group.alias,
      mountAccessor: mount.accessor,
      canonicalId: created.id,
    });
  }
}
