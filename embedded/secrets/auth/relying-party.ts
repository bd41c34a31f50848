import * as oidc from 'openid-client';
import { type Claims, own } from '../../../core/login/claims.ts';
import { LoginReason, LoginRefused } from '../../../core/login/login-refused.ts';
import { type Keys, verifySignature } from '../../../core/login/signature.ts';
import { type Config, issuerPlace } from './config.ts';
import { issuerFetch } from './issuer-fetch.ts';
import { type Issuers, methodKeys } from './issuers.ts';
import type { PendingLogin } from './pending-logins.ts';
import type { Role } from './role.ts';

/** A provider's response: a code, or with form_post an ID token. */
interface ProviderAnswer {
  code: string;
  idToken: string;
  /** `iss` of the response (RFC 9207), if the client passes it on. */
  issuer?: string;
}

/**
 * A method as OpenID Connect client of its issuer: the code flow with PKCE, or the implicit flow if
 * `oidc_response_types` contains `id_token`.
 *
 * @throws Error that says what is wrong with the issuer
 */
export async function createRelyingParty(config: Config, issuers: Issuers, now: bigint) {
  const place = issuerPlace(config);
  if (place === undefined) throw new Error('the method has no issuer');
  const discovery = await issuers.discovery(place, now);
  // Most clients pass on only `code` and `state`, so `iss` is not required; it is checked if present.
  const { authorization_response_iss_parameter_supported: _, ...server } = discovery;
  const methods = discovery['token_endpoint_auth_methods_supported'];
  const isPost = Array.isArray(methods) && !methods.includes('client_secret_basic');
  const { oidc_client_id: id, oidc_client_secret: secret } = config;
  const authentication = isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
  const client = new oidc.Configuration(server as oidc.ServerMetadata, id, secret, authentication);
  const isImplicit = config.oidc_response_types.includes('id_token');
  if (discovery.issuer.startsWith('http:')) oidc.allowInsecureRequests(client);
  if (isImplicit) oidc.useIdTokenResponseType(client);
  client[oidc.customFetch] = (url, { method, headers, body }) =>
    issuerFetch(url, { method, headers, body: body?.toString(), caPem: config.oidc_discovery_ca_pem });

  function authorizationUrl(login: PendingLogin, role: Role): URL {
    const scopes = new Set(['openid', ...(role.oidc_scopes ?? [])]);
    return oidc.buildAuthorizationUrl(client, {
      response_type: isImplicit ? 'id_token' : 'code',
      redirect_uri: login.redirectUri,
      scope: [...scopes].join(' '),
      state: login.state,
      nonce: login.nonce,
      ...(!isImplicit && { code_challenge: login.codeChallenge, code_challenge_method: 'S256' }),
      ...(config.oidc_response_mode === 'form_post' && { response_mode: 'form_post' }),
      ...(role.max_age > 0 && { max_age: String(role.max_age) }),
    });
  }

  /**
   * Exchanges the provider's response for claims, and verifies the ID token: issuer, client, nonce, times, signature,
   * algorithm, and the role's audiences. Claims of the userinfo endpoint override the token's. There is no access token
   * if the provider returned only an ID token.
   *
   * @throws Error with a reason that holds neither code nor token
   */
  async function signIn(login: PendingLogin, role: Role, answer: ProviderAnswer) {
    const checks = { expectedState: login.state, ...(role.max_age > 0 && { maxAge: role.max_age }) };
    if (answer.code === '') {
      const body = new URLSearchParams({ state: login.state, id_token: answer.idToken });
      const request = new Request(login.redirectUri, { method: 'POST', body });
      await oidc.implicitAuthentication(client, request, login.nonce, checks);
      return { claims: await verified(answer.idToken, role), accessToken: undefined };
    }
    const url = new URL(login.redirectUri);
    url.search = new URLSearchParams({
      code: answer.code,
      state: login.state,
      ...(answer.issuer !== undefined && { iss: answer.issuer }),
    }).toString();
    const tokens = await oidc.authorizationCodeGrant(client, url, {
      ...checks,
      pkceCodeVerifier: login.codeVerifier,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    });
    const claims = await verified(tokens.id_token ?? '', role);
    const { access_token: accessToken } = tokens;
    return { claims: { ...claims, ...(await userInfo(accessToken, claims)) } as Claims, accessToken };
  }

  async function verified(idToken: string, role: Role): Promise<Claims> {
    const algorithms = config.jwt_supported_algs;
    const { nonce: _, ...claims } = await verifySignature(
      idToken,
      withPublishedKey(methodKeys(config, issuers, now)),
      algorithms.length > 0 ? algorithms : ['RS256'],
    );
    const audiences = [own(claims, 'aud')].flat();
    if (role.bound_audiences?.length && !role.bound_audiences.some((bound) => audiences.includes(bound))) {
      throw new Error('invalid id_token audiences');
    }
    return claims;
  }

  /** Claims of the userinfo endpoint; none if it is missing or fails, as the ID token is enough. */
  async function userInfo(accessToken: string, claims: Claims): Promise<Claims> {
    const subject = own(claims, 'sub');
    if (server['userinfo_endpoint'] === undefined || typeof subject !== 'string') return {};
    return await oidc.fetchUserInfo(client, accessToken, subject).catch(() => ({}));
  }

  return { authorizationUrl, signIn };
}

/** Explains the unpublished signing key of a cloud directory application with claims mapping (interface.md B-2). */
function withPublishedKey(keys: Keys): Keys {
  return async (id) => {
    const published = await keys(id);
    if (id === undefined || published.keys.some((key) => key.id === id)) return published;
    throw new LoginRefused(
      LoginReason.keyNotPublished,
      'error validating token: error verifying token signature: the ID token is signed with a key that its issuer does not publish; applications with custom signing keys are unsupported',
    );
  };
}
