import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { certificate } from '../../../../../test/harness/certificate.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

/** Name → text. */
const policies: Record<string, string> = {
  'secrets-read':
    '# readers\npath "secret/data/*" {\n  capabilities = ["read"]\n}\npath "secret/metadata/*" {\n  capabilities = ["list", "read"]\n}\n',
  'prod-deny': 'path "secret/data/prod/*" { capabilities = ["deny"] }\n',
  'shop-dev':
    'path "secret/data/shop/+/config" { capabilities = ["read", "update"] }\npath "secret/data/shop/*" { capabilities = ["create", "read", "update", "delete"] }\n',
  personal:
    'path "secret/data/people/{{identity.entity.id}}/*" { capabilities = ["create","read","update","delete"] }\npath "secret/data/people/{{identity.entity.metadata.team}}/*" { capabilities = ["read"] }\n',
  ops: 'path "sys/health" { capabilities = ["read","sudo"] }\npath "sys/policies/acl/*" { capabilities = ["read","list"] }\npath "sys/mounts" { capabilities = ["read"] }\n',
  'ci-deploy':
    'path "secret/data/shop/prod" { capabilities = ["read"] }\npath "secret/data/ci/*" { capabilities = ["read"]\n  allowed_parameters = { "version" = [] } }\n',
  admin: 'path "*" { capabilities = ["create","read","update","delete","list","sudo"] }\n',
  web: 'path "secret/data/web/*" { capabilities = ["read"] }\npath "database/creds/web-*" { capabilities = ["read"] }\n',
  'old-unused': 'path "secret/data/old/*" { capabilities = ["read"] }',
};

/** Sets up a service as teams do by hand over the years: six methods, two namespaces, groups in groups, people with two aliases. */
export async function setUpBrownfield(
  server: { address: string; token: string },
  issuer: string,
): Promise<void> {
  const client = new ServiceClient(server);
  const write = async (path: string, body: Parameters<typeof client.post>[1]) =>
    await client.post(path, body);
  const idOf = async (path: string, body: Parameters<typeof write>[1]) =>
    String((await write(path, body)).data['id']);
  for (const [name, policy] of Object.entries(policies)) await write(`sys/policies/acl/${name}`, { policy });

  await write('sys/auth/oidc', { type: 'oidc', description: 'Staff sign-in (set up 2021, ask Jan)' });
  await write('auth/oidc/config', {
    oidc_discovery_url: issuer,
    oidc_client_id: 'gatehouse',
    oidc_client_secret: 'only a test',
    default_role: 'default',
  });
  const person = {
    role_type: 'oidc',
    user_claim: 'email',
    groups_claim: 'groups',
    allowed_redirect_uris: [
      'http://localhost:8250/oidc/callback',
      'https://vault.example.com/ui/vault/auth/oidc/oidc/callback',
    ],
  };
  await write('auth/oidc/role/default', {
    ...person,
    token_policies: ['secrets-read', 'prod-deny'],
    token_ttl: '8h',
    oidc_scopes: ['profile', 'email'],
  });
  await write('auth/oidc/role/admin', {
    ...person,
    bound_claims: { groups: ['/platform'] },
    token_policies: ['admin'],
    token_ttl: '1h',
    token_max_ttl: '4h',
  });
  await write('sys/auth/ci', { type: 'jwt', description: 'GitHub Actions' });
  await write('auth/ci/config', {
    jwt_validation_pubkeys: [publicKey],
    bound_issuer: 'https://token.actions.githubusercontent.com',
  });
  await write('auth/ci/role/deploy-shop', {
    role_type: 'jwt',
    user_claim: 'repository',
    bound_audiences: ['https://vault.example.com'],
    bound_claims: { repository: 'acme/shop', ref: 'refs/heads/main' },
    token_policies: ['ci-deploy'],
    token_ttl: '20m',
  });
  await write('auth/ci/role/test-all', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['https://vault.example.com'],
    bound_claims_type: 'glob',
    bound_claims: { repository: 'acme/*' },
    token_policies: ['web'],
    token_ttl: '10m',
    token_num_uses: 5,
  });
  await write('sys/auth/approle', { type: 'approle' });
  const machines = { build: ['ci-deploy'], 'legacy-batch': ['secrets-read', 'ops'], backup: ['admin'] };
  for (const [role, token_policies] of Object.entries(machines))
    await write(`auth/approle/role/${role}`, { token_policies, token_ttl: '1h', secret_id_num_uses: 0 });
  await write('sys/auth/userpass', { type: 'userpass' });
  await write('auth/userpass/users/jan', { password: 'correct-horse', token_policies: ['admin'] });
  await write('sys/auth/kubernetes', { type: 'kubernetes' });
  await write('auth/kubernetes/config', {
    kubernetes_host: 'https://10.0.0.1:443',
    kubernetes_ca_cert: certificate?.cert,
    disable_local_ca_jwt: true,
  });
  await write('auth/kubernetes/role/web', {
    bound_service_account_names: ['web'],
    bound_service_account_namespaces: ['shop'],
    token_policies: ['web'],
    token_ttl: '15m',
  });

  const mounts = (await client.read('sys/auth'))?.data as Record<string, { accessor: string }>;
  const accessor = (path: string) => mounts[path]?.accessor;
  const external = async (name: string, alias: string, given: object) => {
    const id = await idOf('identity/group', { name, type: 'external', ...given });
    await write('identity/group-alias', {
      name: alias,
      mount_accessor: accessor('oidc/'),
      canonical_id: id,
    });
    return id;
  };
  const platform = await external('platform', '/platform', {
    policies: ['ops'],
    metadata: { team: 'platform' },
  });
  const shop = await external('team-shop', '/shop', {
    policies: ['shop-dev', 'personal'],
    metadata: { team: 'shop' },
  });
  const entity = async (name: string, given: object) => {
    const id = await idOf('identity/entity', { name, ...given });
    for (const [mount, alias] of [
      ['oidc/', `${name}@example.com`],
      ['userpass/', name],
    ] as const)
      await write('identity/entity-alias', {
        name: alias,
        mount_accessor: accessor(mount),
        canonical_id: id,
      });
    return id;
  };
  const alice = await entity('alice', { policies: ['personal'], metadata: { team: 'shop' } });
  const jan = await entity('jan', {});
  await write('identity/group', { name: 'oncall', policies: ['ops'], member_entity_ids: [jan, alice] });
  await write('identity/group', {
    name: 'engineering',
    policies: ['web'],
    member_group_ids: [platform, shop],
  });

  for (const namespace of ['team-a', 'team-b']) {
    await write(`sys/namespaces/${namespace}`, {});
    const inside = new ServiceClient({ ...server, namespace });
    await inside.post('sys/policies/acl/app', {
      policy: 'path "secret/data/app/*" { capabilities = ["read"] }',
    });
    await inside.post('sys/auth/ci', { type: 'jwt' });
    await inside.post('auth/ci/config', {
      jwt_validation_pubkeys: [publicKey],
      bound_issuer: 'https://gitlab.example.com',
    });
    await inside.post('auth/ci/role/deploy', {
      role_type: 'jwt',
      user_claim: 'project_path',
      bound_audiences: ['vault'],
      bound_claims: { project_id: '42' },
      token_policies: ['app'],
      token_ttl: '10m',
    });
    if (namespace === 'team-b') {
      await inside.post('sys/auth/approle', { type: 'approle' });
      await inside.post('auth/approle/role/x', { token_policies: ['app'] });
    }
    inside.close();
  }
  client.close();
}
