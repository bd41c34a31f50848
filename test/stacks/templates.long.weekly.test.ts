import { expect, test } from '@jest/globals';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { changes, environmentFor } from '../harness/environment-under-test.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('a template that is used twice', (service) => {
  const environment = environmentFor(service);

  const policies = [
    { name: `$\{name}-read`, policy: `path "secret/data/$\{name}/*" { capabilities = ["read"] }` },
  ];
  const addTo = [
    {
      provider: 'community',
      roles: [
        { name: `$\{name}`, policies: [`$\{name}-read`], boundClaims: { team: `$\{name}` }, ttl: '1h' },
      ],
      groups: [{ name: `$\{name}-admins`, alias: `$\{admins}`, policies: [`$\{name}-read`] }],
    },
  ];
  const stack = (...teams: string[]) =>
    environment().stack((config) => {
      config['templates'] = { team: { parameters: { name: 'text', admins: 'text' }, policies, addTo } };
      config['use'] = teams.map((name) => ({ template: 'team', with: { name, admins: `/${name}-admins` } }));
    });

  test('is applied, found as declared, and taken away with its use', async () => {
    const both = stack('shop', 'pay');
    await environment().up(both);
    expect(await environment().live()).toMatchObject({
      policies: expect.arrayContaining(['pay-read', 'shop-read']),
      roles: expect.arrayContaining(['community/pay', 'community/shop']),
      aliases: expect.arrayContaining(['auth/community//pay-admins', 'auth/community//shop-admins']),
    });
    const { data } = (await environment().client.read('sys/policies/acl/pay-read')) ?? {};
    expect(data?.['policy']).toBe('path "secret/data/pay/*" { capabilities = ["read"] }');
    expect(changes(await environment().run('preview', both))).toEqual([]);
    const { differences } = await drift({ stack: both, env: environment().env, unmanaged: false });
    expect(differences).toEqual([]);

    await environment().up(stack('pay'));
    const { policies: left, groups } = await environment().live();
    expect([...left, ...groups].filter((name) => /^(?:shop|pay)-/.test(name))).toEqual([
      'pay-read',
      'pay-admins',
    ]);
  });
});
