import * as oidc from 'openid-client';
import { type Claims, own } from '../../../core/login/claims.ts';
import { verifySignature } from '../../../core/login/signature.ts';
import { type Config, issuerPlace } from './config.ts';
import { issuerFetch } from './issuer-fetch.ts';
import type { Discovery, Issuers } from './issuers.ts';
import { methodKeys } from './method-keys.ts';
import type { PendingLogin } from './pending-logins.ts';
import { withFetchedGroups } from './provider-lookup.ts';
import { loginRole, type Role } from './role.ts';

/** Bytes that an ID token may have: it comes from the issuer itself, and names up to 200 groups. */
const idTokenLimit = 64 * 1024;

/** A method as client of its issuer (OpenID Connect, code flow with PKCE). */
export class RelyingParty {
  readonly #client: oidc.Configuration;
  readonly #config: Config;
  readonly #issuers: Issuers;
  readonly #now: bigint;

  /** @throws Error that says what is wrong with the issuer */
  static async create(config: Config, issuers: Issuers, now: bigint): Promise<RelyingParty> {
    const place = issuerPlace(config);
    if (place === undefined) throw new Error('the method has no issuer');
    return new RelyingParty(config, await issuers.discovery(place, now), issuers, now);
  }

  private constructor(config: Config, discovery: Discovery, issuers: Issuers, now: bigint) {
    this.#config = config;
    this.#issuers = issuers;
    this.#now = now;
    const { authorization_response_iss_parameter_supported: _, ...server } = discovery;
    const methods = discovery['token_endpoint_auth_methods_supported'];
    const isPost = Array.isArray(methods) && !methods.includes('client_secret_basic');
    const { oidc_client_id: id, oidc_client_secret: secret } = config;
    this.#client = new oidc.Configuration(
      // Clients hand on `code` and `state` alone: an issuer's `iss` is checked where they hand on that too.
      server as oidc.ServerMetadata,
      id,
      secret,
      isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret),
    );
    if (discovery.issuer.startsWith('http:')) oidc.allowInsecureRequests(this.#client);
    this.#client[oidc.customFetch] = (url, { method, headers, body }) =>
      issuerFetch(url, { method, headers, body: body?.toString(), caPem: config.oidc_discovery_ca_pem });
  }

  authorizationUrl(login: PendingLogin, role: Role): URL {
    const scopes = new Set(['openid', ...(role.oidc_scopes ?? [])]);
    return oidc.buildAuthorizationUrl(this.#client, {
      response_type: 'code',
      redirect_uri: login.redirectUri,
      scope: [...scopes].join(' '),
      state: login.state,
      nonce: login.nonce,
      code_challenge: login.codeChallenge,
      code_challenge_method: 'S256',
      ...(this.#config.oidc_response_mode === 'form_post' ? { response_mode: 'form_post' } : {}),
      ...(role.max_age > 0 ? { max_age: String(role.max_age) } : {}),
    });
  }

  /**
   * Exchanges the code for tokens and verifies the ID token: issuer, client, nonce, times, signature and algorithm,
   * and the role's audiences. Resolves with its claims, and those of the userinfo endpoint over them where it answers,
   * with the groups that the provider keeps elsewhere.
   *
   * @throws Error with a reason that holds neither code nor token
   */
  async claims(login: PendingLogin, role: Role, code: string, issuer?: string): Promise<Claims> {
    const answer = new URL(login.redirectUri);
    answer.search = new URLSearchParams({
      code,
      state: login.state,
      ...(issuer === undefined ? {} : { iss: issuer }),
    }).toString();
    const tokens = await oidc.authorizationCodeGrant(this.#client, answer, {
      pkceCodeVerifier: login.codeVerifier,
      expectedState: login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
      ...(role.max_age > 0 ? { maxAge: role.max_age } : {}),
    });
    const algorithms = this.#config.jwt_supported_algs;
    const { nonce: _, ...claims } = await verifySignature(
      tokens.id_token ?? '',
      methodKeys(this.#config, this.#issuers, this.#now),
      algorithms.length > 0 ? algorithms : ['RS256'],
      idTokenLimit,
    );
    const audiences = [own(claims, 'aud')].flat();
    if (role.bound_audiences?.length && !role.bound_audiences.some((bound) => audiences.includes(bound))) {
      throw new Error('invalid id_token audiences');
    }
    const all = { ...claims, ...(await this.#userInfo(tokens.access_token, claims)) };
    return await withFetchedGroups(this.#config, loginRole(login.roleName, role), all, tokens.access_token);
  }

  /** What the userinfo endpoint adds; nothing where there is none, or where it fails: the ID token is enough. */
  async #userInfo(accessToken: string, claims: Claims): Promise<Claims> {
    const subject = own(claims, 'sub');
    if (this.#client.serverMetadata().userinfo_endpoint === undefined || typeof subject !== 'string')
      return {};
    try {
      return await oidc.fetchUserInfo(this.#client, accessToken, subject);
    } catch {
      return {};
    }
  }
}
