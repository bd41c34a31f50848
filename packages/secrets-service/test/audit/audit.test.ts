import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ask, write } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { enableJwt, goodClaims, signed } from '../../../../test/security/jwt-methods.ts';
import { developmentClient } from '../../src/identity-provider/development.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { signIn } from '../../src/identity-provider/sign-in.ts';
import { SqliteStorage } from '../../src/storage/sqlite.ts';

describe('the audit log', () => {
  let folder: string;
  let file: string;
  let server: Awaited<ReturnType<typeof startEmbeddedService>>;
  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder, 'audit.log');
    server = await startEmbeddedService({ auditFile: file });
  });
  afterEach(() => server.close());
  const lines = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const hashOf = async (input: string): Promise<string> =>
    (await write(server, 'sys/audit-hash/file', { input })).data.hash;
  const hashed = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/);

  // The format of OpenBao 2.7.2 with a file device, recorded by hand.
  test('has a line for a request and one for its answer, with what is secret as HMAC', async () => {
    await write(server, 'auth/token/create', {
      policies: ['default'],
      ttl: '1h',
      num_uses: 3,
      meta: { a: 'b' },
    });
    const auth = {
      client_token: hashed,
      accessor: hashed,
      display_name: 'root',
      policies: ['root'],
      token_policies: ['root'],
      policy_results: {
        allowed: true,
        granting_policies: [{ name: 'root', namespace_id: 'root', type: 'acl' }],
      },
      token_type: 'service',
      token_issue_time: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    const mount = {
      mount_point: 'auth/token/',
      mount_type: 'token',
      mount_class: 'auth',
      mount_accessor: expect.stringMatching(/^auth_token_[0-9a-f]{8}$/),
    };
    const request = {
      ...mount,
      id: expect.stringMatching(/^[\w-]{36}$/),
      operation: 'update',
      client_token: hashed,
      client_token_accessor: hashed,
      namespace: { id: 'root' },
      path: 'auth/token/create',
      data: { policies: [hashed], ttl: hashed, num_uses: 3, meta: { a: hashed } },
      remote_address: '127.0.0.1',
    };
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const { id } = lines()[0].request;
    expect(lines()).toEqual([
      { time, type: 'request', auth, request },
      {
        time,
        type: 'response',
        auth,
        request: { ...request, id },
        response: {
          ...mount,
          auth: expect.objectContaining({
            client_token: hashed,
            accessor: hashed,
            policies: ['default'],
            token_type: 'service',
          }),
        },
      },
    ]);
  });

  test('is searched for a token by its hash (sys/audit-hash)', async () => {
    const { auth } = await write(server, 'auth/token/create', { policies: ['default'] });
    const wanted = await hashOf(auth.client_token);
    await ask(server, { method: 'GET', path: 'auth/token/lookup-self', token: auth.client_token });
    const issued = lines().filter((line) => line.response?.auth?.client_token === wanted);
    const used = lines().filter((line) => line.type === 'request' && line.request.client_token === wanted);
    expect([issued.length, used.map((line) => line.request.path)]).toEqual([1, ['auth/token/lookup-self']]);
  });

  test('has requests that were refused, and why', async () => {
    await ask(server, { method: 'GET', path: 'sys/auth', token: 'nobody' });
    const { auth } = await write(server, 'auth/token/create', { policies: ['default'] });
    const token = auth.client_token;
    await ask(server, { method: 'POST', path: 'sys/policies/acl/x', body: { policy: 's3cret' }, token });
    await ask(server, { method: 'POST', path: 'sys/policies/acl/x', body: { policy: 'bad {' } });
    const refused = lines().filter((line) => line.error !== undefined);
    expect(refused.map(({ type, error, auth, request }) => [type, error, auth, request.data])).toEqual([
      ['request', 'permission denied', { token_type: 'default' }, undefined],
      [
        'request',
        '1 error occurred:\n\t* permission denied\n\n',
        expect.objectContaining({ policy_results: { allowed: false }, display_name: 'token' }),
        { policy: hashed },
      ],
      ['response', expect.stringContaining('failed to parse policy'), expect.anything(), { policy: hashed }],
    ]);
  });

  test('says in which namespace', async () => {
    await write(server, 'sys/namespaces/team', {});
    await ask(server, { method: 'GET', path: 'sys/auth', namespace: 'team' });
    expect(lines().at(-1).request.namespace).toEqual({ id: expect.stringMatching(/^\w{6}$/), path: 'team/' });
  });

  test('leaves out questions about the state of the service', async () => {
    for (const path of ['health', 'seal-status', 'init', 'leader']) {
      await fetch(`${server.address}/v1/sys/${path}`);
    }
    expect(lines()).toEqual([]);
  });

  test('lines of requests at the same time are whole, and each answer is behind its request', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        ask(server, { method: 'POST', path: 'identity/group', body: { name: `${at}${'x'.repeat(20_000)}` } }),
      ),
    );
    const types = new Map<string, string[]>();
    for (const { type, request } of lines()) {
      types.set(request.id, [...(types.get(request.id) ?? []), type]);
    }
    expect([...types.values()]).toEqual(Array.from({ length: 60 }, () => ['request', 'response']));
  });

  test('neither it nor the metrics hold a token or secret that was used', async () => {
    const identity = await startIdentity();
    const jwt = signed({ alg: 'RS256' }, { ...goodClaims(), groups: ['g'] });
    await enableJwt(server, { path: 'jwt', role: { groups_claim: 'groups' } });
    const signedIn = await write(server, 'auth/jwt/login', { role: 'people', jwt });
    await ask(server, { method: 'POST', path: 'auth/jwt/login', body: { role: 'people', jwt: `${jwt}x` } });
    const batch = await write(server, 'auth/token/create', { type: 'batch', policies: ['default'] });
    const child = await write(server, 'auth/token/create', { id: 'chosen-by-hand', policies: ['default'] });
    for (const { auth } of [signedIn, batch, child]) {
      const token = auth.client_token;
      await ask(server, { method: 'GET', path: 'auth/token/lookup-self', token });
      await ask(server, { method: 'POST', path: 'auth/token/lookup', body: { token } });
      await ask(server, { method: 'GET', path: `auth/token/lookup?token=${token}` });
      await ask(server, { method: 'POST', path: 'auth/token/renew', body: { token } });
      await ask(server, { method: 'POST', path: 'sys/capabilities', body: { token, paths: ['a'] } });
      await ask(server, { method: 'POST', path: 'auth/token/revoke', body: { token } });
    }
    await write(server, 'sys/auth/staff', { type: 'oidc' });
    const clientSecret = developmentClient.clientSecret;
    await write(server, 'auth/staff/config', {
      oidc_discovery_url: identity.issuers['workspace_suite'],
      oidc_client_id: developmentClient.clientId,
      oidc_client_secret: clientSecret,
    });
    const redirect_uri = 'http://localhost:8250/oidc/callback';
    await write(server, 'auth/staff/role/r', { user_claim: 'sub', allowed_redirect_uris: redirect_uri });
    const started = await write(server, 'auth/staff/oidc/auth_url', { role: 'r', redirect_uri });
    const { redirectUrl } = await signIn({ authUrl: started.data.auth_url, username: 'alice' });
    const { state = '', code = '' } = Object.fromEntries(new URL(redirectUrl).searchParams);
    const path = `auth/staff/oidc/callback?${new URLSearchParams({ state, code })}`;
    const byOidc = await ask(server, { method: 'GET', path, token: '' });
    const metrics = await fetch(`${server.address}/v1/sys/metrics?format=prometheus`, {
      headers: { 'X-Vault-Token': server.token },
    });
    const written = `${readFileSync(file, 'utf8')}\n${await metrics.text()}`;
    await identity.close();

    const issued = [signedIn, batch, child, byOidc.body].flatMap(({ auth }) => [
      auth.client_token,
      auth.accessor,
    ]);
    const secrets = [server.token, jwt, jwt.split('.')[2], clientSecret, state, code, ...issued];
    const used = secrets.filter((secret): secret is string => typeof secret === 'string' && secret !== '');
    expect(used.length).toBe(secrets.length - 1);
    expect(used.filter((secret) => written.includes(secret))).toEqual([]);
  });

  test('keeps its hashes over a start, and they are of its storage alone', async () => {
    const path = join(folder, 'store.sqlite');
    const hashes: string[] = [];
    for (const storage of [
      () => new SqliteStorage(path),
      () => new SqliteStorage(path),
      () => new MemoryStorage(),
    ]) {
      const again = await startEmbeddedService({ storage: storage(), auditFile: file });
      hashes.push((await write(again, 'sys/audit-hash/file', { input: 'x' })).data.hash);
      await again.close();
    }
    expect([hashes[0] === hashes[1], hashes[0] === hashes[2]]).toEqual([true, false]);
    // Each start appends.
    expect(lines()).toHaveLength(6);
  });

  test('is readable by its owner alone', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is listed as the one device, and is changed by nobody', async () => {
    const { body } = await ask(server, { method: 'GET', path: 'sys/audit' });
    const device = {
      type: 'file',
      path: 'file/',
      description: '',
      local: false,
      options: { file_path: file },
    };
    expect(body.data).toEqual({ 'file/': device });
    const refused = await ask(server, { method: 'DELETE', path: 'sys/audit/file' });
    expect(refused.body.errors).toEqual(['cannot disable configuration-managed audit device']);
  });

  test('that cannot be opened is a clear error', async () => {
    const auditFile = join(folder, 'none', 'audit.log');
    await expect(startEmbeddedService({ auditFile })).rejects.toMatchObject({ code: 'audit_unwritable' });
  });
});

