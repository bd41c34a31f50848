import { expect, test } from '@jest/globals';
import { appliedEnvironmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { explain } from '../../src/explain/explain.ts';
import { readPresented } from '../../src/explain/explain-token.ts';

test.each([
  ['nothing', {}, 'option_missing'],
  ['a text', { claims: 'hvs.secret' }, 'claims_invalid'],
  ['a list', { claims: '[]' }, 'claims_invalid'],
  ['a claim twice', { claims: '{"sub":"a","sub":"b"}' }, 'claims_invalid'],
])('%s cannot be explained', (_, given, code) => {
  expect(() => readPresented(given)).toThrow(expect.objectContaining({ code }));
  expect(() => readPresented(given)).not.toThrow('hvs.');
});

describeOnBothServers('explain of the dev stack', (service) => {
  const of = async (subject: string, live: boolean) =>
    explain({
      stack: environment().stack(),
      env: environment().env,
      role: 'web',
      presented: { token: await environment().identity.signWorkloadToken({ subject }) },
      live,
      now: BigInt(Date.now()) * 1_000_000n,
    });

  const environment = appliedEnvironmentFor(service);

  test('says offline what the service does', async () => {
    expect(await of('system:serviceaccount:shop:web', false)).toMatchObject({
      signsIn: true,
      signature: 'not checked',
      policies: [{ name: 'default' }, { name: 'secrets-read' }],
    });
  });

  test('live, knows what the service keeps of who signs in', async () => {
    const { client } = environment();
    const subject = 'system:serviceaccount:shop:web';
    const jwt = await environment().identity.signWorkloadToken({ subject });
    // The entity comes to be by a sign-in.
    expect(await of(subject, true)).toMatchObject({ signsIn: true, notes: [] });
    await client.post('auth/cluster/login', { role: 'web', jwt });
    const mount = await client.read('sys/auth/cluster');
    const alias = { alias_name: subject, alias_mount_accessor: mount?.data['accessor'] };
    const id = (await client.post('identity/lookup/entity', alias)).data['id'];
    await client.post(`identity/entity/id/${id}`, { name: 'shop-web', policies: ['of-its-own'] });
    const inner = await client.post('identity/group', {
      name: 'inner',
      policies: ['a'],
      member_entity_ids: [id],
    });
    await client.post('identity/group', {
      name: 'outer',
      policies: ['b'],
      member_group_ids: [inner.data['id']],
    });
    const explained = await of(subject, true);
    const { auth } = await client.post('auth/cluster/login', { role: 'web', jwt });
    expect(explained.policies?.map(({ name }) => name)).toEqual(auth?.['policies']);
    expect(explained.policies?.map(({ name, sources }) => `${name}: ${sources.join()}`)).toEqual([
      'a: group inner, which has the entity in it',
      'b: group outer, which has group inner in it',
      'default: every token',
      'of-its-own: entity shop-web',
      'secrets-read: role cluster/web',
    ]);
    await client.post(`identity/entity/id/${id}`, { disabled: true });
    expect(await of(subject, true)).toMatchObject({
      signsIn: false,
      refused: { step: 'session', message: 'permission denied' },
      notes: [expect.objectContaining({ kind: 'entity-disabled', name: 'shop-web' })],
    });
    await expect(client.post('auth/cluster/login', { role: 'web', jwt })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await client.post(`identity/entity/id/${id}`, { disabled: false, policies: [] });
  });

  test('judges live by what the service holds, with the issuer’s keys', async () => {
    const role = (await environment().client.read('auth/cluster/role/web'))?.data ?? {};
    await environment().client.put('auth/cluster/role/web', { ...role, bound_subject: 'changed:by:hand' });
    expect(await of('system:serviceaccount:shop:web', true)).toMatchObject({
      signsIn: false,
      source: 'live',
      signature: 'verified',
      refused: { message: 'error validating token: invalid subject (sub) claim' },
    });
    expect(await of('system:serviceaccount:shop:web', false)).toMatchObject({ signsIn: true });
  });
});
