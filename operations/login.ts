import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  listenForRedirect,
  type RedirectAnswer,
  type RedirectListener,
} from '../client/redirect-listener.ts';
import type { ServiceAnswer, ServiceClient } from '../client/service-client.ts';
import { GatehouseError } from '../core/model/values/errors.ts';

/** The result of a sign-in. */
export interface SignedIn {
  /** The client token, a secret. */
  token: string;
  accessor: string;
  /** Of the token and of the person's groups, sorted. */
  policies: string[];
  /** Those of them that come from the entity and its groups. */
  identityPolicies: string[];
  /** The role, and the metadata that it maps from claims. */
  metadata: Record<string, string>;
  leaseSeconds: number;
  renewable: boolean;
  /** `service` or `batch`. */
  tokenType: string;
}

/** The sign-in was refused or not finished, though everything worked as it should. */
export class NotSignedIn extends GatehouseError {}

interface LoginRequest {
  client: ServiceClient;
  /** Path of the auth method. */
  method: string;
  /** Defaults to the method's own default role. */
  role?: string;
}

/**
 * Signs in with a JWT (interface.md B-1).
 *
 * @throws NotSignedIn `login_refused`
 * @throws GatehouseError what `ServiceClient` throws
 */
export async function loginWithToken(request: LoginRequest & { jwt: string }): Promise<SignedIn> {
  const { client, method, role = '', jwt } = request;
  return signedIn(await asked(client.post(`auth/${method}/login`, { role, jwt })));
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
 * back to this machine, and passes the provider's answer on (facts/jwt-oidc.md, "OIDC login").
 *
 * @throws NotSignedIn `auth_url_invalid`, `login_refused`, `login_state_wrong`, `login_timed_out`, `sign_in_refused`
 * @throws GatehouseError `port_in_use`, and what `ServiceClient` throws
 */
export async function loginWithBrowser(request: BrowserLoginRequest): Promise<SignedIn> {
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

async function throughBrowser(request: BrowserLoginRequest, listener: RedirectListener): Promise<SignedIn> {
  const { client, method, role = '', timeoutMs, onAuthUrl } = request;
  // Nobody else who sees the provider's answer can end the login with it.
  const clientNonce = randomBytes(20).toString('base64url');
  const { redirectUri } = listener;
  const begun = await asked(
    client.post(`auth/${method}/oidc/auth_url`, {
      role,
      redirect_uri: redirectUri,
      client_nonce: clientNonce,
    }),
  );
  const authUrl = parseAuthUrl(begun.data['auth_url'], redirectUri);
  onAuthUrl(authUrl);

  const over = new AbortController();
  const answer = await Promise.race([
    listener.answer,
    sleep(timeoutMs, undefined, { signal: over.signal }),
  ]).finally(() => over.abort());
  if (answer === undefined) {
    throw new NotSignedIn({
      code: 'login_timed_out',
      what: `The browser did not return from the identity provider within ${timeoutMs / 1000} seconds.`,
      fix: 'Try again, and sign in at the address shown. --timeout gives you more time.',
    });
  }
  checkAnswer(answer, authUrl);
  const { state = '', code = '', id_token: idToken, iss } = answer;
  if (idToken !== undefined) {
    // The service answers a form with a page for browsers. The callback tells whether it accepted it.
    await client.post(`auth/${method}/oidc/callback`, { state, code, id_token: idToken }).catch(() => {});
  }
  const query = {
    state,
    code: code || formPosted,
    client_nonce: clientNonce,
    ...(iss !== undefined && { iss }),
  };
  return signedIn(await asked(client.read(`auth/${method}/oidc/callback`, query)));
}

function parseAuthUrl(given: unknown, redirectUri: string): URL {
  const url = URL.parse(String(given ?? ''));
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new NotSignedIn({
    code: 'auth_url_invalid',
    what: 'The secrets service returned no address to sign in at.',
    given: `redirect URI ${redirectUri}`,
    fix: 'The role must allow this redirect URI, and its provider must be reachable. See the log of the service.',
  });
}

/** Refuses an answer to another login, and a refusal. Anybody may have written its text, so it is cut short. */
function checkAnswer(answer: RedirectAnswer, authUrl: URL): void {
  if (answer['state'] !== authUrl.searchParams.get('state')) {
    throw new NotSignedIn({
      code: 'login_state_wrong',
      what: 'The browser returned the answer to another sign-in.',
      fix: 'Close the windows of earlier sign-ins, and try again.',
    });
  }
  if (answer['error'] === undefined) return;
  throw new NotSignedIn({
    code: 'sign_in_refused',
    what: 'The identity provider refused the sign-in.',
    given: [answer['error'], answer['error_description']].filter(Boolean).join(': ').slice(0, 300),
    fix: 'Compare the client id, the redirect URIs and the scopes of the auth method with the provider’s.',
  });
}

/** The service's answer. A refusal is not an error, but `NotSignedIn`. */
async function asked<Answer extends ServiceAnswer | undefined>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof GatehouseError) || !refusals.includes(cause.code)) throw cause;
    throw new NotSignedIn({ code: 'login_refused', what: cause.parts.what, cause });
  }
}

/** Sent instead of a code, which the service has from the form. */
const formPosted = 'no_code';

const refusals = ['permission_denied', 'service_refused'];

function signedIn(answer: ServiceAnswer | undefined): SignedIn {
  const auth = answer?.auth;
  if (typeof auth?.['client_token'] !== 'string') {
    throw new GatehouseError({
      code: 'answer_invalid',
      what: 'The secrets service answered the login without a token.',
      fix: 'Check that the address is that of a secrets service.',
    });
  }
  return {
    token: auth['client_token'],
    accessor: String(auth['accessor'] ?? ''),
    policies: (auth['policies'] ?? []) as string[],
    identityPolicies: (auth['identity_policies'] ?? []) as string[],
    metadata: (auth['metadata'] ?? {}) as Record<string, string>,
    leaseSeconds: Number(auth['lease_duration'] ?? 0),
    renewable: auth['renewable'] === true,
    tokenType: String(auth['token_type'] ?? ''),
  };
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
