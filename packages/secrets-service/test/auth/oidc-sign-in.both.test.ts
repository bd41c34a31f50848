import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type CloudDirectoryDouble,
  startCloudDirectoryDouble,
} from '../../../../test/harness/doubles/cloud-directory.ts';
import {
  startWorkspaceSuiteDouble,
  suiteAdmin,
  type WorkspaceSuiteDouble,
} from '../../../../test/harness/doubles/workspace-suite.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { AuthService } from './auth-service.ts';
import { type ScriptedIssuer, startScriptedIssuer } from './scripted-issuer.ts';

const redirectUri = 'http://localhost:8250/oidc/callback';
const page = 'https://secrets.example/ui/vault/auth/staff/oidc/callback';

let issuer: ScriptedIssuer;
let cloud: CloudDirectoryDouble;
let suite: WorkspaceSuiteDouble;
let service: AuthService;
beforeEach(async () => {
  [issuer, cloud, suite] = await Promise.all([
    startScriptedIssuer(),
    startCloudDirectoryDouble(),
    startWorkspaceSuiteDouble(),
  ]);
  service = new AuthService({
    cloudDirectory: cloud.address,
    workspaceSuite: suite.address,
    workspaceSuiteTokens: suite.tokens,
  });
});
afterEach(async () => {
  issuer.close();
  await Promise.all([cloud.close(), suite.close()]);
});

async function staff(role: object = {}, config: object = {}): Promise<void> {
  await service.write('sys/auth/staff', { type: 'oidc' });
  await service.write('auth/staff/config', {
    oidc_discovery_url: issuer.url,
    oidc_client_id: 'client',
    oidc_client_secret: 'secret',
    default_role: 'reader',
    ...config,
  });
  await writeRole(role);
}

function writeRole(role: object) {
  return service.write('auth/staff/role/reader', {
    user_claim: 'sub',
    allowed_redirect_uris: [redirectUri, page],
    token_policies: ['secrets-read'],
    ...role,
  });
}

async function begin(body: object = {}): Promise<{ authUrl: string; state: string }> {
  const { data } = await service.write('auth/staff/oidc/auth_url', { redirect_uri: redirectUri, ...body });
  issuer.expect(data.auth_url);
  return { authUrl: data.auth_url, state: new URL(data.auth_url).searchParams.get('state') ?? '' };
}

const finish = (query: Record<string, string>) =>
  service.call({ operation: 'read', path: 'auth/staff/oidc/callback', query });
const signIn = async () => finish({ state: (await begin()).state, code: 'any' });

const fetchesGroups = () => ({
  provider: 'workspace_suite',
  suite_service_account: JSON.stringify(suite.keyFile),
  suite_admin_impersonate: suiteAdmin,
  fetch_groups: true,
});

/** The policies of a person whose directory names a group with policies. */
async function policiesThroughGroup(name: string): Promise<string[]> {
  const group = await service.write('identity/group', { type: 'external', policies: ['secrets-admin'] });
  const { data: methods } = await service.call({ operation: 'read', path: 'sys/auth' });
  const mount_accessor = methods['staff/'].accessor;
  await service.write('identity/group-alias', { name, mount_accessor, canonical_id: group.data.id });
  return (await signIn()).auth?.policies;
}

describe('groups of a directory give their policies', () => {
  test('of a cloud directory, for someone in more than 200 groups', async () => {
    const role = { groups_claim: 'groups', oidc_scopes: ['profile'] };
    await staff(role, { provider_config: { provider: 'cloud_directory' } });
    cloud.permissions = { 'opaque-access-token': ['User.Read'] };
    cloud.groups = [...Array.from({ length: 250 }, (_, index) => `id-${index}`), 'id-admins'];
    issuer.claims = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.windows.net/t/users/alice/getMemberObjects' } },
    };
    expect(await policiesThroughGroup('id-admins')).toEqual(['default', 'secrets-admin', 'secrets-read']);
    expect(cloud.requests[0]?.authorization).toBe('Bearer opaque-access-token');
  });

  test('of a workspace suite, for a person and for a workload with a JWT', async () => {
    await staff({ groups_claim: 'groups', user_claim: 'email' }, { provider_config: fetchesGroups() });
    suite.groups = { 'alice@example.com': ['admins@example.com'] };
    issuer.claims = { email: 'alice@example.com' };
    expect(await policiesThroughGroup('admins@example.com')).toEqual([
      'default',
      'secrets-admin',
      'secrets-read',
    ]);

    await service.write('auth/staff/role/job', {
      role_type: 'jwt',
      user_claim: 'email',
      groups_claim: 'groups',
      bound_audiences: ['client'],
    });
    const jwt = await issuer.idToken((await begin()).authUrl);
    const { auth } = await service.call({
      operation: 'update',
      path: 'auth/staff/login',
      body: { role: 'job', jwt },
    });
    expect(auth.identity_policies).toEqual(['secrets-admin']);
  });

  test('not when the directory does not answer', async () => {
    await staff({ groups_claim: 'groups', user_claim: 'email' }, { provider_config: fetchesGroups() });
    issuer.claims = { email: 'alice@example.com', groups: ['admins@example.com'] };
    expect((await signIn()).errors).toEqual([
      'Login failed. failed to fetch groups: the workspace suite answers 404',
    ]);
  });
});

