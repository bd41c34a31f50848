import { createHash } from 'node:crypto';
import {
  type Claims,
  checkBoundSubject,
  checkIdToken,
  type Keys,
  LoginReason,
  LoginRefused,
  own,
  quoted,
  verifySignature,
} from '@gatehouse/core/login';
import { isObject } from '@gatehouse/core/values';
import { issuerFetch } from '@gatehouse/service-client';
import * as oauth from 'oauth4webapi';
import { type Config, issuerPlace } from './config.ts';
import { type Issuers, methodKeys } from './issuers.ts';
import type { PendingLogin } from './pending-logins.ts';
import { loginRole, type StoredRole } from './role.ts';

/** A provider's response: a code, or with form_post an ID token. */
interface AuthorizationResponse {
  code: string;
  idToken: string;
  /** `iss` of the response (RFC 9207), if the client passes it on. */
  issuer?: string;
}

/** A method as OpenID Connect client of its issuer. */
interface RelyingParty {
  authorizationUrl(login: PendingLogin, role: StoredRole): URL;
  /**
   * Exchanges the provider's response for claims, and verifies the ID token as packages/core/src/login does. Claims of
   * the userinfo endpoint override the token's. There is no access token if the provider returned only an ID token.
   *
   * @throws LoginRefused
   * @throws Error with a reason that holds neither code nor token
   */
  signIn(
    login: PendingLogin,
    role: StoredRole,
    answer: AuthorizationResponse,
  ): Promise<{ claims: Claims; accessToken: string | undefined }>;
}

/** What every step of a sign-in needs of the method and its issuer. */
interface PartyContext {
  config: Config;
  issuers: Issuers;
  now: bigint;
  /** `issuer` of the discovery document. */
  issuer: string;
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
  /** Whether the issuer is reached over plain HTTP. */
  isInsecure: boolean;
  requests: ReturnType<typeof requestOptions>;
}

/**
 * The client of a method: the code flow with PKCE, or the implicit flow if `oidc_response_types` contains `id_token`.
 * The library makes the requests; packages/core/src/login judges the responses as real servers do. Client libraries are
 * stricter in some checks and looser in others.
 *
 * @throws Error that says what is wrong with the issuer
 */
export async function createRelyingParty(
  config: Config,
  issuers: Issuers,
  now: bigint,
): Promise<RelyingParty> {
  const place = issuerPlace(config);
  if (place === undefined) throw new Error('the method has no issuer');
  const discovery = await issuers.discovery(place, now);
  // Most clients pass on only `code` and `state`, so `iss` is not required; it is checked if present.
  const { authorization_response_iss_parameter_supported: _, ...rest } = discovery;
  const methods = discovery['token_endpoint_auth_methods_supported'];
  const isPost = Array.isArray(methods) && !methods.includes('client_secret_basic');
  const secret = config.oidc_client_secret;
  const isInsecure = discovery.issuer.startsWith('http:');
  const context: PartyContext = {
    config,
    issuers,
    now,
    issuer: discovery.issuer,
    server: rest as oauth.AuthorizationServer,
    client: { client_id: config.oidc_client_id },
    authentication: isPost ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret),
    isInsecure,
    requests: requestOptions(isInsecure, config.oidc_discovery_ca_pem),
  };
  return {
    authorizationUrl: (login, role) => authorizationUrl(context, login, role),
    signIn: (login, role, answer) => signIn(context, login, role, answer),
  };
}

/** How the library sends its requests: with our limits and the issuer's certificates. */
function requestOptions(isInsecure: boolean, caPem: string) {
  return {
    [oauth.allowInsecureRequests]: isInsecure,
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
    ) => issuerFetch(url, { method, headers, body: body?.toString(), caPem }),
  };
}

