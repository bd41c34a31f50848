import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { MemoryStorage } from '../../../test/harness/memory-storage.ts';
import { rawHttp, statusesOf } from '../../../test/harness/raw-http.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { type SecretsServer, startSecretsService } from '../src/server.ts';
import { SqliteStorage } from '../src/storage/sqlite.ts';

describe('the secrets service over HTTP', () => {
  const server = started(startEmbeddedService);

  async function call(method: string, path: string, init: RequestInit = {}) {
    const headers = { 'X-Vault-Token': server().token, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${server().address}${path}`, { ...init, method, headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  const raw = (...pieces: string[]) => rawHttp(server().address, ...pieces);
  const head = (line: string, ...headers: string[]) =>
    `${[line, 'Host: x', `X-Secrets-Token: ${server().token}`, ...headers].join('\r\n')}\r\n\r\n`;
  const lists = 'LIST /v1/sys/policies/acl/ HTTP/1.1';

  test.each(['X-Vault-Token', 'X-Secrets-Token'])('takes the token from %s', async (header) => {
    const response = await fetch(`${server().address}/v1/auth/token/lookup-self`, {
      headers: { [header]: server().token },
    });
    expect(response.status).toBe(200);
  });

  test('serves requests in absolute form, LIST too', async () => {
    const address = 'http://secrets.example:8200/v1/sys/policies/acl';
    const answer = await raw(head(`GET ${address}/default HTTP/1.1`), head(`LIST ${address} HTTP/1.1`));
    expect(statusesOf(answer)).toEqual(['200', '200']);
    expect(answer).toContain('"keys":["default"');
  });

  test('takes a bearer token', async () => {
    const response = await fetch(`${server().address}/v1/auth/token/lookup-self`, {
      headers: { Authorization: `Bearer ${server().token}` },
    });
    expect(response.status).toBe(200);
  });

  test('LIST and GET with list=true answer the same', async () => {
    const [one, other] = await Promise.all([
      call('LIST', '/v1/sys/policies/acl/'),
      call('GET', '/v1/sys/policies/acl?list=true'),
    ]);
    expect(one.body.data).toEqual({ keys: ['default', 'root'] });
    expect(other.body.data).toEqual(one.body.data);
  });

  test('pipelined LISTs and other methods are answered in their order', async () => {
    const body = '{"paths":["LIST /v1/x"]}';
    const update = head('POST /v1/sys/capabilities-self HTTP/1.1', `Content-Length: ${body.length}`) + body;
    const end = head('GET /v1/nothing/here HTTP/1.1', 'Connection: close');
    const answer = await raw(head(lists) + update + head(lists) + end);
    expect(statusesOf(answer)).toEqual(['200', '200', '200', '404']);
  });

  test.each([
    ['a method nobody knows', 'FOO /v1/sys/health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('refuses %s as it refuses everything', async (_, text) => {
    const answer = await raw(text);
    expect(statusesOf(answer)).toEqual(['400']);
    expect(answer).toContain('{"errors":["bad request"]}');
  });

  test('a body of more than 1 MiB is refused', async () => {
    const { status, body } = await call('POST', '/v1/sys/policies/acl/x', {
      body: JSON.stringify({ policy: 'x'.repeat(1024 * 1024) }),
    });
    expect([status, body]).toEqual([413, { errors: ['request body too large'] }]);
  });

  test.each([
    ['no JSON', '{bad', 'invalid character at position 1'],
    ['half of it', '{"a":', 'unexpected end of JSON input'],
    ['a list', '[1]', 'the body is not an object'],
    ['a text', '"x"', 'the body is not an object'],
    ['a form', 'role=x&jwt=y', 'invalid character'],
    ['something very deep', `{"a":${'['.repeat(100_000)}`, 'more than 64 levels'],
  ])('a body that is %s is refused', async (_, body, problem) => {
    const answer = await call('POST', '/v1/auth/token/create', { body });
    expect(answer).toEqual({ status: 400, body: { errors: [`failed to decode JSON input: ${problem}`] } });
  });

  test('what is wrong with a body is said without repeating it', async () => {
    const { body } = await call('POST', '/v1/auth/token/create', { body: '{"jwt": s3cret}' });
    expect(JSON.stringify(body)).not.toContain('s3c');
  });

  // CVE-2026-25223, -33806, -3419: the content type does not change how a body is read.
  test.each(['application/json', 'text/plain', 'application/json\t;x', ' application/json'])(
    'reads JSON whatever its content type says: %j',
    async (type) => {
      const body = JSON.stringify({ paths: ['a'] });
      const { status } = await call('POST', '/v1/sys/capabilities-self', {
        body,
        headers: { 'Content-Type': type },
      });
      expect(status).toBe(200);
    },
  );

  test.each(['application/json, x', 'x', ';'])('refuses a content type that is none: %j', async (type) => {
    const { status } = await call('POST', '/v1/sys/capabilities-self', {
      body: '{"paths":["a"]}',
      headers: { 'Content-Type': type },
    });
    expect(status).toBe(400);
  });

  // CVE-2026-3605: one path for authorization and routing.
  test.each([
    ['/v1/sys/policies/acl/%2e%2e/x', 400],
    ['/v1/sys/policies/acl/a%2f..%2fb', 400],
    ['/v1/sys//policies///acl/default/', 200],
    ['/v1/sys/policies/acl/%00', 400],
    ['/v1/sys/policies/acl/%zz', 400],
    ['/v1', 404],
    ['/v1/', 404],
    ['/', 404],
    ['/v2/sys/health', 404],
    ['/v1/nope/x', 404],
    ['/v1/sys/nope', 404],
  ])('%s is answered with %i', async (path, status) => {
    const { hostname, port } = new URL(server().address);
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Vault-Token: ${server().token}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesOf(answer)).toEqual([String(status)]);
  });

  test('a path that is not known is told so to who may know it, and to nobody else', async () => {
    const known = await call('GET', '/v1/nope/x');
    const stranger = await call('GET', '/v1/nope/x', { headers: { 'X-Vault-Token': 'x' } });
    expect(known.body.errors).toEqual(['no handler for route "nope/x". route entry not found.']);
    expect([stranger.status, stranger.body.errors]).toEqual([403, ['permission denied']]);
  });

  test('an operation that a path has not is refused', async () => {
    const { status, body } = await call('GET', '/v1/auth/token/create');
    expect([status, body.errors]).toEqual([405, ['1 error occurred:\n\t* unsupported operation\n\n']]);
  });

  test('a write that is refused at its end leaves all as it was', async () => {
    const body = JSON.stringify({ name: 'team', member_entity_ids: ['nobody'] });
    const refused = await call('POST', '/v1/identity/group', { body });
    const read = await call('GET', '/v1/identity/group/name/team');
    expect([refused.status, read.status]).toEqual([400, 404]);
  });

  test('wrapping is refused rather than passed over', async () => {
    const { status } = await call('GET', '/v1/sys/health', { headers: { 'X-Vault-Wrap-TTL': '60' } });
    expect(status).toBe(400);
  });

  test('says of itself that it is unsealed, and its version', async () => {
    const response = await fetch(`${server().address}/v1/sys/seal-status`);
    expect(await response.json()).toMatchObject({ sealed: false, version: '1.21.0+ent' });
  });
});

describe('starting the secrets service', () => {
  const lookup = ({ address }: SecretsServer, token = '') =>
    fetch(`${address}/v1/auth/token/lookup-self`, { headers: { 'X-Vault-Token': token } });

  test('a root token is made at the first start, and kept without being known', async () => {
    const path = join(temporaryFolder(), 'store.sqlite');
    const first = await startSecretsService({ storage: new SqliteStorage(path) });
    await first.close();
    const second = await startSecretsService({ storage: new SqliteStorage(path) });
    const response = await lookup(second, first.rootToken);
    await second.close();
    expect([second.rootToken, response.status]).toEqual([undefined, 200]);
    expect(readFileSync(path).includes(first.rootToken ?? '')).toBe(false);
  });

  test('a port that is taken is a clear error', async () => {
    const first = await startEmbeddedService();
    const port = Number(new URL(first.address).port);
    await expect(startSecretsService({ storage: new MemoryStorage(), port })).rejects.toMatchObject({
      code: 'port_in_use',
    });
    await first.close();
  });

  test('closing ends connections that are kept alive, and may be done twice', async () => {
    const server = await startSecretsService({ storage: new MemoryStorage() });
    await lookup(server);
    await server.close();
    await server.close();
    await expect(lookup(server)).rejects.toThrow();
  });
});
