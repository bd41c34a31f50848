import { beforeAll, expect, test } from '@jest/globals';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('the dev stack on a secrets service', (service) => {
  const environment = environmentFor(service);
  let before: unknown;
  const web = (config: DevConfig) => config['providers'][7].roles[0];

  beforeAll(async () => {
    before = await environment().live();
    await environment().up();
  });

  test('an auth method, roles, groups and aliases of every kind are on the service', async () => {
    expect(await environment().live()).toEqual({
      mounts: [
        'cluster/',
        'community/',
        'enterprise/',
        'partners/',
        'source/',
        'staff/',
        'suite/',
        'workspace/',
      ],
      roles: [
        'cluster/backup',
        'cluster/web',
        'community/contributor',
        'enterprise/engineer',
        'partners/partner',
        'source/developer',
        'staff/admin',
        'staff/reader',
        'suite/member',
        'workspace/colleague',
      ],
      groups: ['maintainers', 'staff-admins'],
      policies: expect.arrayContaining(['login-admin', 'secrets-admin', 'secrets-read']),
      aliases: ['auth/community/admins', 'auth/staff/00000000-0000-0000-c000-000000000046'],
    });
  });

  test('a second up changes nothing', async () => {
    expect(await environment().up()).toEqual([]);
  });

  test('a changed role is the only thing a preview shows, and up makes it so', async () => {
    const changed = environment().stack((config) => {
      web(config).policies = ['secrets-admin'];
    });
    const preview = await environment().run('preview', changed);
    expect(changes(preview)).toEqual(['update cluster-web']);
    expect(preview.steps.find(({ op }) => op === 'update')?.detailedDiff).toEqual({
      'tokenPolicies[0]': { kind: 'update', inputDiff: false },
    });

    expect(await environment().up(changed)).toEqual(['update cluster-web']);
    expect(changes(await environment().run('preview', changed))).toEqual([]);
    const role = await environment().client.read('auth/cluster/role/web');
    expect(role?.data['token_policies']).toEqual(['secrets-admin']);
    await environment().run('up');
  });

  test('what was changed by hand is found by refresh and fixed by up', async () => {
    const role = (await environment().client.read('auth/cluster/role/web'))?.data ?? {};
    await environment().client.put('auth/cluster/role/web', { ...role, token_policies: ['root-like'] });
    expect(changes(await environment().run('preview'))).toEqual([]);
    expect(changes(await environment().run('refresh'))).toEqual(['refresh cluster-web']);
    expect(await environment().up()).toEqual(['update cluster-web']);
    const fixed = (await environment().client.read('auth/cluster/role/web'))?.data;
    expect(fixed?.['token_policies']).toEqual(['secrets-read']);
  });

  test('what was deleted by hand is made again after a refresh', async () => {
    await environment().client.delete('auth/cluster/role/backup');
    const fixed = await environment().up(undefined, { refresh: true });
    expect(fixed).toContain('create cluster-backup');
    expect((await environment().live()).roles).toContain('cluster/backup');
  });

  test('with continueOnError, one provider that cannot be reached fails alone, and the next up fixes it', async () => {
    const broken = environment().stack((config) => {
      config['providers'][1].authority = 'http://127.0.0.1:9/nobody';
      web(config).ttl = '11m';
    });
    const failed = await environment().run('up', broken, { continueOnError: true });
    expect(failed.succeeded).toBe(false);
    const [problem] = failed.diagnostics.filter(({ severity }) => severity === 'error');
    expect(problem?.urn).toMatch(/partners-mount$/);
    expect(problem?.message).toMatch(/error checking oidc discovery URL/);
    expect((await environment().client.read('auth/cluster/role/web'))?.data['token_ttl']).toBe(660);

    await environment().up();
    expect(changes(await environment().run('preview', environment().stack(), { refresh: true }))).toEqual([]);
  });

  test('destroy leaves the service as it was', async () => {
    expect((await environment().run('destroy')).succeeded).toBe(true);
    expect(await environment().live()).toEqual(before);
  });
});
