import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { developmentClient } from '../../packages/secrets-service/src/identity-provider/development.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { signIn } from '../../packages/secrets-service/src/identity-provider/sign-in.ts';
import { jwt, pem } from '../../packages/secrets-service/test/conformance/tokens.ts';
import { longTest } from '../harness/long-run.ts';
import { lastingPort } from '../harness/server-process.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { Bao } from './bao.ts';

const policy = 'path "sys/policies/acl/*" { capabilities = ["read"] }';

// In this order: what one test makes, those after it use.
describeOnBothServers('OpenBao’s command line', (server) => {
  let bao: Bao;
  let identity: EmbeddedIdentityProvider;
  beforeAll(async () => {
    [bao, identity] = [await Bao.at(server().address), await startIdentity()];
  });
  afterAll(async () => {
    await bao.close();
    await identity.close();
  });

  test('login with a token', async () => {
    const { code, stdout } = await bao.run(['login', '-no-print', '-'], { input: server().token });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(await bao.json('token', 'lookup')).toMatchObject({ data: { policies: ['root'] } });
  });

  test('login with a token that is none', async () => {
    const { code, stderr } = await bao.run(['login', '-no-store', '-'], { input: 'none' });
    expect({ code, isRefused: stderr.includes('permission denied') }).toEqual({ code: 2, isRefused: true });
  });

  test('status', async () => {
    expect(await bao.json('status')).toMatchObject({ initialized: true, sealed: false });
  });

  longTest('policy write, read, list, delete', async () => {
    expect((await bao.run(['policy', 'write', 'reader', '-'], { input: policy })).stdout).toContain(
      'Uploaded policy: reader',
    );
    await bao.run(['policy', 'write', 'other', '-'], { input: policy });
    expect((await bao.run(['policy', 'read', 'reader'])).stdout.trim()).toBe(policy);
    expect((await bao.run(['policy', 'delete', 'other'])).code).toBe(0);
    expect(await bao.json('policy', 'list')).toEqual(['default', 'reader', 'root']);
  });

  test('auth enable, list', async () => {
    const enabled = await bao.run(['auth', 'enable', '-path=work', '-description=workloads', 'jwt']);
    expect(enabled.stdout).toContain('Enabled jwt auth method at: work/');
    expect(await bao.json('auth', 'list')).toMatchObject({
      'work/': { type: 'jwt', description: 'workloads' },
      'token/': { type: 'token' },
    });
  });

  test('auth tune', async () => {
    expect((await bao.run(['auth', 'tune', '-default-lease-ttl=2h', 'work/'])).code).toBe(0);
    expect(await bao.json('read', 'sys/auth/work/tune')).toMatchObject({ data: { default_lease_ttl: 7200 } });
  });

  test('auth move', async () => {
    const remounted = await bao.run(['auth', 'move', 'auth/work/', 'auth/jwt/']);
    expect({ code: remounted.code, done: /Success!|Finished moving/.test(remounted.stdout) }).toEqual({
      code: 0,
      done: true,
    });
    expect(Object.keys(await bao.json('auth', 'list'))).toEqual(['jwt/', 'token/']);
  });

  test('write of a config and a role, read, list, delete', async () => {
    await bao.json('write', 'auth/jwt/config', `jwt_validation_pubkeys=${pem}`, 'default_role=reader');
    for (const name of ['reader', 'other']) {
      await bao.json(
        'write',
        `auth/jwt/role/${name}`,
        'role_type=jwt',
        'user_claim=sub',
        'bound_audiences=app',
        'token_policies=reader',
        'token_ttl=1h',
      );
    }
    expect(await bao.json('read', 'auth/jwt/role/reader')).toMatchObject({
      data: { bound_audiences: ['app'], token_policies: ['reader'], token_ttl: 3600 },
    });
    expect(await bao.json('list', 'auth/jwt/role')).toEqual(['other', 'reader']);
    expect((await bao.run(['delete', 'auth/jwt/role/other'])).code).toBe(0);
    expect((await bao.run(['read', 'auth/jwt/role/other'])).stderr).toContain('No value found');
  });

  test('what is refused is told', async () => {
    const { code, stderr } = await bao.run(['write', 'auth/jwt/role/bad', 'role_type=jwt', 'user_claim=sub']);
    expect(code).toBe(2);
    expect(stderr).toContain('must have at least one bound constraint');
  });

  test('login with a JWT', async () => {
    const { auth } = await bao.json('write', 'auth/jwt/login', 'role=reader', `jwt=${jwt()}`);
    expect(auth).toMatchObject({ policies: ['default', 'reader'], metadata: { role: 'reader' } });
    const login = await bao.run(['login', '-no-store', '-format=json', '-'], { input: auth.client_token });
    expect(JSON.parse(login.stdout)).toMatchObject({ auth: { policies: ['default', 'reader'] } });
  });

  test('login with a JWT that is refused', async () => {
    const { code, stderr } = await bao.run(['write', 'auth/jwt/login', `jwt=${jwt({ aud: 'x' })}`]);
    expect({ code, isRefused: stderr.includes('invalid audience (aud) claim') }).toEqual({
      code: 2,
      isRefused: true,
    });
  });

  longTest('token create, lookup, renew, capabilities, revoke', async () => {
    const { auth } = await bao.json('token', 'create', '-policy=reader', '-ttl=1h', '-display-name=ann');
    const { client_token: token, accessor } = auth;
    expect((await bao.json('token', 'lookup', token)).data).toMatchObject({
      display_name: 'token-ann',
      policies: ['default', 'reader'],
    });
    expect((await bao.json('token', 'lookup', '-accessor', accessor)).data).toMatchObject({ accessor });
    expect((await bao.json('token', 'renew', '-increment=2h', token)).auth.lease_duration).toBe(7200);
    const may = await bao.run(['token', 'capabilities', token, 'sys/policies/acl/x']);
    expect(may.stdout.trim()).toBe('read');
    expect((await bao.run(['token', 'revoke', '-accessor', accessor])).stdout).toContain('Revoked token');
    expect((await bao.run(['token', 'lookup', token])).code).toBe(2);
  });

  longTest('token create of an orphan, of a batch, with a period', async () => {
    const orphan = await bao.json('token', 'create', '-orphan', '-policy=reader');
    expect(orphan.auth.orphan).toBe(true);
    const batch = await bao.json('token', 'create', '-type=batch', '-policy=reader', '-ttl=10m');
    expect((await bao.json('token', 'lookup', batch.auth.client_token)).data).toMatchObject({
      type: 'batch',
      renewable: false,
    });
    const periodic = await bao.json('token', 'create', '-period=30m', '-policy=reader');
    expect((await bao.json('token', 'lookup', periodic.auth.client_token)).data.period).toBe(1800);
  });

  longTest('entities, groups and aliases', async () => {
    const accessor = (await bao.json('auth', 'list'))['jwt/'].accessor;
    const group = await bao.json(
      'write',
      'identity/group',
      'name=admins',
      'type=external',
      'policies=reader',
    );
    const alias = await bao.json(
      'write',
      'identity/group-alias',
      'name=provider-admins',
      `mount_accessor=${accessor}`,
      `canonical_id=${group.data.id}`,
    );
    expect((await bao.json('read', `identity/group-alias/id/${alias.data.id}`)).data).toMatchObject({
      canonical_id: group.data.id,
      mount_path: 'auth/jwt/',
    });
    expect(await bao.json('list', 'identity/group/name')).toEqual(['admins']);
    const found = await bao.json(
      'write',
      'identity/lookup/entity',
      'alias_name=ann',
      `alias_mount_accessor=${accessor}`,
    );
    expect(found.data.aliases).toMatchObject([{ name: 'ann', mount_accessor: accessor }]);
  });

  longTest('namespace create, list, and work in one', async () => {
    await bao.json('namespace', 'create', 'team');
    expect(await bao.json('namespace', 'list')).toEqual(['team/']);
    expect((await bao.run(['auth', 'enable', '-ns=team', 'jwt'])).code).toBe(0);
    expect(Object.keys(await bao.json('auth', 'list', '-ns=team'))).toEqual(['jwt/', 'token/']);
    expect((await bao.run(['auth', 'disable', '-ns=team', 'jwt'])).code).toBe(0);
    expect(await bao.run(['namespace', 'delete', 'team'])).toMatchObject({ code: 0 });
  });

  longTest('login at a provider, the browser played by the identity provider’s own', async () => {
    await bao.run(['auth', 'enable', 'oidc']);
    await bao.json(
      'write',
      'auth/oidc/config',
      `oidc_discovery_url=${identity.issuers.open_source_identity_server}`,
      `oidc_client_id=${developmentClient.clientId}`,
      `oidc_client_secret=${developmentClient.clientSecret}`,
    );
    await bao.json(
      'write',
      'auth/oidc/role/reader',
      'user_claim=sub',
      'token_policies=reader',
      'allowed_redirect_uris=http://localhost:8250/oidc/callback',
    );
    let visited: Promise<unknown> | undefined;
    const { code, stdout } = await bao.run(
      [
        'login',
        '-method=oidc',
        '-no-store',
        '-format=json',
        'role=reader',
        'skip_browser=true',
        `port=${await lastingPort()}`,
      ],
      {
        onOutput(printed) {
          const [authUrl] = /http\S+\/auth\?\S+(?=\s)/.exec(printed) ?? [];
          if (authUrl === undefined) return;
          visited ??= signIn({ authUrl, username: 'alice' }).then(({ redirectUrl }) => fetch(redirectUrl));
        },
      },
    );
    await visited;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).auth).toMatchObject({ policies: ['default', 'reader'] });
  });

  test('auth disable', async () => {
    expect((await bao.run(['auth', 'disable', 'oidc'])).stdout).toContain('Disabled the auth method');
    expect(Object.keys(await bao.json('auth', 'list'))).toEqual(['jwt/', 'token/']);
  });
});
