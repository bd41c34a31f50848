import { type FoldOptions, LogFold } from '../../src/usage/log-fold.ts';

/** What a line of a log can have, each with a default. */
export interface Line {
  /** Seconds after the beginning of 1 November 2026, UTC. */
  at?: number;
  id?: string;
  type?: 'request' | 'response';
  operation?: string;
  path?: string;
  mount?: string;
  namespace?: string;
  /** Undefined without a valid token. */
  by?: { name: string; role?: string; entity?: string; token?: string[]; identity?: string[] } | undefined;
  allowed?: boolean;
  /** Whether a policy granted it. Defaults to whether it is allowed. */
  granted?: boolean;
  data?: Record<string, unknown>;
  wrapping?: number;
  signIn?: Line['by'];
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

/** A job that signed in by role web of auth/ci. */
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
  const { mount = 'secret/', namespace = '', granted = allowed, data, wrapping, signIn, error } = line;
  const by = 'by' in line ? line.by : ann;
  return JSON.stringify({
    time: new Date(start + at * 1000).toISOString(),
    type,
    auth: {
      ...(by ? authOf(by) : {}),
      ...(!signIn && {
        policy_results: { allowed, ...(granted && { granting_policies: [{ name: 'x', type: 'acl' }] }) },
      }),
    },
    request: {
      ...{ id, operation, path, mount_point: mount, mount_type: 'kv' },
      namespace: namespace === '' ? { id: 'root' } : { id: 'n', path: `${namespace}/` },
      ...(data && { data }),
      ...(wrapping === undefined ? {} : { wrap_ttl: wrapping }),
    },
    response: {
      ...(signIn ? { auth: authOf(signIn) } : {}),
      ...(error !== undefined && { data: { error } }),
    },
    ...(allowed ? {} : { error: '1 error occurred:\n\t* permission denied\n\n' }),
  });
}

/** A sign-in by an auth method. */
export function signInLine(method: string, who: NonNullable<Line['by']>, line: Line = {}): string {
  const at = { path: `auth/${method}/login`, mount: `auth/${method}/`, operation: 'update' };
  return auditLine({ ...at, by: who, signIn: who, ...line });
}

export function folded(lines: string[], options?: FoldOptions) {
  const fold = new LogFold(options);
  for (const line of lines) fold.add(line);
  return fold.result();
}

function authOf({ name, role, entity, token = [], identity = [] }: NonNullable<Line['by']>) {
  return {
    ...{ client_token: 'hmac-sha256:t', accessor: 'hmac-sha256:a', display_name: name },
    policies: [...token, ...identity],
    token_policies: token,
    ...(identity.length > 0 && { identity_policies: identity }),
    ...(role !== undefined && { metadata: { role } }),
    ...(entity !== undefined && { entity_id: entity }),
    token_type: 'service',
  };
}
