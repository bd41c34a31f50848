import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appliedEnvironmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { jwtMethod, oidcMethod } from '../../../core/test/review/rules/graph-fixture.ts';
import { listen } from '../../../host/src/listen.ts';
import type { CheckOutcome } from '../../src/open/check.ts';
import { verify, verifyProvider, type WorkloadToken } from '../../src/verify/verify.ts';

const outcomes = (checks: CheckOutcome[]) => checks.map(({ what, outcome }) => `${what}: ${outcome}`);

describeOnBothServers('verify of the dev stack', (service) => {
  const run = (tokens: [string, WorkloadToken][] = []) =>
    verify({ stack: environment().stack(), env: environment().env, tokens: new Map(tokens) });
  const token = (name: string) =>
    environment().identity.signWorkloadToken({ subject: `system:serviceaccount:shop:${name}` });

  const environment = appliedEnvironmentFor(service);

  test('finds that everyone can start to, but for workloads without a token', async () => {
    const checks = await run();
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const untried = checks.filter(({ what, outcome }) => outcome === 'unverified' && what !== 'its scopes');
    expect(untried.map(({ subject }) => subject.name)).toEqual(['web', 'backup']);
    expect(checks.filter(({ what }) => what.startsWith('an address')).length).toBe(24);
    expect(checks.filter(({ what }) => what === 'its keys').length).toBe(8);
  });

  test('signs a workload in with a token, and one with what a command prints', async () => {
    const jwt = await token('web');
    for (const source of [{ token: jwt }, { command: `printf %s '${jwt}'` }]) {
      const found = (await run([['cluster/web', source]])).filter(({ what }) => what === 'a sign-in');
      expect(found[0]).toMatchObject({ outcome: 'ok', detail: 'policies: default, secrets-read' });
    }
  });

  test('says why a workload cannot, and never shows its token', async () => {
    const jwt = await token('intruder');
    const checks = await run([['web', { token: jwt }]]);
    const [check] = checks.filter(({ subject, what }) => subject.name === 'web' && what === 'a sign-in');
    expect(check).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('invalid subject (sub) claim'),
    });
    expect(JSON.stringify(checks)).not.toContain(jwt);
  });

  test('says that a command failed, and nothing that it printed', async () => {
    const checks = await run([['web', { command: 'echo hush; echo hush >&2; exit 3' }]]);
    const [check] = checks.filter(({ subject }) => subject.name === 'web');
    expect(check).toMatchObject({ outcome: 'failed', detail: 'the command for the token ends with 3' });
  });

  test('refuses a token for no role', async () => {
    await expect(run([['nobody', { token: 'x' }]])).rejects.toMatchObject({ code: 'role_unknown' });
  });

  test('finds a redirect URI that was taken out by hand, and a method that is gone', async () => {
    const role = (await environment().client.read('auth/partners/role/partner'))?.data ?? {};
    const allowed_redirect_uris = ['http://localhost:8250/oidc/callback'];
    await environment().client.put('auth/partners/role/partner', { ...role, allowed_redirect_uris });
    await environment().client.delete('sys/auth/suite');
    const failed = (await run()).filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ subject }) => subject.name).sort()).toEqual([
      ...Array(3).fill('member'),
      'partner',
      'partner',
    ]);
  });
});

