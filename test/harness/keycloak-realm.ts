import type { Keycloak } from './keycloak-server.ts';

/** The confidential client of the tests' realm, and what it may lead back to. */
export const keycloakClient = {
  clientId: 'gatehouse',
  clientSecret: 'a-secret-of-the-tests',
  redirectUri: 'http://localhost:8250/oidc/callback',
};
/** A workload's client: it signs in with its own secret, and its tokens are for the audience `secrets`. */
export const keycloakRobot = {
  clientId: 'robot',
  clientSecret: 'another-secret-of-the-tests',
  audience: 'secrets',
};
export const keycloakPassword = 'a-password-of-the-tests';

/** A user for the realm of a test, with the one password. */
export function personOf(username: string, firstName: string, groups: readonly string[]): object {
  return {
    username,
    firstName,
    lastName: 'Example',
    email: `${username}@example.com`,
    emailVerified: true,
    enabled: true,
    groups,
    credentials: [{ type: 'password', value: keycloakPassword, temporary: false }],
  };
}

/**
 * Makes the realm `main`: ada, of the groups `admins` and `everybody`, and bob, of `everybody`; both clients, the groups
 * by their full path in the ID token, as docs/providers.md#keycloak-open_source_identity_server says.
 *
 * @param redirectUris where the people's client may lead back to
 */
export async function createMainRealm(
  keycloak: Keycloak,
  redirectUris = [keycloakClient.redirectUri],
): Promise<void> {
  await keycloak.admin('POST', '', {
    realm: 'main',
    enabled: true,
    groups: [{ name: 'admins' }, { name: 'everybody' }],
    users: [personOf('ada', 'Ada', ['/admins', '/everybody']), personOf('bob', 'Bob', ['/everybody'])],
    clients: [
      {
        clientId: keycloakClient.clientId,
        secret: keycloakClient.clientSecret,
        protocol: 'openid-connect',
        publicClient: false,
        standardFlowEnabled: true,
        redirectUris,
        protocolMappers: [
          {
            name: 'groups',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-group-membership-mapper',
            config: { 'claim.name': 'groups', 'full.path': 'true', 'id.token.claim': 'true' },
          },
        ],
      },
      {
        clientId: keycloakRobot.clientId,
        secret: keycloakRobot.clientSecret,
        protocol: 'openid-connect',
        publicClient: false,
        standardFlowEnabled: false,
        serviceAccountsEnabled: true,
        protocolMappers: [
          {
            name: 'audience',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-audience-mapper',
            config: { 'included.custom.audience': keycloakRobot.audience, 'access.token.claim': 'true' },
          },
        ],
      },
    ],
  });
}

/** An access token of the robot, by the client credentials grant. */
export async function robotToken({ address }: Keycloak): Promise<string> {
  const response = await fetch(`${address}/realms/main/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: keycloakRobot.clientId,
      client_secret: keycloakRobot.clientSecret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/**
 * Fills in Keycloak's login form as a person does, without a browser: follows the form's own address with the cookies of
 * its page. Resolves with where the browser is sent then; undefined when the form is shown again.
 */
export async function fillInLoginForm(
  authUrl: string,
  username: string,
  password = keycloakPassword,
): Promise<string | undefined> {
  return (await sendLoginForm(authUrl, username, password)).headers.get('location') ?? undefined;
}

/** The answer to a login form that is filled in. Its cookies are those of the person's session. */
export async function sendLoginForm(authUrl: string, username: string, password: string): Promise<Response> {
  const page = await fetch(authUrl, { redirect: 'manual' });
  const html = await page.text();
  const [, action] = /<form[^>]*id="kc-form-login"[^>]*action="([^"]+)"/.exec(html) ?? [];
  if (action === undefined) throw new Error(`Keycloak shows no login form: ${page.status} ${textOf(html)}`);
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const answer = await fetch(action.replaceAll('&amp;', '&'), {
    method: 'POST',
    headers: { Cookie: cookies.join('; ') },
    body: new URLSearchParams({ username, password, credentialId: '' }),
    redirect: 'manual',
  });
  await answer.body?.cancel();
  return answer;
}

/** The query of the URL that a provider leads back to. */
export function answerIn(redirectUrl: string): Record<string, string> {
  return Object.fromEntries(new URL(redirectUrl).searchParams);
}

function textOf(html: string): string {
  const body = html.replace(/<(head|script|style)\b.*?<\/\1>/gs, '');
  return body
    .replace(/<[^>]+>|\s+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, 500);
}
