import { createHash, randomUUID } from 'node:crypto';
import { objectIn } from '@gatehouse/core/values';
import type { Discovery } from './discovery.ts';
import { type Answer, exchange } from './exchange.ts';

/** Milliseconds for a whole answer. */
const timeoutMs = 10_000;

/** A client (application) at an identity provider. */
export interface ProviderClient {
  document: Discovery;
  caPem?: string;
  clientId: string;
}

/** What a provider's answers show: `unknown` where it answers in the same way whether it is so or not. */
export interface ProviderEvidence {
  is: 'so' | 'not so' | 'unknown';
  /** The reason in words, without secrets. */
  detail: string;
}

/**
 * Whether a client secret is the client's, without anybody signing in: the token endpoint is asked to take a made-up code.
 * A provider that refuses the code (`invalid_grant`) has taken the secret, provided that it refuses the client
 * (`invalid_client`) with a made-up secret (RFC 6749, section 5.2).
 *
 * @throws Error where the provider cannot be reached
 */
export async function showSecret(
  client: ProviderClient,
  secret: string,
  redirectUri: string,
): Promise<ProviderEvidence> {
  const refusal = await refusalOf(client, secret, redirectUri);
  if (refusal === undefined) {
    return { is: 'unknown', detail: 'the provider takes no client secret, or does not say what it refuses' };
  }
  if (refusal === 'client') return { is: 'not so', detail: 'the provider refuses the client with it' };
  if ((await refusalOf(client, randomUUID(), redirectUri)) !== 'client') {
    return { is: 'unknown', detail: 'the provider answers a wrong secret the same way' };
  }
  return { is: 'so', detail: 'the provider takes it' };
}

/** What the provider refuses of a request with a made-up code. */
async function refusalOf(
  client: ProviderClient,
  secret: string,
  redirectUri: string,
): Promise<'client' | 'code' | undefined> {
  const offered = client.document['token_endpoint_auth_methods_supported'];
  const methods = Array.isArray(offered) ? offered : ['client_secret_basic'];
  let refusal: 'client' | undefined;
  for (const method of ['client_secret_basic', 'client_secret_post'].filter((candidate) =>
    methods.includes(candidate),
  )) {
    const { status, error } = await tokenError(client, {
      secret,
      redirectUri,
      isBasic: method === 'client_secret_basic',
    });
    if (error === 'invalid_grant') return 'code';
    // Keycloak says `unauthorized_client`, with 401. The provider may take the secret in the other way only.
    if (error === 'invalid_client' || (error === 'unauthorized_client' && status === 401)) refusal = 'client';
  }
  return refusal;
}

async function tokenError(
  { document, caPem, clientId }: ProviderClient,
  { secret, redirectUri, isBasic }: { secret: string; redirectUri: string; isBasic: boolean },
): Promise<{ status: number; error?: unknown }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: randomUUID(),
    redirect_uri: redirectUri,
    ...(!isBasic && { client_id: clientId, client_secret: secret }),
  });
  // RFC 6749, section 2.3.1: both are form-encoded first.
  const encoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  const basic = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64');
  const { status, body } = await exchange(String(document['token_endpoint']), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(isBasic && { authorization: `Basic ${basic}` }),
    },
    body: form.toString(),
    caPem,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status, error: objectIn(body.toString())?.['error'] };
}

/** How a provider answers an authorization request with these scopes for an address that no one registered. */
export interface MadeUpAnswer {
  scopes: readonly string[];
  redirectUri: string;
  answer: Answer;
}

/** @throws Error where the provider cannot be reached */
/** Asks a provider with a redirect URI that no client has, to see how it refuses. */
export async function askWithMadeUpUri(
  client: ProviderClient,
  scopes: readonly string[],
): Promise<MadeUpAnswer> {
  const redirectUri = `https://${randomUUID()}.invalid/oidc/callback`;
  return { scopes, redirectUri, answer: await authorization(client, redirectUri, scopes) };
}

/**
 * Whether a redirect URI is registered for a client, without anybody signing in: an authorization request that must show no
 * page (`prompt=none`) is answered by the way of a registered address only, with an error such as `login_required`
 * (OpenID Connect Core, section 3.1.2.6; RFC 6749, section 4.1.2.1).
 *
 * @param madeUp what it is compared with; its scopes are asked for
 * @throws Error where the provider cannot be reached
 */
export async function showRedirectUri(
  client: ProviderClient,
  redirectUri: string,
  madeUp: MadeUpAnswer,
): Promise<ProviderEvidence> {
  const { scopes, answer: other } = madeUp;
  const real = await authorization(client, redirectUri, scopes);
  const back = backAt(real, redirectUri);
  if (backAt(other, madeUp.redirectUri) !== undefined) {
    return { is: 'unknown', detail: 'the provider redirects to addresses that no one registered' };
  }
  if (back === undefined) {
    const shown = compared(real.status, other.status);
    const isScope =
      shown.is === 'not so' &&
      backAt(await authorization(client, redirectUri, ['openid']), redirectUri) !== undefined;
    return isScope ? refusesScopes(scopes, `it answers ${real.status}`) : shown;
  }
  if (back === 'invalid_scope' || back === 'unauthorized_client') {
    return refusesScopes(scopes, back);
  }
  if (!nobodyIsSignedIn.has(back)) {
    return { is: 'unknown', detail: `the provider leads back there with ${JSON.stringify(back)}` };
  }
  return { is: 'so', detail: 'the provider leads back there' };
}

/** The answer to `prompt=none` if nothing else is wrong (OpenID Connect Core, section 3.1.2.6); null is a code. */
const nobodyIsSignedIn = new Set([
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
  null,
]);

function refusesScopes(scopes: readonly string[], how: string): ProviderEvidence {
  return { is: 'not so', detail: `the provider refuses a sign-in with ${scopes.join(' ')}: ${how}` };
}

/** A provider that shows a page all the same shows another one where it does not know the address. */
function compared(status: number, unregistered: number): ProviderEvidence {
  if (status < 400 && unregistered >= 400) return { is: 'so', detail: 'the provider begins a sign-in' };
  if (status >= 400 && status < 500 && status === unregistered) {
    return {
      is: 'not so',
      detail: `the provider answers ${status}, as it does for an address that no one registered`,
    };
  }
  return { is: 'unknown', detail: 'the provider answers an address that no one registered the same way' };
}

function authorization(
  { document, caPem, clientId }: ProviderClient,
  redirectUri: string,
  scopes: readonly string[],
): Promise<Answer> {
  const url = new URL(String(document['authorization_endpoint']));
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    prompt: 'none',
    state: randomUUID(),
    nonce: randomUUID(),
    // The service sends a challenge, too. A provider that requires one would refuse its absence first.
    code_challenge: createHash('sha256').update(randomUUID()).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return exchange(url.href, { caPem, signal: AbortSignal.timeout(timeoutMs) });
}

/** The error with which the browser is led back to an address; null without one, undefined if it is not led there. */
function backAt({ status, headers }: Answer, redirectUri: string): string | null | undefined {
  if (status < 300 || status >= 400) return undefined;
  const target = URL.parse(String(headers['location'] ?? ''));
  const registered = new URL(redirectUri);
  if (target?.origin !== registered.origin || target.pathname !== registered.pathname) return undefined;
  return target.searchParams.get('error');
}
