import { randomUUID } from 'node:crypto';
import { type AuthMethod, type Graph, methodSubject, type Role } from '@gatehouse/core/graph';
import { beginSignIn, finishSignIn, type ServiceClient } from '@gatehouse/service-client';
import type { CheckOutcome } from '../open/check.ts';
import { openAnonymousClient } from '../open/open-client.ts';
import type { Declared } from '../open/open-environment.ts';
import { verifyAddresses } from '../verify/verify.ts';

/**
 * Shows that the service signs people in with the client secret that was applied to a method, as far as that can be shown
 * without a person signing in.
 *
 * @param showsRefusal whether the provider looks at the secret before the code
 */
export async function proveSecret(
  method: AuthMethod,
  { environment, graph }: Declared,
  showsRefusal: boolean,
  env: NodeJS.ProcessEnv,
): Promise<CheckOutcome[]> {
  const client = openAnonymousClient(environment.service, env);
  const roles = rolesOf(method, graph);
  try {
    const addresses = await Promise.all(roles.map((role) => verifyAddresses(client, role)));
    return [...addresses.flat(), await secretOfService(client, method, roles[0], showsRefusal)];
  } finally {
    client.close();
  }
}

function rolesOf({ path }: AuthMethod, { roles }: Graph): Role[] {
  return roles.filter(
    (role) => role.method === path && role.roleType === 'oidc' && role.allowedRedirectUris?.length,
  );
}

/**
 * Whether the provider takes the secret that the service has: the service is given a made-up code, and passes on what the
 * provider refuses of it.
 */
async function secretOfService(
  client: ServiceClient,
  auth: AuthMethod,
  role: Role | undefined,
  showsRefusal: boolean,
): Promise<CheckOutcome> {
  const { path: method } = auth;
  const check = { subject: methodSubject(auth), what: 'the secret that the service has' };
  const unverified = (detail: string): CheckOutcome => ({ ...check, outcome: 'unverified', detail });
  if (role === undefined || !showsRefusal) return unverified('the provider does not show it: sign in once');
  const clientNonce = randomUUID();
  try {
    const redirectUri = role.allowedRedirectUris?.[0] ?? '';
    const url = await beginSignIn({ client, method, clientNonce, role: role.name, redirectUri });
    const answer = { state: url.searchParams.get('state') ?? '', code: randomUUID() };
    await finishSignIn({ client, method, clientNonce, answer });
    return unverified('the provider takes a made-up code');
  } catch (error) {
    const message = (error as Error).message;
    if (message.includes('invalid_grant'))
      return { ...check, outcome: 'ok', detail: 'the provider takes it' };
    if (/invalid_client|unauthorized_client/.test(message)) {
      return { ...check, outcome: 'failed', detail: 'the provider refuses the client with it' };
    }
    return unverified('the service does not say what the provider refuses: sign in once');
  }
}
