/** A Terraform plan: 1 % mounts, 1 % policies, and the rest roles, groups and aliases. Every third resource changes. */
export function largePlan(resources: number): object {
  const mounts = Math.max(1, Math.floor(resources / 100));
  const changes: object[] = [];
  const add = (address: string, before: object | null, after: object) => {
    const actions = before === null ? ['create'] : before === after ? ['no-op'] : ['update'];
    const change = { actions, before, after, after_unknown: {}, before_sensitive: {}, after_sensitive: {} };
    changes.push({ address, mode: 'managed', type: address.split('.')[0], change });
  };
  for (let at = 0; at < mounts; at++) {
    const mount = {
      path: `ci${at}`,
      type: 'jwt',
      accessor: `auth_jwt_${at}`,
      oidc_discovery_url: `https://ci${at}.example.com`,
    };
    add(`vault_jwt_auth_backend.m${at}`, mount, mount);
    const text = Array.from(
      { length: 20 },
      (_, line) => `path "secret/data/${at}/${line}/*" { capabilities = ["read"] }`,
    );
    const policy = { name: `p${at}`, policy: text.join('\n') };
    const wider = { ...policy, policy: policy.policy.replace('"read"', '"read", "update"') };
    add(`vault_policy.p${at}`, policy, at % 3 === 0 ? wider : policy);
  }
  for (let at = 0; changes.length < resources; at++) {
    const mount = at % mounts;
    const role = {
      backend: `ci${mount}`,
      role_name: `r${at}`,
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['https://secrets.example.com'],
      bound_claims: { project_id: String(at), ref: `refs/heads/release-${at}` },
      bound_claims_type: 'glob',
      groups_claim: 'groups',
      token_policies: [`p${mount}`],
      token_ttl: 600,
    };
    const wider = { ...role, bound_claims: { ...role.bound_claims, ref: 'refs/heads/release-*' } };
    add(`vault_jwt_auth_backend_role.r${at}`, at % 5 === 0 ? null : role, at % 3 === 0 ? wider : role);
    if (at % 2 === 0) continue;
    const group = { id: `g-${at}`, name: `g${at}`, type: 'external', policies: [`p${mount}`] };
    add(`vault_identity_group.g${at}`, group, group);
    const alias = { name: `team-${at}`, mount_accessor: `auth_jwt_${mount}`, canonical_id: `g-${at}` };
    add(`vault_identity_group_alias.a${at}`, alias, alias);
  }
  return { format_version: '1.2', terraform_version: '1.9.8', resource_changes: changes };
}
