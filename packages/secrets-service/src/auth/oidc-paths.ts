import { isAddressIn } from '@gatehouse/core/access';
import { type Claims, findRole, identify, LoginRefused } from '@gatehouse/core/login';
import { names } from '@gatehouse/core/values';
import { z } from 'zod';
import { type Mount, mountOf } from '../mounts/mount.ts';
import { textField } from '../protocol/fields.ts';
import {
  op,
  type Reply,
  type RequestContext,
  route,
  type SecretsPath,
  withoutToken,
  writeOnly,
} from '../protocol/path.ts';
import { messageOf, RequestRefusal } from '../protocol/refusal.ts';
import { all, strings } from '../protocol/schemas.ts';
import { type Config, getConfig } from './config.ts';
import type { Issuers } from './issuers.ts';
import { asRefusal, directoryOf } from './login-path.ts';
import type { PendingLogin, PendingLogins } from './pending-logins.ts';
import { createRelyingParty } from './relying-party.ts';
import { loginRole, rolesOf, type StoredRole } from './role.ts';
import { authSchema as auth, openSession } from './session.ts';
import type { DirectoryAddresses } from './workspace-suite.ts';

/** Instead of a code that the provider posted to the service (form_post). */
const noCode = 'no_code';

/** Errors of RFC 6749, section 4.1.2.1; no other error of a provider is repeated. */
const knownErrors = [
  'invalid_request',
  'unauthorized_client',
  'access_denied',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
];

interface OidcPathsArgs {
  issuers: Issuers;
  directories: DirectoryAddresses;
  pending: PendingLogins;
  /** Receives why a login could not begin, and claims if the role wants them logged; never a token. */
  log: (message: string) => void;
}

/** Sign-in at an identity provider (docs/inside/measured/sign-in.md#oidc-login). */
export function oidcPaths(args: OidcPathsArgs): SecretsPath[] {
  return [
    writeOnly(
      'auth/{mount}/oidc/auth_url',
      'Begin an OIDC login; refused if auth_url is empty',
      (context) => authUrl(args, context),
      {
        body: z.object({ redirect_uri: z.string(), ...all(z.string().optional(), 'role', 'client_nonce') }),
        data: z.strictObject(strings('auth_url')),
      },
    ),
    route('auth/{mount}/oidc/callback', {
      read: op('End an OIDC login', (context) => callback(args, context), {
        query: ['state', 'code', 'client_nonce', 'iss', 'error'],
        auth,
      }),
      update: op(
        'Store a provider’s form_post response until the client fetches it',
        (context) => formPost(args, context),
        {
          body: z.object({ state: z.string(), ...all(z.string().optional(), 'code', 'id_token') }),
          data: z.strictObject(strings('state', 'code')),
        },
      ),
    }),
  ].map(withoutToken);
}

/** Why a login cannot begin is only logged: callers get an empty URL. */
async function authUrl(args: OidcPathsArgs, context: RequestContext): Promise<Reply> {
  const { body } = context;
  const mount = mountOf(context);
  const config = getConfig(context, mount);
  if (config === undefined) throw new RequestRefusal(400, 'could not load configuration');
  if (config.oidc_client_id === '')
    throw new RequestRefusal(400, 'OIDC login is not configured for this mount');
  const roleName = (textField(body, 'role') ?? '').toLowerCase() || config.default_role;
  const role = roleOf(context, roleName);
  const redirectUri = textField(body, 'redirect_uri') ?? '';
  if (redirectUri === '') throw new RequestRefusal(400, 'missing redirect_uri');
  try {
    const url = await beginLogin(args, context, { mount, config, roleName, role, redirectUri });
    return { data: { auth_url: url } };
  } catch (error) {
    args.log(`auth/${mount.path}: no auth_url for role ${roleName}: ${messageOf(error)}`);
    return { data: { auth_url: '' } };
  }
}

interface NewLogin {
  mount: Mount;
  config: Config;
  roleName: string;
  role: StoredRole;
  /** As the client names it. */
  redirectUri: string;
}

