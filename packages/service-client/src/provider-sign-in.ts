import { type ErrorText, GatehouseError } from '@gatehouse/core/values';
import type { ServiceAnswer, ServiceClient } from './service-client.ts';

/** The result of a sign-in. */
export interface SignedInToken {
  /** The client token, a secret. */
  token: string;
  accessor: string;
  /** The policies of the token and of the person's groups, sorted. */
  policies: string[];
  /** The part of `policies` that comes from the entity and its groups. */
  identityPolicies: string[];
  /** The role, and the metadata that it maps from claims. */
  metadata: Record<string, string>;
  leaseSeconds: number;
  renewable: boolean;
  /** `service` or `batch`. */
  tokenType: string;
}

/** The sign-in was refused or not finished, though everything worked as it should. */
export class NotSignedIn<Text extends ErrorText = ErrorText> extends GatehouseError<Text> {}

/** The parameters with which an identity provider sends a browser back: `code`, `state`, `error` and so on. */
export type ProviderAnswer = Readonly<Record<string, string | undefined>>;

interface SignInRequest {
  /** In the method's namespace. It must not retry: a provider's answer can be used only once. */
  client: ServiceClient;
  /** Path of the auth method. */
  method: string;
  /** No one who sees the provider's answer can finish the sign-in without it. */
  clientNonce: string;
}

/** Sent instead of a code, which the service has from the form. */
export const formPosted = 'no_code';

/**
 * Asks the service where a person signs in (docs/inside/measured/sign-in.md#oidc-login).
 *
 * @param request.role defaults to the method's own default role
 * @throws NotSignedIn `auth_url_invalid`, `login_refused`
 * @throws GatehouseError what `ServiceClient` throws
 */
export async function beginSignIn({
  client,
  method,
  clientNonce,
  role = '',
  redirectUri,
}: SignInRequest & { role?: string; redirectUri: string }): Promise<URL> {
  const body = { role, redirect_uri: redirectUri, client_nonce: clientNonce };
  const { data } = await orRefused(client.post(`auth/${method}/oidc/auth_url`, body));
  const url = URL.parse(String(data['auth_url'] ?? ''));
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new NotSignedIn('auth_url_invalid', { given: `redirect URI ${redirectUri}` });
}

/** Gives the service an answer that a provider posted as a form; `finishSignIn` tells whether it accepted it. */
export async function passFormOn(
  client: ServiceClient,
  method: string,
  answer: ProviderAnswer,
): Promise<void> {
  const { state = '', code = '', id_token: idToken = '' } = answer;
  // The service answers with a page for browsers.
  await client.post(`auth/${method}/oidc/callback`, { state, code, id_token: idToken }).catch(() => {});
}

/**
 * Finishes a sign-in with the provider's answer, whose state the caller has compared.
 *
 * @throws NotSignedIn `sign_in_refused` by the provider, `login_refused` by the service
 * @throws GatehouseError what `ServiceClient` throws
 */
export async function finishSignIn({
  client,
  method,
  clientNonce,
  answer,
}: SignInRequest & { answer: ProviderAnswer }): Promise<SignedInToken> {
  const { state = '', code, iss, error, error_description: description } = answer;
  if (error !== undefined) {
    throw new NotSignedIn('sign_in_refused', {
      // Anybody may have written it.
      given: [error, description].filter(Boolean).join(': ').slice(0, 300),
    });
  }
  const query = {
    state,
    code: code || formPosted,
    client_nonce: clientNonce,
    ...(iss !== undefined && { iss }),
  };
  return signedIn(await orRefused(client.read(`auth/${method}/oidc/callback`, query)));
}

/** @throws GatehouseError `answer_invalid` if there is no token in it */
/** The token of an answer to a login. */
export function signedIn(answer: ServiceAnswer | undefined): SignedInToken {
  const auth = answer?.auth;
  if (typeof auth?.['client_token'] !== 'string') {
    throw new GatehouseError('answer_invalid.login');
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

/** The service's answer. A refusal is not an error, but `NotSignedIn`. */
export async function orRefused<Answer extends ServiceAnswer | undefined>(
  request: Promise<Answer>,
): Promise<Answer> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof GatehouseError) || !refusals.includes(cause.code)) throw cause;
    throw new NotSignedIn('login_refused', { cause, values: { reason: cause.parts.what } });
  }
}

const refusals = ['permission_denied', 'service_refused'];
