/** Who a request, or a sign-in, was by: what the log has in clear of a token. */
export interface LoggedPrincipal {
  /** The mount's path and the alias's name, joined by a hyphen: `staff-alice`. */
  name: string;
  /** Id of the entity; empty without one. */
  entity: string;
  /** The role, user or certificate that was signed in with, where the method names one; else empty. */
  role: string;
  /** Everything that the method wrote on the token, its role as well. */
  metadata: Readonly<Record<string, string>>;
  tokenPolicies: readonly string[];
  /** Those of its entity and groups, at that time. */
  identityPolicies: readonly string[];
  /** All of them together. */
  policies: readonly string[];
  /** Policies of other namespaces count as well. */
  isElsewhere: boolean;
}

/** One request with its answer. Holds no token; hashed values as the log has them. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  at: number;
  id: string;
  operation: string;
  /** As it was asked for, below the namespace; a list has a slash at its end. */
  path: string;
  /** Path of the namespace; empty for the root's. */
  namespace: string;
  /** Path of the mount that answered, without a slash at its end: `auth/staff`. */
  mount: string;
  /** Undefined where no valid token came along. */
  by: LoggedPrincipal | undefined;
  /** `unchecked`: no policy decided it, as for a sign-in. */
  outcome: 'allowed' | 'refused' | 'unchecked';
  /** Fields of the body or the query. */
  fields: Readonly<Record<string, unknown>>;
  /** Time to live of the wrapped response that was asked for, in seconds. */
  wrapping?: number;
  /** Who it signed in, or made a token for. */
  signIn?: LoggedPrincipal;
  /** The service, or the backend, answered with an error. */
  failed: boolean;
}

/** Why a line is not an entry. `request`: its response has all that it has, and the outcome. */
export type Unread = 'request' | 'not-json' | 'cut' | 'other-format' | 'in-clear';

/** What hashed values begin with. */
export const hashed = 'hmac-sha256:';

const requestHead = /^\{"time":"[^"]*","type":"request","(?:auth|request)":/;

/**
 * Reads one line of an audit log of OpenBao or Vault, with text before the brace or without (facts/audit.md).
 * A log in clear (`log_raw`) has tokens in it and is not read.
 */
export function readAuditLine(line: string): AuditEntry | Unread {
  const first = line.indexOf('{"time":"');
  const start = first === -1 ? line.indexOf('{') : first;
  if (start === -1) return line.trimStart().startsWith('<') ? 'other-format' : 'not-json';
  // Before the log's own text is read as JSON: half of the lines.
  const head = line.slice(start, start + 90);
  if (requestHead.test(head)) return 'request';
  let parsed: unknown;
  try {
    parsed = JSON.parse(start === 0 ? line : line.slice(start));
  } catch {
    return line.trimEnd().endsWith('}') ? 'not-json' : 'cut';
  }
  const { type, time, auth, request, response, error } = blockIn(parsed);
  const asked = blockIn(request);
  const { id, operation, path } = asked;
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (type === 'request' && typeof operation === 'string') return 'request';
  if (type !== 'response' || typeof operation !== 'string') return 'other-format';
  if (typeof path !== 'string' || Number.isNaN(at)) return 'other-format';
  const { auth: issued, data } = blockIn(response);
  const [given, answered] = [blockIn(issued), blockIn(data)];
  if ([auth, request, given].some(hasToken)) return 'in-clear';
  const { allowed, granting_policies: granting } = blockIn(blockIn(auth)['policy_results']);
  const namespace = textIn(blockIn(asked['namespace'])['path']);
  const mount = without(namespace, textIn(asked['mount_point']));
  const wrapping = asked['wrap_ttl'];
  const by = placed(principalOf(blockIn(auth)), granting, blockIn(asked['namespace'])['id']);
  const isSignIn = mount.startsWith('auth/') && Object.keys(given).length > 0;
  return {
    // The service's own requests have none.
    id: textIn(id),
    ...{ at, operation },
    path: fullPath(path, mount),
    mount: mount.replace(/\/$/, ''),
    namespace: namespace.replace(/\/$/, ''),
    // The response to a sign-in has the new token there, which did not ask.
    by: isSignIn && allowed === undefined ? undefined : by,
    outcome:
      allowed === false
        ? 'refused'
        : allowed === true && Array.isArray(granting) && granting.length > 0
          ? 'allowed'
          : 'unchecked',
    fields: blockIn(asked['data']),
    ...(typeof wrapping === 'number' && wrapping > 0 && { wrapping }),
    ...(isSignIn && { signIn: principalOf(given) }),
    // A backend answers a sign-in with an error in its data.
    failed:
      (error !== undefined && error !== '') || (mount.startsWith('auth/') && answered['error'] !== undefined),
  };
}

/** The path of a mount has that of its namespace before it, other than the path of a request. */
function without(namespace: string, mount: string): string {
  return mount.startsWith(namespace) ? mount.slice(namespace.length) : mount;
}

/** A request that the router refuses, as of a batch token's cubbyhole, is logged with its path below the mount. */
function fullPath(path: string, mount: string): string {
  return path.startsWith(mount) || `${path}/` === mount ? path : mount + path;
}

function principalOf(auth: Readonly<Record<string, unknown>>): LoggedPrincipal | undefined {
  const policies = textsIn(auth['policies']);
  if (policies.length === 0 && auth['display_name'] === undefined) return undefined;
  const metadata = Object.fromEntries(
    Object.entries(blockIn(auth['metadata'])).filter(
      (one): one is [string, string] => typeof one[1] === 'string',
    ),
  );
  const [tokenPolicies, identityPolicies] = [
    textsIn(auth['token_policies']),
    textsIn(auth['identity_policies']),
  ];
  return {
    ...{ metadata, tokenPolicies, identityPolicies },
    name: textIn(auth['display_name']),
    entity: textIn(auth['entity_id']),
    role: roleFields.map((field) => metadata[field] ?? '').find((role) => role !== '') ?? '',
    policies: [...new Set([...policies, ...tokenPolicies, ...identityPolicies])].sort(),
    isElsewhere: Object.keys(blockIn(auth['external_namespace_policies'])).length > 0,
  };
}

/** A token of the namespace above has its policies there, and they are called as others here. */
function placed(
  by: LoggedPrincipal | undefined,
  granting: unknown,
  namespace: unknown,
): LoggedPrincipal | undefined {
  const ids = (Array.isArray(granting) ? granting : []).map((one) => blockIn(one)['namespace_id']);
  const isElsewhere = ids.some((id) => typeof id === 'string' && id !== namespace);
  return by === undefined || !isElsewhere ? by : { ...by, isElsewhere };
}

/** Where methods write the role on a token: jwt, oidc and kubernetes; approle; userpass and ldap; cert. */
const roleFields = ['role', 'role_name', 'username', 'cert_name'];

/** Whether a token is there in clear, as `log_raw` has it. Accessors are, with `hmac_accessor` off. */
function hasToken(block: unknown): boolean {
  const { client_token: token } = blockIn(block);
  return typeof token === 'string' && token !== '' && !token.startsWith(hashed);
}

const nothing: Readonly<Record<string, unknown>> = {};

function blockIn(value: unknown): Readonly<Record<string, unknown>> {
  return isBlock(value) ? value : nothing;
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
