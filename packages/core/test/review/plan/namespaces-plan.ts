import { entry, same, terraform } from './terraform.ts';

/** One change in many namespaces. */
export interface InNamespaces {
  namespaces: number;
  /** Roles of each that have the policy. Defaults to 1. */
  roles?: number;
  /** Namespaces, by number, whose policy comes to allow something else. Defaults to none. */
  differing?: readonly number[];
}

const name = (at: number) => `team-${String(at + 1).padStart(3, '0')}`;
const text = (...capabilities: string[]) =>
  `path "secret/data/shop/*" { capabilities = ${JSON.stringify(capabilities)} }`;

/** A Terraform plan that changes the policy `shop` in each namespace: readers come to update, or to delete. */
export function planOfNamespaces({ namespaces, roles = 1, differing = [] }: InNamespaces): string {
  const changes = Array.from({ length: namespaces }, (_, at) => {
    const policy = { namespace: name(at), name: 'shop' };
    const mount = { namespace: name(at), path: 'ci', type: 'jwt', accessor: `acc-${at}` };
    const roleOf = (number: number) => ({
      namespace: name(at),
      backend: 'ci',
      role_name: `deploy-${number + 1}`,
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['https://secrets.example.com'],
      token_ttl: 3600,
      bound_claims: { project_path: 'shop/api' },
      token_policies: ['shop'],
    });
    return [
      entry(`vault_policy.${name(at)}`, {
        before: { ...policy, policy: text('read') },
        after: { ...policy, policy: text('read', differing.includes(at) ? 'delete' : 'update') },
      }),
      entry(`vault_jwt_auth_backend.${name(at)}`, same(mount)),
      ...Array.from({ length: roles }, (_, number) =>
        entry(`vault_jwt_auth_backend_role.${name(at)}-${number}`, same(roleOf(number))),
      ),
    ];
  });
  return terraform(changes.flat());
}