/**
 * Keeps a new login and returns the provider's URL for it.
 *
 * @throws Error that says why the login cannot begin
 */
async function beginLogin(
  { issuers, pending }: OidcPathsArgs,
  { now, body }: RequestContext,
  { mount, config, roleName, role, redirectUri }: NewLogin,
): Promise<string> {
  const { allowed, namespace, uri, page } = redirectTarget(redirectUri, config);
  if (!isRedirectAllowed(allowed, role.allowed_redirect_uris ?? [])) {
    throw new Error(`redirect URI ${JSON.stringify(allowed)} is not allowed`);
  }
  const party = await createRelyingParty(config, issuers, now);
  const clientNonce = textField(body, 'client_nonce') ?? '';
  const login = await pending.begin(
    { mountUuid: mount.uuid, roleName, redirectUri: uri, clientNonce, page },
    now,
  );
  const url = party.authorizationUrl(login, role);
  if (namespace !== '') url.searchParams.set('state', `${login.state},ns=${namespace}`);
  return url.href;
}

async function callback(args: OidcPathsArgs, context: RequestContext): Promise<Reply> {
  const { now } = context;
  const mount = mountOf(context);
  const config = getConfig(context, mount);
  if (config === undefined) throw failed('Could not load configuration');
  const login = args.pending.take(stateOf(queryOf(context, 'state')), mount.uuid, now);
  if (login === undefined) throw failed('Expired or missing OAuth state.');
  const role = rolesOf(mount).get(context, login.roleName);
  if (role === undefined) throw failed('Role could not be found');
  refuseProviderError(args, context, mount, login);
  if (login.clientNonce !== '' && queryOf(context, 'client_nonce') !== login.clientNonce) {
    throw new RequestRefusal(400, 'invalid client_nonce');
  }
  if (!isAddressIn(context.remoteAddress, role.token_bound_cidrs)) {
    throw new RequestRefusal(403, 'permission denied');
  }
  const { code, idToken } = responseOf(context, login);
  if (code === '' && idToken === '') throw failed('No code or id_token received.');

  const { claims, accessToken } = await createRelyingParty(config, args.issuers, now)
    .then((party) => party.signIn(login, role, { code, idToken, issuer: context.query['iss'] }))
    .catch((problem: unknown) => {
      if (problem instanceof LoginRefused) throw failed(problem.message);
      throw failed(`Error exchanging oidc code: ${JSON.stringify(messageOf(problem))}.`);
    });
  if (role.verbose_oidc_logging) {
    args.log(`auth/${mount.path}: claims for role ${login.roleName}: ${loggableClaims(claims)}`);
  }
  const directory = directoryOf(config, args.directories, now, accessToken);
  const signedIn = await identify(loginRole(login.roleName, role), claims, directory).catch(
    (refused: unknown) => {
      throw refused instanceof LoginRefused ? failed(refused.message) : refused;
    },
  );
  return openSession(context, { mount, roleName: login.roleName, role, signedIn });
}

function queryOf({ query }: RequestContext, name: string): string {
  return query[name] ?? '';
}

/** Logs an error of the provider and refuses the login, with the error's code if that is a standard one. */
function refuseProviderError(
  { log }: OidcPathsArgs,
  context: RequestContext,
  mount: Mount,
  { posted }: PendingLogin,
): void {
  const error = (queryOf(context, 'error') || (posted?.error ?? '')).trim().toLowerCase();
  if (error === '') return;
  log(`auth/${mount.path}: the provider answers ${JSON.stringify(error.slice(0, 100))}`);
  throw failed(knownErrors.includes(error) ? error : 'An unknown error occurred during OIDC authentication.');
}

/** The provider's response: in the query, or posted earlier. */
function responseOf(context: RequestContext, { posted }: PendingLogin): { code: string; idToken: string } {
  const code = queryOf(context, 'code');
  if (code !== noCode) return { code, idToken: '' };
  return { code: posted?.code ?? '', idToken: posted?.idToken ?? '' };
}

