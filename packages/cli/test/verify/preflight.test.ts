import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { emptyGraph, type Graph } from '../../../core/src/graph/graph.ts';
import { oidcMethod, oidcRole } from '../../../core/test/review/rules/graph-fixture.ts';
import { listen } from '../../../host/src/listen.ts';
import { developmentClient } from '../../../secrets-service/src/identity-provider/development.ts';
import { startIdentity } from '../../../secrets-service/src/identity-provider/identity.ts';
import { preflight } from '../../src/verify/preflight.ts';

const registered = 'http://localhost:8250/oidc/callback';
const isRegistered = (uri: string) => uri === registered;

/** One method with one role. */
function stateWith(issuer: string, { uris = [registered], scopes = ['email'] } = {}): Graph {
  return {
    ...emptyGraph(),
    methods: [oidcMethod({ oidcDiscoveryUrl: issuer, oidcClientId: developmentClient.clientId })],
    roles: [oidcRole({ allowedRedirectUris: uris, oidcScopes: scopes })],
  };
}

const asked = async (graph: Graph, secret?: string) =>
  (await preflight(graph, new Map(secret === undefined ? [] : [['staff', secret]]))).map(
    ({ subject, what, outcome }) => `${subject.name} ${what}: ${outcome}`,
  );

describe('a preflight at a provider that tells', () => {
  const identity = started(startIdentity);
  const issuer = () => identity().issuers.cloud_directory;

  test('finds a right secret and a registered redirect URI', async () => {
    expect(await asked(stateWith(issuer()), developmentClient.clientSecret)).toEqual([
      'staff its algorithms: ok',
      'staff its client secret: ok',
      'reader its scopes: ok',
      `reader its registration at the provider, for ${registered}: ok`,
    ]);
  });

  test('finds a wrong secret, and shows neither', async () => {
    const checks = await preflight(stateWith(issuer()), new Map([['staff', 'a wrong secret']]));
    expect(checks).toContainEqual(
      expect.objectContaining({ outcome: 'failed', detail: 'the provider refuses the client with it' }),
    );
    expect(JSON.stringify(checks)).not.toContain('a wrong secret');
  });

  test('finds a redirect URI that is not registered', async () => {
    const uri = 'https://secrets.example.com/ui/vault/auth/staff/oidc/callback';
    expect(await asked(stateWith(issuer(), { uris: [registered, uri] }))).toEqual([
      'staff its algorithms: ok',
      'staff its client secret: unverified',
      'reader its scopes: ok',
      `reader its registration at the provider, for ${registered}: ok`,
      `reader its registration at the provider, for ${uri}: failed`,
    ]);
  });

  test.each([
    ['leads back', 'cloud_directory', 'invalid_scope'],
    ['shows an error', 'source_hosting', 'it answers 400'],
  ] as const)('finds a scope that a provider does not know which %s', async (_, kind, how) => {
    const graph = stateWith(identity().issuers[kind], { scopes: ['no-such-scope'] });
    expect(await preflight(graph, new Map())).toContainEqual(
      expect.objectContaining({
        outcome: 'failed',
        detail: `the provider refuses a sign-in with openid no-such-scope: ${how}`,
      }),
    );
  });

  test('finds a client id that the provider does not know', async () => {
    const graph = stateWith(issuer());
    for (const { config } of graph.methods) config.oidcClientId = 'nobody';
    expect(await asked(graph, developmentClient.clientSecret)).toEqual([
      'staff its algorithms: ok',
      'staff its client secret: failed',
      'reader its scopes: ok',
      `reader its registration at the provider, for ${registered}: failed`,
    ]);
  });
});

