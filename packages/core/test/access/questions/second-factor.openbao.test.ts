import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { readLiveGraph } from '../../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entry, terraform } from '../../review/plan/terraform.ts';
import { Requests } from './split-worlds/service.ts';

const password = 'a-password-of-a-test';
const rule = (path: string) => `path "${path}" { capabilities = ["read"] }`;

/** A user with a second factor, whose key an engine of the service keeps as well. @returns the id of the method that asks for it */
async function makeSecondFactor(bao: Requests): Promise<string> {
  await bao.write('sys/auth/userpass', { type: 'userpass' });
  await bao.write('sys/policies/acl/ask', { policy: rule('kv/other') });
  for (const name of ['ann', 'bob'])
    await bao.write(`auth/userpass/users/${name}`, { password, token_policies: ['ask'] });
  const { data: mount } = await bao.send('GET', 'sys/auth/userpass');
  const ann = await bao.write('identity/entity', { name: 'ann' });
  await bao.write('identity/entity-alias', {
    name: 'ann',
    canonical_id: ann['id'],
    mount_accessor: mount['accessor'],
  });
  const totp = await bao.write('identity/mfa/method/totp', { issuer: 'gatehouse', period: 300 });
  const methodId = String(totp['method_id']);
  const generated = await bao.write('identity/mfa/method/totp/admin-generate', {
    method_id: methodId,
    entity_id: ann['id'],
  });
  await bao.write('identity/mfa/login-enforcement/people', {
    mfa_method_ids: [methodId],
    identity_entity_ids: [ann['id']],
  });
  await bao.write('sys/mounts/totp', { type: 'totp' });
  await bao.write('totp/keys/ann', { url: generated['url'] });
  return methodId;
}

describeWithOpenBao('a second factor that an engine of the service keeps', (server) => {
  it('is had by people who may read its codes: a plan that lets them says so, as does one that writes such a key', async () => {
    const bao = new Requests(server(), 4);
    const client = new ServiceClient({ address: server().address, token: server().token });
    try {
      const methodId = await makeSecondFactor(bao);
      const { graph, ids } = await readLiveGraph(client, { messages: false, whole: true, sources: true });
      const gainsBy = (...entries: object[]) =>
        review(readPlan(terraform(entries)), {
          now: BigInt(Date.now()) * 1_000_000n,
          live: { graph, ids, missing: [], namespace: '' },
        }).gains;
      const policy = (text: string) => ({ id: 'ask', name: 'ask', policy: text });
      const read = { before: policy(rule('kv/other')), after: policy(rule('totp/code/ann')) };
      expect(gainsBy(entry('vault_policy.ask', read))).toBe('some');
      const key = { path: 'totp/keys/ann', data_json: '{"url":"otpauth://totp/x"}' };
      expect(gainsBy(entry('vault_generic_endpoint.key', { after: key }))).toBe('unknown');

      await bao.write('sys/policies/acl/ask', { policy: rule('totp/code/ann') });
      const bob = await bao.send('POST', 'auth/userpass/login/bob', { password }, '');
      const { data } = await bao.send('GET', 'totp/code/ann', undefined, bob.auth?.client_token);
      const first = await bao.send('POST', 'auth/userpass/login/ann', { password }, '');
      expect(first.auth).toMatchObject({ client_token: '' });
      const id = first.auth?.mfa_requirement?.mfa_request_id;
      const validated = await bao.send(
        'POST',
        'sys/mfa/validate',
        { mfa_request_id: id, mfa_payload: { [methodId]: [String(data['code'])] } },
        '',
      );
      expect(validated.auth?.client_token).toMatch(/^s\./);
    } finally {
      await bao.close();
      client.close();
    }
  });
});
