import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Check } from '../../operations/verify.ts';
import { type TokenSource, verify, verifyProvider } from '../../operations/verify.ts';
import { listen } from '../../web/listen.ts';
import { jwtMethod, oidcMethod } from '../core/rules/state-fixture.ts';
import { EnvironmentUnderTest } from '../harness/environment-under-test.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

const outcomes = (checks: Check[]) => checks.map(({ what, outcome }) => `${what}: ${outcome}`);

describeOnBothServers('verify of the dev stack', (service) => {
  let environment: EnvironmentUnderTest;
  const run = (tokens: [string, TokenSource][] = []) =>
    verify({ stack: environment.stack(), env: environment.env, tokens: new Map(tokens) });
  const token = (name: string) =>
    environment.identity.signWorkloadToken({ subject: `system:serviceaccount:shop:${name}` });

  beforeAll(async () => {
    environment = await EnvironmentUnderTest.start(service());
    expect((await environment.run('up')).succeeded).toBe(true);
  });
  afterAll(() => environment.close());

  test('finds that everyone can start to, but for workloads without a token', async () => {
    const checks = await run();
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(
      checks.filter(({ outcome }) => outcome === 'unverified').map(({ subject }) => subject.name),
    ).toEqual(['web', 'backup']);
    expect(checks.filter(({ what }) => what.startsWith('an address')).length).toBe(16);
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
    const role = (await environment.client.read('auth/partners/role/partner'))?.data ?? {};
    const allowed_redirect_uris = ['http://localhost:8250/oidc/callback'];
    await environment.client.put('auth/partners/role/partner', { ...role, allowed_redirect_uris });
    await environment.client.delete('sys/auth/suite');
    const failed = (await run()).filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ subject }) => subject.name).sort()).toEqual(['member', 'member', 'partner']);
  });
});

describe('a provider', () => {
  let issuer: Server;
  let address: string;
  let document: Record<string, unknown> = {};
  let status = 200;
  let date = () => new Date();
  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };

  beforeAll(async () => {
    issuer = createServer((request, response) => {
      const body = request.url?.endsWith('/keys')
        ? keys
        : { issuer: address, jwks_uri: `${address}/keys`, ...document };
      response.setHeader('Date', date().toUTCString()).writeHead(status).end(JSON.stringify(body));
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
    [document, status] = [{ id_token_signing_alg_values_supported: ['ES256', 'RS256'] }, 200];
    expect(outcomes(await look())).toEqual([
      'its discovery document: ok',
      'its keys: ok',
      'its algorithms: ok',
      'its clock: ok',
    ]);
  });

  test('whose algorithms the method does not take', async () => {
    document = { id_token_signing_alg_values_supported: ['ES256'] };
    const [check] = (await look()).filter(({ what }) => what === 'its algorithms');
    expect(check).toMatchObject({
      outcome: 'failed',
      detail: 'the provider signs with ES256, and the method takes RS256',
    });
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
    status = 200;
  });

  test('whose keys are in the configuration', async () => {
    const config = { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['no key'] };
    expect(await verifyProvider(jwtMethod(config), address)).toMatchObject([
      { outcome: 'failed', detail: 'number 1 is no public key in PEM' },
    ]);
  });
});
