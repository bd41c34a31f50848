import { type Claims, claim, listOf } from '@gatehouse/core/login';
import { GatehouseError } from '@gatehouse/core/values';
import { Recent, recentAnswer } from '@gatehouse/host';
import { issuerFetch, NotSignedIn, readDiscovery } from '@gatehouse/service-client';
import * as oidc from 'openid-client';
import { type Caller, callerOf } from '../platform/callers.ts';
import { type PendingSignIn, PendingSignIns } from './pending-sign-ins.ts';

/** An issuer at which people sign in to the pages, and what its groups may do there. */
export interface IssuerSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Claim with the account's name, which decisions are recorded under. A JSON Pointer if it begins with `/`. */
  userClaim: string;
  /** Claim with the groups, or any other claim whose values decide. */
  groupsClaim: string;
  /** Policies by group, as if a token of the secrets service had them. Everyone else is refused. */
  groups: Readonly<Record<string, readonly string[]>>;
  /** Scopes in addition to `openid`. */
  scopes: readonly string[];
}

/** A verified answer of the issuer. */
interface IssuerAnswer {
  /** The issuer's identifier of the person. */
  subject: string;
  /** Undefined if no group of the person may look at the pages. */
  caller: Caller | undefined;
  to: string;
}

interface PendingAtIssuer extends PendingSignIn {
  nonce: string;
  codeVerifier: string;
}

interface IssuerSignInArgs {
  settings: IssuerSettings;
  /** Where the issuer sends browsers back to. */
  redirectUri: () => string;
  /** The namespace where people are identified, and of the policies that groups give. Defaults to the root namespace. */
  namespace?: string;
  now?: () => number;
}

/** Milliseconds that the issuer's document is kept. */
const keptMs = 15 * 60 * 1000;
/** Characters of an account's name. */
const longestName = 200;

/** Sign-ins at an issuer, by the code flow with PKCE. Tokens never reach the browser, and are dropped once read. */
export class IssuerSignIn {
  readonly #args: IssuerSignInArgs & { now: () => number };
  readonly #pending: PendingSignIns<PendingAtIssuer>;
  readonly #kept: Recent<Promise<oidc.Configuration>>;

  constructor(args: IssuerSignInArgs) {
    this.#args = { now: Date.now, ...args };
    const { now } = this.#args;
    this.#pending = new PendingSignIns(now);
    this.#kept = new Recent({ keptMs, now });
  }

  /** The host of the issuer, as people know it. */
  get host(): string {
    return new URL(this.#args.settings.issuer).host;
  }

  get redirectUri(): string {
    return this.#args.redirectUri();
  }

  /** The address where a person signs in. @throws GatehouseError `issuer_unreadable` */
  async begin(login: PendingSignIn): Promise<URL> {
    const client = await this.#client();
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(client, {
      redirect_uri: this.redirectUri,
      scope: [...new Set(['openid', ...this.#args.settings.scopes])].join(' '),
      state,
      nonce,
      code_challenge_method: 'S256',
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
    });
    this.#pending.add(state, { ...login, nonce, codeVerifier });
    return url;
  }

  /**
   * Finishes a sign-in with the issuer's answer: its state, issuer, and code; then the ID token's signature, issuer,
   * audience, nonce and times.
   *
   * @throws NotSignedIn `login_state_wrong`, `sign_in_refused`, and GatehouseError `issuer_unreadable`
   */
  async finish(query: URLSearchParams, clientNonce: string): Promise<IssuerAnswer> {
    const state = query.get('state') ?? '';
    const { to, nonce, codeVerifier } = this.#pending.take(state, clientNonce);
    const client = await this.#client();
    const url = new URL(this.redirectUri);
    url.search = query.toString();
    try {
      const tokens = await oidc.authorizationCodeGrant(client, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = (tokens.claims() ?? {}) as Claims;
      return { subject: String(claims['sub']), caller: this.#callerOf(claims), to };
    } catch (cause) {
      const unread = (cause as Error).cause;
      if (unread instanceof GatehouseError) throw unread;
      throw new NotSignedIn('sign_in_refused.answer', {
        ...(cause instanceof oidc.AuthorizationResponseError && { given: cause.error }),
        cause,
      });
    }
  }

  #callerOf(claims: Claims): Caller | undefined {
    const { settings, namespace = '' } = this.#args;
    const { userClaim, groupsClaim, groups, issuer } = settings;
    const name = claim(claims, userClaim);
    if (typeof name !== 'string' || name === '' || name.length > longestName) return undefined;
    const ownGroups = (listOf(claim(claims, groupsClaim)) ?? []).map(String);
    const policies = ownGroups.flatMap((group) =>
      Object.hasOwn(groups, group) ? [groups[group] ?? []] : [],
    );
    if (policies.length === 0) return undefined;
    // A name at the secrets service begins with the path of its method, which has no slash there.
    return callerOf(
      {
        id: JSON.stringify([issuer, claims['sub']]),
        name: `${this.host}/${name}`,
        policies: [...new Set(policies.flat())].map((policy) => ({ namespace, name: policy })),
      },
      namespace,
    );
  }

  #client(): Promise<oidc.Configuration> {
    return recentAnswer(this.#kept, 'client', () => this.#discovered());
  }

  async #discovered(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#args.settings;
    const { document } = await orUnreadable(readDiscovery({ url: issuer }));
    const methods = document['token_endpoint_auth_methods_supported'];
    const isPost = Array.isArray(methods) && !methods.includes('client_secret_basic');
    const authentication = isPost
      ? oidc.ClientSecretPost(clientSecret)
      : oidc.ClientSecretBasic(clientSecret);
    const client = new oidc.Configuration(
      document as oidc.ServerMetadata,
      clientId,
      undefined,
      authentication,
    );
    // The token comes over TLS, which would do; its signature is verified as well.
    oidc.enableNonRepudiationChecks(client);
    if (issuer.startsWith('http:')) oidc.allowInsecureRequests(client);
    client[oidc.customFetch] = (url, { method, headers, body }) =>
      orUnreadable(issuerFetch(url, { method, headers, body: body?.toString() }));
    return client;
  }
}

async function orUnreadable<Read>(read: Promise<Read>): Promise<Read> {
  try {
    return await read;
  } catch (cause) {
    throw new GatehouseError('issuer_unreadable', { cause, values: { reason: (cause as Error).message } });
  }
}
