import { generateKeyPairSync } from 'node:crypto';

/** Receives no requests: the method has the public key. */
const issuer = 'https://cluster.example.com';
/** Where a large environment says that its service is. */
export const serviceAddress = 'http://127.0.0.1:8200';

const list = <Value>(length: number, make: (at: number) => Value) =>
  Array.from({ length }, (_, at) => make(at));

/**
 * An environment with a JWT auth method, many roles, and external groups with aliases (one for every five roles), as the
 * content of a `gatehouse:file`. Both programs read it.
 *
 * @param name of the auth method, and prefix of the groups' names
 */
export function largeEnvironment(roles: number, name = 'cluster') {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const policies = [`${name}-read`];
  return {
    service: { address: serviceAddress, features: { messages: false } },
    policies: [{ name: `${name}-read`, policy: 'path "secret/data/*" { capabilities = ["read"] }\n' }],
    providers: [
      {
        kind: 'container_orchestrator',
        name,
        issuer,
        publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }) as string],
        roles: list(roles, (at) => ({
          name: `role-${at}`,
          namespace: 'bench',
          serviceAccount: `account-${at}`,
          groupsClaim: 'groups',
          policies,
          ttl: '1h',
        })),
        groups: list(Math.ceil(roles / 5), (at) => ({
          name: `${name}-group-${at}`,
          policies,
          alias: `team-${at}`,
        })),
      },
    ],
  };
}

/** How many roles, groups and aliases it has. */
export const resourcesOf = (roles: number) => roles + 2 * Math.ceil(roles / 5);

/** A Terraform plan: 1 % mounts, 1 % policies, and the rest roles, groups and aliases. Every third resource changes. */
export function largePlan(resources: number) {
  const mounts = Math.max(1, Math.floor(resources / 100));
  const changes: { change: { actions: string[] } }[] = [];
  const add = (address: string, before: object | null, after: object) => {
    const actions = before === null ? ['create'] : before === after ? ['no-op'] : ['update'];
    const change = { actions, before, after, after_unknown: {}, before_sensitive: {}, after_sensitive: {} };
    changes.push(Object.assign({ change }, { address, mode: 'managed', type: address.split('.')[0] }));
  };
  for (let at = 0; at < mounts; at++) {
    const discovery = { oidc_discovery_url: `https://ci${at}.example.com` };
    const mount = { path: `ci${at}`, type: 'jwt', accessor: `auth_jwt_${at}`, ...discovery };
    add(`vault_jwt_auth_backend.m${at}`, mount, mount);
    const rules = list(20, (line) => `path "secret/data/${at}/${line}/*" { capabilities = ["read"] }`);
    const policy = { name: `p${at}`, policy: rules.join('\n') };
    const wider = { ...policy, policy: policy.policy.replace('"read"', '"read", "update"') };
    add(`vault_policy.p${at}`, policy, at % 3 === 0 ? wider : policy);
  }
  for (let at = 0; changes.length < resources; at++) {
    const mount = at % mounts;
    const policies = [`p${mount}`];
    const claims = { project_id: String(at), ref: `refs/heads/release-${at}` };
    const role = {
      backend: `ci${mount}`,
      role_name: `r${at}`,
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['https://secrets.example.com'],
      bound_claims: claims,
      bound_claims_type: 'glob',
      groups_claim: 'groups',
      token_policies: policies,
      token_ttl: 600,
    };
    const wider = { ...role, bound_claims: { ...claims, ref: 'refs/heads/release-*' } };
    add(`vault_jwt_auth_backend_role.r${at}`, at % 5 === 0 ? null : role, at % 3 === 0 ? wider : role);
    if (at % 2 === 0) continue;
    const group = { id: `g-${at}`, name: `g${at}`, type: 'external', policies };
    add(`vault_identity_group.g${at}`, group, group);
    const alias = { name: `team-${at}`, mount_accessor: `auth_jwt_${mount}`, canonical_id: `g-${at}` };
    add(`vault_identity_group_alias.a${at}`, alias, alias);
  }
  return { format_version: '1.2', terraform_version: '1.9.8', resource_changes: changes };
}
