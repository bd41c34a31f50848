import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { limits } from '../../src/access/sign-in/token-limits.ts';

const all = ['uses', 'batch'] as const;
/** A path below each of the table, and what the service says where a token may not ask it. */
const asked: Record<string, string> = {
  'auth/token/create': 'auth/token/create',
  'auth/token/create-orphan': 'auth/token/create-orphan',
  'auth/token/create/*': 'auth/token/create/deployer',
  'cubbyhole/*': 'cubbyhole/a',
  'auth/token/renew-self': 'auth/token/renew-self',
  'auth/token/revoke-self': 'auth/token/revoke-self',
};
/** Other paths where tokens do something for themselves. */
const unlimited = ['sys/tools/hash', 'auth/token/lookup', 'auth/token/roles/other', 'kv/a'];

describeWithOpenBao('limits of tokens, on OpenBao', (server) => {
  const at = (path: string) => ({ path, body: { input: 'aGVsbG8=', value: 'x' } });
  const everything = ['create', 'read', 'update', 'delete', 'list', 'sudo'];
  const capabilities = JSON.stringify(everything);

  it.each(['none', ...all] as const)(
    'with limit %s: what the table says, and nothing else, is refused',
    async (limit) => {
      const client = new ServiceClient({ address: server().address, token: server().token });
      const mount = `users-${limit}`;
      await client.post(`sys/auth/${mount}`, { type: 'userpass' });
      await client.post(`sys/mounts/kv`, { type: 'kv' }).catch(() => undefined);
      await client.put('sys/policies/acl/all', { policy: `path "*" { capabilities = ${capabilities} }` });
      await client.put('auth/token/roles/deployer', { allowed_policies: ['all'] });
      const fields = { none: {}, uses: { token_num_uses: 9 }, batch: { token_type: 'batch' } }[limit];
      await client.put(`auth/${mount}/users/ann`, { password: 'p', token_policies: ['all'], ...fields });
      const refused: string[] = [];
      for (const [pattern, path] of [
        ...Object.entries(asked),
        ...unlimited.map((one) => [one, one] as const),
      ]) {
        const signedIn = await client.post(`auth/${mount}/login/ann`, { password: 'p' });
        const token = String((signedIn.auth as { client_token: string }).client_token);
        const own = new ServiceClient({ address: server().address, token });
        const { body } = at(path);
        await own.put(path, path.endsWith('lookup') ? { token } : body).catch(() => refused.push(pattern));
        await own.close();
      }
      expect(refused.sort()).toEqual(limit === 'none' ? [] : [...limits[limit].closes].sort());
      await client.close();
    },
  );
});
