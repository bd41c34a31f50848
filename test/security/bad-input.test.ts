import { beforeAll, describe, expect, test } from '@jest/globals';
import { startSecretsService } from '../../packages/secrets-service/src/server.ts';
import { ask } from '../harness/ask.ts';
import { rootToken, startEmbeddedService } from '../harness/embedded-service.ts';
import { MemoryStorage } from '../harness/memory-storage.ts';
import { closedSocket, rawHttp, rawSocket, statusesOf } from '../harness/raw-http.ts';
import { started } from '../harness/started.ts';
import { enableJwt, goodClaims, login, signed } from './jwt-methods.ts';

// Issue "The secrets service, whole", Bad input: no 500, nothing that hangs, no memory that grows without bound.
describe('bad input', () => {
  const server = started(startEmbeddedService);
  beforeAll(async () => {
    await enableJwt(server(), { path: 'jwt', role: { groups_claim: 'groups' } });
  });

  const raw = (...pieces: string[]) => rawHttp(server().address, ...pieces);
  const head = (line: string, ...headers: string[]) =>
    `${[line, 'Host: x', `X-Vault-Token: ${rootToken}`, ...headers].join('\r\n')}\r\n\r\n`;
  const last = (line: string, ...headers: string[]) => head(line, ...headers, 'Connection: close');
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n')));
  const call = (method: string, path: string, body: string) => ask(server(), { method, path, body });

  describe('whatever the request line and headers are, a refusal has its form', () => {
    test.each([
      ['a method of WebDAV', 'PROPFIND /v1/sys/health', 405],
      ['PATCH', 'PATCH /v1/sys/health', 405],
      ['TRACE', 'TRACE /v1/sys/health', 405],
      ['OPTIONS *', 'OPTIONS *', 404],
      ['a whole URL', 'GET http://x/v1/sys/policies/acl/nope', 404],
      ['CONNECT', 'CONNECT x:80', 400],
      ['a path of 9,000 characters', `GET /v1/sys/policies/acl/${'x'.repeat(9_000)}`, 404],
      ['a path of 4,000 parts', `GET /v1/auth/${'a/'.repeat(4_000)}b`, 404],
      ['a query of 9,000 characters', `GET /v1/nothing/x?${'x'.repeat(9_000)}`, 404],
      ['a path that is not UTF-8', 'GET /v1/sys/policies/acl/%ff', 400],
      ['a namespace that is not there', 'GET /v1/a/b/sys/policies/acl', 404],
    ])('%s', async (_, line, status) => {
      const answer = await raw(last(`${line} HTTP/1.1`));
      expect([statusesOf(answer), bodyOf(answer)]).toEqual([[String(status)], { errors: expect.any(Array) }]);
      const allow = status === 405 ? 'GET, HEAD, LIST, POST, PUT, DELETE' : undefined;
      expect(/^allow: (.*)\r$/im.exec(answer)?.[1]).toBe(allow);
    });

    test.each([
      ['no host', 'GET /v1/sys/policies/acl HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['a header of 20,000 characters', `GET /v1/x HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['a head of 100,000 characters', `GET /v1/x HTTP/1.1\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
      ['5,000 headers', `GET /v1/x HTTP/1.1\r\n${'a: 1\r\n'.repeat(5_000)}\r\n`, 431],
      ['a folded header', 'GET /v1/x HTTP/1.1\r\nHost: x\r\nA: b\r\n c: d\r\n\r\n', 400],
      ['a header without a name', 'GET /v1/x HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n', 400],
      ['a zero byte', 'GET /v1/x HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400],
    ])('%s', async (_, text, status) => {
      const answer = await raw(text);
      expect([statusesOf(answer), bodyOf(answer)]).toEqual([[String(status)], { errors: expect.any(Array) }]);
    });

    test('an expectation that nobody knows is passed over', async () => {
      const answer = await raw(last('GET /v1/sys/policies/acl/default HTTP/1.1', 'Expect: something'));
      expect(statusesOf(answer)).toEqual(['200']);
    });
  });

  describe('request smuggling: each connection has one reading, or ends', () => {
    const smuggled = last('LIST /v1/sys/policies/acl HTTP/1.1');
    const post = 'POST /v1/sys/capabilities-self HTTP/1.1';
    test.each([
      ['length and coding', head(post, 'Content-Length: 4', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
      ['coding and length', head(post, 'Transfer-Encoding: chunked', 'Content-Length: 4'), '0\r\n\r\n'],
      ['two lengths', head(post, 'Content-Length: 2', 'Content-Length: 0'), '{}'],
      ['a list of lengths', head(post, 'Content-Length: 2, 0'), '{}'],
      ['a signed length', head(post, 'Content-Length: +2'), '{}'],
      ['a negative length', head(post, 'Content-Length: -2'), '{}'],
      ['a hexadecimal length', head(post, 'Content-Length: 0x2'), '{}'],
      ['a huge length', head(post, `Content-Length: ${'9'.repeat(30)}`), '{}'],
      ['a coding nobody knows', head(post, 'Transfer-Encoding: xchunked'), '0\r\n\r\n'],
      ['a coding behind chunked', head(post, 'Transfer-Encoding: chunked, identity'), '0\r\n\r\n'],
      ['two codings', head(post, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'), '0\r\n\r\n'],
      ['a blank before the colon', head(post, 'Transfer-Encoding : chunked'), '0\r\n\r\n'],
      ['a coding with a vertical tab', head(post, 'Transfer-Encoding: \x0bchunked'), '0\r\n\r\n'],
      ['a chunk size that is none', head(post, 'Transfer-Encoding: chunked'), 'zz\r\n{}\r\n0\r\n\r\n'],
      ['a signed chunk size', head(post, 'Transfer-Encoding: chunked'), '+2\r\n{}\r\n0\r\n\r\n'],
      ['a chunk longer than it says', head(post, 'Transfer-Encoding: chunked'), '1\r\n{}\r\n0\r\n\r\n'],
      ['a bare line end in the head', `${head(post).slice(0, -4)}\nX: y\r\n\r\n`, ''],
    ])('%s', async (_, before, body) => {
      const answer = await raw(before + body + smuggled);
      // Refused, and nothing that came behind it is answered.
      expect(statusesOf(answer).slice(-1)).toEqual(['400']);
      expect(answer).not.toContain('"keys"');
    });

    test.each([
      ['of known length', (text: string) => head(post, `Content-Length: ${text.length}`) + text],
      [
        'in chunks',
        (text: string) =>
          `${head(post, 'Transfer-Encoding: chunked')}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      ],
      [
        'in chunks with extensions and trailers',
        (text: string) =>
          `${head(post, 'Transfer-Encoding: chunked')}${text.length.toString(16)};LIST=1\r\n${text}\r\n0\r\nA: LIST /v1/x HTTP/1.1\r\n\r\n`,
      ],
    ])('a request inside a body %s is a body', async (_, framed) => {
      const answer = await raw(framed(smuggled) + last('GET /v1/sys/policies/acl/default HTTP/1.1'));
      expect(statusesOf(answer)).toEqual(['400', '200']);
    });

    test('a LIST of a body that ends early is not answered', async () => {
      const answer = await raw(head(post, `Content-Length: ${smuggled.length + 10}`) + smuggled);
      expect(answer).not.toContain('"keys"');
    });

    test('LIST adds to a query that names list already, and is what counts', async () => {
      const answer = await raw(last('LIST /v1/sys/policies/acl?list=false HTTP/1.1'));
      expect(answer).toContain('"keys"');
    });
  });

  describe('a body', () => {
    const paths = (text: string) => call('POST', 'sys/capabilities-self', text);

    test.each([
      ['with a name twice', '{"paths":["a"],"paths":["b"]}', { b: ['root'], capabilities: ['root'] }],
      ['with the name of a prototype', '{"__proto__":{"paths":["x"]},"paths":["a"]}', { a: ['root'] }],
      ['that names a constructor', '{"constructor":{"prototype":{}},"paths":["a"]}', { a: ['root'] }],
    ])('%s is read as Go reads it', async (_, text, data) => {
      const { status, body } = await paths(text);
      expect([status, body.data]).toEqual([200, expect.objectContaining(data)]);
      expect(({} as any).paths).toBeUndefined();
    });

    test.each([
      ['an entity', 'identity/entity', { name: '\ud800' }],
      ['a group', 'identity/group', { name: 'x\udfff', policies: ['\ud800'] }],
      ['a token', 'auth/token/create', { policies: ['\ud800'], meta: { '\ud800': '\ud800' } }],
      [
        'a message',
        'sys/config/ui/custom-messages',
        { title: '\ud800', message: 'YQ==', start_time: '\ud800' },
      ],
      ['a policy', 'sys/policies/acl/half', { policy: 'path "\ud800" { capabilities = ["read"] }' }],
      ['a role', 'auth/jwt/role/half', { role_type: 'jwt', user_claim: '\ud800', bound_subject: '\ud800' }],
      ['a lookup', 'identity/lookup/group', { name: '\ud800' }],
    ])('with half a surrogate pair for %s is no failure', async (_, path, body) => {
      const answer = await call('POST', path, JSON.stringify(body));
      expect(answer.status).toBeLessThan(500);
    });

    test('of a length that never comes is refused in time', async () => {
      const limited = await startSecretsService({
        storage: new MemoryStorage(),
        limits: { headMs: 100, requestMs: 200 },
      });
      const socket = await rawSocket(limited.address);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      socket.write('POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
      await closedSocket(socket);
      await limited.close();
      expect([statusesOf(answer), bodyOf(answer).errors]).toEqual([['408'], ['the request timed out']]);
    });

    test('a chunk at a time ends at 1 MiB', async () => {
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const answer = await raw(
        head('POST /v1/sys/capabilities-self HTTP/1.1', 'Transfer-Encoding: chunked') + chunk.repeat(20),
      );
      expect(statusesOf(answer)).toEqual(['413']);
    });
  });

  describe('a token', () => {
    const groups = (count: number) =>
      signed(
        { alg: 'RS256' },
        { ...goodClaims(), groups: Array.from({ length: count }, (_, at) => `g${at}`) },
      );

    test('with as many groups as fit it signs in', async () => {
      const { status } = await login(server(), 'jwt', groups(5_000));
      expect(status).toBe(200);
    });

    test('with claims as deep as they come is no failure', async () => {
      const deep = `{"sub":"a","aud":"secrets","exp":9999999999,"groups":[],"a":${'['.repeat(2_500)}${']'.repeat(2_500)}}`;
      expect((await login(server(), 'jwt', signed({ alg: 'RS256' }, deep))).status).toBeLessThan(500);
    });

    test.each([
      ['group names', { groups: [1, null, {}] }],
      ['group names of half a surrogate pair', { groups: ['\ud800'] }],
      ['a name of half a surrogate pair', { sub: '\ud800', groups: [] }],
      ['a name of 5,000 characters', { sub: 'x'.repeat(5_000), groups: [] }],
      ['a name of nothing', { sub: '', groups: [] }],
      ['times out of any range', { exp: 1e308, groups: [] }],
      ['times below zero', { exp: -1e15, groups: [] }],
    ])('with odd %s is no failure', async (_, claims) => {
      const jwt = signed({ alg: 'RS256' }, { ...goodClaims(), ...claims });
      expect((await login(server(), 'jwt', jwt)).status).toBeLessThan(500);
    });
  });
});
