import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProviderKind } from '../../../../core/model/kinds/kinds.ts';
import { developmentClient } from '../../../../embedded/identity/development.ts';
import { type Identity, startIdentity } from '../../../../embedded/identity/identity.ts';
import { signIn } from '../../../../embedded/identity/sign-in.ts';
import { AuthService } from './auth-service.ts';

const redirectUri = 'http://localhost:8250/oidc/callback';
const containerOrchestrator = 'container_orchestrator';

let identity: Identity;
let service: AuthService;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());
beforeEach(() => {
  service = new AuthService();
});

async function staff(kind: ProviderKind, role: object = {}, config: object = {}): Promise<void> {
  await service.write('sys/auth/staff', { type: 'oidc' });
  await service.write('auth/staff/config', {
    oidc_discovery_url: identity.issuers[kind],
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
    default_role: 'reader',
    ...config,
  });
  await service.write('auth/staff/role/reader', {
    user_claim: 'sub',
    allowed_redirect_uris: [redirectUri, 'https://secrets.example/ui/vault/auth/staff/oidc/callback'],
    token_policies: ['secrets-read'],
    ...role,
  });
}

async function authUrl(body: object = {}): Promise<string> {
  const answer = await service.write('auth/staff/oidc/auth_url', { redirect_uri: redirectUri, ...body });
  return answer.data.auth_url;
}

async function answerOf(username: string, body: object = { client_nonce: 'n' }) {
  const { redirectUrl } = await signIn({ authUrl: await authUrl(body), username });
  return { ...Object.fromEntries(new URL(redirectUrl).searchParams), ...body } as Record<string, string>;
}

const callback = (query: Record<string, string>) =>
  service.call({ operation: 'read', path: 'auth/staff/oidc/callback', query });

describe('a person', () => {
  test.each([
    ['who is not the bound subject', { bound_subject: 'alice' }, 'sub claim does not match bound subject'],
    ['whose token is for another audience', { bound_audiences: ['elsewhere'] }, 'invalid id_token audiences'],
    ['without the user claim', { user_claim: 'gone' }, 'claim \\"gone\\" not found in token'],
  ])('%s is refused', async (_, role, reason) => {
    await staff('open_source_identity_server', role);
    const { status, errors } = await callback(await answerOf('bob'));
    expect({ status, errors: errors?.join().replaceAll('\\', '') }).toEqual({
      status: 400,
      errors: expect.stringContaining(reason.replaceAll('\\', '')),
    });
    expect(errors?.join()).toMatch(/^Login failed\. /);
  });

  test('from outside the bound addresses is refused', async () => {
    await staff('workspace_suite', { token_bound_cidrs: ['10.0.0.0/8'] });
    expect(await callback(await answerOf('alice'))).toEqual({ status: 403, errors: ['permission denied'] });
  });
});

describe('an answer of the provider', () => {
  beforeEach(() => staff('workspace_suite'));

  test('serves one client only: the one that knows the client nonce', async () => {
    const query = await answerOf('alice');
    expect((await callback({ ...query, client_nonce: 'other' })).errors).toEqual(['invalid client_nonce']);
    expect((await callback(query)).status).toBe(400);
  });

  test('with a code that the provider does not know is refused in words without the code', async () => {
    const { errors } = await callback({ ...(await answerOf('alice')), code: 'stolen-code' });
    expect(errors?.join()).toMatch(/^Login failed\. Error exchanging oidc code: .*invalid_grant/);
    expect(errors?.join()).not.toContain('stolen-code');
  });

  test('by form_post is refused where the method says nothing of it', async () => {
    const { state, code } = await answerOf('alice');
    const call = { operation: 'update', path: 'auth/staff/oidc/callback', body: { state, code } } as const;
    expect((await service.call(call)).status).toBe(405);
  });
});

describe('an auth_url', () => {
  test('asks for the code flow with PKCE, a nonce, the scopes and the age', async () => {
    await staff('workspace_suite', { oidc_scopes: ['profile'], max_age: '1h' });
    const { searchParams } = new URL(await authUrl());
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: developmentClient.clientId,
      redirect_uri: redirectUri,
      scope: 'openid profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^n_/),
      max_age: '3600',
    });
  });

  test.each([
    ['another loopback port', 'http://localhost:41234/oidc/callback', true],
    ['another loopback name', 'http://127.0.0.1:8250/oidc/callback', false],
    ['https where http is allowed', 'https://localhost:8250/oidc/callback', false],
    ['no URL', 'nonsense', false],
  ])('for %s: %s', async (_, redirect_uri, isAllowed) => {
    await staff('workspace_suite');
    expect((await authUrl({ redirect_uri })) !== '').toBe(isAllowed);
    // The administrator is told, the caller is not.
    expect(service.logged.length).toBe(isAllowed ? 0 : 1);
  });

  test('carries the namespace in the state', async () => {
    await staff('workspace_suite');
    const url = new URL(await authUrl({ redirect_uri: `${redirectUri}?namespace=team` }));
    expect(url.searchParams.get('redirect_uri')).toBe(redirectUri);
    expect(url.searchParams.get('state')).toMatch(/^st_[\w-]+,ns=team$/);
  });
});

describe('a workload', () => {
  const subject = 'system:serviceaccount:shop:checkout';
  const issuer = () => identity.issuers[containerOrchestrator];
  beforeEach(async () => {
    await service.write('sys/auth/workloads', { type: 'jwt', config: { max_lease_ttl: '2h' } });
    await service.write('auth/workloads/config', { oidc_discovery_url: issuer(), bound_issuer: issuer() });
    await service.write('auth/workloads/role/checkout', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: subject,
      bound_audiences: [issuer()],
      token_policies: ['Secrets-Read '],
      token_ttl: '4h',
    });
  });
  const login = (body: object, remoteAddress?: string) =>
    service.call({ operation: 'update', path: 'auth/workloads/login', body, remoteAddress });

  test('signs in with its service account’s token', async () => {
    const jwt = await identity.signWorkloadToken({ subject });
    const { auth } = await login({ role: 'Checkout', jwt });
    // The mount's maximum overrides the role's.
    expect(auth).toMatchObject({
      policies: ['default', 'secrets-read'],
      metadata: { role: 'checkout' },
      lease_duration: 7200,
      renewable: true,
      token_type: 'service',
      entity_id: expect.stringMatching(/^[\w-]{36}$/),
    });
  });

  test('from outside the bound addresses is refused before its token is looked at', async () => {
    await service.write('auth/workloads/role/checkout', {
      role_type: 'jwt',
      token_bound_cidrs: '10.0.0.0/8',
    });
    const answers = [
      await login({ role: 'checkout', jwt: 'x' }, '192.0.2.1'),
      await login({ role: 'checkout', jwt: 'x' }, '::ffff:10.1.2.3'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400]);
  });

  test('keeps signing in at a mount that moved, and no more at one that is gone', async () => {
    const jwt = await identity.signWorkloadToken({ subject });
    await service.write('sys/remount', { from: 'auth/workloads', to: 'auth/moved/here' });
    const at = (path: string) => service.call({ operation: 'update', path, body: { role: 'checkout', jwt } });
    expect([(await at('auth/workloads/login')).status, (await at('auth/moved/here/login')).status]).toEqual([
      404, 200,
    ]);
    await service.call({ operation: 'delete', path: 'sys/auth/moved/here' });
    expect((await at('auth/moved/here/login')).status).toBe(404);
    expect(service.storage.list('|auth/')).toEqual([]);
  });
});
