import { beforeAll, expect, it } from '@jest/globals';
import { type DevConfig, EnvironmentUnderTest } from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { started } from '../../../test/harness/started.ts';
import { drift } from '../src/drift/drift.ts';
import { wholeLiveGraph } from '../src/open/open-graph.ts';

describeWithOpenBao('promises, on what OpenBao holds', (server) => {
  const stack = () =>
    environment().stack((config: DevConfig) => {
      config['promises'] = [
        { only: ['role backup'], can: ['update'], on: 'secret/data/prod/*', because: 'it alone restores' },
      ];
    });
  const promises = async () =>
    (await drift({ stack: stack(), env: environment().env, unmanaged: false })).promises.map(
      ({ message }) => message,
    );
  const environment = started(() => EnvironmentUnderTest.start({ ...server(), kind: 'openbao' }));
  beforeAll(async () => {
    const first = await environment().run('up', stack());
    expect(first.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('are kept after up', async () => {
    expect(await promises()).toEqual([]);
  });

  it('are broken by the policy default, by an entity, and by an internal group around a declared one', async () => {
    const { client } = environment();
    const before = (await client.read('sys/policies/acl/default'))?.data['policy'];
    const rule = 'path "secret/data/prod/*" { capabilities = ["update"] }';
    await client.put('sys/policies/acl/default', { policy: `${before}\n${rule}` });
    expect(await promises()).toEqual([
      expect.stringContaining('can update "secret/data/prod/x", by policy default'),
    ]);
    await client.put('sys/policies/acl/default', { policy: before });
    expect(await promises()).toEqual([]);

    await client.post('identity/entity', { name: 'bot', policies: ['Secrets-Admin'] });
    expect(await promises()).toEqual([expect.stringContaining('entity bot can update')]);
    await client.delete('identity/entity/name/bot');

    const inner = (await client.read('identity/group/name/maintainers'))?.data['id'];
    await client.put('sys/policies/acl/own', {
      policy: 'path "secret/data/prod/+" { capabilities = ["patch"] }',
    });
    await client.post('identity/group', { name: 'around', policies: ['own'], member_group_ids: [inner] });
    expect(await promises()).toEqual([expect.stringMatching(/in group maintainers .*can patch/)]);
    await client.delete('identity/group/name/around');
    expect(await promises()).toEqual([]);
  });

  it('are not broken by a policy that is not there', async () => {
    const { client } = environment();
    const role = (await client.read('auth/cluster/role/web'))?.data ?? {};
    await client.put('auth/cluster/role/ghost', { ...role, token_policies: ['gone'] });
    expect(await promises()).toEqual([]);
    await client.delete('auth/cluster/role/ghost');
  });

  it('count roles of other auth methods, which a token without rights cannot read', async () => {
    const { client } = environment();
    await client.post('sys/auth/apps', { type: 'approle' });
    expect(await promises()).toEqual([]);
    await client.post('auth/apps/role/any', { token_policies: ['secrets-admin'] });
    expect(await promises()).toEqual([expect.stringMatching(/role any of apps \(approle\)/)]);
    await client.delete('sys/auth/apps');
    expect(await promises()).toEqual([]);

    await client.put('sys/policies/acl/half', {
      policy: 'path "auth/*" { capabilities = ["read", "list"] }',
    });
    const token = (await client.post('auth/token/create', { policies: ['half'] })) as any;
    const half = client.with({ token: token.auth.client_token });
    const { missing } = await wholeLiveGraph(half);
    expect(missing).toEqual([expect.stringMatching(/groups.*policies|policies.*groups/)]);
  });
});
