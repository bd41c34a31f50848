import { kindById, type ProviderKind } from '@gatehouse/core/graph';
import Provider, { type Configuration, interactionPolicy } from 'oidc-provider';
import { choosePerson, errorPage } from './choose-person.ts';
import type { Client, Person } from './development.ts';
import { baseOf, type Issuer, type SigningKey } from './issuer.ts';
import { createMemoryAdapter } from './memory-adapter.ts';
import { claimsOf, scopesOf } from './scopes.ts';

interface SignInIssuerArgs {
  url: string;
  kind: ProviderKind;
  key: SigningKey;
  people: readonly Person[];
  clients: readonly Client[];
}

/**
 * An issuer for people: OpenID Connect with the authorization code flow and PKCE (S256). The kind decides its
 * scopes and claims. The userinfo endpoint returns the claims of the ID token. No one is asked for consent.
 */
export function createSignInIssuer(args: SignInIssuerArgs): Issuer {
  const { url, key, people, clients } = args;
  const provider = new Provider(url, configuration(args));
  provider.Client.prototype.compareClientSecret = function (presented) {
    const client = clients.find(({ clientId }) => clientId === this.clientId);
    return client !== undefined && [client.clientSecret, ...(client.otherSecrets ?? [])].includes(presented);
  };
  const answer = provider.callback();
  return {
    url,
    key,
    handle: (request, response) =>
      /^\/interaction\/[\w-]+$/.test(request.url ?? '')
        ? choosePerson(provider, people, request, response)
        : answer(request, response),
  };
}

function configuration({ url, kind, key, people, clients }: SignInIssuerArgs): Configuration {
  const algorithms = kindById(kind).embedded?.signingAlgs ?? (['RS256'] as const);
  return {
    adapter: createMemoryAdapter(),
    jwks: { keys: [key.privateJwk] },
    clients: clients.map(({ clientId, clientSecret, redirectUris, signingAlg = algorithms[0] }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: redirectUris,
      id_token_signed_response_alg: signingAlg,
      // Loopback redirects of a native application match with any port (RFC 8252, section 7.3), but must be plain HTTP.
      application_type: redirectUris.every((uri) => uri.startsWith('http:')) ? 'native' : 'web',
    })),
    ...scopesOf(kind, people),
    conformIdTokenClaims: false,
    findAccount: (_context, username) => {
      const person = people.find((candidate) => candidate.username === username);
      return person && { accountId: username, claims: () => claimsOf(kind, person) };
    },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    enabledJWA: { idTokenSigningAlgValues: [...algorithms] },
    features: disabledFeatures,
    clientBasedCORS: () => false,
    interactions: {
      policy: promptPolicy(),
      url: (_context, interaction) => `${baseOf(url)}/interaction/${interaction.uid}`,
    },
    loadExistingGrant: grantScopes,
    // Issuers share one host, so each limits its cookies to its path.
    cookies: { long: { path: new URL(url).pathname, httpOnly: true, sameSite: 'lax' } },
    renderError,
    ttl: lifetimes,
  };
}

const disabledFeatures: Configuration['features'] = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  resourceIndicators: { enabled: false },
  rpInitiatedLogout: { enabled: false },
};

/** Seconds. */
const lifetimes: Configuration['ttl'] = {
  AccessToken: 3600,
  AuthorizationCode: 60,
  Grant: 3600,
  IdToken: 3600,
  Interaction: 600,
  Session: 3600,
};

/** Grants every scope that a client asks for, without asking the person. */
const grantScopes: Configuration['loadExistingGrant'] = async (context) => {
  const { client, session, params } = context.oidc;
  const grant = new context.oidc.provider.Grant({
    clientId: client?.clientId,
    accountId: session?.accountId,
  });
  grant.addOIDCScope(String(params?.['scope'] ?? ''));
  await grant.save();
  return grant;
};

/** A page for browsers, JSON for others. */
const renderError: Configuration['renderError'] = (context, { error, error_description: description }) => {
  if (context.accepts('html', 'json') === 'json') {
    context.body = { error, error_description: description };
    return;
  }
  const page = errorPage(error, description);
  context.set(page.headers);
  context.body = page.body;
};

/** Asks who signs in every time, so people can switch between accounts. */
function promptPolicy(): interactionPolicy.DefaultPolicy {
  const { Check } = interactionPolicy;
  const prompts = interactionPolicy.base();
  prompts.remove('consent');
  const isChosen = new Check('person_not_chosen', 'a person is chosen at every sign-in', ({ oidc }) =>
    oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
  prompts.get('login')?.checks.add(isChosen);
  return prompts;
}
