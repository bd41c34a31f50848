import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { servingEachTest } from '../../../../test/harness/serving.ts';
import { Issuers } from '../../src/auth/issuers.ts';
import { AuthService } from './auth-service.ts';

const second = 1_000_000_000n;
const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

const serve = servingEachTest();
let url: string;
let answer: () => { status?: number; body: string; headers?: Record<string, string> };
let asked: number;
beforeEach(async () => {
  asked = 0;
  url = await serve((_, response) => {
    asked += 1;
    const { status = 200, body, headers } = answer();
    response.writeHead(status, headers).end(body);
  });
});

describe('keys of an issuer', () => {
  const place = () => ({ url, caPem: '' });
  beforeEach(() => {
    answer = () => ({ body: JSON.stringify({ keys: [{ ...jwk, kid: 'one' }] }) });
  });

  test('are kept for a quarter of an hour', async () => {
    const issuers = new Issuers();
    for (const now of [0n, 899n, 900n]) await issuers.keys(place(), now * second, 'one');
    expect(asked).toBe(2);
  });

  test('are asked for again once when a token names one that is not known', async () => {
    const issuers = new Issuers();
    await issuers.keys(place(), 0n, 'one');
    answer = () => ({ body: JSON.stringify({ keys: [{ ...jwk, kid: 'two' }] }) });
    const { keys } = await issuers.keys(place(), 5n * second, 'two');
    expect(keys.map(({ id }) => id)).toEqual(['two']);
  });

  test('that change twice in a moment are asked for twice', async () => {
    const issuers = new Issuers();
    for (const kid of ['one', 'two', 'three']) {
      answer = () => ({ body: JSON.stringify({ keys: [{ ...jwk, kid }] }) });
      const { keys } = await issuers.keys(place(), second, kid);
      expect(keys.map(({ id }) => id)).toEqual([kid]);
    }
  });

  test('are not asked for with every token that a stranger makes up', async () => {
    const issuers = new Issuers();
    await issuers.keys(place(), 0n, 'one');
    for (let count = 0; count < 20; count += 1) await issuers.keys(place(), second, randomUUID());
    expect(asked).toBe(1 + 5);
    for (let count = 0; count < 20; count += 1) await issuers.keys(place(), 4n * second, randomUUID());
    expect(asked).toBe(1 + 5 + 1);
  });

  test('that could not be had are asked for again', async () => {
    const issuers = new Issuers();
    const good = answer;
    answer = () => ({ status: 500, body: '' });
    await expect(issuers.keys(place(), 0n)).rejects.toThrow('answers 500');
    answer = good;
    expect((await issuers.keys(place(), 0n)).keys.length).toBe(1);
  });
});

describe('writing a config', () => {
  let service: AuthService;
  beforeEach(async () => {
    service = new AuthService();
    await service.write('sys/auth/w', { type: 'jwt' });
  });
  const write = (body: object) => service.call({ operation: 'update', path: 'auth/w/config', body });

  test.each([
    [
      'is for another issuer',
      { body: '{"issuer":"https://other.example","jwks_uri":"x"}' },
      'issuer did not match',
    ],
    ['is not JSON', { body: '<html>' }, 'is not JSON'],
    ['is null', { body: 'null' }, 'issuer did not match'],
    ['is not there', { status: 404, body: '' }, 'answers 404'],
  ])('is refused when the discovery document %s', async (_, document, reason) => {
    answer = () => document;
    const { status, errors } = await write({ oidc_discovery_url: url });
    expect({ status, errors }).toEqual({ status: 400, errors: [expect.stringContaining(reason)] });
    expect(errors?.[0]).toMatch(/^error checking oidc discovery URL/);
    expect((await service.call({ operation: 'read', path: 'auth/w/config' })).status).toBe(404);
  });

  test('takes several documents of keys', async () => {
    answer = () => ({ body: JSON.stringify({ keys: [jwk] }) });
    expect((await write({ jwks_pairs: [{ jwks_url: `${url}/a` }, { jwks_url: `${url}/b` }] })).status).toBe(
      204,
    );
  });

  test.each([
    ['suite_service_account', 'workspace_suite'],
    ['gsuite_service_account', 'gsuite'],
  ])('keeps secrets to itself: %s', async (name, provider) => {
    answer = () => ({ body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, keys: [] }) });
    await service.write('auth/w/config', {
      oidc_discovery_url: url,
      oidc_client_id: 'id',
      oidc_client_secret: 'hidden-one',
      provider_config: {
        provider,
        suite_admin_impersonate: 'admin@example.com',
        // As long as a real key, so it cannot be the path of a file.
        [name]: JSON.stringify({ type: 'service_account', private_key: 'hidden-two'.repeat(500) }),
      },
    });
    const { data } = await service.call({ operation: 'read', path: 'auth/w/config' });
    expect(data.provider_config).toEqual({ provider, suite_admin_impersonate: 'admin@example.com' });
    expect(JSON.stringify(data)).not.toContain('hidden');
  });

  test.each([
    [{ suite_admin_impersonate: '' }, 'no administrator to impersonate is given'],
    [{ fetch_user_info: true }, "'user_custom_schemas' must be set if 'fetch_user_info' is true"],
    [{ groups_recurse_max_depth: -1 }, "'gsuite_recurse_max_depth' must be a positive integer"],
    [{ suite_service_account: '' }, 'no service account is given'],
    [{ suite_service_account: '/nowhere/key.json' }, 'error parsing service account JSON'],
    [{ suite_service_account: '{"type":"authorized_user"}' }, 'error parsing service account JSON'],
  ])('refuses a workspace suite that no sign-in could ask: %j', async (given, reason) => {
    const provider_config = {
      provider: 'workspace_suite',
      suite_admin_impersonate: 'admin@example.com',
      suite_service_account: '{"type":"service_account"}',
      ...given,
    };
    const { status, errors } = await write({ oidc_discovery_url: url, provider_config });
    expect({ status, errors }).toEqual({
      status: 400,
      errors: [`invalid provider_config: error initializing "workspace_suite" provider_config: ${reason}`],
    });
  });
});
