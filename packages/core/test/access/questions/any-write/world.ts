import { pem } from '../../../../../cli/test/review/everyday/sign-ins.ts';
import { pick, type Random } from '../split-worlds/world.ts';

export type Body = Record<string, unknown>;

/** One write of an administrator's. `<entity ann>` in it stands for what the service draws, or where it runs. */
export interface Write {
  path: string;
  body: Body;
  /** Below the namespace of the world. */
  namespace?: string;
  /** Where else the same thing is found. */
  also?: string[];
  /** What its answer's id is called from then on. */
  id?: string;
  /** Something else stands for it in documents and plans: it is never written over. Defaults to false. */
  isHidden?: true;
}

/** What the policies of every world allow; each world has other principals hold them. */
export const policies: Record<string, string> = {
  reader: rule('kv/a', 'read'),
  writer: `${rule('kv/a', 'read', 'update')}\n${rule('kv/b', 'update')}`,
  deny: rule('kv/b', 'deny'),
  admin: `${rule('kv/*', 'create', 'read', 'update', 'delete', 'list')}\n${rule('sys/policies/acl/*', 'update')}`,
  maker: `${rule('auth/token/create/deployer', 'update')}\n${rule('auth/token/create/mid', 'update')}`,
  issuer: rule('pki/issue/web', 'update'),
  tokens: rule('identity/oidc/token/app', 'read'),
  creds: [rule('kv/creds', 'read'), rule('kv/c', 'read'), rule('secret/data/*', 'read')].join('\n'),
  jobs: rule('auth/approle/role/ops/secret-id', 'update'),
  team: rule('kv/{{identity.entity.metadata.team}}/*', 'read'),
  crew: rule('kv/{{identity.groups.names.g.metadata.team}}/*', 'read'),
  own: rule('kv/{{identity.entity.name}}/*', 'read'),
  named: [
    rule('kv/{{identity.groups.names.fresh.name}}/*', 'read'),
    rule('kv/{{identity.groups.names.inner.name}}/*', 'read'),
  ].join('\n'),
  alias: [
    rule('kv/{{identity.entity.aliases.<accessor approle>.metadata.team}}/*', 'read'),
    rule('kv/{{identity.entity.aliases.<accessor jwt>.metadata.team}}/*', 'read'),
    rule('kv/{{identity.entity.aliases.<accessor userpass>.custom_metadata.team}}/*', 'read'),
  ].join('\n'),
  outer: rule('team/*', 'read', 'update', 'list'),
  spare: `${rule('lab/*', 'read', 'update', 'list')}\n${rule('moved/*', 'read')}`,
};
export const policyNames = Object.keys(policies);
/** What leads to other tokens is held more often. */
const leading = ['maker', 'issuer', 'tokens', 'creds'];
/** Policies of principals that are not to have all: `admin` is for what one has to become. */
const low = [...policyNames.filter((name) => name !== 'admin'), ...leading, ...leading];

export function rule(path: string, ...capabilities: string[]): string {
  return `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} }`;
}

/** Names in certificates that someone could be issued. */
export const commonNames = ['web.example.com', 'ops.example.com'];
export const teams = ['a', 'b', 'admin'];
export const passwordOf = (user: string) => `pw-${user}`;
export const newPassword = 'pw-new';
/** The only account that a cluster lets review tokens. */
export const reviewer = 'reviewer';
/** What the service answers under its own address. */
export const ownKeys = '<service>/identity/oidc/.well-known/keys';

/** The set-up of a random service, in the order of its writes: the same one for the same numbers. */
export function worldOf(next: Random): Write[] {
  const held = () => [...new Set(Array.from({ length: 1 + next(3) }, () => pick(next, ...low)))];
  return [
    ...mounts(next),
    ...policyNames.map((name) => ({ path: `sys/policies/acl/${name}`, body: { policy: policies[name] } })),
    ...identities(next, held),
    ...passwordsAndSecrets(next, held),
    ...tokensOfOthers(next, held),
    ...certificates(next, held),
    ...tokensOfItsOwn(next, held),
    ...secondFactors(next),
    ...values(next),
    ...namespace(),
  ];
}

const users = { lockout_disable: true };

function mounts(next: Random): Write[] {
  const auth = { userpass: 'userpass', approle: 'approle', jwt: 'jwt', self: 'jwt', cert: 'cert' };
  const engines = { pki: 'pki', ssh: 'ssh', kv: 'kv' };
  const headers = ['Last-Modified', 'Location', 'Replay-Nonce', 'Link'];
  return [
    ...Object.entries({ ...auth, kubernetes: 'kubernetes' }).map(([path, type]) => ({
      path: `sys/auth/${path}`,
      body: { type },
      id: `accessor ${path}`,
    })),
    ...['userpass', 'approle'].map((path) => ({
      path: `sys/auth/${path}/tune`,
      body: { user_lockout_config: users },
      isHidden: true as const,
    })),
    ...Object.entries(engines).map(([path, type]) => ({ path: `sys/mounts/${path}`, body: { type } })),
    { path: 'sys/mounts/secret', body: { type: 'kv', options: { version: '2' } } },
    {
      path: 'sys/mounts/pki/tune',
      body: { allowed_response_headers: pick<string[]>(next, headers, headers, []) },
    },
  ];
}

