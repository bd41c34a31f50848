import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { readLiveGraph } from '../../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { entry, same, terraform } from '../../review/plan/terraform.ts';
import { Requests } from './split-worlds/service.ts';

const names = ['one', 'two', 'three'];
const rule = (path: string, capability: string) => `path "${path}" { capabilities = ["${capability}"] }`;
const password = 'a-password-of-a-test';

/** Each AppRole reads the credential of the next; the last one reads an identity token, which the method `self` trusts. */
async function makeChain(bao: Requests, { address, namespace }: Requests['server']): Promise<void> {
  await bao.write('sys/mounts/secret', { type: 'kv', options: { version: '1' } });
  for (const type of ['userpass', 'approle']) await bao.write(`sys/auth/${type}`, { type });
  const reads = { 'read-one': 'secret/one', 'read-two': 'secret/two', 'read-three': 'secret/three' };
  for (const [name, path] of Object.entries({ ...reads, token: 'identity/oidc/token/w', admin: 'kv/admin' }))
    await bao.write(`sys/policies/acl/${name}`, { policy: rule(path, 'read') });
  await bao.write('auth/userpass/users/ann', { password, token_policies: ['read-one'] });
  for (const [role, policy] of [
    ['one', 'read-two'],
    ['two', 'read-three'],
    ['three', 'token'],
  ])
    await bao.write(`auth/approle/role/${role}`, { token_policies: [policy] });
  await bao.write('identity/oidc/key/k', { allowed_client_ids: ['*'], algorithm: 'ES256' });
  await bao.write('identity/oidc/role/w', { key: 'k', client_id: 'app', template: '{"team":"admin"}' });
  await bao.write('sys/auth/self', { type: 'jwt' });
  const keys = `${address}/v1/${namespace}/identity/oidc/.well-known/keys`;
  await bao.write('auth/self/config', { jwks_url: keys, jwt_supported_algs: ['ES256'] });
  await bao.write('auth/self/role/adm', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['app'],
    bound_claims: { team: 'admin' },
    token_policies: ['admin'],
  });
}

/** A plan that writes each secret id where others read it. */
function plan(namespace: string): string {
  const secretId = (role: string) => ({ namespace, backend: 'approle', role_name: role, id: role });
  const resources = names.map((name) => ({
    address: `vault_kv_secret.${name}`,
    expressions: {
      data_json: {
        references: [
          `vault_approle_auth_backend_role_secret_id.${name}.secret_id`,
          `vault_approle_auth_backend_role_secret_id.${name}`,
        ],
      },
    },
  }));
  const issuer = { namespace, name: 'w', key: 'k', client_id: 'app', template: '{"team":"admin"}' };
  return terraform(
    [
      ...names.flatMap((name) => [
        entry(`vault_approle_auth_backend_role_secret_id.${name}`, same(secretId(name))),
        entry(`vault_kv_secret.${name}`, {
          after: { namespace, path: `secret/${name}` },
          after_unknown: { data_json: true },
        }),
      ]),
      entry('vault_identity_oidc_role.w', same(issuer)),
    ],
    { configuration: { root_module: { resources } } },
  );
}

/** Writes what the plan does. */
async function applied(bao: Requests): Promise<void> {
  for (const name of names) {
    const { data } = await bao.send('POST', `auth/approle/role/${name}/secret-id`, {});
    const { data: role } = await bao.send('GET', `auth/approle/role/${name}/role-id`);
    await bao.write(`secret/${name}`, { role_id: role['role_id'], secret_id: data['secret_id'] });
  }
}

/** Goes along the chain: what the last token reads; undefined where a step is refused. */
async function followed(bao: Requests): Promise<number | undefined> {
  const signedIn = await bao.send('POST', 'auth/userpass/login/ann', { password }, '');
  let token = signedIn.auth?.client_token ?? '';
  for (const name of names) {
    const kept = await bao.send('GET', `secret/${name}`, undefined, token);
    if (kept.status !== 200) return undefined;
    const next = await bao.send('POST', 'auth/approle/login', kept.data, '');
    token = next.auth?.client_token ?? '';
  }
  const { data } = await bao.send('GET', 'identity/oidc/token/w', undefined, token);
  const last = await bao.send('POST', 'auth/self/login', { role: 'adm', jwt: data['token'] }, '');
  const self = await bao.send(
    'POST',
    'sys/capabilities-self',
    { paths: ['kv/admin'] },
    last.auth?.client_token,
  );
  return JSON.stringify(self.data['kv/admin']) === '["read"]' ? 5 : undefined;
}

