import { beforeAll, describe, expect, test } from '@jest/globals';
import { developmentClient } from '../../packages/secrets-service/src/identity-provider/development.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { signIn } from '../../packages/secrets-service/src/identity-provider/sign-in.ts';
import { ask, type Server, write } from '../harness/ask.ts';
import { serveRequests } from '../harness/bare-server.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

// docs/inside/measured/weaknesses.md#oauth-and-oidc-rfc-9700, against servers that answer.
const cli = 'http://localhost:8250/oidc/callback';
const page = 'https://secrets.example/ui/vault/auth/staff/oidc/callback';
const clientNonce = 'nonce-of-the-browser';

async function enableStaff(server: Server, identity: EmbeddedIdentityProvider): Promise<void> {
  await write(server, 'sys/auth/staff', { type: 'oidc' });
  await write(server, 'auth/staff/config', {
    oidc_discovery_url: identity.issuers['open_source_identity_server'],
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
  });
  await write(server, 'auth/staff/role/people', {
    user_claim: 'sub',
    allowed_redirect_uris: [cli, page],
  });
}

const begin = async (server: Server, fields: object = {}): Promise<string> => {
  const body = { role: 'people', redirect_uri: cli, client_nonce: clientNonce, ...fields };
  return (await write(server, 'auth/staff/oidc/auth_url', body)).data.auth_url;
};

/** The provider's answer, with what the browser adds. */
async function answeredBy(server: Server, username: string): Promise<Record<string, string>> {
  const { redirectUrl } = await signIn({ authUrl: await begin(server), username });
  const { state = '', code = '' } = Object.fromEntries(new URL(redirectUrl).searchParams);
  return { state, code, client_nonce: clientNonce };
}

describeOnBothServers('RFC 9700', (server) => {
  const identity = started(startIdentity);
  beforeAll(async () => {
    await enableStaff(server(), identity());
  });

  const answered = (username: string) => answeredBy(server(), username);
  const finish = async (query: Record<string, string>, mount = 'staff') => {
    const path = `auth/${mount}/oidc/callback?${new URLSearchParams(query)}`;
    const { status, body } = await ask(server(), { method: 'GET', path, token: '' });
    return { status, user: body.auth?.metadata?.role, errors: body.errors };
  };
  /** Accepts only 4xx and the form of a refusal. */
  const isRefused = ({ status, errors }: Awaited<ReturnType<typeof finish>>) =>
    status >= 400 && status < 500 && Array.isArray(errors);

  test('a sign-in that is whole succeeds, and gives its token in the body alone', async () => {
    const query = await answered('alice');
    const response = await fetch(
      `${server().address}/v1/auth/staff/oidc/callback?${new URLSearchParams(query)}`,
    );
    const { auth } = (await response.json()) as any;
    expect([response.status, response.redirected]).toEqual([200, false]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify([...response.headers])).not.toContain(auth.client_token);
  });

  test('PKCE, state and nonce are in every request, and each is new', async () => {
    const [one, other] = [new URL(await begin(server())), new URL(await begin(server()))].map(
      ({ searchParams }) => Object.fromEntries(searchParams) as Record<string, string>,
    );
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect(one?.[name]?.length).toBeGreaterThan(20);
      expect(one?.[name]).not.toBe(other?.[name]);
    }
    expect([one?.['code_challenge_method'], one?.['response_type']]).toEqual(['S256', 'code']);
  });

  test('no secret is in the URL that goes through the browser', async () => {
    const url = await begin(server());
    expect(url).not.toContain(developmentClient.clientSecret);
    expect(url).not.toContain(server().token);
    expect(url).not.toContain(clientNonce);
  });

  test.each([
    ['the URI', cli, true],
    ['the URI on another loopback port', 'http://localhost:41234/oidc/callback', true],
    ['the page', page, true],
    ['the page on another port', page.replace('.example', '.example:8443'), false],
    ['the page over http', page.replace('https', 'http'), false],
    ['a page below it', `${page}/x`, false],
    ['the page with a query', `${page}?x=1`, false],
    ['a host that begins alike', page.replace('.example', '.example.evil.example'), false],
    ['a host before an @', page.replace('secrets.example', 'secrets.example@evil.example'), false],
    ['a path that climbs', page.replace('/oidc/callback', '/x/../oidc/callback'), false],
    ['the page in capitals', page.toUpperCase(), false],
    ['a loopback name that is none', 'http://localhost.evil.example:8250/oidc/callback', false],
    ['loopback and another path', 'http://localhost:8250/evil', false],
    ['another scheme', 'javascript:alert(1)//localhost:8250/oidc/callback', false],
  ])('a redirect to %s', async (_, redirect_uri, isAllowed) => {
    expect((await begin(server(), { redirect_uri })) !== '').toBe(isAllowed);
  });

  test('a state serves once', async () => {
    const query = await answered('alice');
    const first = await finish(query);
    expect([first.status, isRefused(await finish(query))]).toEqual([200, true]);
  });

  test('a state that failed serves no more', async () => {
    const query = await answered('alice');
    const wrong = await finish({ ...query, code: 'guessed' });
    expect([isRefused(wrong), isRefused(await finish(query))]).toEqual([true, true]);
  });

  test.each([
    ['another nonce of the client', { client_nonce: 'of-another-browser' }],
    ['no nonce of the client', { client_nonce: '' }],
    ['a state nobody gave', { state: 'st_guessed' }],
    ['no state', { state: '' }],
    ['no code', { code: '' }],
  ])('with %s it is refused', async (_, change) => {
    expect(isRefused(await finish({ ...(await answered('alice')), ...change }))).toBe(true);
  });

  test('a code serves the login alone that it was given for (PKCE, nonce)', async () => {
    const [mine, theirs] = [await answered('alice'), await answered('bob')];
    expect(isRefused(await finish({ ...mine, code: theirs['code'] ?? '' }))).toBe(true);
  });

  test('a login ends at the mount where it began (mix-up)', async () => {
    const other = `other-${server().kind}`;
    await write(server(), `sys/auth/${other}`, { type: 'oidc' });
    await write(server(), `auth/${other}/config`, {
      oidc_discovery_url: identity().issuers['workspace_suite'],
      oidc_client_id: developmentClient.clientId,
      oidc_client_secret: developmentClient.clientSecret,
    });
    expect(isRefused(await finish(await answered('alice'), other))).toBe(true);
  });

  test('a token of the service is not taken from a URL', async () => {
    for (const name of ['token', 'X-Vault-Token', 'access_token']) {
      const response = await fetch(
        `${server().address}/v1/auth/token/lookup-self?${name}=${encodeURIComponent(server().token)}`,
      );
      expect(response.status).toBe(403);
    }
  });
});

