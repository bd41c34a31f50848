import { beforeAll, expect, test } from '@jest/globals';
import { changes, type DevConfig, environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { startProxy } from '../../../../test/harness/proxy.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import type { Difference } from '../../../core/src/graph/graph-difference.ts';
import { encodeMessage } from '../../../core/src/graph/resources/custom-message.ts';
import { LocalEngine } from '../../../engine/src/local/local-engine.ts';
import { drift } from '../../src/drift/drift.ts';
import { fixDrift } from '../../src/drift/fix-drift.ts';

const short = ({ kind, subject, field }: Difference) =>
  [kind, subject.type, subject.name, ...(field === undefined ? [] : [field])].join(' ');

describeOnBothServers('drift of the dev stack', (service) => {
  const product = () => (service().kind === 'embedded' ? 'the embedded service' : 'OpenBao 2.7');
  const hasMessages = () => service().kind === 'embedded';
  const stack = () =>
    environment().stack((config: DevConfig) => {
      config['service'].features = { messages: hasMessages() };
    });
  const look = (options: { unmanaged?: boolean; env?: object } = {}) =>
    drift({
      stack: stack(),
      env: { ...environment().env, ...options.env },
      unmanaged: options.unmanaged ?? false,
    });
  const fix = async () =>
    await fixDrift(
      await look(),
      { stack: stack(), approval: 'given' },
      new LocalEngine({ env: environment().env }),
      { onEvent: () => {}, confirm: async () => true },
    );

  const environment = environmentFor(service);
  beforeAll(async () => {
    const first = await environment().run('up', stack());
    expect(first.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('finds none after up, and says which secrets no service shows', async () => {
    const report = await look();
    expect(report).toMatchObject({ differences: [], unmanaged: [], unverifiable: [] });
    expect(report.secrets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['staff', 'workspace', 'community']),
    );
    expect(report.compared).toBeGreaterThan(20);
  });

  test('finds a role, an alias, a policy, a mount and a message that were changed by hand, and fixes just them', async () => {
    const { client } = environment();
    const role = (await client.read('auth/cluster/role/web'))?.data ?? {};
    await client.put('auth/cluster/role/web', { ...role, token_ttl: '2h', bound_audiences: ['elsewhere'] });
    await client.delete('auth/cluster/role/backup');
    await client.put('sys/policies/acl/secrets-read', { policy: 'path "x" { capabilities = ["read"] }' });
    const name = '00000000-0000-0000-c000-000000000046';
    const aliases = (await client.list('identity/group-alias/id'))?.data['key_info'] as Record<string, any>;
    const [id, alias] = Object.entries(aliases).find(([, one]) => one.name === name) ?? [];
    const thieves = await client.post('identity/group', { name: 'thieves', type: 'external' });
    await client.post(`identity/group-alias/id/${id}`, {
      name,
      mount_accessor: alias.mount_accessor,
      canonical_id: thieves.data['id'],
    });
    const place = 'sys/config/ui/custom-messages';
    if (hasMessages()) {
      const list = (await client.list(place))?.data['key_info'] as Record<string, { title: string }>;
      const [id] = Object.entries(list).find(([, { title }]) => title === 'Welcome') ?? [];
      await client.post(`${place}/${id}`, {
        title: 'Welcome',
        message: encodeMessage('Changed by hand'),
        type: 'modal',
        start_time: '2026-01-01T00:00:00Z',
      });
    }

    const found = (await look()).differences;
    expect(found.map(short).sort()).toEqual(
      [
        'changed alias 00000000-0000-0000-c000-000000000046 group',
        ...(hasMessages() ? ['changed message Welcome message'] : []),
        'changed policy secrets-read text',
        'changed role web boundAudiences',
        'changed role web ttl',
        'missing role backup',
      ].sort(),
    );

    const access = await drift({
      stack: stack(),
      env: environment().env,
      unmanaged: false,
      accessOnly: true,
    });
    expect(access.differences.map(short)).toEqual(
      found.map(short).filter((one) => one !== 'changed message Welcome message'),
    );

    const { result, unknown } = await fix();
    expect(unknown).toEqual([]);
    expect(result?.outcome).toBe('succeeded');
    expect((await look()).differences).toEqual([]);
    expect(changes(await environment().run('preview', stack(), { refresh: true }))).toEqual([]);
  });

  test('a role on a declared method is drift, and elsewhere what is not declared is named', async () => {
    const { client } = environment();
    await client.put('auth/cluster/role/by-hand', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'x',
      bound_audiences: ['y'],
    });
    await client.put('sys/policies/acl/by-hand', { policy: 'path "x" { capabilities = ["read"] }' });
    const [report, all] = [await look(), await look({ unmanaged: true })];
    await client.delete('auth/cluster/role/by-hand');
    for (const { differences, unmanaged } of [report, all]) {
      expect(differences.map(short)).toEqual(['added role by-hand']);
      expect(unmanaged.map(short)).toEqual(['unmanaged group thieves', 'unmanaged policy by-hand']);
    }
    expect([report, all].map(({ isUnmanagedDrift }) => isUnmanagedDrift)).toEqual([false, true]);
  });

  test('puts back a time of a method that declares none', async () => {
    await environment().client.post('sys/auth/cluster/tune', { default_lease_ttl: '5h' });
    expect((await look()).differences.map(short)).toEqual(['changed method cluster tune.defaultLeaseTtl']);
    const { result } = await fix();
    expect(result?.outcome).toBe('succeeded');
    expect((await look()).differences).toEqual([]);
  });

  test('finds what no stack declares: the text of default, tuning, a group around a group; up leaves it', async () => {
    const { client } = environment();
    const text = String((await client.read('sys/policies/acl/default'))?.data['policy']);
    const accessible = 'path "secret/*" { capabilities = ["read", "list"] }';
    // As it was, but for its place, is no difference.
    await client.put('sys/policies/acl/default', { policy: `# ours\n${text}` });
    expect((await look()).differences).toEqual([]);
    await client.put('sys/policies/acl/default', { policy: `${text}\n${accessible}` });
    await client.post('sys/auth/cluster/tune', { passthrough_request_headers: ['x-forwarded-for'] });
    const name = (await client.list('identity/group/name'))?.data['keys'] as string[];
    const inside = name.find((one) => one === 'maintainers');
    const id = (await client.read(`identity/group/name/${inside}`))?.data['id'];
    await client.post('identity/group', { name: 'around', policies: ['wide'], member_group_ids: [id] });

    const report = await look();
    expect(report.differences.map(short).sort()).toEqual([
      'added group around',
      'changed method cluster tune.passthroughRequestHeaders',
      'changed policy default text',
    ]);
    expect(report.differences.every(({ isLeft }) => isLeft)).toBe(true);
    expect(report.differences.find(({ subject }) => subject.name === 'default')?.note).toBe(
      `it adds read, list on "secret/*"; compared with that of ${product()}`,
    );
    const { result, unknown } = await fix();
    expect({ result, unknown }).toEqual({ result: undefined, unknown: [] });

    await client.put('sys/policies/acl/default', { policy: 'path "a" { capabilities = ["deny"] }' });
    expect((await look()).differences.find(({ subject }) => subject.name === 'default')?.note).toMatch(
      /^it adds deny on "a", and it leaves out read on "auth\/token\/lookup-self"; /,
    );
    await client.put('sys/policies/acl/default', { policy: text });
    await client.post('sys/auth/cluster/tune', { passthrough_request_headers: [] });
  });

  test('lists internal groups, entities with policies, and other auth methods', async () => {
    const { client } = environment();
    await client.post('identity/group', { name: 'idle', policies: ['wide'] });
    await client.post('identity/entity', { name: 'machine', policies: ['wide'] });
    await client.post('identity/entity', { name: 'person' });
    const isOpenBao = service().kind !== 'embedded';
    if (isOpenBao) await client.post('sys/auth/people', { type: 'userpass' });
    const { unmanaged, plainEntities, differences } = await look({ unmanaged: true });
    expect(unmanaged.map((one) => `${short(one)}: ${one.note}`)).toEqual(
      expect.arrayContaining([
        'unmanaged group idle: internal; gives wide; no members',
        'unmanaged entity machine: has wide',
        ...(isOpenBao ? ['unmanaged method people: of type userpass; nothing in it gives policies'] : []),
      ]),
    );
    expect(unmanaged.map(short)).not.toContain('unmanaged entity person');
    expect(plainEntities).toBe(1);
    expect(differences.map(short)).toEqual(['added group around']);
  });

  test('never takes what may not be read for missing or clean', async () => {
    await environment().client.put('sys/policies/acl/blind', {
      policy:
        'path "sys/auth" { capabilities = ["read"] }\npath "auth/cluster/config" { capabilities = ["read"] }',
    });
    const { auth } = await environment().client.post('auth/token/create', { policies: ['blind'] });
    const { differences, unverifiable } = await look({
      env: { VAULT_TOKEN: String(auth?.['client_token']) },
    });
    expect(differences).toEqual([]);
    const names = unverifiable.map(({ subject }) => `${subject.type} ${subject.name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'role web',
        'role reader',
        'method staff',
        'group maintainers',
        'policy secrets-read',
      ]),
    );
  });

  test.each([1, 4, 9, 16])(
    'a service that ends after %i answers is an error, never drift',
    async (answers) => {
      let left = answers;
      const proxy = await startProxy(service().address, ({ incoming, pass }) => {
        left -= 1;
        if (left < 0) incoming.socket.destroy();
        else pass();
      });
      const env = { GATEHOUSE_SERVICE_ADDRESS: proxy.address };
      await expect(look({ env })).rejects.toMatchObject({ code: 'service_unreachable' });
      await proxy.close();
    },
  );

  test('a role that goes while it is read is missing, and the rest stands', async () => {
    const proxy = await startProxy(service().address, ({ incoming, outgoing, pass }) => {
      // The list still had it.
      if (!incoming.url?.includes('/auth/cluster/role/web')) pass();
      else outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}');
    });
    const { differences } = await look({ env: { GATEHOUSE_SERVICE_ADDRESS: proxy.address } });
    expect(differences.map(short)).toContain('missing role web');
    expect(differences.map(short)).not.toContain('missing role backup');
    await proxy.close();
  });
});