describe('an auth_url', () => {
  longTest.each(['https://localhost:8250/oidc/callback', 'http://127.0.0.1:8250/oidc/callback', 'nonsense'])(
    'for %s is empty: the administrator is told why, the caller is not',
    async (redirect_uri) => {
      await staff();
      const { data } = await service.write('auth/staff/oidc/auth_url', { redirect_uri });
      expect([data, service.logged.length]).toEqual([{ auth_url: '' }, 1]);
    },
  );

  test('carries the namespace in the state', async () => {
    await staff();
    const { searchParams } = new URL(
      (await begin({ redirect_uri: `${redirectUri}?namespace=team` })).authUrl,
    );
    expect(searchParams.get('redirect_uri')).toBe(redirectUri);
    expect(searchParams.get('state')).toMatch(/^st_[\w-]+,ns=team$/);
  });

  test('is of a method that moved, at its new path alone, and of none that is gone', async () => {
    await staff();
    await service.write('sys/remount', { from: 'auth/staff', to: 'auth/moved/here' });
    const body = { redirect_uri: redirectUri };
    const at = async (mount: string) =>
      (await service.call({ operation: 'update', path: `auth/${mount}/oidc/auth_url`, body })).status;
    expect([await at('staff'), await at('moved/here')]).toEqual([404, 200]);
    await service.call({ operation: 'delete', path: 'sys/auth/moved/here' });
    expect(await at('moved/here')).toBe(404);
    expect(service.storage.list('|auth/')).toEqual([]);
  });
});

test('a code that the provider does not know is refused in words without the code', async () => {
  await staff();
  issuer.beforeExchange = () => ({ error: 'invalid_grant' });
  const { errors } = await finish({ state: (await begin()).state, code: 'stolen-code' });
  expect(errors?.join()).toMatch(/^Login failed\. Error exchanging oidc code: .*invalid_grant/);
  expect(errors?.join()).not.toContain('stolen-code');
});

describe('what is judged is what is there in the end', () => {
  longTest.each([
    [
      'changed',
      () => writeRole({ token_policies: ['secrets-admin'] }),
      'the role was changed during the sign-in',
    ],
    [
      'deleted',
      () => service.call({ operation: 'delete', path: 'auth/staff/role/reader' }),
      'the role was changed during the sign-in',
    ],
    [
      'deleted with its mount',
      () => service.call({ operation: 'delete', path: 'sys/auth/staff' }),
      'no handler for route "auth/staff/oidc/callback". route entry not found.',
    ],
  ])('a role that is %s while the issuer answers lets nobody in', async (_, change, reason) => {
    await staff();
    issuer.beforeExchange = change;
    expect((await signIn()).errors).toEqual([reason]);
  });

  test('a role that is written as it was lets them in', async () => {
    await staff();
    issuer.beforeExchange = () => writeRole({});
    expect((await signIn()).auth?.metadata).toEqual({ role: 'reader' });
  });
});