describe('RFC 9700, on the embedded service', () => {
  let now = BigInt(Date.now()) * 1_000_000n;
  const identity = started(startIdentity);
  const server = started(() => startEmbeddedService({ now: () => now }));
  beforeAll(async () => {
    await enableStaff(server(), identity());
  });
  const finish = (query: Record<string, string>) =>
    ask(server(), {
      method: 'GET',
      path: `auth/staff/oidc/callback?${new URLSearchParams(query)}`,
      token: '',
    });
  const answered = () => answeredBy(server(), 'alice');

  test('an answer that names another issuer is refused (RFC 9207)', async () => {
    const { status } = await finish({ ...(await answered()), iss: 'https://evil.example' });
    expect(status).toBe(400);
  });

  test('a state ends after ten minutes', async () => {
    const query = await answered();
    now += 600n * 1_000_000_000n;
    const { body } = await finish(query);
    expect(body.errors).toEqual(['Login failed. Expired or missing OAuth state.']);
  });
});

// docs/inside/measured/weaknesses.md#server-side-request-forgery, for the addresses an administrator gives for keys.
describe('what the service fetches from an issuer', () => {
  const asked: string[] = [];
  let address: string;
  const server = started(startEmbeddedService);
  const issuer = started(() =>
    serveRequests((request, _, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/redirect') {
        response.writeHead(302, { location: '/internal' }).end();
      } else if (request.url === '/endless') {
        const stream = setInterval(() => response.write('x'.repeat(100_000)), 1);
        response.on('close', () => clearInterval(stream));
      } else response.end('top secret');
    }),
  );
  beforeAll(async () => {
    address = issuer().address;
    await write(server(), 'sys/auth/jwt', { type: 'jwt' });
  });

  const configure = (jwks_url: string) =>
    ask(server(), { method: 'POST', path: 'auth/jwt/config', body: { jwks_url } });

  test('is not fetched from where a redirect leads', async () => {
    const { status } = await configure(`${address}/redirect`);
    expect([status, asked]).toEqual([400, ['/redirect']]);
  });

  test('is not repeated to whoever asked for it', async () => {
    const { status, body } = await configure(`${address}/internal`);
    expect([status, JSON.stringify(body).includes('top secret')]).toEqual([400, false]);
  });

  test('has a largest size', async () => {
    const { status, body } = await configure(`${address}/endless`);
    expect([status, body.errors[0]]).toEqual([400, expect.stringContaining('longer than 1048576 bytes')]);
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'data:application/json,{"keys":[]}', 'gopher://x/'])(
    'is not fetched by another scheme: %s',
    async (url) => {
      const { status, body } = await configure(url);
      expect([status, body.errors[0]]).toEqual([400, expect.stringContaining('not an http or https URL')]);
    },
  );
});
