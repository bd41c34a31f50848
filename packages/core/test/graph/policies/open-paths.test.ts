import { describe, expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { type OpenPath, openAt, openPathsIn } from '../../../src/graph/policies/open-paths.ts';
import { graph } from '../../worlds.ts';

const known = graph('method ci\n mount people userpass');

describe('anyone can without a token', () => {
  test.each<[capability: string, pattern: string, tokenless: ReturnType<typeof openAt>]>([
    ['read', 'sys/health', { can: 'yes', path: 'sys/health' }],
    ['read', 'sys/*', { can: 'yes', path: 'sys/health' }],
    ['read', '+/health', { can: 'yes', path: 'sys/health' }],
    ['read', 'identity/oidc/+/keys', { can: 'yes', path: 'identity/oidc/.well-known/keys' }],
    ['read', 'sys/internal/ui/mounts/a/b', { can: 'yes', path: 'sys/internal/ui/mounts/a/b' }],
    ['update', 'auth/ci/login', { can: 'yes', path: 'auth/ci/login' }],
    ['update', 'auth/people/login/+', { can: 'yes', path: 'auth/people/login/x' }],
    ['update', 'auth/+/login/*', { can: 'yes', path: 'auth/people/login/x' }],
    ['update', 'auth/apps/login', { can: 'unknown', path: 'auth/apps/login' }],
    ['read', 'pki/ca', { can: 'unknown', path: 'pki/ca' }],
    ['read', 'sys/metrics', { can: 'unknown', path: 'sys/metrics' }],
    ['update', 'sys/health', undefined],
    ['read', 'sys/health/x', undefined],
    ['read', 'sys/mounts', undefined],
    ['read', 'secret/*', undefined],
    ['update', 'auth/people/login', undefined],
  ])('%s %s', (capability, pattern, tokenless) => {
    expect(openAt(pattern, capability, known)).toEqual(tokenless);
  });
});

test('what is no document of a server says nothing', () => {
  for (const one of [undefined, {}, { paths: [] }, { paths: { '/sys/mounts': {} } }])
    expect(openPathsIn(one)).toBeUndefined();
});

describeWithOpenBao('OpenBao', (server) => {
  let tokenless: Promise<OpenPath[] | undefined> | undefined;
  const document = async () => {
    const client = new ServiceClient({ address: server().address, token: server().token });
    const mounts = await client.read('sys/mounts');
    if (mounts?.data['certs/'] === undefined) await client.post('sys/mounts/certs', { type: 'pki' });
    const found = openPathsIn((await client.read('sys/internal/specs/openapi'))?.data);
    client.close();
    return found;
  };
  const answer = async (path: string) => {
    tokenless ??= document();
    return openAt(path, 'read', known, await tokenless)?.can;
  };

  test.each([
    'sys/health',
    'sys/seal-status',
    'certs/ca',
    'certs/crl',
    'certs/acme/directory',
    'certs/cert/ca_chain',
    'identity/oidc/.well-known/keys',
    'identity/oidc/provider/default/.well-known/openid-configuration',
    'sys/mounts',
    'certs/roles/x',
    'identity/oidc/key/x',
  ])('answers %s without a token as its document says', async (path) => {
    const { status } = await fetch(`${server().address}/v1/${path}`);
    expect([path, status === 403 ? undefined : 'yes']).toEqual([path, await answer(path)]);
  });

  test('marks what the table of its version has', async () => {
    tokenless ??= document();
    const lacking = ((await tokenless) ?? []).filter(
      ({ path, capabilities }) =>
        /^(?:sys|identity)\//.test(path) &&
        capabilities.some((one) => openAt(path.replace(/\{[^}]+\}/g, 'x'), one, known)?.can !== 'yes'),
    );
    expect(lacking).toEqual([]);
  });
});
