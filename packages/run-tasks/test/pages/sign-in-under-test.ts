import { type Server, write } from '../../../../test/harness/ask.ts';
import { runPagesCallback } from '../../../core/src/environment/redirect-uris.ts';
import { developmentClient } from '../../../secrets-service/src/identity-provider/development.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../../secrets-service/src/identity-provider/identity.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { ProviderSignIn, type ProviderSignInArgs } from '../../src/pages/provider-sign-in.ts';
import { Callers } from '../../src/platform/callers.ts';
import { type Pages, startPages } from './page-server.ts';

/** What a role allows; the port of loopback does not matter. */
const allowedUri = `http://127.0.0.1:8300${runPagesCallback}`;

export interface SignInUnderTest {
  pages: Pages;
  identity: EmbeddedIdentityProvider;
  /** The clock of the pages, in milliseconds. */
  clock: { now: number };
  close(): Promise<void>;
}

/**
 * The pages with real sign-ins at a secrets service. Its method `staff` is listed, `hidden` is not; both have the roles
 * `reader` (the default), `deployer` and `elsewhere`, which does not allow the redirect URI.
 */
export async function startSignIn(
  server: Server,
  options: Partial<ProviderSignInArgs> = {},
): Promise<SignInUnderTest> {
  const clients = { cloud_directory: [{ ...developmentClient, redirectUris: [allowedUri] }] };
  const identity = await startIdentity({ clients });
  await write(server, 'sys/policies/acl/gatehouse-deploy', {
    policy: 'path "none" { capabilities = ["read"] }',
  });
  for (const [path, visibility] of [
    ['staff', 'unauth'],
    ['hidden', 'hidden'],
  ] as const) {
    await enableMethod(server, identity, path, { visibility });
  }
  const clock = { now: Date.now() };
  const client = new ServiceClient({ address: server.address, maxRetries: 0 });
  const callers = new Callers({ clientOf: (token) => client.with({ token }) });
  let address = '';
  const now = () => clock.now;
  const redirectUri = () => `${address}${runPagesCallback}`;
  const providers = new ProviderSignIn({ client, now, redirectUri, ...options });
  const whoami = (token: string, options?: { isFresh: boolean }) => callers.of(token, options);
  const pages = await startPages({ providers, whoami, now });
  address = pages.address;
  return {
    pages,
    identity,
    clock,
    async close() {
      await pages.close();
      client.close();
      await identity.close();
    },
  };
}

/** Enables an OIDC method. */
export async function enableMethod(
  server: Server,
  identity: EmbeddedIdentityProvider,
  path: string,
  { visibility = 'unauth', config = {} }: { visibility?: string; config?: object } = {},
): Promise<void> {
  const description = visibility === 'unauth' ? `People of ${path}` : '';
  const mount = { type: 'oidc', description, config: { listing_visibility: visibility } };
  await write(server, `sys/auth/${path}`, mount);
  await write(server, `auth/${path}/config`, {
    oidc_discovery_url: identity.issuers.cloud_directory,
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
    default_role: 'reader',
    ...config,
  });
  const role = { user_claim: 'sub', allowed_redirect_uris: [allowedUri], token_ttl: '1h' };
  const roles = {
    reader: role,
    deployer: { ...role, token_policies: ['gatehouse-deploy'] },
    nobody: { ...role, token_no_default_policy: true, token_policies: ['gatehouse-deploy'] },
    elsewhere: { ...role, allowed_redirect_uris: ['https://elsewhere.example/callback'] },
    strict: { ...role, bound_claims: { email: 'carol@example.com' } },
  };
  for (const [name, body] of Object.entries(roles)) await write(server, `auth/${path}/role/${name}`, body);
}
