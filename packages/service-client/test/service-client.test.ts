import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { servingEachTest } from '../../../test/harness/serving.ts';
import { ServiceClient, type ServiceClientOptions } from '../src/service-client.ts';

const serving = servingEachTest();

/** What the recorded server answers, one after the other; the last one again and again. */
interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Drop the connection instead. */
  drop?: boolean;
}

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

const clients: ServiceClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function serve(
  ...replies: Reply[]
): Promise<{ address: string; seen: Seen[]; connections: () => number }> {
  const seen: Seen[] = [];
  const sockets = new Set<unknown>();
  const address = await serving(async (incoming, outgoing) => {
    const body = (await incoming.toArray()).join('');
    const { method, url, headers, socket } = incoming;
    sockets.add(socket);
    seen.push({ method, url, headers, body });
    const reply = replies[Math.min(seen.length, replies.length) - 1] ?? { status: 204 };
    if (reply.drop) {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(reply.status, reply.headers);
    outgoing.end(typeof reply.body === 'string' ? reply.body : reply.body && JSON.stringify(reply.body));
  });
  return { address, seen, connections: () => sockets.size };
}

function clientFor(options: ServiceClientOptions): ServiceClient {
  const client = new ServiceClient(options);
  clients.push(client);
  return client;
}

describe('headers', () => {
  test.each([
    ['vault', 'x-vault-token', 'x-vault-request', 'x-vault-namespace'],
    ['neutral', 'x-secrets-token', 'x-secrets-request', 'x-secrets-namespace'],
  ] as const)('in the %s dialect', async (dialect, token, request, namespace) => {
    const { address, seen } = await serve({ status: 200, body: { data: {} } });
    await clientFor({ address, dialect, token: 't', namespace: 'team' }).read('sys/x');
    expect(seen[0]?.headers).toMatchObject({ [token]: 't', [request]: 'true', [namespace]: 'team' });
  });

  test('a namespace within a client is relative to the client’s own', async () => {
    const { address, seen } = await serve({ status: 204 });
    await clientFor({ address, namespace: 'a' }).with({ namespace: 'b/c' }).read('sys/x');
    expect(seen[0]?.headers['x-vault-namespace']).toBe('a/b/c');
  });
});

describe('requests', () => {
  test('a list is sent as GET with list=true', async () => {
    const { address, seen } = await serve({ status: 200, body: { data: { keys: [] } } });
    await clientFor({ address }).list('identity/group/id');
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/v1/identity/group/id?list=true' });
  });

  test('every part of a path is escaped', async () => {
    const { address, seen } = await serve({ status: 204 });
    await clientFor({ address }).put('sys/policies/acl/a?b#c d', { policy: '' });
    expect(seen[0]?.url).toBe('/v1/sys/policies/acl/a%3Fb%23c%20d');
  });

  test.each(['auth/../sys/raw', 'auth/./x', 'auth//x', ''])('the path "%s" is refused', async (path) => {
    const { address, seen } = await serve({ status: 204 });
    await expect(clientFor({ address }).read(path)).rejects.toMatchObject({ code: 'path_invalid' });
    expect(seen).toHaveLength(0);
  });

  test('nothing at a path is undefined', async () => {
    const { address } = await serve({ status: 404, body: { errors: [] } });
    await expect(clientFor({ address }).read('auth/jwt/role/x')).resolves.toBeUndefined();
  });

  test('deleting what is not there is fine', async () => {
    const { address } = await serve({ status: 404, body: { errors: [] } });
    await expect(clientFor({ address }).delete('auth/jwt/role/x')).resolves.toBeUndefined();
  });

  test('an answer without data is its own data', async () => {
    const { address } = await serve({ status: 200, body: { sealed: false } });
    await expect(clientFor({ address }).read('sys/seal-status')).resolves.toEqual({
      data: { sealed: false },
    });
  });

  test('connections are kept and no more than the limit are opened', async () => {
    const { address, connections } = await serve({ status: 204 });
    const client = clientFor({ address, maxConnections: 3 });
    await Promise.all(Array.from({ length: 20 }, () => client.read('sys/x')));
    expect(connections()).toBeLessThanOrEqual(3);
  });
});

describe('trying again', () => {
  const passing: [string, number][] = ['GET', 'PUT', 'DELETE'].flatMap((method) =>
    [412, 429, 502, 503, 504].map((status): [string, number] => [method, status]),
  );
  const send = (client: ServiceClient, method: string): Promise<unknown> => {
    if (method === 'GET') return client.read('p');
    if (method === 'DELETE') return client.delete('p');
    return method === 'PUT' ? client.put('p', {}) : client.post('p', {});
  };

  test.each([...passing, ['POST', 412] as const, ['POST', 429] as const])(
    '%s after %d',
    async (method, status) => {
      const { address, seen } = await serve({ status, headers: { 'Retry-After': '0.001' } }, { status: 204 });
      await send(clientFor({ address }), method);
      expect(seen).toHaveLength(2);
    },
  );

  test.each([502, 503, 504])('not for POST after %d, which may have done something', async (status) => {
    const { address, seen } = await serve({ status }, { status: 204 });
    await expect(send(clientFor({ address }), 'POST')).rejects.toMatchObject({ code: 'service_refused' });
    expect(seen).toHaveLength(1);
  });

  test('a dropped connection, for a read', async () => {
    const { address, seen } = await serve({ status: 0, drop: true }, { status: 204 });
    await clientFor({ address }).read('p');
    expect(seen).toHaveLength(2);
  });

  test('not a dropped connection, for a POST', async () => {
    const { address, seen } = await serve({ status: 0, drop: true }, { status: 204 });
    await expect(clientFor({ address }).post('p', {})).rejects.toMatchObject({ code: 'service_unreachable' });
    expect(seen).toHaveLength(1);
  });

  test('at most maxRetries times', async () => {
    const { address, seen } = await serve({ status: 503, headers: { 'Retry-After': '0.001' } });
    await expect(clientFor({ address, maxRetries: 3 }).read('p')).rejects.toMatchObject({
      code: 'service_refused',
    });
    expect(seen).toHaveLength(4);
  });
});

describe('errors', () => {
  test.each([
    [400, { errors: ['bad role'] }, 'service_refused', /HTTP 400.*bad role/],
    [403, { errors: ['permission denied'] }, 'permission_denied', /PUT auth\/jwt\/config/],
    [404, { errors: ['no handler'] }, 'not_found', /no handler/],
    [503, { errors: ['Vault is sealed'] }, 'service_sealed', /Unseal/],
    [307, '', 'service_redirects', /active server/],
    [500, '<html>', 'service_refused', /HTTP 500/],
    [200, '<html>', 'answer_invalid', /not answered with JSON/],
  ] as const)('status %d with %j is %s', async (status, body, code, message) => {
    const { address } = await serve({ status, body });
    const failure = clientFor({ address }).put('auth/jwt/config', {});
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('a sealed service is not asked again', async () => {
    const { address, seen } = await serve({ status: 503, body: { errors: ['Vault is sealed'] } });
    await expect(clientFor({ address }).read('p')).rejects.toMatchObject({ code: 'service_sealed' });
    expect(seen).toHaveLength(1);
  });

  test('a namespace that does not exist is an error, not "nothing there"', async () => {
    const { address } = await serve({ status: 404, body: { errors: ['namespace not found'] } });
    const failure = clientFor({ address, namespace: 'typo' }).read('sys/policies/acl/x');
    await expect(failure).rejects.toMatchObject({ code: 'namespace_not_found' });
  });

  test('a service that is down is unreachable', async () => {
    const failure = clientFor({ address: 'http://127.0.0.1:1', maxRetries: 0 }).read('p');
    await expect(failure).rejects.toMatchObject({ code: 'service_unreachable' });
  });

  test('no byte within the timeout is unreachable', async () => {
    const address = await serving(() => undefined);
    const failure = clientFor({ address, timeoutMs: 50, maxRetries: 0 }).read('p');
    await expect(failure).rejects.toMatchObject({ code: 'service_unreachable' });
  });

  test.each(['secrets.example.com:8200', 'ftp://x', 'http://user:word@host', 'nonsense'])(
    'the address "%s" is refused',
    (address) => {
      expect(() => new ServiceClient({ address })).toThrow(
        expect.objectContaining({ code: 'address_invalid' }),
      );
    },
  );

  test('none holds the token', async () => {
    const token = 's.very-secret-token';
    const { address } = await serve({ status: 400, body: { errors: ['no'] } });
    const error = await clientFor({ address, token })
      .put('p', { oidc_client_secret: 'hidden' })
      .catch((reason: unknown) => reason);
    const shown = `${String(error)} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('hidden');
  });

  test('a token with a line break is refused without being shown', () => {
    const make = () => new ServiceClient({ address: 'http://127.0.0.1:1', token: 'abc\ndef' });
    expect(make).toThrow(expect.objectContaining({ code: 'token_invalid' }));
    expect(make).not.toThrow(/abc/);
  });
});
