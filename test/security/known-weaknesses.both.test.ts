import { beforeAll, describe, expect, test } from '@jest/globals';
import { ask, expectRefused, write } from '../harness/ask.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { MemoryStorage } from '../harness/memory-storage.ts';
import { rawHttp, statusesOf } from '../harness/raw-http.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { enableJwt, goodClaims, login, part, signed } from './jwt-methods.ts';

// docs/inside/measured/weaknesses.md#known-weaknesses, row by row, for what concerns the secrets service.
const header = { alg: 'RS256' };
const denied = ['1 error occurred:\n\t* permission denied\n\n'];

describeOnBothServers('known weaknesses', (server) => {
  beforeAll(() => enableJwt(server(), { path: 'jwt' }));
  const read = (path: string, token: string) => ask(server(), { method: 'GET', path, token });
  const signIn = async (claims: object, path = 'jwt') =>
    (await login(server(), path, signed(header, { ...goodClaims(), ...claims }))).body.auth;

  describe('CVE-2024-5798: an audience is the bound one to the letter', () => {
    test.each([
      ['secrets', 200],
      [['elsewhere', 'secrets'], 200],
      ['secret', 400],
      ['secrets2', 400],
      ['Secrets', 400],
      ['secrets ', 400],
      ['elsewhere secrets', 400],
      [['elsewhere,secrets'], 400],
      ['*', 400],
      [[], 400],
      [undefined, 400],
    ])('%j is answered with %i', async (aud, status) => {
      const jwt = signed(header, { ...goodClaims(), aud });
      expect((await login(server(), 'jwt', jwt)).status).toBe(status);
    });
  });

  describe('CVE-2026-19194: claims are named to the letter', () => {
    test.each([
      ['AUD for aud', { aud: undefined, AUD: 'secrets' }],
      ['Aud beside aud', { aud: 'elsewhere', Aud: 'secrets' }],
      ['Exp for exp', { exp: 1, Exp: 9_999_999_999 }],
      ['SUB for sub', { sub: undefined, SUB: 'alice' }],
    ])('%s', async (_, claims) => {
      const jwt = signed(header, { ...goodClaims(), ...claims });
      expectRefused(await login(server(), 'jwt', jwt), 400, expect.any(String) as any);
    });
  });

  describe('CVE-2025-54996, CVE-2025-64761: root comes by no detour', () => {
    const names = ['root', 'Root', ' ROOT ', 'rOOt\t', '\nroot'];
    test.each(names.flatMap((name) => ['entity', 'group'].map((what) => [what, name] as const)))(
      'not into an %s as %j',
      async (what, name) => {
        const policies = what === 'group' ? `default,${name}` : ['default', name];
        const body = { name: 'e', policies };
        const answer = await ask(server(), { method: 'POST', path: `identity/${what}`, body });
        expectRefused(answer, 400, 'policies cannot contain root');
      },
    );
    test.each(names)('not into a token by one that is not root, as %j', async (name) => {
      const token = (await write(server(), 'auth/token/create', { policies: ['default'] })).auth.client_token;
      const body = { policies: [name] };
      const answer = await ask(server(), { method: 'POST', path: 'auth/token/create', body, token });
      expect([400, 403]).toContain(answer.status);
    });
  });

  test('GHSA-qv95-g3gm-x542, CVE-2022-40186: the same name on two mounts is two people', async () => {
    const role = { claim_mappings: { team: 'team' } };
    await enableJwt(server(), { path: 'one', role });
    await enableJwt(server(), { path: 'other', role });
    const [one, other, again] = [
      await signIn({ team: 'a' }, 'one'),
      await signIn({ team: 'b' }, 'other'),
      await signIn({ team: 'a' }, 'one'),
    ];
    expect([one.entity_id === other.entity_id, one.entity_id === again.entity_id]).toEqual([false, true]);
    const entity = await ask(server(), { method: 'GET', path: `identity/entity/id/${one.entity_id}` });
    expect(entity.body.data.aliases.map((alias: any) => alias.metadata.team)).toEqual(['a']);
  });

  describe('GHSA-m979-w9wj-qfj9: who is removed from a group loses what it gives', () => {
    let groupId: string;
    beforeAll(async () => {
      await enableJwt(server(), { path: 'grouped', role: { groups_claim: 'groups' } });
      await write(server(), 'sys/policies/acl/messages', {
        policy: 'path "sys/policies/acl/default" { capabilities = ["read"] }',
      });
      const methods = await ask(server(), { method: 'GET', path: 'sys/auth' });
      const { data } = await write(server(), 'identity/group', {
        name: 'editors',
        type: 'external',
        policies: ['messages'],
      });
      groupId = data.id;
      await write(server(), 'identity/group-alias', {
        name: 'editors',
        mount_accessor: methods.body.data['grouped/'].accessor,
        canonical_id: groupId,
      });
    });

    test('at the next sign-in, tokens of before included', async () => {
      const { client_token: token } = await signIn({ groups: ['editors'] }, 'grouped');
      const before = await read('sys/policies/acl/default', token);
      await signIn({ groups: ['others'] }, 'grouped');
      const after = await read('sys/policies/acl/default', token);
      expect([before.status, after.status]).toEqual([200, 403]);
    });
  });

  describe('CVE-2026-3605: the path that is authorized is the path that is routed', () => {
    let token: string;
    beforeAll(async () => {
      await write(server(), 'sys/policies/acl/own-only', {
        policy:
          'path "sys/policies/acl/own/*" { capabilities = ["read", "list"] } path "sys/policies/acl/secret*" { capabilities = ["deny"] }',
      });
      await write(server(), 'sys/policies/acl/secret', { policy: 'path "x" { capabilities = ["deny"] }' });
      const { auth } = await write(server(), 'auth/token/create', {
        policies: ['own-only'],
        no_default_policy: true,
      });
      token = auth.client_token;
    });
    test.each([
      'sys/policies/acl/own/../secret',
      'sys/policies/acl/own/..%2fsecret',
      'sys/policies/acl/own/%2e%2e/secret',
      'sys/policies/acl/own%2f..%2fsecret',
      'sys/policies/acl/own/./../secret',
      'sys/policies/acl/own/%2e%2e%2fsecret',
      'sys/policies/acl//secret',
      'sys/policies//acl/secret',
      'sys/policies/acl/secret/',
      'sys/policies/acl/%73ecret',
      'sys/policies/acl/SECRET',
      './sys/policies/acl/secret',
    ])('%s', async (path) => {
      const head = `GET /v1/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Vault-Token: ${token}\r\n\r\n`;
      const answer = await rawHttp(server().address, head);
      // A server may lead to the tidy path by a redirect instead.
      expect(['301', '307', '400', '403', '404']).toContain(statusesOf(answer)[0]);
      expect(answer).not.toContain('capabilities');
    });
  });

  test('CVE-2026-33758: what a provider says is not repeated in an answer', async () => {
    const script = '<script>alert(1)</script>';
    const query = new URLSearchParams({
      state: script,
      code: script,
      error: script,
      error_description: script,
    });
    const response = await fetch(`${server().address}/v1/auth/jwt/oidc/callback?${query}`);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('known weaknesses, on the embedded service with the clock of a test', () => {
  const now = BigInt(Date.now()) * 1_000_000n;
  const storage = new MemoryStorage();
  const server = started(() => startEmbeddedService({ storage, now: () => now }));
  beforeAll(async () => {
    await enableJwt(server(), { path: 'jwt' });
  });
  const post = (path: string, body: object, token?: string) =>
    ask(server(), { method: 'POST', path, body, token });

  test('CVE-2026-19194: a claim that is there twice is refused', async () => {
    const claims = JSON.stringify({ ...goodClaims(Number(now / 1_000_000n)) });
    const jwt = signed(header, `${claims.slice(0, -1)},"sub":"mallory"}`);
    const { status, body } = await login(server(), 'jwt', jwt);
    expect([status, body.errors]).toEqual([400, [expect.stringContaining('malformed token')]]);
  });

  // OpenBao takes the first.
  describe('CVE-2026-115359: a login comes as JSON', () => {
    test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json'])(
      'a form sent as %s is refused',
      async (type) => {
        const jwt = signed(header, goodClaims(Number(now / 1_000_000n)));
        const response = await fetch(`${server().address}/v1/auth/jwt/login`, {
          method: 'POST',
          headers: { 'Content-Type': type },
          body: `role=people&jwt=${jwt}`,
        });
        const { auth } = (await response.json()) as { auth?: unknown };
        expect([response.status, auth]).toEqual([400, undefined]);
      },
    );
  });

  test('CVE-2026-33757: a role has no callback mode but that of the client', async () => {
    const body = { user_claim: 'sub', allowed_redirect_uris: 'http://localhost:8250/oidc/callback' };
    for (const callback_mode of ['direct', 'device']) {
      const answer = await post('auth/jwt/role/people-2', { ...body, callback_mode });
      expectRefused(answer, 400, `invalid 'callback_mode': ${callback_mode}`);
    }
  });

  test.each(['root', 'Root', ' ROOT ', 'default, root'])(
    'CVE-2025-64761: a role gives no root policy written %j',
    async (policies) => {
      const before = await ask(server(), { method: 'GET', path: 'auth/jwt/role/people' });
      await post('auth/jwt/role/people', { ...before.body.data, token_policies: policies });
      const answer = await login(server(), 'jwt', signed(header, goodClaims(Number(now / 1_000_000n))));
      expect([answer.status, answer.body.errors]).toEqual([400, [expect.stringContaining('root')]]);
      await post('auth/jwt/role/people', before.body.data);
    },
  );

  test('GHSA-pfmw-vj74-ph8g: an entity has one alias a mount, whatever is asked for', async () => {
    const jwt = signed(header, goodClaims(Number(now / 1_000_000n)));
    const { entity_id: id } = (await login(server(), 'jwt', jwt)).body.auth;
    const methods = await ask(server(), { method: 'GET', path: 'sys/auth' });
    const answer = await post('identity/entity-alias', {
      name: 'mallory',
      canonical_id: id,
      mount_accessor: methods.body.data['jwt/'].accessor,
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const entity = await ask(server(), { method: 'GET', path: `identity/entity/id/${id}` });
    expect(entity.body.data.aliases.map((alias: any) => alias.name)).toEqual(['alice']);
  });

  describe('CVE-2026-55102: no answer and no stored line holds a token', () => {
    test('of a client', async () => {
      const { auth } = await write(server(), 'auth/token/create', { policies: ['default'] });
      const token: string = auth.client_token;
      const answers = [
        await ask(server(), { method: 'GET', path: `nothing/${token}`, token }),
        await ask(server(), { method: 'PUT', path: 'auth/token/revoke', body: { token: 'other' }, token }),
        await post('auth/token/create', { policies: ['root'] }, token),
        await post('auth/token/lookup', { token: `${token}x` }),
        await post('auth/token/renew', { token: [token] }),
        await post('sys/capabilities', { token: `${token}x`, paths: ['a'] }),
      ];
      // Paths are repeated, and values of fields that hold no secret: the caller's own words.
      const text = JSON.stringify(answers.slice(1));
      expect(text).not.toContain(token.slice(4, 20));
      expect(answers.map(({ status }) => status).every((status) => status >= 400)).toBe(true);
      expect(JSON.stringify(storage.list(''))).not.toContain(token.slice(4, 20));
    });

    test('of an issuer', async () => {
      const jwt = signed(header, { ...goodClaims(Number(now / 1_000_000n)), aud: 'elsewhere' });
      const answer = await login(server(), 'jwt', jwt);
      expect(JSON.stringify(answer.body)).not.toContain(jwt.slice(30, 60));
    });
  });

  test('CVE-2024-28180, GHSA-869p-cjfg-cm3x: an encrypted or compressed token is refused before it is opened', async () => {
    const jwe = (zip: object) =>
      [
        part({ alg: 'dir', enc: 'A256GCM', ...zip }),
        '',
        part('iv'),
        part('x'.repeat(3_000)),
        part('tag'),
      ].join('.');
    for (const jwt of [jwe({}), jwe({ zip: 'DEF' }), 'x'.repeat(500_000)]) {
      const { status, body } = await login(server(), 'jwt', jwt);
      expect([status, body.errors[0]]).toEqual([400, expect.stringContaining('malformed token')]);
    }
    const zipped = signed({ alg: 'RS256', zip: 'DEF' }, goodClaims(Number(now / 1_000_000n)));
    // Of a signed token the name means nothing; what matters is that nothing is unpacked.
    expect([200, 400]).toContain((await login(server(), 'jwt', zipped)).status);
  });

  test('whoever asks without a token is told no more than that', async () => {
    const answer = await ask(server(), { method: 'GET', path: 'sys/policies/acl/default', token: '' });
    expectRefused(answer, 403, 'permission denied');
    const token = (await write(server(), 'auth/token/create', { policies: ['default'] })).auth.client_token;
    expectRefused(
      await ask(server(), { method: 'GET', path: 'sys/policies/acl/nope', token }),
      403,
      ...denied,
    );
  });
});
