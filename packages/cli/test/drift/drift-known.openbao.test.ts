import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { drift } from '../../src/drift/drift.ts';
import { runCommand } from '../running-command.ts';

const policy = 'path "secret/data/app" {\n  capabilities = ["read"]\n}\n';
const known = [
  { kind: 'group', name: 'breakglass', because: 'for emergencies' },
  { kind: 'policy', name: 'emergency', because: 'of the group' },
  { kind: 'method', name: 'apps', because: 'of the build team' },
  { kind: 'method', name: 'people', because: 'of the help desk' },
  { kind: 'entity', name: 'ann', because: 'on call' },
];

const emergency = { policy: 'path "sys/*" { capabilities = ["sudo", "read"] }' };

describeWithOpenBao('drift of a service that has a life of its own', (server) => {
  const folder = temporaryFolder();
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  const write = async (path: string, body: Record<string, unknown>) => (await client().put(path, body)).data;
  const env = (variables: object = {}) => ({
    PATH: process.env['PATH'],
    VAULT_TOKEN: server().token,
    ...variables,
  });
  const declare = (keys: object) =>
    writeFileSync(
      join(folder, 'Pulumi.prod.yaml'),
      JSON.stringify({
        config: {
          'gatehouse:service': { address: server().address, features: { messages: false } },
          'gatehouse:policies': [{ name: 'app', policy }],
          ...keys,
        },
      }),
    );
  const look = async (variables: object = {}) => {
    const found = await drift({
      stack: await readStack(folder, 'prod', env()),
      env: env(variables),
      unmanaged: true,
    });
    return { ...found, states: found.known.map(({ name, state }) => `${name} ${state}`) };
  };
  const command = (args: string[] = [], variables: object = {}) =>
    runCommand(['drift', '-s', 'prod', '--unmanaged', ...args], env(variables), folder);

  beforeAll(async () => {
    writeFileSync(join(folder, 'Pulumi.yaml'), 'name: sign-in\nruntime: nodejs\n');
    await write('sys/auth/apps', { type: 'approle' });
    await write('sys/auth/people', { type: 'userpass' });
    await write('sys/policies/acl/emergency', emergency);
    await write('sys/policies/acl/app', { policy });
    await write('auth/apps/role/web', { token_policies: ['app'] });
    await write('auth/people/users/ann', { password: 'x', token_policies: ['app'] });
    const { id } = await write('identity/entity', { name: 'ann', policies: ['app'] });
    await write('identity/group', { name: 'breakglass', policies: ['emergency'], member_entity_ids: [id] });
  });
  beforeEach(async () => {
    declare({ 'gatehouse:known': known });
    rmSync(join(folder, 'known.prod.json'), { force: true });
  });

  it('names the nearest one where a known thing is not on the service', async () => {
    declare({ 'gatehouse:known': [{ kind: 'group', name: 'brekglass', because: 'for emergencies' }] });
    expect((await command()).out).toContain(
      'known group brekglass is not on the service; did you mean group breakglass?',
    );
  });

  it('ends green where what is not declared is known', async () => {
    expect(await command()).toMatchObject({ code: 0, out: expect.stringContaining('no drift; 5 known') });
    expect(await look()).toMatchObject({ unmanaged: [], differences: [], known: expect.anything() });
    expect((await look()).states.every((one) => one.endsWith(' same'))).toBe(true);
    declare({});
    expect((await look()).unmanaged.map(({ subject }) => subject.name).sort()).toEqual([
      'ann',
      'apps',
      'breakglass',
      'emergency',
      'people',
    ]);
  });

  it('in CI, what has no record is drift', async () => {
    expect(await command([], { CI: 'true' })).toMatchObject({
      code: 2,
      out: expect.stringContaining('known group breakglass is not in known.<stack>.json'),
    });
  });

  const everything = 'path "*" { capabilities = ["sudo"] }';
  const cidrs = (...secret_id_bound_cidrs: string[]) => ({ bind_secret_id: true, secret_id_bound_cidrs });
  const [sudoer, reader] = [{ token_policies: ['emergency'] }, { token_policies: ['app'] }];
  it.each<[string, string, fields: object, change: object, back: object]>([
    [
      'breakglass',
      'identity/group',
      { name: 'breakglass' },
      { policies: ['app'] },
      { policies: ['emergency'] },
    ],
    ['emergency', 'sys/policies/acl/emergency', {}, { policy: everything }, emergency],
    ['apps', 'auth/apps/role/web', {}, sudoer, reader],
    ['apps', 'auth/apps/role/web', {}, cidrs('10.0.0.0/8'), cidrs()],
    ['people', 'auth/people/users/ann', {}, sudoer, reader],
    ['ann', 'identity/entity', { name: 'ann' }, { policies: ['emergency'] }, { policies: ['app'] }],
  ])('a change of what is known is drift: %s by %s', async (name, path, fields, change, back) => {
    await look();
    await write(path, { ...fields, ...change });
    const { states, known: found } = await look();
    await write(path, { ...fields, ...back });
    expect(states.filter((one) => !one.endsWith(' same'))).toContain(`${name} changed`);
    expect(found.find((one) => one.name === name)?.added).toContainEqual(expect.any(Object));
    expect((await look()).states.every((one) => one.endsWith(' same'))).toBe(true);
  });

  it('what is known and not there is drift', async () => {
    declare({ 'gatehouse:known': [{ kind: 'group', name: 'nowhere', because: 'x' }] });
    expect((await look()).states).toEqual(['nowhere missing']);
  });

  it('a record that was edited to nonsense is an error', async () => {
    writeFileSync(join(folder, 'known.prod.json'), '{"group breakglass": 1}');
    expect(await command()).toMatchObject({
      code: 1,
      err: expect.stringContaining('(known_record_invalid)'),
    });
  });

  it('what the token may not read is not compared, and no drift of what the stack declares', async () => {
    await look();
    const denied = ['auth/apps/role', 'auth/apps/role/'].map(
      (path) => `path "${path}" { capabilities = ["deny"] }`,
    );
    const rules = ['path "*" { capabilities = ["read", "list", "sudo"] }', ...denied];
    await write('sys/policies/acl/narrow', { policy: rules.join('\n') });
    const { auth } = await client().post('auth/token/create', { policies: ['narrow'] });
    const some = { VAULT_TOKEN: String(auth?.['client_token']) };
    const narrow = await runCommand(['drift', '-s', 'prod'], env(some), folder);
    await client().delete('sys/policies/acl/narrow');
    expect([narrow.out, narrow.code]).toEqual([
      expect.stringContaining('?  known method apps is not compared: the token may not read all of it'),
      0,
    ]);
  });

  it('a token that is refused is an error, and nothing is drift', async () => {
    expect(await command([], { VAULT_TOKEN: 's.expired' })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('(token_refused)'),
    });
  });

  it('what cannot be read is no drift', async () => {
    await write('sys/policies/acl/reader', { policy: 'path "sys/auth" { capabilities = ["read"] }' });
    const { auth } = await client().post('auth/token/create', { policies: ['reader'] });
    const some = { VAULT_TOKEN: String(auth?.['client_token']) };
    declare({});
    const { code, out } = await runCommand(['drift', '-s', 'prod'], env(some), folder);
    await client().delete('sys/policies/acl/reader');
    expect([code, out]).toEqual([1, expect.stringContaining('policy app: cannot be read')]);
  });

  it('says who gains by a rule that was written by hand, and which lines', async () => {
    await look();
    await write('sys/policies/acl/app', { policy: `${policy}path "*" {\n  capabilities = ["sudo"]\n}\n` });
    const [{ out, code }, found] = [await command(), await look()];
    await write('sys/policies/acl/app', { policy });
    expect(code).toBe(2);
    expect(out).toContain('     + path "*" {');
    expect(out).toContain('3 principals gain.');
    expect(found.access).toMatchObject({ gains: 'some', losses: 'none' });
    expect(found.access?.access.map(({ principals: { name } }) => name)).toEqual(
      expect.arrayContaining(['role web of apps (approle)', 'ann']),
    );
  });

  it('a comment that was written by hand gives no one anything', async () => {
    await write('sys/policies/acl/app', { policy: `# by hand\n${policy}` });
    const found = await look();
    await write('sys/policies/acl/app', { policy });
    expect(found).toMatchObject({ differences: [] });
  });

  it('promises can name what is known', async () => {
    declare({
      'gatehouse:known': known,
      'gatehouse:promises': [
        { only: ['group breakglass'], can: ['sudo'], on: 'sys/raw/x', because: 'nothing else may' },
      ],
    });
    expect((await look()).promises).toEqual([]);
  });

  it.each([
    [[{ kind: 'policy', name: 'app', because: 'x' }], 'the stack declares it'],
    [[{ kind: 'policy', name: 'app', field: 'text', because: 'x' }], 'a stack can declare this field'],
    [[{ kind: 'group', name: 'x', field: 'policies', because: 'x' }], 'leave `field` out'],
    [[{ kind: 'group', name: 'x', because: '' }], 'give the reason'],
    [[{ kind: 'thing', name: 'x', because: 'x' }], 'known[0].kind'],
    [[known[0], known[0]], 'known[1].name'],
  ])('is not valid: %j', async (given, problem) => {
    declare({ 'gatehouse:known': given });
    expect(await command()).toMatchObject({ code: 1, err: expect.stringContaining(problem) });
  });

  it('a record has no secret', async () => {
    await look();
    const text = readFileSync(join(folder, 'known.prod.json'), 'utf8');
    expect(text).toContain('"group breakglass"');
    expect(text).not.toContain(server().token);
  });
});
