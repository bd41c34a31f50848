// docs/stacks.md says what this policy allows and what it does not: both are tried here.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkPlan } from '../../packages/cli/src/deployment/check-plan.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import {
  changes,
  type EnvironmentUnderTest,
  environmentFor,
  root,
} from '../harness/environment-under-test.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('a token with docs/deploying-token.hcl alone', (service) => {
  let stack: Stack;
  let deployer: ServiceClient;
  let before: Awaited<ReturnType<EnvironmentUnderTest['live']>>;

  const environment = environmentFor(service);
  beforeAll(async () => {
    const admin = environment().client;
    const policy = await readFile(join(root, 'docs/deploying-token.hcl'), 'utf8');
    await admin.put('sys/policies/acl/gatehouse-deployer', { policy });
    const { auth } = await admin.post('auth/token/create', {
      policies: ['gatehouse-deployer'],
      no_default_policy: true,
      no_parent: true,
    });
    const token = String(auth?.['client_token']);
    environment().env['VAULT_TOKEN'] = token;
    deployer = new ServiceClient({ address: service().address, token });
    stack = environment().stack(({ providers }) => {
      for (const provider of providers) provider.path = `login/${provider.name}`;
    });
    before = await environment().live();
  });
  afterAll(async () => {
    deployer?.close();
  });

  const checked = async (given: Stack) =>
    await checkPlan(given, await environment().run('preview', given), environment().env);

  test('may do all of the dev stack, as it is told before the first write', async () => {
    expect(await checked(stack)).toEqual({ failures: [], notes: [] });
  });

  test('is told what it may not do: methods elsewhere', async () => {
    const { failures } = await checked(environment().stack());
    expect(failures).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The token lacks sudo, update on sys\/auth\/staff, /),
        expect.stringMatching(/^The token lacks create, read on auth\/staff\/role\/reader, .* 2 more\./),
      ]),
    );
    expect(failures.join()).not.toMatch(/policies|identity|messages/);
  });

  test('deploys the dev stack', async () => {
    const result = await environment().run('up', stack);
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(result.succeeded).toBe(true);
    const live = await environment().live();
    expect(live.mounts).toHaveLength(8);
    expect(live.aliases).toHaveLength(2);
  });

  test('changes nothing by a second up, with a refresh before it', async () => {
    const result = await environment().run('up', stack, { refresh: true });
    expect(result.succeeded).toBe(true);
    expect(changes(result)).toEqual([]);
  });

  test('updates a method, a role, a group and a policy', async () => {
    const changed = environment().stack(({ providers, policies }) => {
      for (const provider of providers) provider.path = `login/${provider.name}`;
      providers[0].tune = { listingVisibility: 'hidden' };
      providers[0].roles[0].ttl = '2h';
      providers[0].groups[0].policies = ['secrets-read'];
      policies[0] = { name: 'secrets-read', policy: 'path "secret/*" { capabilities = ["read"] }' };
    });
    const result = await environment().run('up', changed);
    expect(result.succeeded).toBe(true);
    expect(changes(result)).toEqual([
      'update secrets-read',
      'update staff-mount',
      'update staff-reader',
      'update staff-staff-admins-group',
    ]);
  });

  test('lists the names of groups, which many groups are looked up in', async () => {
    const names = await deployer.list('identity/group/name');
    expect(names?.data['keys']).toHaveLength(2);
  });

  test.each([
    ['reads no secret', 'GET', 'secret/data/shop', undefined],
    ['sees no secrets', 'LIST', 'secret/metadata', undefined],
    ['writes no policy of another name', 'PUT', 'sys/policies/acl/everything', { policy: '' }],
    ['does not change its own policy', 'PUT', 'sys/policies/acl/gatehouse-deployer', { policy: '' }],
    ['does not read its own policy', 'GET', 'sys/policies/acl/gatehouse-deployer', undefined],
    ['makes no auth method elsewhere', 'POST', 'sys/auth/elsewhere', { type: 'jwt' }],
    ['touches no role of another method', 'PUT', 'auth/elsewhere/role/web', { token_policies: ['default'] }],
    ['mounts no secrets engine', 'POST', 'sys/mounts/elsewhere', { type: 'kv' }],
    ['moves no mount', 'POST', 'sys/remount', { from: 'secret', to: 'elsewhere' }],
    ['makes no internal group', 'POST', 'identity/group', { type: 'internal', name: 'insiders' }],
    [
      'makes no group with members',
      'POST',
      'identity/group',
      { type: 'external', name: 'insiders', member_group_ids: ['1'] },
    ],
    [
      'puts nobody into a group',
      'PUT',
      'identity/group/id/00000000-0000-0000-0000-000000000000',
      { member_entity_ids: ['1'] },
    ],
    ['makes no entity', 'POST', 'identity/entity', { name: 'somebody' }],
    ['reads no other token', 'POST', 'auth/token/lookup', { token: 'x' }],
    ['seals nothing', 'PUT', 'sys/seal', {}],
  ])('%s', async (_, method, path, body) => {
    const asked = () => {
      if (method === 'GET') return deployer.read(path);
      if (method === 'LIST') return deployer.list(path);
      return method === 'PUT' ? deployer.put(path, body ?? {}) : deployer.post(path, body ?? {});
    };
    await expect(asked()).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('makes no token with a policy that it has not itself', async () => {
    await expect(deployer.post('auth/token/create', { policies: ['secrets-admin'] })).rejects.toThrow(
      /child policies must be subset of parent/,
    );
  });

  test('destroys what it made', async () => {
    const result = await environment().run('destroy', stack);
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(await environment().live()).toEqual(before);
  });
});