type Held = () => string[];

function identities(next: Random, held: Held): Write[] {
  const entity = (name: string, body: Body): Write => ({
    path: 'identity/entity',
    body: { name, ...body },
    id: `entity ${name}`,
    also: [`identity/entity/id/<entity ${name}>`, `identity/entity/name/${name}`],
  });
  const group = (name: string, body: Body): Write => ({
    path: 'identity/group',
    body: { name, ...body },
    id: `group ${name}`,
    also: [`identity/group/id/<group ${name}>`, `identity/group/name/${name}`],
  });
  const alias = (name: string, mount: string, entity: string): Write => ({
    path: 'identity/entity-alias',
    body: { name, mount_accessor: `<accessor ${mount}>`, canonical_id: `<entity ${entity}>` },
    id: `entity-alias ${name}`,
    also: [`identity/entity-alias/id/<entity-alias ${name}>`],
  });
  const metadata = () => ({ team: pick(next, ...teams.slice(0, 2)) });
  return [
    entity('ann', { metadata: metadata(), policies: next(2) === 0 ? held() : [] }),
    entity('max', { metadata: metadata(), policies: [] }),
    entity('job', { metadata: metadata(), policies: [], ...(next(5) === 0 && { disabled: true }) }),
    alias('ann', 'userpass', 'ann'),
    alias('max', 'userpass', 'max'),
    alias('rid-web', 'approle', 'job'),
    group('inner', { type: 'internal', policies: held(), member_entity_ids: ['<entity ann>'] }),
    group('guarded', { type: 'internal', policies: [], member_entity_ids: ['<entity max>'] }),
    group('outer', { type: 'internal', policies: held(), member_entity_ids: [] }),
    group('g', { type: 'external', policies: held(), metadata: metadata() }),
    {
      path: 'identity/group-alias',
      body: { name: 'g', mount_accessor: '<accessor jwt>', canonical_id: '<group g>' },
      id: 'group-alias g',
      also: ['identity/group-alias/id/<group-alias g>'],
    },
  ];
}

function passwordsAndSecrets(next: Random, held: Held): Write[] {
  const nowhere = { token_bound_cidrs: ['10.0.0.0/8'] };
  const fields = () =>
    next(3) === 0 ? pick<Body>(next, { token_num_uses: 1 }, { token_type: 'batch' }, nowhere) : {};
  const role = (name: string, token_policies: string[]): Write[] => [
    { path: `auth/approle/role/${name}`, body: { token_policies, role_id: `rid-${name}`, ...fields() } },
    {
      path: `auth/approle/role/${name}/custom-secret-id`,
      body: { secret_id: `sid-${name}`, metadata: JSON.stringify({ team: 'a' }) },
    },
  ];
  return [
    ...['ann', 'bob', 'max'].map((name) => ({
      path: `auth/userpass/users/${name}`,
      body: { password: passwordOf(name), token_policies: held(), ...fields() },
    })),
    ...role('web', held()),
    ...role('ops', ['admin']),
  ];
}

function tokensOfOthers(next: Random, held: Held): Write[] {
  const bound = () => (next(2) === 0 ? { bound_claims: { team: pick(next, ...teams) } } : {});
  return [
    { path: 'auth/jwt/config', body: { jwt_validation_pubkeys: [pem] } },
    { path: 'sys/auth/jwt/tune', body: { token_type: pick(next, 'batch', 'default-service') } },
    {
      path: 'auth/jwt/role/build',
      body: {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: ['x'],
        token_policies: held(),
        ...(next(2) === 0 && { groups_claim: 'groups' }),
        ...(next(3) === 0 && { token_type: 'batch' }),
        ...bound(),
      },
    },
    {
      path: 'auth/jwt/role/release',
      body: {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: ['x'],
        bound_claims: { team: 'admin' },
        token_policies: ['admin'],
      },
    },
    {
      path: 'auth/kubernetes/config',
      body: {
        kubernetes_host: '<cluster>',
        kubernetes_ca_cert: '<certificate>',
        disable_local_ca_jwt: true,
        ...(next(4) > 0 && { token_reviewer_jwt: reviewer }),
      },
    },
    {
      path: 'auth/kubernetes/role/web',
      body: {
        bound_service_account_names: ['web'],
        bound_service_account_namespaces: ['shop'],
        token_policies: held(),
      },
    },
  ];
}

