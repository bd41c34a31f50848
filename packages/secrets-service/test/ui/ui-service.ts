import type { Page } from 'playwright-core';
import { ask, write as writeTo } from '../../../../test/harness/ask.ts';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import type { ProviderKind } from '../../../core/src/graph/kinds/kinds.ts';
import { developmentClient } from '../../src/identity-provider/development.ts';
import { type EmbeddedIdentityProvider, startIdentity } from '../../src/identity-provider/identity.ts';
import { type StartSecretsServiceArgs, startSecretsService } from '../../src/server.ts';

/** An instant in the past; the service uses the system's clock. */
export const longAgo = '2026-01-01T00:00:00Z';

/** A secrets service with its pages, and an identity provider to sign in at. The test closes it. */
export interface UiService {
  address: string;
  token: string;
  identity: EmbeddedIdentityProvider;
  /** Asks the service over HTTP, as root; fails the test when it refuses. */
  write(path: string, body: object, namespace?: string): Promise<any>;
  close(): Promise<void>;
}

/** Starts both, with three methods: `staff` and `partners` (OIDC, listed), `cluster` (JWT, listed). */
export async function startUiService(args: Pick<StartSecretsServiceArgs, 'now'> = {}): Promise<UiService> {
  const token = 'root-of-the-test';
  const service = await startSecretsService({ storage: new MemoryStorage(), rootToken: token, ...args });
  const redirectUris = ['staff', 'partners', 'posting', 'hidden/one'].flatMap((path) =>
    ['ui/vault', 'ui/secrets', 'v1'].map((place) => `${service.address}/${place}/auth/${path}/oidc/callback`),
  );
  const clients = [{ ...developmentClient, redirectUris }];
  const identity = await startIdentity({
    clients: {
      cloud_directory: clients,
      hosted_identity_platform: clients,
    },
  });

  const write = (path: string, body: object, namespace?: string) =>
    writeTo({ address: service.address, token }, path, body, namespace);

  const ui = { address: service.address, token, identity, write };
  await oidcMethod(ui, 'staff', {
    kind: 'cloud_directory',
    description: 'Employees',
    groupsClaim: 'groups',
  });
  await oidcMethod(ui, 'partners', {
    kind: 'hosted_identity_platform',
    segment: 'secrets',
    description: 'Partners',
  });
  await write('sys/auth/cluster', { type: 'jwt', config: { listing_visibility: 'unauth' } });
  await write('auth/cluster/config', {
    oidc_discovery_url: identity.issuers.container_orchestrator,
    default_role: 'web',
  });
  await write('auth/cluster/role/web', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: [identity.issuers.container_orchestrator],
    token_policies: ['secrets-read'],
    token_ttl: '10m',
  });
  await write('sys/policies/acl/message-admin', {
    policy:
      'path "sys/config/ui/custom-messages" { capabilities = ["create", "update", "list"] }\npath "sys/config/ui/custom-messages/*" { capabilities = ["read", "update", "delete"] }',
  });
  const group = await write('identity/group', {
    name: 'staff-admins',
    type: 'external',
    policies: ['message-admin'],
  });
  await write('identity/group-alias', {
    name: '00000000-0000-0000-c000-000000000046',
    mount_accessor: await accessorOf(ui, 'staff'),
    canonical_id: group.data.id,
  });
  return {
    ...ui,
    async close() {
      await Promise.all([service.close(), identity.close()]);
    },
  };
}

interface OidcMethodArgs {
  kind: ProviderKind;
  description?: string;
  /** Dialect of the role's redirect URI. Defaults to `vault`. */
  segment?: string;
  config?: object;
  groupsClaim?: string;
  listed?: boolean;
}

/** Enables an OIDC method with the roles `reader` (its default) and `admin`. */
export async function oidcMethod(
  { address, identity, write }: Pick<UiService, 'address' | 'identity' | 'write'>,
  path: string,
  { kind, description = '', segment = 'vault', config = {}, groupsClaim = '', listed = true }: OidcMethodArgs,
): Promise<void> {
  const visibility = listed ? 'unauth' : 'hidden';
  await write(`sys/auth/${path}`, { type: 'oidc', description, config: { listing_visibility: visibility } });
  await write(`auth/${path}/config`, {
    oidc_discovery_url: identity.issuers[kind],
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
    default_role: 'reader',
    ...config,
  });
  for (const [role, policy] of [
    ['reader', 'secrets-read'],
    ['admin', 'secrets-admin'],
  ]) {
    await write(`auth/${path}/role/${role}`, {
      user_claim: 'sub',
      groups_claim: groupsClaim,
      allowed_redirect_uris: [`${address}/ui/${segment}/auth/${path}/oidc/callback`],
      token_policies: [policy],
      token_ttl: '1h',
    });
  }
}

/** Signs in with the service's root token, in Chromium. */
export async function signInWithToken(page: Page, { address, token }: UiService): Promise<void> {
  await page.goto(`${address}/ui/sign-in`);
  await page.getByText('A token of this service').click();
  await page.locator('#token').fill(token);
  await page.getByRole('button', { name: 'Sign in with the token' }).click();
  await page.waitForURL(`${address}/ui/`);
}

/** The accessor of an auth method, for group aliases. */
export async function accessorOf({ address, token }: Pick<UiService, 'address' | 'token'>, path: string) {
  const { body } = await ask({ address, token }, { method: 'GET', path: `sys/auth/${path}` });
  return body.data.accessor;
}

/** A custom message as `write` sends it; active by default. */
export function wireMessage(message: Record<string, unknown>): object {
  return {
    title: 'Title',
    start_time: longAgo,
    ...message,
    message: btoa(String(message['message'] ?? 'Text')),
  };
}
