import { expect, test } from '@jest/globals';
import { ask, expectRefused } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const denied = '1 error occurred:\n\t* permission denied\n\n';

// openbao/openbao vault/token_store.go. Each operation and its refusals: test/conformance/scenarios/tokens.ts.
describeOnBothServers('tokens', (server) => {
  const call = (method: string, path: string, body?: object, token?: string) =>
    ask(server(), { method, path: `auth/token/${path}`, body, token });
  const create = async (body: object = {}, token?: string) =>
    (await call('POST', 'create', { policies: ['default'], ...body }, token)).body.auth;

  test('with sudo any policy can be given but root', async () => {
    const policy = 'path "auth/token/*" { capabilities = ["create", "read", "update", "sudo"] }';
    await ask(server(), { method: 'POST', path: 'sys/policies/acl/maker', body: { policy } });
    const token = (await create({ policies: ['maker'] })).client_token;
    expect((await create({ policies: ['other'] }, token)).policies).toEqual(['default', 'other']);
    const error = 'root tokens may not be created without parent token being root';
    expectRefused(await call('POST', 'create', { policies: [' ROOT '] }, token), 400, error);
  });

  test('a token of two uses is good for two', async () => {
    const { client_token: token } = await create({ num_uses: 2 });
    const uses = [];
    for (let use = 0; use < 3; use += 1)
      uses.push((await call('GET', 'lookup-self', undefined, token)).status);
    expect(uses).toEqual([200, 200, 403]);
  });

  test('a use that is refused counts', async () => {
    const { client_token: token } = await create({ num_uses: 1 });
    expectRefused(await call('POST', 'create', {}, token), 403, denied);
    expectRefused(await call('GET', 'lookup-self', undefined, token), 403, 'permission denied');
  });

  test('a batch token with a letter changed is none', async () => {
    const { client_token: batch } = await create({ type: 'batch' });
    const changed = batch.slice(0, 20) + (batch[20] === 'A' ? 'B' : 'A') + batch.slice(21);
    expectRefused(await call('GET', 'lookup-self', undefined, changed), 403, 'permission denied');
  });
});
