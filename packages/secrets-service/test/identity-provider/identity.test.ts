import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { kinds, type ProviderKind, providerKinds } from '../../../core/src/graph/kinds/kinds.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { baseOf } from '../../src/identity-provider/issuer.ts';

const identity = started(startIdentity);

async function document(url: string): Promise<Record<string, any>> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, any>;
}
const discovery = (kind: ProviderKind) =>
  document(`${baseOf(identity().issuers[kind])}/.well-known/openid-configuration`);

describe.each(providerKinds)('the issuer of a %s', (kind) => {
  test('names itself, to the letter, in its discovery document', async () => {
    expect(await discovery(kind)).toMatchObject({ issuer: identity().issuers[kind] });
  });

  test('signs with RS256, and may with a client secret where the product does', async () => {
    const { id_token_signing_alg_values_supported: algorithms } = await discovery(kind);
    expect(algorithms).toEqual(kind === 'hosted_identity_platform' ? ['HS256', 'RS256'] : ['RS256']);
  });

  test('publishes one key, without its private part', async () => {
    const { keys } = await document((await discovery(kind))['jwks_uri']);
    expect(keys.map((key: object) => Object.keys(key).sort())).toEqual([
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
    ]);
  });
});

// docs/inside/specification.md B-2: the discovery URL of each kind, as packages/core/src/graph/kinds derives it from
// the authority.
test.each([
  ['cloud_directory', { tenantId: kinds.cloud_directory.embedded.issuer.tenantId, clientId: 'c' }],
  ['hosted_identity_platform', { clientId: 'c' }],
  ['access_management_suite', { clientId: 'c', scopes: ['profile'] }],
  ['source_hosting', { clientId: 'c' }],
  ['workspace_suite', { clientId: 'c' }],
  ['open_source_identity_server', { clientId: 'c', realm: 'main' }],
  ['enterprise_identity_provider', { clientId: 'c' }],
] as const)('the issuer of a %s is where its kind’s discovery URL points', (kind, settings) => {
  const { settings: schema, config } = kinds[kind];
  const given = schema.parse({ kind, name: 'staff', authority: identity().authorities[kind], ...settings });
  expect(config(given as never).oidcDiscoveryUrl).toBe(identity().issuers[kind]);
});

test.each(['/', '/unknown/.well-known/openid-configuration', '/source-hosting', '/source-hostings/jwks'])(
  'an address of no issuer, %s, is not found',
  async (path) => {
    expect((await fetch(identity().address + path)).status).toBe(404);
  },
);

test('a workload issuer has nothing to sign in at', async () => {
  expect((await fetch(`${identity().issuers.container_orchestrator}/auth`)).status).toBe(404);
});

test('addresses in documents never come from the Host header of a request', async () => {
  const body = await new Promise<string>((resolve, reject) => {
    const url = `${identity().issuers.source_hosting}/.well-known/openid-configuration`;
    request(url, { headers: { Host: 'attacker.example' } }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
  expect(body).not.toContain('attacker.example');
});

test('a port that is taken is said to be', async () => {
  const port = Number(new URL(identity().address).port);
  await expect(startIdentity({ port })).rejects.toMatchObject({ code: 'port_in_use' });
});

test('after close nothing answers', async () => {
  const other = await startIdentity();
  await fetch(`${other.issuers.source_hosting}/jwks`);
  await other.close();
  await expect(fetch(other.address)).rejects.toThrow('fetch failed');
});
