import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { needsSudo, sudoPathsIn } from '../../../src/graph/policies/sudo-paths.ts';

/** What servers ask, as OpenBao 2.7.2 answered a token with every capability but `sudo`. */
const measured = {
  refused: `auth/token/accessors auth/token/accessors/ auth/token/accessors/x auth/token/revoke-orphan/
    auth/token/revoke-orphan/x sys/audit sys/audit/ sys/audit/x sys/auth/ sys/auth/x sys/auth/x/y sys/auth/x/tune
    sys/config/cors sys/config/auditing/request-headers sys/config/auditing/request-headers/x
    sys/internal/inspect/request sys/internal/inspect/request/x sys/leases sys/leases/lookup/ sys/leases/lookup/x
    sys/leases/revoke-force/x sys/leases/revoke-prefix/x/y sys/plugins/catalog/x sys/plugins/catalog/x/y sys/raw
    sys/raw/x sys/remount sys/rotate sys/rotate/keyring sys/rotate/root sys/revoke-prefix/x sys/revoke-force/x`,
  allowed: `sys/auth sys/mounts auth/token/create-orphan sys/policies/acl/x sys/leases/revoke sys/rotate/config
    auth/token/create identity/entity sys/namespaces/x kv/root`,
};

test('a path needs sudo where all known servers ask it, and perhaps where some do', () => {
  expect(needsSudo({ path: 'sys/auth/x' })).toBe('yes');
  expect(needsSudo({ path: 'auth/token/revoke-orphan' })).toBe('unknown');
  expect(needsSudo({ path: 'sys/mounts' })).toBe('no');
});

test('the root of a secrets engine of type pki needs it, wherever that is', () => {
  expect(needsSudo({ path: 'deep/ca/root', pki: 'deep/ca' })).toBe('yes');
  expect(needsSudo({ path: 'deep/ca/root/sign-self-issued', pki: 'deep/ca' })).toBe('yes');
  expect(needsSudo({ path: 'deep/ca/root/generate/internal', pki: 'deep/ca' })).toBe('no');
  expect(needsSudo({ path: 'kv/root' })).toBe('no');
});

test('what is no document of a server says nothing', () => {
  for (const one of [undefined, {}, { paths: [] }, { paths: { '/sys/mounts': {} } }])
    expect(sudoPathsIn(one)).toBeUndefined();
});

describeWithOpenBao('OpenBao', (server) => {
  const documentOf = async () => {
    const client = new ServiceClient({ address: server().address, token: server().token });
    const mounts = await client.read('sys/mounts');
    if (mounts?.data['ca/'] === undefined) await client.post('sys/mounts/ca', { type: 'pki' });
    const found = sudoPathsIn((await client.read('sys/internal/specs/openapi'))?.data);
    client.close();
    return found;
  };

  test.each([
    ['refused', 'yes'],
    ['allowed', 'no'],
  ] as const)('is asked as measured: %s', async (answer, need) => {
    const sudo = await documentOf();
    const paths = measured[answer].split(/\s+/);
    expect(paths.filter((path) => needsSudo({ path }, sudo) !== need)).toEqual([]);
    // The table is made of that document, and Vault differs.
    expect(paths.filter((path) => ![need, 'unknown'].includes(needsSudo({ path })))).toEqual([]);
  });

  test('has the roots of its secrets engines in its document', async () => {
    expect(needsSudo({ path: 'ca/root' }, await documentOf())).toBe('yes');
    expect(needsSudo({ path: 'ca/root' })).toBe('no');
  });
});