describe('a provider', () => {
  let issuer: Server;
  let address: string;
  let document: Record<string, unknown> = {};
  let status = 200;
  let date = () => new Date();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const ed = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  let keys: { keys: object[] } = { keys: [rsa] };
  let keysStatus = 200;
  const whole = () => ({
    issuer: address,
    jwks_uri: `${address}/keys`,
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/token`,
  });

  beforeAll(async () => {
    issuer = createServer((request, response) => {
      const isKeys = request.url?.endsWith('/keys');
      const body = isKeys ? keys : { ...whole(), ...document };
      response
        .setHeader('Date', date().toUTCString())
        .writeHead(isKeys ? keysStatus : status)
        .end(JSON.stringify(body));
    });
    address = `http://127.0.0.1:${await listen(issuer, 0)}`;
  });
  afterAll(() => {
    issuer.close();
    issuer.closeAllConnections();
  });
  const look = (config = {}) =>
    verifyProvider(oidcMethod({ oidcDiscoveryUrl: address, ...config }), 'http://127.0.0.1:9');

  test('that is as it should be', async () => {
    [document, status] = [{}, 200];
    expect(outcomes(await look())).toEqual(['its discovery document: ok', 'its keys: ok', 'its clock: ok']);
  });

  test('whose clock is wrong', async () => {
    [document, date] = [{}, () => new Date(Date.now() + 120_000)];
    const [check] = (await look()).filter(({ what }) => what === 'its clock');
    expect(check).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(/^1(19|2\d) s ahead of/),
    });
    date = () => new Date();
  });

  test('of another issuer, and one that is not open', async () => {
    document = { issuer: 'https://elsewhere.example' };
    expect(outcomes(await look())).toEqual(['its discovery document: failed']);
    [document, status] = [{}, 403];
    expect(await look()).toMatchObject([
      { outcome: 'failed', detail: expect.stringContaining('open to callers') },
    ]);
    const ofCluster = jwtMethod({ oidcDiscoveryUrl: address });
    expect(await verifyProvider(ofCluster, 'http://127.0.0.1:9')).toMatchObject([
      { outcome: 'failed', detail: expect.stringContaining('`cluster.openDiscovery: true`') },
    ]);
    status = 200;
  });

  test.each<[string, Record<string, unknown>, string, object?]>([
    ['no authorization endpoint', { authorization_endpoint: undefined }, 'no authorization_endpoint'],
    ['no token endpoint', { token_endpoint: undefined }, 'no token_endpoint'],
    ['a token endpoint that is null', { token_endpoint: null }, 'token_endpoint is not a URL'],
    [
      'an endpoint without a host',
      { authorization_endpoint: '/authorize' },
      'authorization_endpoint is not a URL',
    ],
    ['an endpoint of another scheme', { token_endpoint: 'ftp://x/' }, 'token_endpoint is not a URL'],
    ['keys that are nowhere', { jwks_uri: 'keys' }, 'jwks_uri is not a URL'],
    [
      'both endpoints missing',
      { authorization_endpoint: undefined, token_endpoint: '' },
      'no authorization_endpoint; token_endpoint is not a URL',
    ],
    ['no code flow', { response_types_supported: ['id_token'] }, 'response_types_supported lacks code'],
    [
      'no form_post, where that is used',
      { response_modes_supported: ['query'] },
      'response_modes_supported lacks form_post',
      { oidcResponseMode: 'form_post' },
    ],
    ['no scope openid', { scopes_supported: ['profile'] }, 'scopes_supported lacks openid'],
  ])('whose document has %s', async (_, given, missing, config = {}) => {
    document = given;
    expect((await look(config))[0]).toMatchObject({
      what: 'its discovery document',
      outcome: 'failed',
      detail: `a sign-in needs more of it: ${missing}`,
    });
  });

  test('whose document has only the keys: enough for tokens, and without a code no token endpoint is needed', async () => {
    document = { authorization_endpoint: undefined, token_endpoint: undefined };
    const byToken = jwtMethod({ oidcDiscoveryUrl: address });
    expect((await verifyProvider(byToken, 'http://127.0.0.1:9'))[0]).toMatchObject({ outcome: 'ok' });
    document = { token_endpoint: undefined };
    expect((await look({ oidcResponseTypes: ['id_token'] }))[0]).toMatchObject({ outcome: 'ok' });
    document = {};
  });

  test.each([
    [401, 'it must be open to callers who are not signed in'],
    [403, 'it must be open to callers who are not signed in'],
    [404, 'there is no such document'],
    [302, 'redirects are not followed'],
    [429, 'it was asked too often; try again later'],
    [500, 'the provider has an error of its own; try again later'],
    [503, 'the provider has an error of its own; try again later'],
  ])('that answers %i', async (given, why) => {
    [document, status] = [{}, given];
    expect(await look()).toMatchObject([
      { outcome: 'failed', detail: `"${address}/.well-known/openid-configuration" answers ${given}: ${why}` },
    ]);
    [status, keysStatus] = [200, given];
    const [found] = (await look()).filter(({ what }) => what === 'its keys');
    expect(found).toMatchObject({ outcome: 'failed', detail: `"${address}/keys" answers ${given}: ${why}` });
    keysStatus = 200;
  });

  test('whose keys verify nothing that the method takes', async () => {
    [document, keys] = [{}, { keys: [ed] }];
    const [found] = (await look()).filter(({ what }) => what === 'its keys');
    expect(found).toMatchObject({
      outcome: 'failed',
      detail: `none of the 1 at ${address}/keys verifies RS256`,
    });
    const [wider] = (await look({ jwtSupportedAlgs: ['EdDSA'] })).filter(({ what }) => what === 'its keys');
    expect(wider).toMatchObject({ outcome: 'ok' });
    keys = { keys: [rsa] };
  });

  test('whose keys are in several documents, or nowhere', async () => {
    const pairs = [{ jwks_url: `${address}/keys` }, { jwks_url: `${address}/elsewhere` }];
    const config = { oidcDiscoveryUrl: undefined, jwksPairs: pairs };
    expect(outcomes(await verifyProvider(jwtMethod(config), address))).toEqual([
      'its keys: ok',
      'its keys: failed',
    ]);
    expect(await verifyProvider(jwtMethod({ oidcDiscoveryUrl: undefined }), address)).toMatchObject([
      { outcome: 'failed', detail: 'the method has no source of keys' },
    ]);
  });

  test('whose keys are in the configuration', async () => {
    const config = { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['no key'] };
    expect(await verifyProvider(jwtMethod(config), address)).toMatchObject([
      { outcome: 'failed', detail: 'number 1 is no public key in PEM' },
    ]);
  });
});
