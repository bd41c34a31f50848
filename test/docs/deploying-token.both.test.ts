// docs/stacks.md says what the policies of a stack's tokens allow and what they do not: both are tried here.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkPlan } from '../../packages/cli/src/deployment/check-plan.ts';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { openNamespaces } from '../../packages/cli/src/open/open-environment.ts';
import { openStateGraphs } from '../../packages/cli/src/open/open-state.ts';
import { type TokenUse, tokenPolicies } from '../../packages/core/src/environment/token-policies.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import { changes, type EnvironmentUnderTest, environmentFor } from '../harness/environment-under-test.ts';
import { longTest } from '../harness/long-run.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('a token with the policy of its stack alone', (service) => {
  let stack: Stack;
  let deployer: ServiceClient;
  let planner: ServiceClient;
  const tokens: Record<TokenUse, string> = { deploying: '', planning: '', reading: '' };
  const use = (which: TokenUse) => {
    environment().env['VAULT_TOKEN'] = tokens[which];
  };
  let before: Awaited<ReturnType<EnvironmentUnderTest['live']>>;

  const environment = environmentFor(service);
  beforeAll(async () => {
    const admin = environment().client;
    stack = environment().stack();
    const declared = await openNamespaces(stack, environment().env);
    for (const { name, use, text } of tokenPolicies(stack.name, { declared }, false)) {
      await admin.put(`sys/policies/acl/${name}`, { policy: text });
      const { auth } = await admin.post('auth/token/create', {
        policies: [name],
        no_default_policy: true,
        no_parent: true,
      });
      tokens[use] = String(auth?.['client_token']);
    }
    use('deploying');
    deployer = new ServiceClient({ address: service().address, token: tokens.deploying });
    planner = new ServiceClient({ address: service().address, token: tokens.planning });
    before = await environment().live();
  });
  afterAll(async () => {
    deployer?.close();
    planner?.close();
  });

  /** Writes the deploying policy again, for what the state has and a stack declares. */
  async function rewrite(changed: Stack): Promise<void> {
    const { env } = environment();
    const declared = await openNamespaces(changed, env);
    const { namespaces } = await openStateGraphs(changed, env, async () => ({
      engine: new LocalEngine({ env }),
    }));
    const [deploying] = tokenPolicies(changed.name, { declared, state: namespaces }, false);
    await environment().client.put(`sys/policies/acl/${deploying?.name}`, { policy: deploying?.text });
  }

  const checked = async (given: Stack) =>
    await checkPlan(given, await environment().run('preview', given), environment().env);

  test('may do all of the dev stack, as it is told before the first write', async () => {
    expect(await checked(stack)).toEqual({ failures: [], notes: [] });
  });

  test('is told what it may not do: methods elsewhere', async () => {
    const elsewhere = environment().stack(({ providers }) => {
      for (const provider of providers) provider.path = `login/${provider.name}`;
    });
    const { failures } = await checked(elsewhere);
    expect(failures).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The token lacks sudo, update on sys\/auth\/login\/staff, /),
        expect.stringMatching(
          /^The token lacks create, read on auth\/login\/staff\/role\/reader, .* 2 more\./,
        ),
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

  longTest('changes nothing by a second up, with a refresh before it', async () => {
    const result = await environment().run('up', stack, { refresh: true });
    expect(result.succeeded).toBe(true);
    expect(changes(result)).toEqual([]);
  });

  longTest('plans with the planning policy, and that writes nothing', async () => {
    use('planning');
    const { succeeded, diagnostics } = await environment().run('preview', stack, { refresh: true });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(succeeded).toBe(true);
    const role = { token_policies: ['secrets-admin'] };
    await expect(planner.put('auth/cluster/role/web', role)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const policy = planner.put('sys/policies/acl/secrets-read', { policy: '' });
    await expect(policy).rejects.toMatchObject({ code: 'permission_denied' });
    const changed = environment().stack(({ providers }) => {
      providers[0].roles[0].ttl = '3h';
    });
    expect((await checked(changed)).failures.join()).toMatch(
      /The token lacks update on auth\/staff\/role\/reader/,
    );
    expect((await environment().run('up', changed)).succeeded).toBe(false);
  });

  longTest('has no drift with the reading policy, and sees what was changed by hand', async () => {
    use('reading');
    const look = () => drift({ stack, env: environment().env, unmanaged: false });
    expect(await look()).toMatchObject({ differences: [], unverifiable: [] });
    const admin = environment().client;
    const { data = {} } = (await admin.read('auth/cluster/role/web')) ?? {};
    await admin.put('auth/cluster/role/web', { ...data, token_ttl: '9h' });
    await admin.put('auth/cluster/role/more', data);
    const found = (await look()).differences.map(({ kind, subject: { name } }) => `${kind} ${name}`);
    expect(found).toEqual(['changed web', 'added more']);
    await admin.put('auth/cluster/role/web', data);
    await admin.delete('auth/cluster/role/more');
    expect((await environment().run('preview', stack)).succeeded).toBe(false);
    use('deploying');
  });

  longTest('updates a method, a role, a group and a policy', async () => {
    const changed = environment().stack(({ providers, policies }) => {
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

  longTest('lists the names of groups, which many groups are looked up in', async () => {
    const names = await deployer.list('identity/group/name');
    expect(names?.data['keys']).toHaveLength(2);
  });

  test.each([
    ['reads no secret', 'GET', 'secret/data/shop', undefined],
    ['sees no secrets', 'LIST', 'secret/metadata', undefined],
    ['writes no policy of another name', 'PUT', 'sys/policies/acl/everything', { policy: '' }],
    ['does not change its own policy', 'PUT', 'sys/policies/acl/gatehouse-dev-deploying', { policy: '' }],
    ['does not read its own policy', 'GET', 'sys/policies/acl/gatehouse-dev-deploying', undefined],
    ['makes no auth method elsewhere', 'POST', 'sys/auth/elsewhere', { type: 'jwt' }],
    ['touches no role of another method', 'PUT', 'auth/elsewhere/role/web', { token_policies: ['default'] }],
    ['mounts no secrets engine', 'POST', 'sys/mounts/elsewhere', { type: 'kv' }],
    ['moves no mount', 'POST', 'sys/remount', { from: 'secret', to: 'elsewhere' }],
    ['makes no internal group', 'POST', 'identity/group', { type: 'internal', name: 'insiders' }],
    ['makes no group of another name', 'POST', 'identity/group', { type: 'external', name: 'insiders' }],
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

  longTest(
    'moves, renames, removes and adds with the policy of the state and the new declaration',
    async () => {
      const changed = environment().stack((config) => {
        const { providers, policies } = config;
        const [staff, , , , , last] = providers;
        last.path = 'elsewhere';
        staff.roles[0].name = 'renamed';
        staff.defaultRole = 'renamed';
        staff.groups[0].name = 'renamed-admins';
        policies.push({ name: 'added', policy: 'path "secret/x" { capabilities = ["read"] }' });
        config['groups'] = [{ name: 'everyone', policies: ['added'], members: ['renamed-admins'] }];
      });
      const failed = await checked(changed);
      expect(failed.failures.join('\n')).toMatch(/sys\/remount/);
      await rewrite(changed);
      expect(await checked(changed)).toEqual({ failures: [], notes: [] });
      const result = await environment().run('up', changed);
      expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      // The way back takes away what was added.
      expect((await checked(stack)).failures).not.toEqual([]);
      await rewrite(stack);
      expect(await checked(stack)).toEqual({ failures: [], notes: [] });
      const back = await environment().run('up', stack);
      expect(back.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    },
  );

  test('destroys what it made', async () => {
    const result = await environment().run('destroy', stack);
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(await environment().live()).toEqual(before);
  });
});
