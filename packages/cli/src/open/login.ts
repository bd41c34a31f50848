import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseError } from '@gatehouse/core/values';
import {
  beginSignIn,
  finishSignIn,
  listenForRedirect,
  NotSignedIn,
  orRefused,
  type ProviderAnswer,
  passFormOn,
  type ServiceClient,
  type SignedInToken,
  signedIn,
} from '@gatehouse/service-client';

export { NotSignedIn, type SignedInToken } from '@gatehouse/service-client';

interface LoginRequest {
  client: ServiceClient;
  method: string;
  /** Defaults to the method's own default role. */
  role?: string;
}

/**
 * Signs in with a JWT (docs/inside/specification.md B-1).
 *
 * @throws NotSignedIn `login_refused`
 * @throws GatehouseError what `ServiceClient` throws
 */
export async function loginWithToken(request: LoginRequest & { jwt: string }): Promise<SignedInToken> {
  const { client, method, role = '', jwt } = request;
  return signedIn(await orRefused(client.post(`auth/${method}/login`, { role, jwt })));
}

interface BrowserLoginRequest extends LoginRequest {
  /** Loopback port that the provider redirects to; 0 lets the system choose. */
  port: number;
  /** Milliseconds for the person to sign in. The service itself waits ten minutes. */
  timeoutMs: number;
  /** Shows the address at which the person signs in, or opens a browser there. */
  onAuthUrl: (url: URL) => void;
}

/**
 * Signs a person in at the identity provider: asks the service for the provider's address, waits for the browser to come
 * back to this machine, and passes the provider's answer on (docs/inside/measured/sign-in.md#oidc-login).
 *
 * @throws NotSignedIn `auth_url_invalid`, `login_refused`, `login_state_wrong`, `login_timed_out`, `sign_in_refused`
 * @throws GatehouseError `port_in_use`, and what `ServiceClient` throws
 */
export async function loginWithBrowser(request: BrowserLoginRequest): Promise<SignedInToken> {
  const listener = await listenForRedirect(request.port);
  try {
    const result = await throughBrowser(request, listener);
    listener.show('Signed in', 'You can close this window and go back to the terminal.');
    return result;
  } catch (error) {
    listener.show(
      'Not signed in',
      error instanceof GatehouseError ? error.message : 'The terminal says why.',
    );
    throw error;
  } finally {
    await listener.close();
  }
}

async function throughBrowser(
  request: BrowserLoginRequest,
  listener: Awaited<ReturnType<typeof listenForRedirect>>,
): Promise<SignedInToken> {
  const { client, method, role, timeoutMs, onAuthUrl } = request;
  const signIn = { client, method, clientNonce: randomBytes(20).toString('base64url') };
  const authUrl = await beginSignIn({ ...signIn, role, redirectUri: listener.redirectUri });
  onAuthUrl(authUrl);

  const over = new AbortController();
  const answer = await Promise.race([
    listener.answer,
    sleep(timeoutMs, undefined, { signal: over.signal }),
  ]).finally(() => over.abort());
  if (answer === undefined) {
    throw new NotSignedIn('login_timed_out', { values: { seconds: timeoutMs / 1000 } });
  }
  checkState(answer, authUrl);
  if (answer['id_token'] !== undefined) await passFormOn(client, method, answer);
  return await finishSignIn({ ...signIn, answer });
}

/** Refuses an answer to another sign-in. */
function checkState(answer: ProviderAnswer, authUrl: URL): void {
  if (answer['state'] === authUrl.searchParams.get('state')) return;
  throw new NotSignedIn('login_state_wrong');
}

/** Opens a URL in the person's browser, without waiting for it. Without a browser, nothing happens. */
export function openBrowser(
  url: URL,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): void {
  const [command, ...before] = openers[platform] ?? ['xdg-open'];
  // Without a shell, and as `URL` writes it: the address comes from a service.
  const opener = spawn(command as string, [...before, url.href], { env, stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
