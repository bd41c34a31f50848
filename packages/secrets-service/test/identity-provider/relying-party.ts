import { createHash, randomBytes } from 'node:crypto';
import { developmentClient } from '../../src/identity-provider/development.ts';
import { baseOf } from '../../src/identity-provider/issuer.ts';
import { signIn } from '../../src/identity-provider/sign-in.ts';

const redirectUri = 'http://localhost:8250/oidc/callback';

/** The URL to which a relying party sends the browser, and the PKCE verifier it keeps. */
export function authorization(
  issuer: string,
  change: Record<string, string> = {},
): { authUrl: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: developmentClient.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 'state',
    nonce: 'nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...change,
  });
  return { authUrl: `${baseOf(issuer)}/auth?${query}`, verifier };
}

/** Signs in with the authorization code flow; resolves with the id token's claims. */
export async function idTokenOf(
  issuer: string,
  username: string,
  scope = 'openid',
): Promise<Record<string, unknown>> {
  const { authUrl, verifier } = authorization(issuer, { scope });
  const { redirectUrl } = await signIn({ authUrl, username });
  const response = await fetch(`${baseOf(issuer)}/token`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${btoa(`${developmentClient.clientId}:${developmentClient.clientSecret}`)}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(redirectUrl).searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  const { id_token: idToken } = (await response.json()) as { id_token: string };
  return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