describeWithOpenBao('a chain of credentials, on OpenBao', (server) => {
  it.each([
    ['a namespace', ['chain']],
    ['a namespace three deep', ['a', 'b', 'c']],
  ])(
    'is said step by step in %s, and each step is one that the service allows once the plan is applied',
    async (_, names) => {
      const root = new Requests(server(), 4);
      let bao = root;
      for (const name of names) bao = await bao.within(name);
      const namespace = names.join('/');
      const client = new ServiceClient({ address: server().address, token: server().token, namespace });
      try {
        await makeChain(bao, bao.server);
        expect(await followed(bao)).toBeUndefined();
        const live = await readLiveGraph(client, { messages: false, whole: true, sources: true });
        const service = { graph: live.graph, ids: live.ids, missing: [], namespace };
        const { gains, access } = review(readPlan(plan(namespace)), {
          now: BigInt(Date.now()) * 1_000_000n,
          live: service,
        });
        const lines = access.flatMap(({ principals: { name }, also }) =>
          also.map(({ what }) => `${name} ${alsoWords(what)}`),
        );
        expect(gains).toBe('some');
        const role = (name: string) => `which signs in as role ${name} of approle`;
        expect(lines).toContain(
          `user ann of userpass reads secret/one, ${role('one')}, which reads secret/two, ${role('two')}, which reads secret/three, ${role('three')}, which reads identity/oidc/token/w, which signs in as role self/adm: gains read kv/admin`,
        );
        await applied(bao);
        expect(await followed(bao)).toBe(5);
      } finally {
        await root.close();
        client.close?.();
      }
    },
  );

  it('a secret id that is wrapped signs in the person who unwraps it', async () => {
    const root = new Requests(server(), 4);
    const bao = await root.within('wrapped');
    const namespace = 'wrapped';
    const client = new ServiceClient({ address: server().address, token: server().token, namespace });
    try {
      await makeChain(bao, bao.server);
      const { graph, ids } = await readLiveGraph(client, { messages: false, whole: true, sources: true });
      const secretIdAt = 'vault_approle_auth_backend_role_secret_id.one';
      const references = [`${secretIdAt}.wrapping_token`, secretIdAt];
      const kept = { address: 'vault_kv_secret.one', expressions: { data_json: { references } } };
      const secretId = { namespace, backend: 'approle', role_name: 'one', wrapping_ttl: '60s' };
      const plan = terraform(
        [
          entry(secretIdAt, { after: secretId, after_unknown: { wrapping_token: true } }),
          entry('vault_kv_secret.one', {
            after: { namespace, path: 'secret/one' },
            after_unknown: { data_json: true },
          }),
        ],
        { configuration: { root_module: { resources: [kept] } } },
      );
      const live = { graph, ids, missing: [], namespace };
      const { access } = review(readPlan(plan), { now: BigInt(Date.now()) * 1_000_000n, live });
      const lines = access.flatMap(({ principals: { name }, also }) =>
        also.map(({ what }) => `${name} ${alsoWords(what)}`),
      );
      expect(lines).toEqual([
        'user ann of userpass reads secret/one, which signs in as role one of approle: gains read secret/two',
      ]);

      const wrapping = await fetch(`${server().address}/v1/auth/approle/role/one/secret-id`, {
        method: 'POST',
        headers: {
          'x-vault-token': server().token,
          'x-vault-namespace': namespace,
          'x-vault-wrap-ttl': '60s',
        },
      });
      const { wrap_info: wrapped } = (await wrapping.json()) as { wrap_info: { token: string } };
      const { data: role } = await bao.send('GET', 'auth/approle/role/one/role-id');
      await bao.write('secret/one', { role_id: role['role_id'], wrapping_token: wrapped.token });
      const ann = await bao.send('POST', 'auth/userpass/login/ann', { password }, '');
      const { data: read } = await bao.send('GET', 'secret/one', undefined, ann.auth?.client_token);
      const unwrapped = await bao.send('POST', 'sys/wrapping/unwrap', {}, String(read['wrapping_token']));
      const signedIn = await bao.send(
        'POST',
        'auth/approle/login',
        { role_id: read['role_id'], secret_id: unwrapped.data['secret_id'] },
        '',
      );
      expect(signedIn.auth?.client_token).toMatch(/^s\./);
    } finally {
      await root.close();
      client.close();
    }
  });
});
