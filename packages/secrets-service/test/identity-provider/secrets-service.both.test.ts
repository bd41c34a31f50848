import { expect, test } from '@jest/globals';
import { ask, write as writeTo } from '../../../../test/harness/ask.ts';
import { started } from '../../../../test/harness/started.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { kinds, type ProviderKind, providerKinds } from '../../../core/src/graph/kinds/kinds.ts';
import { developmentClient } from '../../src/identity-provider/development.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { signIn } from '../../src/identity-provider/sign-in.ts';

const redirectUri = 'http://localhost:8250/oidc/callback';
const signInKinds = providerKinds.filter((kind) => kinds[kind].methodType === 'oidc');

// How the service uses an issuer: openbao/openbao builtin/credential/jwt/path_config.go, path_oidc.go, path_login.go.
describeOnBothServers('a secrets service and the embedded identity provider', (server) => {
  const identity = started(startIdentity);

  const call = (method: string, path: string, body?: object, token = '') =>
    ask(server(), { method, path, body, token });
  const write = (path: string, body: object) => writeTo(server(), path, body);

  /** A new mount for each test, with this kind's issuer and a role `reader`. */
  async function mount(kind: ProviderKind, issuer = identity().issuers[kind]): Promise<string> {
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

  // docs/inside/specification.md, "Errors": the provider application's signing algorithm must be RS256.
  test('an application that has its tokens signed with HS256 lets nobody in', async () => {
    const client = { ...developmentClient, signingAlg: 'HS256' as const };
    const other = await startIdentity({ clients: { hosted_identity_platform: [client] } });
    try {
      const path = await mount('hosted_identity_platform', other.issuers.hosted_identity_platform);
      const { status, body } = await signInAt(path, 'alice');
      expect([status, body.errors]).toEqual([400, [expect.stringMatching(/sign/)]]);
    } finally {
      await other.close();
    }
  });

  test('a workload signs in with its service account’s token', async () => {
    const path = `workloads-${mounts++}`;
    await write(`sys/auth/${path}`, { type: 'jwt' });
    await write(`auth/${path}/config`, { oidc_discovery_url: identity().issuers.container_orchestrator });
    await write(`auth/${path}/role/checkout`, {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'system:serviceaccount:shop:checkout',
      bound_audiences: [identity().issuers.container_orchestrator],
      token_policies: ['secrets-read'],
    });
    const jwt = await identity().signWorkloadToken({ subject: 'system:serviceaccount:shop:checkout' });
    const { status, body } = await call('POST', `auth/${path}/login`, { role: 'checkout', jwt });
    expect({ status, policies: body.auth?.policies }).toEqual({
      status: 200,
      policies: ['default', 'secrets-read'],
    });
  });
});