(existsSync('/dev/full') ? describe : describe.skip)('an audit log that cannot be written', () => {
  test('keeps everything from being done, and its own failure from being told', async () => {
    const logged: string[] = [];
    const server = await startEmbeddedService({ auditFile: '/dev/full', log: (text) => logged.push(text) });
    const answers = [
      await ask(server, { method: 'PUT', path: 'sys/policies/acl/x', body: { policy: 'path "a" {}' } }),
      await ask(server, { method: 'GET', path: 'sys/policies/acl/x' }),
      await ask(server, { method: 'GET', path: 'sys/health' }),
    ];
    await server.close();
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(answers[0]?.body).toEqual({ errors: ['1 error occurred:\n\t* internal error\n\n'] });
    expect(logged).toEqual(Array(2).fill('the audit log cannot be written: ENOSPC'));
  });

  test('leaves what is stored as it was', async () => {
    const storage = new MemoryStorage();
    const server = await startEmbeddedService({ storage, auditFile: '/dev/full' });
    const before = JSON.stringify(storage.list(''));
    await ask(server, { method: 'PUT', path: 'sys/policies/acl/x', body: { policy: 'path "a" {}' } });
    await ask(server, { method: 'POST', path: 'auth/token/create', body: { policies: ['default'] } });
    const after = JSON.stringify(storage.list(''));
    await server.close();
    expect(after).toBe(before);
  });
});
