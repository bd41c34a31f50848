import { beforeAll, expect, test } from '@jest/globals';
import { describeOnBothServers, describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import { emptyGraph, type Graph } from '../../core/src/graph/graph.ts';
import { graphDifferences } from '../../core/src/graph/graph-difference.ts';
import { readLiveGraph } from '../src/live-graph.ts';
import { ServiceClient } from '../src/service-client.ts';

const pem = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEF7CaCG3PjdkvqY9W0AThM05Pn8cT
qWPBN9a7l810eV9098WqYOexqJNXI9F+taCuap+yZW4kOnHKCv9jP/ja9A==
-----END PUBLIC KEY-----`;

const declared: Graph = {
  methods: [
    {
      path: 'clusters/one',
      type: 'jwt',
      description: 'Workloads',
      config: { jwtValidationPubkeys: [pem], defaultRole: 'web' },
      tune: { defaultLeaseTtl: 3600 },
    },
  ],
  roles: [
    {
      method: 'clusters/one',
      name: 'web',
      roleType: 'jwt',
      userClaim: 'sub',
      boundAudiences: ['b', 'a'],
      boundSubject: 'system:serviceaccount:shop:web',
      tokenBoundCidrs: ['10.0.0.0/8', '127.0.0.1'],
      policies: ['secrets-read'],
      ttl: 600,
    },
  ],
  groups: [{ name: 'Admins', policies: ['secrets-read'], metadata: { team: 'x' } }],
  aliases: [{ name: 'Group-1', method: 'clusters/one', group: 'Admins' }],
  policies: [{ name: 'secrets-read', text: 'path "secret/*" { capabilities = ["read"] }' }],
  messages: [],
};

describeOnBothServers('readLiveGraph', (server) => {
  const clientOf = (token = server().token) => new ServiceClient({ address: server().address, token });
  const write = (path: string, body: Record<string, unknown>) => clientOf().post(path, body);
  const tokenWith = async (policy: string) => {
    await write('sys/policies/acl/of-the-test', { policy });
    const { auth } = await write('auth/token/create', { policies: ['of-the-test'] });
    return String(auth?.['client_token']);
  };

  beforeAll(async () => {
    await write('sys/auth/clusters/one', {
      type: 'jwt',
      description: 'Workloads',
      config: { default_lease_ttl: '1h' },
    });
    await write('auth/clusters/one/config', { jwt_validation_pubkeys: [pem], default_role: 'web' });
    await write('auth/clusters/one/role/web', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['a', 'b'],
      bound_subject: 'system:serviceaccount:shop:web',
      token_bound_cidrs: ['127.0.0.1', '10.0.0.0/8'],
      token_policies: ['secrets-read'],
      token_ttl: '10m',
    });
    await write('sys/policies/acl/secrets-read', { policy: declared.policies[0]?.text });
    const { data } = await write('identity/group', {
      name: 'Admins',
      type: 'external',
      policies: ['secrets-read'],
      metadata: { team: 'x' },
    });
    await write('identity/group', { name: 'internal', policies: ['secrets-read'] });
    const mount = await clientOf().read('sys/auth/clusters/one');
    await write('identity/group-alias', {
      name: 'Group-1',
      mount_accessor: mount?.data['accessor'],
      canonical_id: data['id'],
    });
  });

  test('reads what was written, as it was declared', async () => {
    const { graph, unreadable, ids, orphans } = await readLiveGraph(clientOf());
    expect(graphDifferences(declared, graph)).toEqual([]);
    expect(graph.groups.map(({ name }) => name)).toEqual(['Admins']);
    expect({ unreadable, orphans, paths: Object.values(ids.mount) }).toEqual({
      unreadable: [],
      orphans: [],
      paths: expect.arrayContaining(['clusters/one']),
    });
  });

  test('knows completely what it may list', async () => {
    const { graph } = await readLiveGraph(clientOf(), { undeclared: true });
    expect(graph.complete).toEqual([
      { list: 'groups' },
      { list: 'aliases' },
      { list: 'policies' },
      { list: 'roles', method: 'clusters/one' },
    ]);
  });

  test.each([
    ['auth/clusters/one/role', 'roles'],
    ['auth/clusters/one/role/web', 'roles'],
    ['sys/policies/acl', 'policies'],
    ['sys/policies/acl/secrets-read', 'policies'],
    ['identity/group/id', 'groups'],
  ])('without %s it does not know all %s', async (path, list) => {
    const token = await tokenWith(`
      path "*" { capabilities = ["read", "list", "sudo"] }
      path "${path}" { capabilities = ["deny"] }
      path "${path}/" { capabilities = ["deny"] }
    `);
    const { graph } = await readLiveGraph(clientOf(token), { undeclared: true });
    expect(graph.complete?.filter((one) => one.list === list)).toEqual([]);
    expect(graph.complete).not.toEqual([]);
  });

  test('without a search for programs it does not know all roles, and of a declared part nothing', async () => {
    const { graph } = await readLiveGraph(clientOf());
    expect(graph.complete?.map(({ list }) => list)).toEqual(['groups', 'aliases', 'policies']);
    const part = await readLiveGraph(clientOf(), { known: declared, knownOnly: true, undeclared: true });
    expect(part.graph.complete).toEqual([]);
  });

  test('reads groups of groups by their names, where it may list and where it may not', async () => {
    const members = ['Inner-A', 'Inner-B'].map((name) => ({ kind: 'group' as const, name }));
    const known: Graph = {
      ...emptyGraph(),
      groups: members.map(({ name }) => ({ name, policies: [] })),
      identities: [{ kind: 'group', name: 'Outer', policies: ['p'], members }],
    };
    const ids = await Promise.all(
      members.map(async ({ name }) => (await write('identity/group', { name, type: 'external' })).data['id']),
    );
    await write('identity/group', { name: 'outer', policies: ['p'], member_group_ids: ids });
    const token = await tokenWith('path "identity/group/name/*" { capabilities = ["read"] }');
    for (const client of [clientOf(), clientOf(token)]) {
      const live = await readLiveGraph(client, { known, knownOnly: true, undeclared: true, messages: false });
      expect(graphDifferences(known, live.graph)).toEqual([]);
      expect(live.undeclared.filter(({ subject }) => subject.type === 'group')).toEqual([]);
    }
    await clientOf().put('identity/group/name/outer', { member_group_ids: [ids[0]] as string[] });
    const { graph } = await readLiveGraph(clientOf(token), { known, knownOnly: true, messages: false });
    expect(graphDifferences(known, graph)).toMatchObject([{ kind: 'changed', field: 'members' }]);
    for (const name of ['outer', 'inner-a', 'inner-b'])
      await clientOf().delete(`identity/group/name/${name}`);
  });

  test('reads by name what it may not list', async () => {
    const token = await tokenWith(`
      path "sys/auth/clusters/one" { capabilities = ["read", "sudo"] }
      path "auth/clusters/one/*" { capabilities = ["read"] }
      path "identity/group/name/*" { capabilities = ["read"] }
      path "sys/policies/acl/*" { capabilities = ["read"] }
    `);
    const { graph, unreadable } = await readLiveGraph(clientOf(token), { known: declared });
    expect(graphDifferences(declared, graph)).toEqual([]);
    expect(unreadable.map(({ subject }) => `${subject.type} ${subject.name}`).sort()).toEqual(
      expect.arrayContaining(['group *', 'method *', 'policy *', 'role *']),
    );
  });

  test('says what it may not read at all', async () => {
    const token = await tokenWith(`
      path "sys/auth" { capabilities = ["read"] }
      path "auth/clusters/one/role" { capabilities = ["list"] }
    `);
    const { graph, unreadable } = await readLiveGraph(clientOf(token), { known: declared });
    expect(graph).toMatchObject({ methods: [], roles: [], groups: [] });
    expect(unreadable).toEqual(
      expect.arrayContaining([
        {
          subject: { type: 'role', name: 'web', method: 'clusters/one' },
          why: expect.stringContaining('does not allow GET auth/clusters/one/role/web'),
        },
        { subject: { type: 'method', name: 'clusters/one' }, why: expect.any(String) },
        { subject: { type: 'group', name: 'Admins' }, why: expect.any(String) },
      ]),
    );
  });

  test('reads only what is known where it is asked to', async () => {
    await write('sys/auth/other', { type: 'jwt' });
    await write('sys/policies/acl/other', { policy: 'path "a" { capabilities = ["read"] }' });
    const known = await readLiveGraph(clientOf(), { known: declared, knownOnly: true });
    expect(known.graph.methods.map(({ path }) => path)).toEqual(['clusters/one']);
    expect(known.graph.policies.map(({ name }) => name)).toEqual(['secrets-read']);
    const all = await readLiveGraph(clientOf());
    expect(all.graph.methods.map(({ path }) => path)).toContain('other');
  });

  test('tells which groups are in which', async () => {
    const group = await clientOf().read('identity/group/name/Admins');
    const inside = await write('identity/group', {
      name: 'around',
      policies: ['wide'],
      member_group_ids: [group?.data['id']],
    });
    await write('identity/group', { name: 'outermost', member_group_ids: [inside.data['id']] });
    const { graph } = await readLiveGraph(clientOf(), { messages: false });
    expect(graph.identities).toEqual(
      expect.arrayContaining([
        { kind: 'group', name: 'around', policies: ['wide'], members: [{ kind: 'group', name: 'Admins' }] },
        { kind: 'group', name: 'outermost', policies: [], members: [{ kind: 'group', name: 'around' }] },
        { kind: 'group', name: 'internal', policies: ['secrets-read'], members: [] },
      ]),
    );
    const known = await readLiveGraph(clientOf(), { messages: false, known: declared, knownOnly: true });
    expect(known.graph.identities).toBeUndefined();
  });

  test('tells an alias whose method is gone', async () => {
    await write('sys/auth/gone', { type: 'jwt' });
    const mount = await clientOf().read('sys/auth/gone');
    const { data } = await write('identity/group', { name: 'Orphans', type: 'external' });
    const accessor = mount?.data['accessor'];
    await write('identity/group-alias', { name: 'lost', mount_accessor: accessor, canonical_id: data['id'] });
    await clientOf().delete('sys/auth/gone');
    const { orphans, graph } = await readLiveGraph(clientOf());
    expect(graph.aliases.map(({ name }) => name)).toEqual(['Group-1']);
    expect(orphans).toEqual([{ name: 'lost', group: 'Orphans', accessor }]);
  });
});

describeOnEmbeddedService('readLiveGraph, of messages', (server) => {
  test('reads those of before and after sign-in', async () => {
    const client = new ServiceClient({ address: server().address, token: server().token });
    for (const authenticated of [true, false]) {
      await client.post('sys/config/ui/custom-messages', {
        title: `authenticated: ${authenticated}`,
        message: Buffer.from('text').toString('base64'),
        authenticated,
        start_time: '2026-01-01T00:00:00Z',
      });
    }
    const { graph } = await readLiveGraph(client);
    expect(graph.messages.map(({ authenticated, message }) => [authenticated, message]).sort()).toEqual([
      [false, 'text'],
      [true, 'text'],
    ]);
  });
});