describe('verbose_oidc_logging', () => {
  longTest('logs the claims, and no token', async () => {
    await staff({ verbose_oidc_logging: true });
    const token = await issuer.idToken((await begin()).authUrl);
    issuer.claims = {
      email: 'alice@example.com',
      note: `see ${token}`,
      _claim_sources: {
        a: { JWT: 'aggregated' },
        b: { endpoint: 'https://b.example', access_token: 'distributed' },
      },
    };
    expect((await signIn()).status).toBe(200);
    const [line, ...rest] = service.logged;
    expect(rest).toEqual([]);
    expect(line).toMatch(/^auth\/staff: claims for role reader: \{.*"email":"alice@example.com"/);
    expect(line).toContain('"endpoint":"https://b.example"');
    for (const secret of [
      token,
      token.split('.')[1] ?? '',
      'aggregated',
      'distributed',
      'opaque-access-token',
    ]) {
      expect(line).not.toContain(secret);
    }
  });

  test('logs also when the sign-in is refused, which is when one looks', async () => {
    await staff({ verbose_oidc_logging: true, bound_claims: { team: 'a' } });
    expect((await signIn()).status).toBe(400);
    expect(service.logged).toHaveLength(1);
  });

  longTest('is bounded, whatever the claims are', async () => {
    await staff({ verbose_oidc_logging: true });
    issuer.claims = { groups: Array.from({ length: 3_000 }, (_, index) => `group ${index}`) };
    await signIn();
    expect(service.logged[0]?.length).toBeLessThan(10_000);
  });

  test('is off unless a role asks for it', async () => {
    await staff();
    await signIn();
    expect(service.logged).toEqual([]);
  });
});

describe('form_post', () => {
  const formPost = { oidc_response_mode: 'form_post' };
  const post = (body: object) =>
    service.call({ operation: 'update', path: 'auth/staff/oidc/callback', body });

  test('leads a browser back to the page where the login began, without the code', async () => {
    await staff({}, formPost);
    const { authUrl, state } = await begin({ redirect_uri: page });
    expect(new URL(authUrl).searchParams.get('redirect_uri')).toBe(page.replace('/ui/vault/', '/v1/'));
    const { location } = await post({ state, code: 'the-code' });
    expect(location).toBe(`${page}?code=no_code&state=${state}`);
    expect((await finish({ state, code: 'no_code' })).auth?.metadata).toEqual({ role: 'reader' });
  });

  test('leads back with the namespace that travels in the state', async () => {
    await staff({}, formPost);
    const { state } = await begin({ redirect_uri: `${page}?namespace=team` });
    const { location } = await post({ state, code: 'the-code' });
    expect(new URL(location ?? '').searchParams.get('state')).toMatch(/^st_[\w-]+,ns=team$/);
  });

  test('hands on the error of the provider', async () => {
    await staff({}, formPost);
    const { state } = await begin();
    await post({ state, error: 'access_denied', error_description: '<script>' });
    expect((await finish({ state, code: 'no_code' })).errors).toEqual(['Login failed. access_denied']);
  });

  test('takes the first answer: a later one changes nothing', async () => {
    await staff({}, formPost);
    const { state } = await begin();
    await post({ state, code: 'the-code' });
    await post({ state, error: 'access_denied' });
    expect((await finish({ state, code: 'no_code' })).status).toBe(200);
  });

  longTest('is refused where the method says nothing of it', async () => {
    await staff();
    expect((await post({ state: (await begin()).state, code: 'the-code' })).status).toBe(405);
  });

  test('without an answer is refused', async () => {
    await staff({}, formPost);
    const { state } = await begin();
    expect((await finish({ state, code: 'no_code' })).errors).toEqual([
      'Login failed. No code or id_token received.',
    ]);
  });

  test('of a state that is not known is refused', async () => {
    await staff({}, formPost);
    expect((await post({ state: 'st_x', code: 'c' })).errors).toEqual([
      'Login failed. Expired or missing OAuth state.',
    ]);
  });
});

describe('the response type id_token', () => {
  const implicit = { oidc_response_mode: 'form_post', oidc_response_types: ['id_token'] };
  async function answered(change: Record<string, unknown> = {}) {
    const { authUrl, state } = await begin();
    const body = { state, id_token: await issuer.idToken(authUrl, change) };
    await service.call({ operation: 'update', path: 'auth/staff/oidc/callback', body });
    return finish({ state, code: 'no_code' });
  }

  test('asks for an ID token, which signs in by itself', async () => {
    await staff({}, implicit);
    const { searchParams } = new URL((await begin()).authUrl);
    expect([
      searchParams.get('response_type'),
      searchParams.get('response_mode'),
      searchParams.get('code_challenge'),
    ]).toEqual(['id_token', 'form_post', null]);
    expect((await answered()).auth?.metadata).toEqual({ role: 'reader' });
  });

  longTest.each([
    ['another nonce', { nonce: 'other' }],
    ['another audience', { aud: 'elsewhere' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['a time long past', { exp: 1 }],
  ])('refuses one with %s', async (_, change) => {
    await staff({}, implicit);
    const { status, errors } = await answered(change);
    expect({ status, errors }).toEqual({
      status: 400,
      errors: [
        expect.stringMatching(/^Login failed\. Token verification failed\. Provider\.VerifyIDToken: /),
      ],
    });
  });

  longTest('refuses one with a key that is not published', async () => {
    await staff({}, implicit);
    issuer.hasCustomKey = true;
    expect((await answered()).status).toBe(400);
  });
});

test('an application with a signing key of its own is refused in words that say so', async () => {
  await staff();
  issuer.hasCustomKey = true;
  expect((await signIn()).errors).toEqual([
    'Login failed. error validating token: error verifying token signature: the ID token is signed with a key that its issuer does not publish. Applications with custom signing keys are unsupported',
  ]);
});

describe('userinfo', () => {
  longTest('adds to the claims', async () => {
    issuer.userInfo = { sub: 'alice', team: 'a' };
    await staff({ bound_claims: { team: 'a' } });
    expect((await signIn()).status).toBe(200);
  });

  test('of somebody else is left out of account', async () => {
    issuer.userInfo = { sub: 'mallory', team: 'a' };
    await staff({ bound_claims: { team: 'a' } });
    expect((await signIn()).errors).toEqual([
      'Login failed. error validating claims: claim "team" is missing',
    ]);
  });
});