/** Keeps a provider's form_post response until the client fetches it with `no_code`. */
function formPost({ pending }: OidcPathsArgs, context: RequestContext): Reply {
  const { body, now } = context;
  const mount = mountOf(context);
  const config = getConfig(context, mount);
  if (config === undefined) throw failed('Could not load configuration.');
  if (config.oidc_response_mode !== 'form_post') throw new RequestRefusal(405);
  const input = (name: string) => textField(body, name) ?? '';
  const state = stateOf(input('state'));
  const login = pending.find(state, mount.uuid, now);
  if (login === undefined) throw failed('Expired or missing OAuth state.');
  const posted = { code: input('code'), idToken: input('id_token'), error: input('error') };
  if (!pending.keep(login, posted)) throw failed('The answer of the provider is too long.');
  if (login.page === '') return { data: { state, code: noCode } };
  // The page of the service that the role allows is waiting for the response.
  const page = new URL(login.page);
  page.searchParams.set('code', noCode);
  page.searchParams.set('state', input('state'));
  return { location: page.href };
}

function roleOf(context: RequestContext, name: string): StoredRole {
  const role = rolesOf(mountOf(context)).get(context, name);
  try {
    findRole(name, () => role && loginRole(name, role));
    return role as StoredRole;
  } catch (error) {
    throw error instanceof LoginRefused ? asRefusal(error) : error;
  }
}

/** The URI that the role must allow, the one that the provider redirects to, and the namespace for the state. */
function redirectTarget(redirectUri: string, config: Config) {
  const url = URL.parse(redirectUri);
  const namespace = (config.namespace_in_state && url?.searchParams.get('namespace')) || '';
  if (namespace !== '') url?.searchParams.delete('namespace');
  const allowed = namespace === '' || url === null ? redirectUri : url.href;
  const segments = Object.values(names).map(({ uiSegment }) => `/ui/${uiSegment}/`);
  const page = segments.find((segment) => allowed.includes(segment));
  const isFormPost = config.oidc_response_mode === 'form_post' && page !== undefined;
  return isFormPost
    ? { allowed, namespace, uri: allowed.replace(page, '/v1/'), page: allowed }
    : { allowed, namespace, uri: allowed, page: '' };
}

/** A returned state without the namespace, which is for the client. */
function stateOf(returnedState: string): string {
  return returnedState.split(',ns=')[0] ?? '';
}

function failed(reason: string): RequestRefusal {
  return new RequestRefusal(400, `Login failed. ${reason}`);
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Redirect URIs must match exactly, loopback ones with any port (RFC 8252, 7.3). */
function isRedirectAllowed(uri: string, allowed: string[]): boolean {
  const url = URL.parse(uri);
  if (url === null) return false;
  if (!loopback.includes(url.hostname)) return allowed.includes(uri);
  return allowed.some((allowedUri) => {
    const allowedUrl = URL.parse(allowedUri);
    return allowedUrl !== null && withoutPort(allowedUrl) === withoutPort(url);
  });
}

function withoutPort(url: URL): string {
  const { protocol, username, password, hostname, pathname, search, hash } = url;
  return JSON.stringify([protocol, username, password, hostname, pathname, search, hash]);
}

/** Claims that hold a token, of the sign-in or of another issuer (OpenID Connect Core, 5.6.2). */
const tokenNames = /^(jwt|code|nonce|.*(token|secret|password|assertion))$/i;
const tokens = /\b[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;
/** Characters; thousands of groups would fill a log. */
const longest = 8_000;

/** The claims of a sign-in for `verbose_oidc_logging`, without tokens. */
function loggableClaims(claims: Claims): string {
  const text = JSON.stringify(claims, (name, value) => {
    if (value !== null && typeof value !== 'object' && tokenNames.test(name)) return '[secret]';
    return typeof value === 'string' ? value.replace(tokens, '[secret]') : value;
  });
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
