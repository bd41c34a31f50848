import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import type { largeEnvironment } from './large.ts';

/** The resources of `large.ts`, written plainly with the official package. */
const file = join(import.meta.dirname, new pulumi.Config('gatehouse').require('file'));
const { policies, providers }: ReturnType<typeof largeEnvironment> = JSON.parse(readFileSync(file, 'utf8'));

for (const { name, policy } of policies) new vault.Policy(name, { name, policy });
for (const { name, issuer, publicKeys: jwtValidationPubkeys, roles, groups } of providers) {
  const config = { path: name, type: 'jwt', jwtValidationPubkeys, boundIssuer: issuer };
  const { id: backend, accessor: mountAccessor } = new vault.jwt.AuthBackend(`${name}-mount`, config);
  for (const { name: roleName, namespace, serviceAccount, groupsClaim, policies: tokenPolicies } of roles) {
    const boundSubject = `system:serviceaccount:${namespace}:${serviceAccount}`;
    const bounds = { roleType: 'jwt', userClaim: 'sub', boundAudiences: [issuer], boundSubject, groupsClaim };
    const args = { backend, roleName, ...bounds, tokenPolicies, tokenTtl: 3600 };
    new vault.jwt.AuthBackendRole(`${name}-${roleName}`, args);
  }
  for (const { name: group, policies, alias } of groups) {
    const args = { name: group, type: 'external', policies };
    const { id: canonicalId } = new vault.identity.Group(`${name}-${group}-group`, args);
    new vault.identity.GroupAlias(`${name}-${group}-alias`, { name: alias, mountAccessor, canonicalId });
  }
}
