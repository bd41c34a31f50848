import type { FoldOptions } from '../../src/usage/folded-log.ts';
import { LogFold } from '../../src/usage/log-fold.ts';

/** What a line of a log can have, each with a default. */
export interface Line {
  /** Seconds after the beginning of 1 November 2026, UTC. */
  at?: number;
  id?: string;
  type?: 'request' | 'response';
  operation?: string;
  path?: string;
  mount?: string;
  /** Defaults to none, as older servers write. */
  accessor?: string;
  /** Defaults to that of the mounts of these tests. */
  mountType?: string;
  namespace?: string;
  /** Undefined without a valid token. */
  by?:
    | {
        name: string;
        role?: string;
        metadata?: Record<string, string>;
        accessor?: string;
        /** A batch token has no accessor, and is told by its hash. */
        client?: string;
        entity?: string;
        token?: string[];
        identity?: string[];
      }
    | undefined;
  allowed?: boolean;
  /** Whether a policy granted it. Defaults to whether it is allowed. */
  granted?: boolean;
  /** Id of the namespace of the policies that granted it. Defaults to the root's. */
  grantedIn?: string;
  data?: Record<string, unknown>;
  wrapping?: number;
  signIn?: Line['by'];
  /** Another token that the answer has; its accessor, where the answer is wrapped. */
  gives?: Line['by'];
  wrapped?: string;
  error?: string;
}

export const start = Date.UTC(2026, 10, 1);
export const ann = {
  name: 'staff-ann',
  role: 'reader',
  entity: 'e-ann',
  token: ['app', 'default'],
  identity: ['ops'],
};

/** A job that signed in by role ci/web. */
export const job = { name: 'ci-alice', role: 'web', entity: 'e-1', token: ['default', 'shop'] };

/** A line as OpenBao 2.7.2 writes it, but for fields that are not read. */
export function auditLine(line: Line = {}): string {
  const {
    at = 0,
    id = `id-${at}`,
    type = 'response',
    operation = 'read',
    path = 'secret/data/a',
    allowed = true,
  } = line;
  const {
    mount = 'secret/',
    mountType = typeOf(mount),
    accessor,
    namespace = '',
    granted = allowed,
    data,
    wrapping,
    signIn,
    gives = signIn,
    wrapped,
    error,
  } = line;
  const isSignIn = signIn !== undefined || (wrapped !== undefined && mountType !== 'token');
  const by = 'by' in line ? line.by : ann;
  return JSON.stringify({
    time: new Date(start + at * 1000).toISOString(),
    type,
    auth: {
      ...(by ? authOf(by) : {}),
      ...(!isSignIn && {
        policy_results: {
          allowed,
          ...(granted && {
            granting_policies: [{ name: 'x', namespace_id: line.grantedIn ?? 'root', type: 'acl' }],
          }),
        },
      }),
    },
    request: {
      id,
      operation,
      mount_point: mount,
      mount_type: mountType,
      ...(accessor !== undefined && { mount_accessor: accessor }),
      namespace: namespace === '' ? { id: 'root' } : { id: 'n', path: `${namespace}/` },
      path,
      ...(data && { data }),
      ...(wrapping === undefined ? {} : { wrap_ttl: wrapping }),
    },
    ...(type === 'response' && {
      response: {
        ...(gives ? { auth: authOf(gives) } : {}),
        ...(wrapped !== undefined && { wrap_info: { wrapped_accessor: `hmac-sha256:${wrapped}` } }),
        ...(error !== undefined && { data: { error } }),
      },
    }),
    ...(allowed ? {} : { error: '1 error occurred:\n\t* permission denied\n\n' }),
  });
}

/** A renewal of a token by itself. */
export function renewalLine(who: NonNullable<Line['by']>, at: number): string {
  const renewal = { path: 'auth/token/renew-self', mount: 'auth/token/', operation: 'update' };
  return auditLine({ ...renewal, by: who, gives: who, at });
}

/** A sign-in by an auth method. */
export function signInLine(method: string, who: NonNullable<Line['by']>, line: Line = {}): string {
  const at = { path: `auth/${method}/login`, mount: `auth/${method}/`, operation: 'update' };
  return auditLine({ ...at, by: who, signIn: who, ...line });
}

export function folded(lines: string[], options?: FoldOptions) {
  const fold = new LogFold(options);
  const seen = new Map<string, number>();
  // Each line is of a request of its own, whatever its time.
  for (const line of lines)
    fold.add(
      line.replace(/"id":"(id-\d+)"/, (id, name: string) => {
        const times = (seen.get(name) ?? 0) + 1;
        seen.set(name, times);
        return times === 1 ? id : `"id":"${name}.${times}"`;
      }),
    );
  return fold.result();
}

function authOf({
  name,
  role,
  entity,
  metadata = role === undefined ? undefined : { role },
  accessor = name,
  client = `of ${name}`,
  token = [],
  identity = [],
}: NonNullable<Line['by']>) {
  return {
    client_token: `hmac-sha256:${client}`,
    display_name: name,
    ...(accessor !== '' && { accessor: `hmac-sha256:${accessor}` }),
    policies: [...token, ...identity],
    token_policies: token,
    ...(identity.length > 0 && { identity_policies: identity }),
    ...(metadata && { metadata }),
    ...(entity !== undefined && { entity_id: entity }),
    token_type: 'service',
  };
}

/** Types of the mounts of these tests. */
function typeOf(mount: string): string {
  const method = /(?:^|\/)auth\/(\w+)\/$/.exec(mount)?.[1];
  const types: Record<string, string> = { token: 'token', apps: 'approle', people: 'userpass' };
  return method === undefined ? 'kv' : (types[method] ?? 'jwt');
}
