import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { readLiveGraph } from '../../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { Reach } from '../../../src/access/questions/who-can.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(claims: object): string {
  const seconds = Math.floor(Date.now() / 1000);
  const content = `${encoded({ alg: 'RS256' })}.${encoded({ iat: seconds, exp: seconds + 600, ...claims })}`;
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`;
}

const rule = (text: string, ...capabilities: string[]) =>
  `path "${text}" { capabilities = ${JSON.stringify(capabilities)} }`;

/** Enables a JWT auth method at a path, and makes its roles. */
async function enableJwt(client: ServiceClient, mount: string) {
  await client.post(`sys/auth/${mount}`, { type: 'jwt' });
  await client.put(`auth/${mount}/config`, {
    jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
  });
  const { accessor } = (await client.read('sys/auth'))?.data[`${mount}/`] as { accessor: string };
  const role = (name: string, fields: object) =>
    client.put(`auth/${mount}/role/${name}`, {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['x'],
      ...fields,
    });
  return { accessor, role };
}

describeWithOpenBao('who can, on OpenBao', (server) => {
  const path = 'secret/data/prod/db';

  it('answers as the tokens of the sign-ins that it shows, also of a role that reads no groups', async () => {
    const client = new ServiceClient({ address: server().address, token: server().token });
    try {
      const { accessor, role } = await enableJwt(client, 'ci');
      await client.put('sys/policies/acl/admin', { policy: rule('secret/data/prod/*', 'read', 'update') });
      await client.put('sys/policies/acl/build', { policy: rule('secret/data/build/*', 'read') });
      await client.put('sys/policies/acl/shut', { policy: rule('secret/data/prod/+', 'deny') });
      await role('staff', { groups_claim: 'groups', token_policies: ['Build'] });
      await role('build', { token_policies: ['build'] });
      await role('shut', { groups_claim: 'groups', token_policies: ['shut'] });
      const outer = await client.post('identity/group', { name: 'outer', policies: ['ADMIN'] });
      const inner = await client.post('identity/group', { name: 'inner', type: 'external' });
      await client.post('identity/group-alias', {
        name: 'a-1',
        mount_accessor: accessor,
        canonical_id: inner.data['id'],
      });
      await client.post('identity/group', { id: outer.data['id'], member_group_ids: [inner.data['id']] });

      const { graph } = await readLiveGraph(client, { messages: false });
      const { abilities } = new Reach(graph, 0n).whoCan({ capability: 'update', path });
      const group = abilities.find(({ by }) => by.kind === 'group');
      expect(group).toMatchObject({ by: { name: 'inner' }, roles: ['build', 'staff'], policies: ['admin'] });

      const signIn = async (name: string, claims: object) => {
        const { auth } = (await client.post('auth/ci/login', { role: name, jwt: tokenOf(claims) })) as any;
        return new ServiceClient({ address: server().address, token: auth.client_token });
      };
      const capabilities = async (one: ServiceClient) =>
        ((await one.post('sys/capabilities-self', { paths: [path] })) as any).data[path];
      const claims = { sub: 'a', ...group?.signIn?.token.claims };
      const asBuild = await signIn('build', { ...claims, groups: undefined });
      const asStaff = await signIn(group?.signIn?.role ?? '', claims);
      const asShut = await signIn('shut', claims);
      expect(await capabilities(asStaff)).toEqual(['read', 'update']);
      // The token of a role that reads no groups has what the same person's groups have.
      expect(await capabilities(asBuild)).toEqual(['read', 'update']);
      expect(await capabilities(asShut)).toEqual(['deny']);
      for (const one of [asBuild, asStaff, asShut]) one.close();
    } finally {
      client.close();
    }
  });

  it('a sign-in by a role that reads no groups takes the tokens of the same person out of theirs', async () => {
    const client = new ServiceClient({ address: server().address, token: server().token });
    try {
      const { accessor, role } = await enableJwt(client, 'jobs');
      await client.put('sys/policies/acl/open', { policy: rule(path, 'read') });
      await client.put('sys/policies/acl/closed', { policy: rule(path, 'deny') });
      await role('bound', {
        groups_claim: 'groups',
        bound_claims: { groups: ['g'] },
        token_policies: ['open'],
      });
      const group = await client.post('identity/group', {
        name: 'closed',
        type: 'external',
        policies: ['closed'],
      });
      await client.post('identity/group-alias', {
        name: 'g',
        mount_accessor: accessor,
        canonical_id: group.data['id'],
      });
      const jwt = tokenOf({ sub: 'a', aud: 'x', groups: ['g'] });
      const signIn = async (name: string) =>
        ((await client.post('auth/jobs/login', { role: name, jwt })) as any).auth.client_token;
      const token = await signIn('bound');
      const bound = new ServiceClient({ address: server().address, token });
      const capabilities = async () =>
        ((await bound.post('sys/capabilities-self', { paths: [path] })) as any).data[path];
      const answer = async () => {
        const { graph } = await readLiveGraph(client, { messages: false });
        const found = new Reach(graph, 0n).whoCan({ capability: 'read', path });
        return found.abilities.some(({ by }) => by.kind === 'role' && by.name === 'bound');
      };
      expect([await answer(), await capabilities()]).toEqual([false, ['deny']]);
      await role('plain', { token_policies: [] });
      await signIn('plain');
      expect([await answer(), await capabilities()]).toEqual([true, ['read']]);
      bound.close();
    } finally {
      client.close();
    }
  });
});