function certificates(next: Random, held: Held): Write[] {
  const ca = { common_name: 'root', key_type: 'ec', ttl: '87600h' };
  const role = { allow_bare_domains: true, key_type: 'ec', client_flag: true };
  const trusting = (name: string, token_policies: string[]): Write => ({
    path: `auth/cert/certs/${name}`,
    body: { certificate: '<ca>', allowed_common_names: [`${name}.example.com`], token_policies },
  });
  return [
    { path: 'pki/root/generate/internal', body: { ...ca, issuer_name: 'main' }, id: 'ca', isHidden: true },
    {
      path: 'pki/issuers/generate/root/internal',
      body: { ...ca, common_name: 'spare', issuer_name: 'spare' },
      isHidden: true,
    },
    { path: 'pki/config/cluster', body: { path: '<service>/pki' } },
    // No method trusts the certificates of the other CA.
    { path: 'pki/config/issuers', body: { default: pick(next, 'main', 'main', 'spare') } },
    { path: 'pki/roles/web', body: { ...role, allowed_domains: ['web.example.com'] } },
    { path: 'pki/roles/ops', body: { ...role, allowed_domains: ['ops.example.com'] } },
    {
      path: 'pki/config/acme',
      body: {
        enabled: next(3) > 0,
        eab_policy: pick(next, 'always-required', 'not-required'),
        default_directory_policy: 'role:ops',
      },
    },
    trusting('web', held()),
    trusting('ops', ['admin']),
    { path: 'ssh/config/ca', body: { generate_signing_key: true, key_type: 'ed25519' } },
    {
      path: 'ssh/roles/ops',
      body: { key_type: 'ca', allow_user_certificates: true, allowed_users: 'ops', default_user: 'ops' },
    },
  ];
}

function tokensOfItsOwn(next: Random, held: Held): Write[] {
  const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };
  const template = pick(next, '{"team": {{identity.entity.metadata.team}}}', '{"kind": "app"}');
  return [
    // A token that is in use somewhere: `<token>`.
    { path: 'auth/token/create', body: { policies: ['admin'], no_parent: true }, isHidden: true },
    { path: 'auth/token/roles/deployer', body: { allowed_policies: pick(next, ['admin'], ['writer']) } },
    {
      path: 'auth/token/roles/mid',
      body: { allowed_policies: ['maker', 'reader'], token_type: 'batch', orphan: true, renewable: false },
    },
    {
      path: 'identity/oidc/key/k',
      body: { algorithm: 'ES256', allowed_client_ids: pick(next, ['*'], ['app'], ['other']) },
    },
    {
      path: 'identity/oidc/role/app',
      body: { key: 'k', client_id: pick(next, 'app', 'app', 'other'), template },
    },
    { path: 'auth/self/config', body: { jwks_url: ownKeys, jwt_supported_algs: ['ES256', 'RS256'] } },
    {
      path: 'auth/self/role/adm',
      body: { ...role, bound_claims: { team: 'admin' }, token_policies: ['admin'] },
    },
    { path: 'auth/self/role/any', body: { ...role, token_policies: held() } },
  ];
}

/** Whom the service asks for a second factor: `max` in most worlds, who has none. */
function secondFactors(next: Random): Write[] {
  const targets = [
    { identity_group_ids: ['<group guarded>'] },
    { identity_entity_ids: ['<entity max>'] },
    { auth_method_accessors: ['<accessor approle>'] },
    { auth_method_types: ['userpass'] },
  ];
  const target = pick<Body>(next, ...targets.slice(0, pick(next, 2, 2, 4)));
  const mfa_method_ids = ['<mfa>'];
  return [
    { path: 'identity/mfa/method/totp', body: { issuer: 'x', period: 30 }, id: 'mfa' },
    {
      path: 'identity/mfa/login-enforcement/second',
      body: { mfa_method_ids, ...target },
    },
  ];
}

function values(next: Random): Write[] {
  const secret = { role_id: 'rid-ops', secret_id: 'sid-ops' };
  return [
    ...['a', 'b', 'c', 'a/x', 'b/x', 'admin/x'].map((name) => ({ path: `kv/${name}`, body: { v: 'x' } })),
    { path: 'kv/creds', body: next(2) === 0 ? secret : { v: 'x' } },
    { path: 'secret/data/a', body: { data: { v: 'x' } } },
    // A credential that no one reads any more.
    { path: 'secret/data/hidden', body: { data: secret } },
    { path: 'secret/delete/hidden', body: { versions: [1] } },
  ];
}

/** A namespace below, with a user of its own. */
function namespace(): Write[] {
  const below = { namespace: 'team' };
  return [
    { path: 'sys/namespaces/team', body: {} },
    { path: 'sys/mounts/kv', body: { type: 'kv' }, ...below },
    { path: 'sys/auth/userpass', body: { type: 'userpass' }, ...below },
    { path: 'sys/policies/acl/reader', body: { policy: policies['reader'] }, ...below },
    { path: 'sys/policies/acl/admin', body: { policy: policies['admin'] }, ...below },
    {
      path: 'auth/userpass/users/tess',
      body: { password: passwordOf('tess'), token_policies: ['reader'] },
      ...below,
    },
    { path: 'kv/a', body: { v: 'x' }, ...below },
  ];
}
