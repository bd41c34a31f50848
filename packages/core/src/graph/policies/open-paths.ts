import { isObject } from '../values/json.ts';

/** A path that is answered without a token, as OpenAPI names it, and what can be done there. */
export interface OpenPath {
  /** `auth/userpass/login/{username}` */
  path: string;
  capabilities: readonly string[];
}

/** What can be done without a token. */
export interface OpenAccess {
  /** `unknown` where known servers differ, or where the answer depends on what is mounted there. */
  can: 'yes' | 'unknown';
  /** An example of a path that needs no token. */
  path: string;
}

/** What is known of the auth methods of a service, as a graph has it. */
interface KnownMethods {
  methods: readonly { path: string; type: string }[];
  others?: readonly { kind: string; path?: string; type?: string }[];
}

const letters: Readonly<Record<string, readonly string[]>> = {
  r: ['read'],
  u: ['create', 'update'],
  d: ['delete'],
  l: ['list'],
};

/** `sys/init:ru` */
function rowsOf(words: string): OpenPath[] {
  return words.split(/\s+/).map((word) => {
    const [, path = '', requests = ''] = /^(.*):(\w+)$/s.exec(word) ?? [];
    return { path, capabilities: [...requests].flatMap((request) => letters[request] ?? []) };
  });
}

/** On all known servers: what OpenBao 2.7.2 marks, and Vault's source has (hashicorp/vault vault/logical_system.go). */
const ofService =
  rowsOf(`sys/health:r sys/leader:r sys/seal-status:r sys/init:ru sys/unseal:u sys/mfa/validate:u
  sys/wrapping/lookup:ru sys/decode-token:u sys/generate-root/attempt:rud sys/generate-root/update:u
  sys/rekey/init:rud sys/rekey/update:u sys/rekey/verify:rud sys/internal/specs/openapi:ru sys/internal/ui/mounts:r
  sys/internal/ui/mounts/{path}:r sys/internal/ui/namespaces:rl identity/oidc/.well-known/keys:r
  identity/oidc/.well-known/openid-configuration:r identity/oidc/provider/{name}/.well-known/keys:r
  identity/oidc/provider/{name}/.well-known/openid-configuration:r identity/oidc/provider/{name}/token:u`);

/** Open on some servers only, or by the configuration of a listener. */
const perhaps = rowsOf(`sys/metrics:r sys/pprof/{path}:r sys/in-flight-req:r sys/wrapping/pubkey:r
  sys/replication/status:r sys/replication/dr/status:r sys/replication/performance/status:r
  sys/internal/ui/custom-messages:rl sys/internal/ui/version:r sys/storage/raft/bootstrap/answer:u
  sys/storage/raft/bootstrap/challenge:u sys/rekey-recovery-key/init:rud sys/rekey-recovery-key/update:u
  sys/rekey-recovery-key/verify:rud`);

/** Below an auth method, by its type; any other has a login. */
const ofMethods: Readonly<Record<string, string>> = {
  jwt: 'login:u cel/login:u oidc/auth_url:u oidc/callback:ru oidc/poll:u',
  oidc: 'login:u cel/login:u oidc/auth_url:u oidc/callback:ru oidc/poll:u',
  userpass: 'login/{username}:u',
  ldap: 'login/{username}:u',
  okta: 'login/{username}:u verify/{nonce}:r',
  radius: 'login:u login/{username}:u',
  kerberos: 'login:ru',
};

const acme = ['', 'issuer/{issuer}/', 'issuer/{issuer}/roles/{role}/', 'roles/{role}/'].flatMap((start) =>
  rowsOf(`directory:r new-nonce:r new-account:u new-order:u orders:u revoke-cert:u account/{kid}:u
    authorization/{id}:u challenge/{id}/{type}:u order/{id}:u order/{id}/cert:u order/{id}/finalize:u`).map(
    ({ path, capabilities }) => ({ path: `${start}acme/${path}`, capabilities }),
  ),
);

/** Below a secrets engine of type `pki`, as OpenBao 2.7.2 marks them; `issuers` it marks in no document (measured: `LIST` is answered). */
const ofPki: readonly OpenPath[] = [
  ...rowsOf(`ca:r ca/pem:r ca_chain:r cert/{serial}:r cert/{serial}/raw:r cert/{serial}/raw/pem:r crl:r crl/pem:r
    crl/delta:r crl/delta/pem:r issuer/{issuer}/crl:r issuer/{issuer}/crl/{form}:r issuer/{issuer}/crl/delta/{form}:r
    issuer/{issuer}/der:r issuer/{issuer}/json:r issuer/{issuer}/pem:r ocsp:u ocsp/{request}:r issuers:l`),
  ...acme,
];

