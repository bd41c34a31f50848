export const texts = Array.from({ length: 8 }, (_, at) => `p${at}`);
export const patterns = [
  'kv/*',
  'kv/a/*',
  'kv/+/b',
  'kv/a',
  'secret/data/*',
  'secret/metadata/*',
  'a/kv/*',
  'a/b/kv/*',
  'a/*',
  '+/b/*',
  'transit/*',
  'pki/*',
  'deep/ca/*',
  'sys/*',
  'sys/auth/*',
  'sys/policies/acl/*',
  'auth/token/*',
  'auth/token/create',
  'auth/token/create/*',
  'auth/token/create-orphan',
  'identity/*',
  'kv/a/b',
];
/** As the entity of one who signs in is known. */
export const template = 'path "kv/{{identity.entity.name}}/*" { capabilities = ["read"] }';
export const lists = [
  ['read'],
  ['read', 'list'],
  ['create', 'update', 'read'],
  ['update'],
  ['delete', 'list', 'scan', 'patch', 'read'],
  ['read', 'update', 'sudo'],
  ['deny'],
  ['create', 'read', 'update', 'delete', 'list', 'sudo'],
  [],
];
export const limits = [
  '',
  '',
  '',
  '',
  'allowed_parameters = { "x" = [1, 2], "*" = [] }',
  'denied_parameters = { "y" = [] }',
  'required_parameters = ["x"]',
  'min_wrapping_ttl = "10s" max_wrapping_ttl = "90s"',
];

/** Every request that is asked: its kind, its method and its path. */
export const asked: readonly (readonly [kind: string, method: string, path: string])[] = [
  ...['kv/a', 'kv/a/b', 'kv/c/b', 'kv/c'].flatMap((path) =>
    (['GET', 'POST', 'DELETE', 'LIST'] as const).map((method) => ['kv v1', method, path] as const),
  ),
  ...(['GET', 'POST', 'PATCH', 'DELETE'] as const).map(
    (method) => ['kv v2', method, 'secret/data/a'] as const,
  ),
  ['kv v2', 'LIST', 'secret/metadata/'] as const,
  ['scan', 'SCAN', 'kv/a/'] as const,
  ['head', 'HEAD', 'kv/a'] as const,
  ['head', 'HEAD', 'sys/mounts'] as const,
  ...['kv/%C3%A9', 'kv/a%20b', 'kv/%2Fx', 'kv/a/', 'kv/a%2Fb', 'kv/A'].map(
    (path) => ['odd path', 'GET', path] as const,
  ),
  ...[
    'sys/auth',
    'sys/auth/',
    'sys/auth/people',
    'sys/rotate/keyring',
    'sys/audit',
    'sys/leases/lookup/',
  ].map((path) => ['sudo', 'GET', path] as const),
  ...['pki/root', 'pki/root/', 'deep/ca/root', 'pki/cert/ca', 'deep/ca/config/urls'].map(
    (path) => ['pki', 'GET', path] as const,
  ),
  ['sudo', 'LIST', 'auth/token/accessors'] as const,
  ['sudo', 'POST', 'auth/token/revoke-orphan'] as const,
  ...['sys/mounts', 'sys/policies/acl/p1', 'sys/internal/ui/resultant-acl'].map(
    (path) => ['sys', 'GET', path] as const,
  ),
  ['sys', 'LIST', 'sys/policies/acl'] as const,
  ['sys', 'POST', 'sys/capabilities-self'] as const,
  ['identity', 'GET', 'identity/entity/name/known'] as const,
  ['identity', 'POST', 'identity/entity/name/made'] as const,
  ['identity', 'LIST', 'identity/group/name'] as const,
  ['transit', 'POST', 'transit/encrypt/key'] as const,
  ['transit', 'GET', 'transit/keys/key'] as const,
  ['own token', 'GET', 'auth/token/lookup-self'] as const,
  ['cubbyhole', 'POST', 'cubbyhole/x'] as const,
  ['cubbyhole', 'GET', 'cubbyhole/x'] as const,
  ['own token', 'POST', 'auth/token/renew-self'] as const,
  ['making', 'POST', 'auth/token/create'] as const,
  ['making', 'POST', 'auth/token/create/maker'] as const,
  ['making', 'POST', 'auth/token/create-orphan'] as const,
];

/** What is sent to a path. */
export function bodyOf(path: string): Record<string, unknown> {
  if (path.startsWith('secret/data')) return { data: { value: 1 } };
  if (path.startsWith('transit')) return { plaintext: 'YQ==' };
  if (path.startsWith('sys/capabilities')) return { paths: ['kv/a'] };
  return path.startsWith('auth/token/revoke') ? { token: 'none' } : {};
}
