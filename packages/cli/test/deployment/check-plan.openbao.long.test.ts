import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { CheckedProject } from './checked-project.ts';

describeWithOpenBao('an up that OpenBao would refuse in the middle', (server) => {
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  const project = () => new CheckedProject(server().address);
  const all = 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }\n';
  const newToken = async (policy: string) => {
    await client().put('sys/policies/acl/of-the-test', { policy });
    const { auth } = await client().post('auth/token/create', { policies: ['of-the-test'] });
    return String(auth?.['client_token']);
  };

  it('says of a mount of another type in the way and of one role, and writes nothing', async () => {
    const { gatehouse, write } = project();
    write(Array.from({ length: 20 }, (_, at) => `role-${at}`));
    await client().post('sys/auth/teams', { type: 'userpass' });
    const token = await newToken(`${all}path "auth/teams/ci/role/role-7" { capabilities = ["read"] }\n`);
    const { code, err } = await gatehouse('up -s dev --yes', token);
    expect(code).toBe(1);
    expect(err).toContain('The service would refuse this for 2 reasons. Nothing was changed:');
    expect(err).toContain(
      'Auth method auth/teams/ci cannot be made: the service has auth/teams, of type userpass',
    );
    expect(err).toContain('The token lacks create on auth/teams/ci/role/role-7.');
    expect(Object.keys((await client().read('sys/auth'))?.data ?? {})).not.toContain('teams/ci/');
    expect((await client().list('sys/policies/acl'))?.data['keys']).not.toContain('reading');
    await client().delete('sys/auth/teams');
  });

  it.each([
    ['around', 'teams'],
    ['below', 'teams/ci/more'],
    ['at', 'teams/ci'],
  ])('is right: OpenBao refuses a mount %s another', async (_, path) => {
    await client().post(`sys/auth/${path}`, { type: 'userpass' });
    await expect(client().post('sys/auth/teams/ci', { type: 'jwt' })).rejects.toMatchObject({
      code: 'service_refused',
    });
    await client().delete(`sys/auth/${path}`);
  });

  it('finds nothing with a token that may do it, in a namespace too, and makes all', async () => {
    await client().put('sys/namespaces/shop', {});
    const { gatehouse, write } = project();
    write(['web'], '  gatehouse:namespaces: [{ path: shop }]\n', 'shop');
    expect((await gatehouse('up -s dev --yes', await newToken(all))).err).toContain(
      'Namespace shop cannot be made: the service has it.',
    );
    write(['web'], '  gatehouse:namespaces: [{ path: shop, exists: true }]\n', 'shop');
    const { code, err } = await gatehouse('up -s dev --yes', await newToken(all));
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('lacks') });
    const inside = client().with({ namespace: 'shop' });
    expect((await inside.list('auth/teams/ci/role'))?.data['keys']).toEqual(['web']);
    write(['web', 'second'], '  gatehouse:namespaces: [{ path: shop, exists: true }]\n', 'shop');
    const token = await newToken(`${all}path "shop/auth/teams/ci/role/second" { capabilities = ["read"] }\n`);
    const refused = await gatehouse('up -s dev --yes', token);
    expect(refused.err).toContain('The token lacks create on shop/auth/teams/ci/role/second.');
    expect((await inside.list('auth/teams/ci/role'))?.data['keys']).toEqual(['web']);
  });
});
