import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { readLiveGraph } from '../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { ofKind } from '../../src/graph/nodes/other-node.ts';
import { alsoWords } from '../../src/words/also-words.ts';
import { now } from '../review/graphs.ts';

describeWithOpenBao('names and guards, on OpenBao', (server) => {
  const read = (path: string) => ({ policy: `path "${path}" { capabilities = ["read"] }` });
  const tokenOf = ({ auth }: { auth?: unknown }) =>
    (auth as { client_token?: string } | undefined)?.client_token ?? '';
  const clientAt = () => new ServiceClient({ address: server().address, token: server().token });

  async function accessorOf(client: ServiceClient, mount: string, type: string) {
    await client.post(`sys/auth/${mount}`, { type });
    const mounts = (await client.read('sys/auth'))?.data as Record<string, { accessor: string }>;
    return mounts[`${mount}/`]?.accessor ?? '';
  }

  it('the metadata of a secret id fills in the policies that read it', async () => {
    const client = clientAt();
    const accessor = await accessorOf(client, 'jobs', 'approle');
    await client.post('sys/mounts/teams', { type: 'kv' });
    for (const team of ['dev', 'prod']) await client.put(`teams/${team}/a`, { value: team });
    await client.put(
      'sys/policies/acl/team',
      read(`teams/{{identity.entity.aliases.${accessor}.metadata.team}}/*`),
    );
    await client.put('auth/jobs/role/x', { token_policies: ['team'], role_id: 'rid' });
    const readBy = async (team: string) => {
      const answer = await client.put('auth/jobs/role/x/secret-id', { metadata: JSON.stringify({ team }) });
      const secret = { role_id: 'rid', secret_id: answer?.data['secret_id'] };
      const own = new ServiceClient({
        address: server().address,
        token: tokenOf(await client.post('auth/jobs/login', secret)),
      });
      const answers = await Promise.all(
        ['dev', 'prod'].map((one) =>
          own.read(`teams/${one}/a`).then(
            () => one,
            () => undefined,
          ),
        ),
      );
      await own.close();
      return answers.filter((one) => one !== undefined);
    };
    expect([await readBy('dev'), await readBy('prod')]).toEqual([['dev'], ['prod']]);
    await client.close();
  });

  it('who leaves the group of a login enforcement signs in by the password alone, and the live graph tells', async () => {
    const client = clientAt();
    const accessor = await accessorOf(client, 'staff', 'userpass');
    await client.put('auth/staff/users/ann', { password: 'p', token_policies: ['a'] });
    const entity = await client.post('identity/entity', { name: 'ann' });
    await client.post('identity/entity-alias', {
      name: 'ann',
      mount_accessor: accessor,
      canonical_id: entity.data['id'],
    });
    const group = await client.post('identity/group', { name: 'g', member_entity_ids: [entity.data['id']] });
    const method = await client.post('identity/mfa/method/totp', { issuer: 'x', period: 30 });
    await client.post('identity/mfa/login-enforcement/en', {
      mfa_method_ids: [method.data['method_id']],
      identity_group_ids: [group.data['id']],
    });
    const graphOf = async () => (await readLiveGraph(client, { messages: false, whole: true })).graph;
    const before = await graphOf();
    expect(tokenOf(await client.post('auth/staff/login/ann', { password: 'p' }))).toBe('');
    await client.post(`identity/group/id/${group.data['id']}`, { name: 'g', member_entity_ids: [] });
    expect(tokenOf(await client.post('auth/staff/login/ann', { password: 'p' }))).not.toBe('');
    const after = await graphOf();

    expect(before.complete).toContainEqual({ list: 'guards' });
    const [guard] = ofKind(before.others, 'guard');
    expect(guard?.targets).toEqual({ groups: ['g'], entities: [], methods: [], types: [] });
    const { gains, changes } = decideAccess({ before, after, replaced: [], rotated: [], unknown: [] }, now);
    expect(gains).toBe('some');
    expect(changes.flatMap(({ also }) => also.map(({ what }) => alsoWords(what)))).toEqual([
      'it no longer asks alias ann of staff (entity ann) for a second factor',
    ]);
    await client.close();
  });
});