function authorizationUrl(
  { config, server, isInsecure }: PartyContext,
  login: PendingLogin,
  role: StoredRole,
): URL {
  const scopes = new Set(['openid', ...(role.oidc_scopes ?? [])]);
  const isImplicit = config.oidc_response_types.includes('id_token');
  const url = URL.parse(server.authorization_endpoint ?? '');
  if (url === null || !(isInsecure ? ['http:', 'https:'] : ['https:']).includes(url.protocol)) {
    throw new Error('the discovery document has no authorization_endpoint to go to');
  }
  const parameters = {
    client_id: config.oidc_client_id,
    response_type: isImplicit ? 'id_token' : 'code',
    redirect_uri: login.redirectUri,
    scope: [...scopes].join(' '),
    state: login.state,
    nonce: login.nonce,
    ...(!isImplicit && { code_challenge: login.codeChallenge, code_challenge_method: 'S256' }),
    ...(config.oidc_response_mode === 'form_post' && { response_mode: 'form_post' }),
    ...(role.max_age > 0 && { max_age: String(role.max_age) }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url;
}

async function signIn(
  context: PartyContext,
  login: PendingLogin,
  role: StoredRole,
  answer: AuthorizationResponse,
) {
  if (answer.code === '') {
    const words = (reason: string) => `Token verification failed. Provider.VerifyIDToken: ${reason}`;
    const claims = await verifiedClaims(context, answer.idToken, login, role, words);
    return { claims, accessToken: undefined };
  }
  const { idToken, accessToken } = await exchangeCode(context, login, answer);
  const claims = await verifiedClaims(context, idToken, login, role, (reason) =>
    exchangeFailed(`id_token failed verification: Provider.VerifyIDToken: ${reason}`),
  );
  checkAccessTokenHash(claims, accessToken, idToken);
  return { claims: { ...claims, ...(await userInfo(context, accessToken, claims)) }, accessToken };
}

async function exchangeCode(
  { server, client, authentication, requests }: PartyContext,
  login: PendingLogin,
  { code, issuer }: AuthorizationResponse,
) {
  const authorization = oauth.validateAuthResponse(
    server,
    client,
    new URLSearchParams({ code, state: login.state, ...(issuer !== undefined && { iss: issuer }) }),
    login.state,
  );
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    authorization,
    login.redirectUri,
    login.codeVerifier,
    requests,
  );
  const body = await jsonOf(response);
  if (response.status !== 200 || body === undefined) {
    const problem = body?.['error'];
    const why = typeof problem === 'string' && /^[\w.-]{1,60}$/.test(problem) ? ` (${problem})` : '';
    throw new Error(`the token endpoint answers ${response.status}${why}`);
  }
  const { id_token: idToken, access_token: accessToken } = body;
  if (typeof idToken !== 'string') throw new Error('the token endpoint gives no id_token');
  if (typeof accessToken !== 'string') throw new Error('the token endpoint gives no access_token');
  return { idToken, accessToken };
}

/**
 * The claims of an ID token, once its signature and claims are verified for this sign-in.
 *
 * @param words The wrapper of a refusal of the claims.
 */
async function verifiedClaims(
  { config, issuers, now, issuer }: PartyContext,
  idToken: string,
  login: PendingLogin,
  role: StoredRole,
  words: (reason: string) => string,
): Promise<Claims> {
  const algorithms = config.jwt_supported_algs;
  const { nonce, ...claims } = await verifySignature(
    idToken,
    withPublishedKey(methodKeys(config, issuers, now)),
    algorithms.length > 0 ? algorithms : ['RS256'],
  );
  const judged = loginRole(login.roleName, role);
  try {
    checkIdToken({
      claims: { ...claims, nonce },
      config: { oidcClientId: config.oidc_client_id, oidcDiscoveryUrl: issuer },
      role: judged,
      nonce: login.nonce,
      began: login.began,
      now,
    });
  } catch (error) {
    throw error instanceof LoginRefused ? new LoginRefused(error.reason, words(error.message)) : error;
  }
  checkBoundSubject(judged, claims);
  return claims;
}

/** @throws LoginRefused if the ID token names another access token; it need not name one */
function checkAccessTokenHash(claims: Claims, accessToken: string, idToken: string): void {
  const hash = own(claims, 'at_hash');
  if (typeof hash !== 'string' || hash === accessTokenHash(accessToken, idToken)) return;
  const words = 'access_token hash does not match value in id_token';
  throw new LoginRefused(
    LoginReason.accessTokenHash,
    exchangeFailed(`access_token failed verification: VerifyAccessToken: verifyHashClaim: ${words}`),
  );
}

/** Claims of the userinfo endpoint; none if it is missing or fails, as the ID token is enough. */
async function userInfo(
  { server, client, requests, issuer }: PartyContext,
  accessToken: string,
  claims: Claims,
): Promise<Claims> {
  if (server.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(server, client, accessToken, requests).catch(() => undefined);
  const info = response?.status === 200 ? await jsonOf(response) : undefined;
  return info !== undefined && isOf(info, own(claims, 'sub'), issuer) ? info : {};
}

/** Whether the answer of a userinfo endpoint is about this person and well formed (hashicorp/cap oidc/provider.go). */
function isOf(info: Claims, subject: unknown, issuer: string): boolean {
  const infoIssuer = own(info, 'iss') ?? '';
  const verified = own(info, 'email_verified');
  const texts = ['email', 'profile'].map((name) => own(info, name) ?? '');
  return (
    own(info, 'sub') === subject &&
    (infoIssuer === '' || infoIssuer === issuer) &&
    texts.every((value) => typeof value === 'string') &&
    (verified === undefined || typeof verified === 'boolean' || verified === 'true' || verified === 'false')
  );
}

function exchangeFailed(reason: string): string {
  return `Error exchanging oidc code: ${quoted(`Provider.Exchange: ${reason}`)}.`;
}

/** The left half of the hash of an access token (OpenID Connect Core, 3.1.3.6). */
function accessTokenHash(accessToken: string, idToken: string): string {
  const [header = ''] = idToken.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string };
  const hash = createHash(`sha${alg === 'EdDSA' ? '512' : alg.slice(2)}`)
    .update(accessToken)
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}

/** A JSON object; undefined for anything else. */
async function jsonOf(response: Response): Promise<Claims | undefined> {
  const value: unknown = await response.json().catch(() => undefined);
  return isObject(value) ? value : undefined;
}

/**
 * Explains the unpublished signing key of a cloud directory application with claims mapping
 * (docs/inside/specification.md B-2).
 */
function withPublishedKey(keys: Keys): Keys {
  return async (id) => {
    const published = await keys(id);
    if (id === undefined || published.keys.some((key) => key.id === id)) return published;
    throw new LoginRefused(
      LoginReason.keyNotPublished,
      'error validating token: error verifying token signature: the ID token is signed with a key that its issuer does not publish. Applications with custom signing keys are unsupported',
    );
  };
}