/** The paths that an OpenAPI document marks; undefined for what is no such document, or marks none. */
export function openPathsIn(document: unknown): OpenPath[] | undefined {
  const paths = isObject(document) ? document['paths'] : undefined;
  if (!isObject(paths)) return undefined;
  const marked = Object.entries(paths).flatMap(([path, item]): OpenPath[] => {
    if (!isObject(item) || item['x-vault-unauthenticated'] !== true) return [];
    const requests = { get: 'r', post: 'u', put: 'u', delete: 'd' };
    const capabilities = Object.entries(requests).flatMap(([request, letter]) =>
      request in item ? (letters[letter] ?? []) : [],
    );
    return [{ path: path.replace(/^\/|\/$/g, ''), capabilities }];
  });
  return marked.length === 0 ? undefined : marked;
}

/**
 * Whether anyone can do something without a token, at a path or on at least one of a pattern; undefined where no one can.
 *
 * @param graph the auth methods that are known
 * @param tokenless what the server's own document marks. Defaults to what is known of servers
 */
export function openAt(
  pattern: string,
  capability: string,
  graph: KnownMethods,
  tokenless?: readonly OpenPath[],
): OpenAccess | undefined {
  const at = (rows: readonly OpenPath[], prefix = '') =>
    rows.flatMap(({ path, capabilities }) =>
      capabilities.includes(capability) ? (exampleOf(pattern, `${prefix}${path}`) ?? []) : [],
    )[0];
  const methods = methodsIn(graph).map(({ path, type }) => ({ path, rows: loginsOf(type) }));
  const known = [
    at(tokenless ?? ofService),
    ...methods.map(({ path, rows }) => at(rows, `auth/${path}/`)),
    // A document leaves these out.
    ...(tokenless === undefined ? [] : pkiIn(tokenless).map((path) => at(ofPki, `${path}/`))),
  ].find((path) => path !== undefined);
  if (known !== undefined) return { can: 'yes', path: known };
  const [first = '', second = ''] = pattern.split('/');
  const isPki = tokenless === undefined && /pki/i.test(first);
  const isLogin = tokenless === undefined && first === 'auth' && !methods.some(({ path }) => path === second);
  const unsure = [
    at(perhaps),
    ...(isPki ? [at(ofPki, `${first.replace(/\*$/, '')}/`)] : []),
    ...(isLogin && !/[+*]/.test(second) ? [at(rowsOf('login:u login/{username}:u'), `auth/${second}/`)] : []),
  ].find((path) => path !== undefined);
  return unsure === undefined ? undefined : { can: 'unknown', path: unsure };
}

function methodsIn({ methods, others = [] }: KnownMethods) {
  const mounts = others.flatMap(({ kind, path = '', type = '' }) =>
    kind === 'otherMethod' ? { path, type } : [],
  );
  return [...methods.map(({ path, type }) => ({ path, type: String(type) })), ...mounts];
}

function loginsOf(type: string): OpenPath[] {
  return rowsOf((Object.hasOwn(ofMethods, type) && ofMethods[type]) || 'login:u');
}

/** Paths of the engines whose certificates a document has. */
function pkiIn(tokenless: readonly OpenPath[]): string[] {
  return tokenless.flatMap(({ path }) => /^(.+)\/ca_chain$/.exec(path)?.[1] ?? []);
}

/** A path that both match: a name in braces stands for one segment, and for any rest at the end. */
function exampleOf(pattern: string, template: string): string | undefined {
  const segments = pattern.split('/');
  const known = template.split('/');
  const path: string[] = [];
  for (const [at, name] of known.entries()) {
    const segment = segments[at];
    const isLast = at === segments.length - 1;
    const isFree = name.startsWith('{');
    if (segment === undefined) return undefined;
    if (isLast && segment.endsWith('*')) {
      const start = segment.slice(0, -1);
      if (!isFree && !name.startsWith(start)) return undefined;
      const rest = [isFree ? `${start}x` : name, ...known.slice(at + 1)];
      return [...path, ...rest.map((segmentName) => (segmentName.startsWith('{') ? 'x' : segmentName))].join(
        '/',
      );
    }
    if (!isFree && segment !== '+' && segment !== name) return undefined;
    const isRest = isFree && at === known.length - 1 && segments.length > known.length;
    if (isRest) return [...path, ...segments.slice(at)].join('/').replace(/\*$/, 'x').replaceAll('+', 'x');
    path.push(segment !== '+' ? segment : isFree ? 'x' : name);
  }
  return segments.length === known.length ? path.join('/') : undefined;
}