describe('a preflight at a provider that does not tell', () => {
  let server: Server;
  let issuer: string;
  const start = async (answer: RequestListener, document: object = {}) => {
    server = createServer((request, response) => {
      if (!request.url?.startsWith('/.well-known/')) return answer(request, response);
      response.end(
        JSON.stringify({
          issuer,
          jwks_uri: `${issuer}/keys`,
          token_endpoint: `${issuer}/token`,
          authorization_endpoint: `${issuer}/authorize`,
          ...document,
        }),
      );
    });
    issuer = `http://127.0.0.1:${await listen(server, 0)}`;
  };
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test.each<[string, RequestListener]>([
    ['refuses the code before it looks at the secret', json(400, { error: 'invalid_grant' })],
    ['does not let the client have tokens for codes', json(400, { error: 'unauthorized_client' })],
    ['answers with an error of its own', json(500, { error: 'server_error' })],
    ['answers what is no JSON', (_, response) => void response.end('<html>')],
    ['answers with null', json(400, null)],
  ])('knows nothing of the secret where it %s', async (_, answer) => {
    await start(answer);
    expect(await asked(stateWith(issuer), 'secret')).toContain('staff its client secret: unverified');
  });

  test('knows nothing of the secret where the provider takes none', async () => {
    await start(json(401, { error: 'invalid_client' }), {
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
    });
    expect(await asked(stateWith(issuer), 'secret')).toContain('staff its client secret: unverified');
  });

  test.each<[string, RequestListener, string]>([
    ['shows its page for every address', (_, response) => void response.end('Sign in'), 'unverified'],
    ['refuses everything with an error of its own', json(503, {}), 'unverified'],
    ['leads to any address', leads(() => true), 'unverified'],
    ['leads to its own sign-in, and refuses other addresses', shows(303), 'ok'],
    ['refuses the address as any other', json(400, {}), 'failed'],
    ['leads back, but does not know the scope', leads(isRegistered, 'invalid_scope'), 'failed'],
    ['leads back, but with an error of its own', leads(isRegistered, 'server_error'), 'unverified'],
  ])('where the provider %s', async (_, answer, outcome) => {
    await start(answer);
    expect(await asked(stateWith(issuer))).toContain(
      `reader its registration at the provider, for ${registered}: ${outcome}`,
    );
  });

  const signedBy = (...names: string[]) => ({ id_token_signing_alg_values_supported: names });
  test.each<[string, object, string]>([
    ['no algorithm that the method takes', signedBy('ES256'), 'staff its algorithms: failed'],
    ['one of them', signedBy('ES256', 'RS256'), 'staff its algorithms: ok'],
    ['no list of algorithms', {}, 'staff its algorithms: unverified'],
    ['the scopes of a role', { scopes_supported: ['openid', 'email'] }, 'reader its scopes: ok'],
    [
      'other scopes: a list need not be whole',
      { scopes_supported: ['openid'] },
      'reader its scopes: unverified',
    ],
    ['no list of scopes', {}, 'reader its scopes: unverified'],
  ])('where the provider publishes %s', async (_, document, check) => {
    await start(json(200, {}), document);
    expect(await asked(stateWith(issuer))).toContain(check);
  });

  test('knows nothing where the discovery document cannot be read', async () => {
    await start(json(200, {}), { issuer: 'https://other.example' });
    expect((await asked(stateWith(issuer), 'secret')).every((one) => one.endsWith('unverified'))).toBe(true);
  });
});

function json(status: number, body: unknown): RequestListener {
  return (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function leads(isKnown: (uri: string) => boolean, error = 'login_required'): RequestListener {
  return ({ url }, response) => {
    const uri = new URL(url ?? '', 'http://x').searchParams.get('redirect_uri') ?? '';
    if (!isKnown(uri)) return void response.writeHead(400).end();
    response.writeHead(302, { location: `${uri}?error=${error}` }).end();
  };
}

function shows(status: number): RequestListener {
  return ({ url }, response) => {
    const isKnown = url?.includes(encodeURIComponent(registered));
    response.writeHead(isKnown ? status : 400, isKnown ? { location: '/sign-in' } : {}).end();
  };
}
