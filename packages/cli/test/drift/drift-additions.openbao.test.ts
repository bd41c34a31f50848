import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startProxy } from '../../../../test/harness/proxy.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { runCommand } from '../running-command.ts';
import { declareProject, Hand, setUp } from './hand.ts';

describeWithOpenBao('additions by hand', (server) => {
  const folder = temporaryFolder();
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  let hand: Hand;
  const undo: (() => Promise<unknown>)[] = [];
  const drift = (args: string[] = [], variables: object = {}) =>
    runCommand(
      ['drift', '-s', 'prod', ...args],
      { PATH: process.env['PATH'], VAULT_TOKEN: server().token, ...variables },
      folder,
    );
  const backdoor = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['x'], token_policies: ['admin'] };
  const make = async (path: string, body: object) => undo.push(await hand.make(path, { ...body }));

  beforeAll(async () => {
    hand = new Hand(client());
    await setUp(hand);
    declareProject(folder, server().address);
  });
  afterEach(async () => {
    for (const one of undo.splice(0).reverse()) await one();
    declareProject(folder, server().address);
    rmSync(join(folder, 'known.prod.json'), { force: true });
  });

  test('what is known on a managed method is no drift, until it changes', async () => {
    const known = [{ kind: 'role', name: 'ci/backdoor', because: 'for emergencies' }];
    declareProject(folder, server().address, { 'gatehouse:known': known });
    await make('auth/ci/role/backdoor', backdoor);
    expect(await drift()).toMatchObject({ code: 0, out: expect.stringContaining('no drift; 1 known') });
    await hand.write('auth/ci/role/backdoor', { ...backdoor, token_ttl: '1h' });
    expect(await drift()).toMatchObject({
      code: 2,
      out: expect.stringContaining('known role ci/backdoor is not as it was'),
    });
  });

  test('a known group is known with its alias', async () => {
    const known = [{ kind: 'group', name: 'thieves', because: 'a test of ours' }];
    declareProject(folder, server().address, { 'gatehouse:known': known });
    const thieves = await hand.makeGroup({ name: 'thieves', type: 'external', policies: ['admin'] });
    undo.push(thieves.undo);
    const mount_accessor = await hand.accessor('ci');
    await hand.write('identity/group-alias', { name: '/evil', mount_accessor, canonical_id: thieves.id });
    expect(await drift()).toMatchObject({ code: 0, out: expect.stringContaining('no drift; 1 known') });
  });

  test('what is known elsewhere is not named, token roles with their method', async () => {
    await make('sys/auth/people', { type: 'userpass' });
    await make('auth/people/users/eve', { password: 'x', token_policies: ['admin'] });
    await make('auth/token/roles/maker', { allowed_policies: ['admin'] });
    const { out, code } = await drift();
    expect(code).toBe(0);
    expect(out).toContain('method people is not declared (of type userpass; 1 role or user gives admin)');
    expect(out).toContain('token role maker is not declared (gives admin)');
    expect(await drift(['--unmanaged'])).toMatchObject({ code: 2 });
    const known = ['people', 'token'].map((name) => ({ kind: 'method', name, because: 'of the help desk' }));
    declareProject(folder, server().address, { 'gatehouse:known': known });
    expect(await drift(['--unmanaged'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('no drift; 2 known'),
    });
  });

  test('of many things elsewhere ten are named, and the rest is counted', async () => {
    for (let at = 0; at < 12; at++)
      await make(`sys/policies/acl/spare-${at}`, { policy: 'path "x" { capabilities = ["read"] }' });
    const { out } = await drift();
    expect(out.match(/is not declared/g)).toHaveLength(10);
    expect(out).toContain('and 2 others (--unmanaged)');
  });

  test('a group whose members are gone is named with how many are', async () => {
    const hollow = await hand.makeGroup({ name: 'hollow', policies: ['admin'] });
    undo.push(hollow.undo);
    const proxy = await startProxy(server().address, async ({ incoming, outgoing, pass }) => {
      if (!incoming.url?.includes(`identity/group/id/${hollow.id}`)) return pass();
      const data = { ...(await hand.group('hollow')), member_group_ids: ['0-0', '0-1'] };
      outgoing.end(JSON.stringify({ data }));
    });
    const found = await drift([], { GATEHOUSE_SERVICE_ADDRESS: proxy.address });
    await proxy.close();
    expect(found).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'group hollow is not declared (internal; gives admin; no members, and 2 that are gone)',
      ),
    });
  });

  test('users of a method that is made again with another type are drift', async () => {
    const { id } = await hand.group('builders');
    await hand.client.delete('sys/auth/ci');
    await hand.write('sys/auth/ci', { type: 'userpass' });
    await hand.write('auth/ci/users/eve', { password: 'x', token_policies: ['admin'] });
    const { out, code } = await drift();
    await hand.client.delete('sys/auth/ci');
    await hand.client.delete(`identity/group/id/${id}`);
    await setUp(hand);
    expect(code).toBe(2);
    expect(out).toContain('user eve of ci (userpass) was added: gives admin');
    expect(out).toMatch(/\+ user eve of ci \(userpass\) /);
    expect(out).not.toContain('No one gains');
  });

  test('an alias of a managed group at a method of another type is drift', async () => {
    await make('sys/auth/people', { type: 'userpass' });
    undo.push(await hand.alias('builders', { mount_accessor: await hand.accessor('people') }));
    const { out, code } = await drift();
    expect(code).toBe(2);
    expect(out).toContain('alias people/builders was added: for the group builders, which gives team, tools');
  });

  test('a program on a managed method may give anything', async () => {
    await make('auth/ci/cel/role/sly', {
      cel_program: { expression: '1' },
      bound_audiences: ['x'],
      user_claim: 'sub',
      role_type: 'jwt',
      message: '',
    });
    const { out, code } = await drift();
    expect([code, out]).toEqual([2, expect.stringContaining('role ci/sly was added: a program (CEL)')]);
    expect(out).not.toContain('No one gains access (');
  });

  test('a group around a managed group is found without a list of groups, by its name', async () => {
    const member_group_ids = [(await hand.group('builders'))['id']];
    undo.push((await hand.makeGroup({ name: 'around', policies: ['admin'], member_group_ids })).undo);
    await make('sys/policies/acl/reader', {
      policy: [
        'path "*" { capabilities = ["read", "list", "sudo"] }',
        'path "identity/group/id" { capabilities = ["deny"] }',
        'path "identity/group/id/" { capabilities = ["deny"] }',
      ].join('\n'),
    });
    const { auth } = await hand.client.post('auth/token/create', { policies: ['reader'] });
    const { out, code } = await drift([], { VAULT_TOKEN: String(auth?.['client_token']) });
    expect(out).toContain('group around was added: it has group builders in it, and gives admin');
    expect(code).toBe(2);
  });

  test.each([
    ['auth/ci/role', 'roles of auth/ci'],
    ['identity/group/id', 'groups'],
    ['identity/entity/id', 'entities'],
    ['sys/auth', 'auth methods'],
  ])('without a list at %s, it does not look for additions in %s, and says that', async (path, words) => {
    const denied = [path, `${path}/`].map((one) => `path "${one}" { capabilities = ["deny"] }`);
    await make('sys/policies/acl/reader', {
      policy: ['path "*" { capabilities = ["read", "list", "sudo"] }', ...denied].join('\n'),
    });
    const { auth } = await hand.client.post('auth/token/create', { policies: ['reader'] });
    const { out, code } = await drift([], { VAULT_TOKEN: String(auth?.['client_token']) });
    expect(out).toContain(`Additions are not looked for in ${words} `);
    expect(out).toContain(code === 0 ? 'no drift in what could be read' : '1 cannot be read');
    // Which group has an alias is in that list alone.
    expect(code).toBe(path === 'identity/group/id' ? 1 : 0);
  });

  test('a list of groups that has nothing but ids is enough', async () => {
    const proxy = await startProxy(server().address, async ({ incoming, outgoing, pass }) => {
      if (!incoming.url?.includes('identity/group/id?list')) return pass();
      const answer = await hand.client.list('identity/group/id');
      outgoing.end(JSON.stringify({ data: { keys: answer?.data['keys'] } }));
    });
    const found = await drift([], { GATEHOUSE_SERVICE_ADDRESS: proxy.address });
    await proxy.close();
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining('no drift') });
  });

  test.each(['{"data":{"keys":["build"', '', '[]', '{"data":null}'])(
    'a service that answers %j in place of its roles is never without drift',
    async (half) => {
      const proxy = await startProxy(server().address, ({ incoming, outgoing, pass }) => {
        if (!incoming.url?.includes('/auth/ci/role')) pass();
        else outgoing.writeHead(200, { 'content-type': 'application/json' }).end(half);
      });
      const { code } = await drift([], { GATEHOUSE_SERVICE_ADDRESS: proxy.address });
      await proxy.close();
      expect(code).not.toBe(0);
    },
  );

  test('values in the report are what they are, and no text of JSON', async () => {
    undo.push(await hand.change('auth/ci/role/build', { bound_claims: { project: [1, true, '1'] } }));
    const { differences } = JSON.parse((await drift(['--json'])).out);
    expect(differences).toMatchObject([
      { field: 'boundClaims', declared: { project: ['1'] }, live: { project: ['1', 1, true] } },
    ]);
  });

  test('--fix says what it puts back and what it leaves', async () => {
    await make('auth/ci/role/backdoor', backdoor);
    undo.push(await hand.withDefault((text) => `${text}path "secret/*" { capabilities = ["read"] }\n`));
    const { out, code } = await drift(['--fix', '--yes']);
    expect(code).toBe(2);
    expect(out).toContain('--fix has nothing to put back.');
    expect(out).toContain(
      'It deletes nothing that came by hand: role ci/backdoor. Delete it, declare it, or accept it with gatehouse:known.',
    );
    expect(out).toContain('It leaves what no stack declares: policy default.');
  });

  test.each([
    ['team', []],
    ['crew', ['--unmanaged']],
  ])('a child namespace has no messages, and none are missed: %s, %j', async (namespace, args) => {
    // A server takes its time to delete a namespace, and has none of that name meanwhile.
    await hand.write(`sys/namespaces/${namespace}`, {});
    const inside = new Hand(client().with({ namespace }));
    await setUp(inside);
    declareProject(folder, server().address, {}, { namespace, features: {} });
    const found = await drift(args);
    await hand.client.delete(`sys/namespaces/${namespace}`);
    expect(found).toMatchObject({ code: 0, out: expect.stringMatching(/: no drift\n$/) });
  });
});
