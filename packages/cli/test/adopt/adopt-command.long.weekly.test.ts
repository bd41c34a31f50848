import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { failed, runCommand } from '../running-command.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const redirectUris = ['http://localhost:8250/oidc/callback'];

describeOnBothServers('a service that was set up by hand', (server) => {
  let folder: string;
  const isOpenBao = () => server().kind !== 'embedded';
  const ids: Record<string, string> = {};

  const environment = environmentFor(server);
  beforeAll(async () => {
    folder = await environment().writeProjectWithoutStack();
    const { client, identity } = environment();
    await client.post('sys/auth/people', { type: 'oidc', description: 'Set up in 2021' });
    await client.post('auth/people/config', {
      oidc_discovery_url: `${identity.address}/open-source-identity-server/realms/main`,
      oidc_client_id: 'gatehouse',
      oidc_client_secret: 'only a test',
      default_role: 'Reader',
    });
    const reader = {
      role_type: 'oidc',
      user_claim: 'email',
      groups_claim: 'groups',
      ttl: '1h',
      allowed_redirect_uris: redirectUris,
      policies: 'shop-write,Shop-Read',
    };
    await client.post('auth/people/role/Reader', reader);
    await client.post('sys/auth/builds', { type: 'jwt' });
    await client.post('auth/builds/config', { jwt_validation_pubkeys: [publicKey], bound_issuer: 'ci' });
    const workload = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['b', 'a'] };
    await client.post('auth/builds/role/plain', { ...workload, bound_claims: { team: ['x', 'y'] } });
    await client.post('auth/builds/role/typed', {
      ...workload,
      bound_claims: { protected: true, project: 42 },
      policies: ['shop-write', 'shop-read'],
    });
    for (const name of ['shop-read', 'shop-write']) {
      await client.put(`sys/policies/acl/${name}`, {
        policy: `path "secret/data/shop"  { capabilities=["read"] }`,
      });
    }
    const { data } = (await client.read('sys/auth')) ?? { data: {} };
    const { accessor } = data['people/'] as { accessor: string };
    const group = async (name: string, body: object) => {
      const { data: created } = await client.post('identity/group', { name, ...body });
      ids[name] = String(created['id']);
    };
    await group('developers', { type: 'external', policies: ['shop-read'] });
    await client.post('identity/group-alias', {
      name: 'devs',
      mount_accessor: accessor,
      canonical_id: ids['developers'],
    });
    await group('Everybody', { policies: ['shop-read'], member_group_ids: [ids['developers']] });
    await group('company', { policies: [], member_group_ids: [ids['Everybody']] });
    await group('described', { member_group_ids: [ids['developers']], metadata: { team: 'x' } });
    await group('around', { member_group_ids: [ids['described']] });
    await group('empty', { policies: ['shop-write'] });
    const { data: entity } = await client.post('identity/entity', {
      name: 'alice',
      policies: ['shop-write'],
    });
    await group('hand-picked', { policies: ['shop-write'], member_entity_ids: [entity['id']] });
    await client.post('sys/auth/cluster', { type: 'jwt' });
    await client.post('auth/cluster/config', { jwt_validation_pubkeys: [publicKey], bound_issuer: 'c' });
    const account = { ...workload, bound_subject: 'system:serviceaccount:shop:web' };
    await client.post('auth/cluster/role/web', account);
    const anyDeployer = { sub: 'system:serviceaccount:*:deployer' };
    const deployer = { ...workload, bound_claims: anyDeployer, bound_claims_type: 'glob' };
    await client.post('auth/cluster/role/deployer', { ...deployer, policies: ['shop-write'] });
    if (!isOpenBao()) return;
    await client.post('sys/auth/machines', { type: 'approle' });
    await client.post('sys/auth/users', { type: 'userpass' });
    const users = String((await client.read('sys/auth/users'))?.data['accessor']);
    await group('admins', { type: 'external', policies: ['shop-write'] });
    await client.post('identity/group-alias', {
      name: 'admins',
      mount_accessor: users,
      canonical_id: ids['admins'],
    });
    await client.post('auth/token/roles/deploy', { allowed_policies: ['shop-write'] });
    const { data: totp } = await client.post('identity/mfa/method/totp', { issuer: 'x' });
    await client.post('identity/mfa/login-enforcement/two', {
      mfa_method_ids: [totp['method_id']],
      auth_method_types: ['jwt'],
    });
    await client.post('sys/namespaces/team', {});
    await client.put('auth/people/role/Reader', { ...reader, oidc_disable_confirmation: true });
    await client.post('sys/auth/builds/tune', { audit_non_hmac_request_keys: ['role'] });
    await client.post('auth/builds/cel/role/program', {
      cel_program: { expression: '1' },
      user_claim: 'sub',
      bound_audiences: ['a'],
      role_type: 'jwt',
      message: '',
    });
    const rewritten = (await client.read('sys/policies/acl/default'))?.data['policy'];
    const rule = 'path "secret/data/news" { capabilities = ["read"] }';
    await client.put('sys/policies/acl/default', { policy: `${rewritten}\n${rule}\n` });
    await client.post('sys/auth/old', { type: 'userpass' });
    const old = String((await client.read('sys/auth/old'))?.data['accessor']);
    await group('leftover', { type: 'external', policies: ['shop-write'] });
    const leftover = { name: 'leftover', mount_accessor: old, canonical_id: ids['leftover'] };
    await client.post('identity/group-alias', leftover);
    await client.delete('sys/auth/old');
    const someone = await client.post('identity/entity', { name: 'bob', policies: ['shop-write'] });
    const bob = { name: 'bob@example.com', mount_accessor: accessor, canonical_id: someone.data['id'] };
    await client.post('identity/entity-alias', bob);
  });

  const run = (line: string) => runCommand(line.split(' '), environment().env, folder);

  test('is adopted, but for what it names', async () => {
    const { code, out, err } = await run(`adopt --address ${server().address} --stack prod --json`);
    const { problems, left, secrets } = JSON.parse(out);
    expect({ problems, code, err }).toEqual({ problems: [], code: 0, err: '' });
    expect(secrets).toEqual(['clientSecrets.people']);
    const words = left.map((one: string) => one.replace(/auth_userpass_\w+/, 'auth_userpass_1'));
    expect(words.sort()).toEqual(
      [
        'entity alice: has shop-write',
        'group around: internal, no policies: "described" in it is not adopted',
        'group described: internal, no policies: it has metadata, which a stack declares for no group of groups',
        'group empty: internal, policies shop-write: it has no group as a member, so no one is in it',
        'group hand-picked: internal, policies shop-write: it has an entity as a direct member; Gatehouse does not manage members',
        ...(isOpenBao()
          ? [
              'method machines: of type approle; nothing in it gives policies',
              'method users: of type userpass; nothing in it gives policies',
              'group admins: its alias admins is of auth/users, which is not adopted',
              'token role deploy: gives shop-write',
              'login enforcement "two": it asks for a second factor',
              'namespace "team/": it has auth methods of its own',
              'alias leftover: it leads to the group leftover, and its auth method (auth_userpass_1) is gone',
              'group leftover: it has no alias, so no one is in it',
              'entity bob: it signs in there and has shop-write',
              'method builds, tune.auditNonHmacRequestKeys: no stack can declare this field: it stays as it is',
              'policy default, text: it adds read on "secret/data/news"; compared with that of OpenBao 2.7',
              'role builds/program: a program (CEL): what it gives is not known',
              'role people/reader, oidcDisableConfirmation: no stack can declare this field: it stays as it is',
            ]
          : []),
      ].sort(),
    );
  });

  test('is not adopted over a file that is there', async () => {
    const again = await run(`adopt --address ${server().address} --stack prod`);
    expect(again).toMatchObject(failed('file_exists'));
  });

  test('leaves for pulumi import only what that can take over', async () => {
    const file = JSON.parse(await readFile(join(folder, 'import.prod.json'), 'utf8'));
    const types = file.resources.map(({ type }: { type: string }) => type);
    expect(types).not.toContain('vault:generic/endpoint:Endpoint');
    expect(file.gatehouse.resources).toEqual([
      expect.objectContaining({ name: 'builds-typed', id: 'auth/builds/role/typed' }),
    ]);
  });

  test('says which secret to set, and takes it', async () => {
    const command = 'gatehouse secret set -s prod clientSecrets.people';
    expect(await readFile(join(folder, 'Pulumi.prod.yaml'), 'utf8')).toContain(command);
    expect((await run('preview -s prod')).err).toContain(command);
    environment().env['PEOPLE'] = 'only a test';
    const set = await run(`${command.replace('gatehouse ', '')} --from-env PEOPLE`);
    expect(set).toMatchObject({ code: 0, err: '' });
  });

  test('is imported by the local engine, and nothing on it is changed', async () => {
    const before = await everything();
    const { code, out, err } = await run('up -s prod --engine local --import import.prod.json --yes');
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('error') });
    // Components and the plugin are nothing on the service.
    expect(out).toContain('7 created, 14 imported; 0 unchanged');
    expect(await everything()).toEqual(before);
  });

  test('then has nothing to do, read anew or not', async () => {
    for (const flag of ['', ' --refresh']) {
      const { code, out } = await run(`preview -s prod --json${flag}`);
      const { steps } = JSON.parse(out);
      const changed = steps
        .filter(({ op, detailedDiff }: Record<string, unknown>) =>
          op === 'refresh' ? detailedDiff !== null : op !== 'same',
        )
        .map(({ urn, op, detailedDiff }: Record<string, unknown>) => ({ urn, op, detailedDiff }));
      expect({ code, changed }).toEqual({ code: 0, changed: [] });
    }
  });

  test.each([
    ['CI', 'true'],
    ['CI', ''],
  ])('then has no drift, as all that is left is known: %s=%s', async (name, value) => {
    for (const flag of ['', ' --unmanaged']) {
      environment().env[name] = value;
      const { code, out } = await run(`drift -s prod --json${flag}`);
      delete environment().env[name];
      const { differences, unmanaged, known, unverifiable } = JSON.parse(out);
      const states = known.map(({ kind, name: of, state }: any) => `${kind} ${of} ${state}`);
      expect(states.filter((one: string) => !one.endsWith(' same'))).toEqual([]);
      expect({ differences, unmanaged, unverifiable, code }).toEqual({
        differences: [],
        unmanaged: flag === '' ? expect.anything() : [],
        unverifiable: [],
        code: 0,
      });
      expect(known.every(({ because }: any) => because.length > 0)).toBe(true);
    }
  });

  test('and what is left is drift once it changes', async () => {
    await environment().client.post(`identity/group/id/${ids['described']}`, { policies: ['shop-write'] });
    const { code, out } = await run('drift -s prod');
    expect({ code, out }).toEqual({
      code: 2,
      out: expect.stringContaining('known group described is not as it was'),
    });
  });

  /** What can be changed by an import that goes wrong. */
  async function everything() {
    const { client } = environment();
    const read = async (path: string) => (await client.read(path))?.data;
    return {
      live: await environment().live(),
      roles: [await read('auth/builds/role/typed'), await read('auth/people/role/Reader')],
      config: await read('auth/people/config'),
      groups: await Promise.all(Object.values(ids).map((id) => read(`identity/group/id/${id}`))),
    };
  }
});
