/** A hashed value, as a device with its own salt writes it. */
export const hash = (letter: string) => `hmac-sha256:${letter.repeat(64)}`;

type Block = Record<string, unknown>;

/** The line of a response, as OpenBao writes it to a hashed file. */
export function responseLine(
  parts: { time?: string; auth?: Block; request?: Block; response?: Block; error?: string } = {},
): string {
  const { time = '2026-11-25T10:00:00.123456789Z', auth = alice(), request, response, ...rest } = parts;
  return JSON.stringify({
    time,
    type: 'response',
    auth,
    request: { ...asked, ...request },
    response: { mount_point: 'kv/', mount_type: 'kv', ...response },
    ...rest,
  });
}

export const asked = {
  id: '6f0c3d2e-8a51-4a7e-9d0b-000000000001',
  operation: 'read',
  mount_point: 'kv/',
  mount_type: 'kv',
  client_token: hash('a'),
  client_token_accessor: hash('b'),
  namespace: { id: 'root' },
  path: 'kv/app',
  remote_address: '127.0.0.1',
};

export function alice(fields: Block = {}): Block {
  return {
    client_token: hash('a'),
    accessor: hash('b'),
    display_name: 'staff-alice',
    policies: ['default', 'ops', 'reader'],
    token_policies: ['default', 'reader'],
    identity_policies: ['ops'],
    policy_results: {
      allowed: true,
      granting_policies: [{ name: 'reader', namespace_id: 'root', type: 'acl' }],
    },
    metadata: { role: 'reader' },
    entity_id: 'e-alice',
    token_type: 'service',
    ...fields,
  };
}

export const requestLine = (parts: Block = {}) =>
  JSON.stringify({ time: '2026-11-25T10:00:00Z', type: 'request', auth: alice(), request: asked, ...parts });

/** The sign-in of a person who has no token yet. */
export const signInLine = (parts: { time?: string; request?: Block; response?: Block } = {}) =>
  responseLine({
    ...parts,
    auth: alice({ policy_results: undefined }),
    request: {
      operation: 'update',
      path: 'auth/staff/login',
      mount_point: 'auth/staff/',
      mount_type: 'jwt',
      client_token: undefined,
      data: { role: hash('c'), jwt: hash('d') },
      ...parts.request,
    },
    response: { auth: alice({ policy_results: undefined }), ...parts.response },
  });

/** What a device writes when it begins. */
export const deviceLine = (time: string) =>
  JSON.stringify({
    time,
    type: 'request',
    auth: { token_type: 'default' },
    request: { id: 'a', operation: 'update', namespace: { id: 'root' }, path: 'sys/audit/test' },
  });
