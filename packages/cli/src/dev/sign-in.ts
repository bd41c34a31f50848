import type { Graph } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { developmentPeople, type EmbeddedIdentityProvider, signIn } from '@gatehouse/secrets-service';
import type { ServiceClient } from '@gatehouse/service-client';

/** A sign-in that worked. */
export interface DevSignIn {
  /** Username of the person, or subject of the workload. */
  subject: string;
  method: string;
  role: string;
  policies: string[];
  leaseSeconds: number;
}

/**
 * Signs the first of the development people in to the first OIDC role of the state, as their browser would: from the
 * service's `auth_url` through the provider back to its callback.
 *
 * @throws GatehouseError `sign_in_missing` if there is no such role; `auth_url_invalid`, `sign_in_refused`
 */
export async function signPersonIn(client: ServiceClient, { roles }: Graph): Promise<DevSignIn> {
  const role = roles.find(({ roleType }) => roleType === 'oidc');
  const redirectUri = role?.allowedRedirectUris?.[0];
  const username = developmentPeople[0]?.username;
  if (role === undefined || redirectUri === undefined || username === undefined) throw missing('a person');
  const { data } = await client.post(`auth/${role.method}/oidc/auth_url`, {
    role: role.name,
    redirect_uri: redirectUri,
  });
  const { redirectUrl } = await signIn({ authUrl: String(data['auth_url'] ?? ''), username });
  const query = Object.fromEntries(new URL(redirectUrl).searchParams);
  const answer = await client.read(`auth/${role.method}/oidc/callback`, query);
  return { subject: username, ...signInResult(role, answer?.auth) };
}

/**
 * Signs the first workload of the state in, with a token of its cluster's issuer.
 *
 * @throws GatehouseError `sign_in_missing` if there is none
 */
export async function signWorkloadIn(
  client: ServiceClient,
  { roles }: Graph,
  identity: EmbeddedIdentityProvider,
): Promise<DevSignIn> {
  const role = roles.find(({ roleType }) => roleType === 'jwt');
  if (role?.boundSubject === undefined) throw missing('a workload');
  const [audience] = role.boundAudiences ?? [];
  const jwt = await identity.signWorkloadToken({ subject: role.boundSubject, audience });
  const { auth } = await client.post(`auth/${role.method}/login`, { role: role.name, jwt });
  return { subject: role.boundSubject, ...signInResult(role, auth) };
}

function signInResult(role: Graph['roles'][number], auth: Record<string, unknown> | undefined) {
  return {
    method: role.method,
    role: role.name,
    policies: auth?.['policies'] as string[],
    leaseSeconds: Number(auth?.['lease_duration']),
  };
}

function missing(who: string): GatehouseError {
  return new GatehouseError('sign_in_missing', { where: 'Pulumi.dev.yaml', values: { users: who } });
}
