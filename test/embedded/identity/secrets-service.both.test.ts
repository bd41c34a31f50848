import { expect, test } from '@jest/globals';
import { kinds, type ProviderKind, providerKinds } from '../../../core/model/kinds/kinds.ts';
import { developmentClient } from '../../../embedded/identity/development.ts';
import { startIdentity } from '../../../embedded/identity/identity.ts';
import { signIn } from '../../../embedded/identity/sign-in.ts';
import { ask, write as writeTo } from '../../harness/ask.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';
import { runningIdentity } from '../fixtures.ts';

const redirectUri = 'http://localhost:8250/oidc/callback';
const containerOrchestrator = 'container_orchestrator';
const signInKinds = providerKinds.filter((kind) => kinds[kind].methodType === 'oidc');

// How the service uses an issuer: openbao/openbao builtin/credential/jwt/path_config.go, path_oidc.go, path_login.go.
describeOnBothServers('a secrets service and the embedded identity provider', (server) => {
  const identity = runningIdentity();

  const call = (method: string, path: string, body?: object, token = '') =>
    ask(server(), { method, path, body, token });
  const write = (path: string, body: object) => writeTo(server(), path, body);

  /** A new mount for each test, with this kind's issuer and a role `reader`. */
  async function mount(
    kind: ProviderKind,
    role: object = {},
    issuer = identity().issuers[kind],
  ): Promise<string> {
    const path = `${kind}-${mounts++}`;
    await write(`sys/auth/${path}`, { type: 'oidc' });
    await write(`auth/${path}/config`, {
      oidc_discovery_url: issuer,
      oidc_client_id: developmentClient.clientId,
      oidc_client_secret: developmentClient.clientSecret,
      default_role: 'reader',
    });
    await write(`auth/${path}/role/reader`, {
      role_type: 'oidc',
      user_claim: 'sub',
      allowed_redirect_uris: [redirectUri],
      token_policies: ['secrets-read'],
      ...role,
    });
    return path;
  }
  let mounts = 0;

  async function signInAt(path: string, username: string) {
    const { data } = await write(`auth/${path}/oidc/auth_url`, {
      role: 'reader',
      redirect_uri: redirectUri,
      client_nonce: 'nonce',
    });
    const { redirectUrl } = await signIn({ authUrl: data.auth_url, username });
    const { searchParams } = new URL(redirectUrl);
    searchParams.set('client_nonce', 'nonce');
    return call('GET', `auth/${path}/oidc/callback?${searchParams}`);
  }

  test.each(signInKinds)('a person signs in through a %s', async (kind) => {
    const { status, body } = await signInAt(await mount(kind), 'alice');
    expect({ status, policies: body.auth?.policies, errors: body.errors }).toEqual({
      status: 200,
      policies: ['default', 'secrets-read'],
      errors: undefined,
    });
  });

  test('a person’s groups, email and name are there for the role', async () => {
    const path = await mount('open_source_identity_server', {
      user_claim: 'email',
      oidc_scopes: ['profile'],
      groups_claim: 'groups',
      bound_claims: { groups: ['admins'] },
      claim_mappings: { name: 'display_name' },
    });
    const { body } = await signInAt(path, 'alice');
    expect(body.auth?.metadata).toEqual({ role: 'reader', display_name: 'Alice Example' });
  });

  test('a person outside the groups the role is bound to does not sign in', async () => {
    const path = await mount('open_source_identity_server', { bound_claims: { groups: ['admins'] } });
    const { status, body } = await signInAt(path, 'bob');
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [expect.stringContaining('claim "groups" does not match any associated bound claim values')],
    });
  });

  test('a group alias gives the people of the group its policies', async () => {
    const path = await mount('cloud_directory', {
      user_claim: 'email',
      groups_claim: 'groups',
      oidc_scopes: ['https://graph.microsoft.com/.default'],
    });
    const group = await write('identity/group', { type: 'external', policies: ['secrets-admin'] });
    const { body: methods } = await call('GET', 'sys/auth', undefined, server().token);
    await write('identity/group-alias', {
      name: '00000000-0000-0000-c000-000000000046',
      mount_accessor: methods[`${path}/`].accessor,
      canonical_id: group.data.id,
    });
    const policiesOf = async (username: string) =>
      (await signInAt(path, username)).body.auth.identity_policies;
    expect([await policiesOf('alice'), await policiesOf('bob')]).toEqual([['secrets-admin'], undefined]);
  });

  // interface.md, "Errors": the provider application's signing algorithm must be RS256.
  test('an application that has its tokens signed with HS256 lets nobody in', async () => {
    const client = { ...developmentClient, signingAlg: 'HS256' as const };
    const other = await startIdentity({ clients: { hosted_identity_platform: [client] } });
    try {
      const path = await mount('hosted_identity_platform', {}, other.issuers.hosted_identity_platform);
      const { status, body } = await signInAt(path, 'alice');
      expect([status, body.errors]).toEqual([400, [expect.stringMatching(/sign/)]]);
    } finally {
      await other.close();
    }
  });

  test('a workload signs in with its service account’s token', async () => {
    const path = await workloadMount();
    const jwt = await identity().signWorkloadToken({ subject: 'system:serviceaccount:shop:checkout' });
    const { status, body } = await call('POST', `auth/${path}/login`, { role: 'checkout', jwt });
    expect({ status, policies: body.auth?.policies }).toEqual({
      status: 200,
      policies: ['default', 'secrets-read'],
    });
  });

  test.each([
    ['another service account', { subject: 'system:serviceaccount:shop:other' }],
    ['another audience', { audience: 'elsewhere' }],
    ['a time long past', { expiresIn: -3600 }],
    ['another issuer', { kind: 'source_hosting' as const }],
  ])('a workload’s token of %s is refused', async (_, change) => {
    const path = await workloadMount();
    const jwt = await identity().signWorkloadToken({
      subject: 'system:serviceaccount:shop:checkout',
      audience: identity().issuers.container_orchestrator,
      ...change,
    });
    const { status, body } = await call('POST', `auth/${path}/login`, { role: 'checkout', jwt });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [expect.stringContaining('error validating token')],
    });
  });

  test('a workload’s token that another key signed in the issuer’s name is refused', async () => {
    const path = await workloadMount();
    const jwt = await identity().signWorkloadToken({
      kind: 'source_hosting',
      subject: 'system:serviceaccount:shop:checkout',
      audience: identity().issuers.container_orchestrator,
      claims: { iss: identity().issuers.container_orchestrator },
    });
    const { status, body } = await call('POST', `auth/${path}/login`, { role: 'checkout', jwt });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [expect.stringContaining('failed to verify id token signature')],
    });
  });

  async function workloadMount(): Promise<string> {
    const path = `workloads-${mounts++}`;
    await write(`sys/auth/${path}`, { type: 'jwt' });
    await write(`auth/${path}/config`, { oidc_discovery_url: identity().issuers[containerOrchestrator] });
    await write(`auth/${path}/role/checkout`, {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'system:serviceaccount:shop:checkout',
      bound_audiences: [identity().issuers[containerOrchestrator]],
      token_policies: ['secrets-read'],
    });
    return path;
  }
});
